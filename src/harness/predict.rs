//! Predicts a cell's cost from smaller cells.

use std::collections::HashMap;

use crate::words::{Case, Value};

/// The axis on which work grows exponentially; on all others it grows by a power.
const DEPTH: &str = "depth";
/// The axis with a time for a move, to which the cost is proportional.
const EFFORT: &str = "effort";
/// The axis to which the cost on the host is proportional; a device's small numbers are mostly launches.
const PLAYOUTS: &str = "playouts";

/// The device label of techniques on the host.
pub use crate::results::HOST;

/// Predicts the cost of a cell from smaller cells of the same technique and device that differ on one numeric axis.
///
/// Known costs by technique and device: ns for one position of a line of play, or for a whole sample of any other task.
#[derive(Clone, Debug, Default)]
pub struct Predictor(HashMap<(String, String), Vec<(Case, f64)>>);

impl Predictor {
    /// Records a cell's cost. A cost of 0 only reflects the clock's resolution, and is useless for extrapolation.
    pub fn learn(&mut self, technique: &str, device: &str, case: &Case, ns: f64) {
        if ns > 0.0 {
            let whose = (technique.to_owned(), device.to_owned());
            let known = self.0.entry(whose).or_default();
            known.retain(|(of, _)| of != case);
            known.push((case.clone(), ns));
        }
    }

    /// The predicted cost of a cell, ns; `None` if no smaller cell is known.
    ///
    /// The smaller of two extrapolations: by the technique's own growth over its last two smaller cells, and by the
    /// reference's growth from the technique's last smaller cell to this one. If a technique's small cells are mostly
    /// launch overhead, the second one overestimates; if its growth alternates between odd and even depths, as for
    /// alpha-beta, the first one does. The smaller one errs towards trying a cell, and the trial then shows the cost.
    ///
    /// The prediction is at least the cost of every cell that is smaller on some axes and equal on the others: a search
    /// of 24x24 squares costs at least as much as one of 21x21.
    pub fn predict(
        &self,
        technique: &str,
        device: &str,
        case: &Case,
        reference: (&str, &str),
    ) -> Option<f64> {
        // Axes are extrapolated separately.
        let guess = (0..case.0.len())
            .filter_map(|axis| self.along(axis, technique, device, case, reference))
            .min_by(f64::total_cmp);
        let smaller = self.of(technique, device);
        let smaller = smaller.filter(|(of, _)| below(of, case));
        let of_smaller = smaller.map(|(_, ns)| *ns).max_by(f64::total_cmp);
        match (guess, of_smaller) {
            (Some(guess), Some(least)) => Some(guess.max(least)),
            (guess, least) => guess.or(least),
        }
    }

    fn of(&self, technique: &str, device: &str) -> impl Iterator<Item = &(Case, f64)> {
        let known = self.0.get(&(technique.to_owned(), device.to_owned()));
        known.into_iter().flatten()
    }

    /// As [`Predictor::predict`], from cells that are smaller on one axis.
    fn along(
        &self,
        axis: usize,
        technique: &str,
        device: &str,
        case: &Case,
        reference: (&str, &str),
    ) -> Option<f64> {
        let known = self.of(technique, device);
        let mut smaller: Vec<_> = known
            .filter_map(|(of, ns)| Some((down_along(axis, of, case)?, of, *ns)))
            .collect();
        smaller.sort_by_key(|((was, _), ..)| std::cmp::Reverse(*was));
        let &((near, here), nearest, ns) = smaller.first()?;
        let in_proportion = ns * here as f64 / near as f64;
        let is_axis = |name| case.0.get(axis).is_some_and(|(own, _)| own == name);
        if case.is_clocked() && is_axis(EFFORT) {
            return Some(in_proportion);
        }

        let deep = is_axis(DEPTH);
        let own = smaller.get(1).map(|&((far, _), _, farther_ns)| {
            let steps = |from: i64, to: i64| match deep {
                true => (to - from) as f64,
                false => (to.max(1) as f64 / from.max(1) as f64).ln(),
            };
            let growth = (ns / farther_ns).max(1.0);
            ns * growth.powf(steps(near, here) / steps(far, near).max(f64::MIN_POSITIVE))
        });
        let of_reference = |at: &Case| {
            let mut known = self.of(reference.0, reference.1);
            known.find(|(of, _)| of == at).map(|(_, ns)| *ns)
        };
        let like_reference = of_reference(case)
            .zip(of_reference(nearest))
            .map(|(now, then)| ns * (now / then).max(1.0));
        match (own, like_reference) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (None, None) => (device == HOST && is_axis(PLAYOUTS)).then_some(in_proportion),
            (a, b) => a.or(b),
        }
    }
}

/// Whether the cost of `large` is extrapolated from that of `small`.
pub fn is_step_to(small: &Case, large: &Case) -> bool {
    (0..large.0.len()).any(|axis| down_along(axis, small, large).is_some())
}

/// If `small` equals `large` except for a smaller value on this axis, a number or a time: both values.
fn down_along(axis: usize, small: &Case, large: &Case) -> Option<(i64, i64)> {
    let (name, is) = large.0.get(axis)?;
    let was = small.get(name)?;
    let (was, is) = match (was.as_int(), is.as_int()) {
        (Some(was), Some(is)) => (was, is),
        _ => (time_ns(was)?, time_ns(is)?),
    };
    (was < is && small.without(name) == large.without(name)).then_some((was, is))
}

/// Whether `small` is smaller than `large` on some axes and equal on the others.
fn below(small: &Case, large: &Case) -> bool {
    let no_larger = |(of_small, of_large): (&(String, Value), &(String, Value))| {
        of_small.0 == of_large.0
            && (of_small.1 == of_large.1
                || size(&of_small.1)
                    .zip(size(&of_large.1))
                    .is_some_and(|(small, large)| small < large))
    };
    small != large && small.0.len() == large.0.len() && small.0.iter().zip(&large.0).all(no_larger)
}

/// A time in ns, `100ms`.
fn time_ns(value: &Value) -> Option<i64> {
    let time = humantime::parse_duration(value.as_text()?).ok()?;
    i64::try_from(time.as_nanos()).ok()
}

/// The size of a value, if it has one: a number itself, a board `WxH` its number of squares, a time its ns.
fn size(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Text(text) => match text.split_once('x') {
            Some((width, height)) => width
                .parse::<i64>()
                .ok()?
                .checked_mul(height.parse::<i64>().ok()?),
            None => time_ns(value),
        },
        Value::Flag(_) | Value::List(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn case(board: &str, depth: i64) -> Case {
        Case(vec![
            ("board".into(), Value::Text(board.into())),
            ("depth".into(), Value::Int(depth)),
        ])
    }

    const REFERENCE: (&str, &str) = ("serial", "host");

    #[test]
    fn nothing_smaller_predicts_nothing() {
        let mut predictor = Predictor::default();
        predictor.learn("serial", "host", &case("8x8", 3), 10.0);
        let found = predictor.predict("serial", "host", &case("8x8", 2), REFERENCE);
        assert_eq!(found, None);
        let found = predictor.predict("serial", "host", &case("6x6", 4), REFERENCE);
        assert_eq!(found, None);
        // With one smaller cell and no reference, its cost is the prediction.
        let found = predictor.predict("serial", "host", &case("8x8", 4), REFERENCE);
        assert_eq!(found, Some(10.0));
    }

    #[test]
    fn counts_grow_by_a_power_not_by_steps() {
        let of = |playouts| Case(vec![("playouts".into(), Value::Int(playouts))]);
        let mut predictor = Predictor::default();
        predictor.learn("serial", "host", &of(1_000), 1e6);
        predictor.learn("serial", "host", &of(10_000), 1e7);
        let predicted = predictor.predict("serial", "host", &of(100_000), REFERENCE);
        assert_relative_eq!(predicted.unwrap_or_default(), 1e8, max_relative = 1e-9);
    }

    #[test]
    fn on_the_host_one_smaller_number_of_playouts_tells_the_cost_of_a_larger_one() {
        let of = |playouts| Case(vec![("playouts".into(), Value::Int(playouts))]);
        let mut predictor = Predictor::default();
        predictor.learn("serial", "host", &of(1_000_000), 5e9);
        predictor.learn("sliced", "gpu", &of(1_000_000), 1e6);
        let at = |technique, device| {
            predictor.predict(technique, device, &of(16_000_000), ("none", "host"))
        };
        assert_relative_eq!(
            at("serial", "host").unwrap_or_default(),
            8e10,
            max_relative = 1e-9
        );
        assert_eq!(at("sliced", "gpu"), Some(1e6));
    }

    #[test]
    fn ten_times_the_time_for_a_move_costs_ten_times_as_much() {
        let of = |effort: &str| Case(vec![("effort".into(), Value::Text(effort.into()))]);
        let mut predictor = Predictor::default();
        predictor.learn("mcts", "gpu", &of("10ms"), 4e8);
        let predicted = |predictor: &Predictor, effort| {
            let ns = predictor.predict("mcts", "gpu", &of(effort), REFERENCE);
            ns.unwrap_or_default()
        };
        assert_relative_eq!(predicted(&predictor, "100ms"), 4e9, max_relative = 1e-9);
        // The nearest case counts: with more time games are longer.
        predictor.learn("mcts", "gpu", &of("100ms"), 5e9);
        assert_relative_eq!(predicted(&predictor, "1s"), 5e10, max_relative = 1e-9);
        assert_eq!(predicted(&predictor, "1ms"), 0.0);
    }

    #[test]
    fn a_larger_board_never_costs_less() {
        let mut predictor = Predictor::default();
        for (board, depth, ns) in [
            ("21x21", 3, 50.0),
            ("21x21", 4, 9_000.0),
            ("24x24", 2, 2.0),
            ("24x24", 3, 60.0),
        ] {
            predictor.learn("serial", "host", &case(board, depth), ns);
        }
        let predicted =
            |board, depth| predictor.predict("serial", "host", &case(board, depth), REFERENCE);
        // Its own growth gives 1,800; the smaller board's known cost is higher.
        assert_eq!(predicted("24x24", 4), Some(9_000.0));
        assert_eq!(predicted("32x32", 1), None);
        assert_eq!(predicted("32x32", 2), Some(2.0));
    }

    #[test]
    fn two_smaller_cells_give_the_growth_a_step() {
        let mut predictor = Predictor::default();
        predictor.learn("serial", "host", &case("8x8", 4), 100.0);
        predictor.learn("serial", "host", &case("8x8", 6), 1600.0);
        let predicted = predictor.predict("serial", "host", &case("8x8", 8), REFERENCE);
        assert_relative_eq!(predicted.unwrap_or_default(), 25_600.0, max_relative = 1e-9);
    }

    #[test]
    fn the_references_growth_bounds_the_techniques_own() {
        let mut predictor = Predictor::default();
        for (depth, serial, device) in [(1, 1.0, 100.0), (2, 10.0, 900.0)] {
            predictor.learn("serial", "host", &case("8x8", depth), serial);
            predictor.learn("pv-split", "gpu", &case("8x8", depth), device);
        }
        predictor.learn("serial", "host", &case("8x8", 3), 30.0);
        let predicted = predictor.predict("pv-split", "gpu", &case("8x8", 3), REFERENCE);
        // Its own growth gives 8,100; the reference's from depth 2 to 3 gives 2,700.
        assert_relative_eq!(predicted.unwrap_or_default(), 2_700.0, max_relative = 1e-9);
    }

    #[test]
    fn steps_of_two_numeric_axes_are_not_mixed() {
        let case = |board: i64, depth: i64| {
            Case(vec![
                ("board".into(), Value::Int(board)),
                ("depth".into(), Value::Int(depth)),
            ])
        };
        let mut predictor = Predictor::default();
        predictor.learn("serial", "host", &case(9, 3), 30.0);
        predictor.learn("serial", "host", &case(12, 2), 10.0);
        // One smaller cell on each axis gives no growth, only a lower bound.
        let predicted =
            |predictor: &Predictor| predictor.predict("serial", "host", &case(12, 3), REFERENCE);
        assert_eq!(predicted(&predictor), Some(30.0));
        predictor.learn("serial", "host", &case(12, 1), 2.0);
        assert_relative_eq!(
            predicted(&predictor).unwrap_or_default(),
            50.0,
            max_relative = 1e-9
        );
    }

    #[test]
    fn a_cost_of_nothing_makes_no_other_endless() {
        let mut predictor = Predictor::default();
        predictor.learn("serial", "host", &case("8x8", 1), 0.0);
        predictor.learn("serial", "host", &case("8x8", 2), 10.0);
        let predicted = predictor.predict("serial", "host", &case("8x8", 3), REFERENCE);
        assert_eq!(predicted, Some(10.0));
    }

    #[test]
    fn a_cell_learnt_twice_counts_once() {
        let mut predictor = Predictor::default();
        predictor.learn("serial", "host", &case("8x8", 1), 1.0);
        predictor.learn("serial", "host", &case("8x8", 2), 50.0);
        predictor.learn("serial", "host", &case("8x8", 2), 4.0);
        let predicted = predictor.predict("serial", "host", &case("8x8", 3), REFERENCE);
        assert_relative_eq!(predicted.unwrap_or_default(), 16.0, max_relative = 1e-9);
    }
}
