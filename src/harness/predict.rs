//! Records the costs of a run's cells, and predicts the costs of larger cells from them.

use super::plan::{Cell, HOST, Processor};
use crate::config::Experiment;
use crate::results::MeasurementRow;
use crate::words::{Case, Task, Value};

/// The axis along which costs grow exponentially. Along every other axis, they grow as a power of the value.
const DEPTH: &str = "depth";
/// The axis for the time per move. Costs are proportional to it.
const EFFORT: &str = "effort";
/// The axis for the number of playouts. Host costs are proportional to it. Device costs also depend on the launches.
const PLAYOUTS: &str = "playouts";

/// The unit of a board's size in predictions.
const SQUARES: &str = "squares";

/// The known costs of cells in a run. They predict the costs of other cells.
pub struct Costs {
    pub samples: Predictor,
    /// Longest launches of device cells and costs of host cells, ns. Both are predicted to grow in the same way.
    pub launches: Predictor,
    /// True if costs are per position, as in a line of play. In all other tasks, they are per sample.
    pub by_position: bool,
    /// Cases with their number of positions.
    positions: Vec<(Case, u64)>,
}

impl Costs {
    pub fn new(experiment: &Experiment) -> Self {
        Self {
            samples: Predictor::default(),
            launches: Predictor::default(),
            by_position: experiment.task == Task::Game,
            positions: Vec::new(),
        }
    }

    /// Records a case's number of positions, or the number that an earlier run searched.
    pub fn learn_positions(&mut self, case: &Case, units: u64) {
        match self.positions.iter_mut().find(|(known, _)| known == case) {
            Some((_, most)) => *most = units.max(*most),
            None => self.positions.push((case.clone(), units)),
        }
    }

    /// Returns a case's number of positions or, if it is unknown, that of a case from which its cost is extrapolated.
    pub fn positions(&self, case: &Case) -> Option<u64> {
        let same = self.positions.iter().find(|(known, _)| known == case);
        let mut known = self.positions.iter();
        let like = same.or_else(|| known.find(|(small, _)| is_step_to(small, case)));
        like.map(|(_, units)| *units)
    }

    /// Records that a sample with `units` units costs `ns`.
    pub fn learn(&mut self, cell: &Cell, ns: f64, units: u64) {
        let parts = if self.by_position { units.max(1) } else { 1 };
        let each = ns / parts as f64;
        let (label, device) = (&cell.choice.label, &cell.device_label);
        self.samples.learn(label, device, &cell.case, each);
        if cell.on == Processor::Host {
            self.launches.learn(label, device, &cell.case, each);
        }
    }

    /// Records a cell's cost from its row. Returns the row's number of units, or `None` if the row has no time.
    pub fn learn_row(&mut self, cell: &Cell, row: &MeasurementRow) -> Option<u64> {
        let own = row.median_ns.filter(|_| row.units > 0)?;
        let both = own.saturating_add(row.opponent_ns.unwrap_or(0));
        self.learn_positions(&cell.case, row.units);
        self.learn(cell, both as f64, row.units);
        Some(row.units)
    }

    /// Records a cell's longest launch, ns. 0 means that nothing was launched.
    pub fn learn_launch(&mut self, cell: &Cell, ns: u64) {
        if cell.on != Processor::Host {
            let (label, device) = (&cell.choice.label, &cell.device_label);
            self.launches.learn(label, device, &cell.case, ns as f64);
        }
    }
}

/// Predicts a cell's cost from smaller cells with the same technique and device that differ on one axis. Costs are in
/// ns per position in a line of play, and in ns per sample in any other task.
#[derive(Clone, Debug, Default)]
pub struct Predictor {
    /// Technique, device, case and cost of each known cell.
    known: Vec<(String, String, Case, f64)>,
}

impl Predictor {
    /// Records a cell's cost. Ignores a cost of 0, which is below the clock's resolution and shows no growth.
    pub fn learn(&mut self, technique: &str, device: &str, case: &Case, ns: f64) {
        if ns > 0.0 {
            let is_it = |known: &(String, String, Case, f64)| {
                known.0 == technique && known.1 == device && known.2 == *case
            };
            self.known.retain(|known| !is_it(known));
            let (technique, device) = (technique.to_owned(), device.to_owned());
            self.known.push((technique, device, case.clone(), ns));
        }
    }

    /// Predicts a cell's cost, ns. Returns `None` if no smaller cell is known.
    ///
    /// The prediction is the smaller of two extrapolations. The first uses the technique's growth between the two
    /// nearest smaller cells. It is too high if growth alternates between odd and even depths. The second uses the
    /// reference's growth from the nearest smaller cell to this cell. It is too high if small cells are mostly launch
    /// overhead. The result is at least the cost of every cell that is smaller on some axes and equal on the others.
    pub fn predict(
        &self,
        technique: &str,
        device: &str,
        case: &Case,
        reference: (&str, &str),
    ) -> Option<f64> {
        let of = |technique: &str, device: &str| {
            let own = self.known.iter();
            let own = own.filter(|known| known.0 == technique && known.1 == device);
            own.map(|(_, _, case, ns)| (case, *ns)).collect::<Vec<_>>()
        };
        let (own, reference) = (of(technique, device), of(reference.0, reference.1));
        let of_reference = |at: &Case| reference.iter().find(|(case, _)| *case == at);
        let mut guess = None;
        for (axis, (name, _)) in case.0.iter().enumerate() {
            let smaller = own.iter().filter_map(|(small, ns)| {
                let (was, is) = down_along(axis, small, case)?;
                Some((was as f64, is as f64, *small, *ns))
            });
            let mut smaller: Vec<_> = smaller.collect();
            smaller.sort_by(|one, other| other.0.total_cmp(&one.0));
            let Some(&(near, here, nearest, ns)) = smaller.first() else {
                continue;
            };
            let steps = |from: f64, to: f64| match name.as_str() {
                DEPTH => to - from,
                _ => (to.max(1.0) / from.max(1.0)).ln(),
            };
            let by_itself = smaller.get(1).map(|&(far, _, _, farther_ns)| {
                let power = steps(near, here) / steps(far, near).max(f64::MIN_POSITIVE);
                ns * (ns / farther_ns).max(1.0).powf(power)
            });
            let as_reference = of_reference(case).zip(of_reference(nearest));
            let as_reference = as_reference.map(|(now, then)| ns * (now.1 / then.1).max(1.0));
            let in_proportion = ns * here / near;
            let grown = match (by_itself, as_reference) {
                _ if case.is_clocked() && name == EFFORT => Some(in_proportion),
                (Some(one), Some(other)) => Some(one.min(other)),
                (None, None) => (device == HOST && name == PLAYOUTS).then_some(in_proportion),
                (one, other) => one.or(other),
            };
            guess = [guess, grown].into_iter().flatten().reduce(f64::min);
        }
        let least = own.iter().filter(|(small, _)| is_below(small, case));
        let least = least.map(|(_, ns)| *ns).reduce(f64::max);
        [guess, least].into_iter().flatten().reduce(f64::max)
    }
}

/// True if the cost of `large` may be extrapolated from `small`.
pub fn is_step_to(small: &Case, large: &Case) -> bool {
    (0..large.0.len()).any(|axis| down_along(axis, small, large).is_some())
}

/// Returns the values of both cases on this axis (times in ns) if `small` is smaller there and equal on all other axes.
fn down_along(axis: usize, small: &Case, large: &Case) -> Option<(i64, i64)> {
    let (name, is) = large.0.get(axis)?;
    let (unit, was, is) = in_order(small.get(name)?, is)?;
    (unit != SQUARES && small.without(name) == large.without(name)).then_some((was, is))
}

/// True if `small` is smaller than `large` on some axes and equal on the others.
fn is_below(small: &Case, large: &Case) -> bool {
    let mut axes = small.0.iter().zip(&large.0);
    small != large
        && small.0.len() == large.0.len()
        && axes.all(|(one, other)| {
            one == other || one.0 == other.0 && in_order(&one.1, &other.1).is_some()
        })
}

/// Returns the unit and both values if they have the same unit and `was` is smaller than `is`.
fn in_order(was: &Value, is: &Value) -> Option<(&'static str, i64, i64)> {
    let ((unit, was), (other, is)) = (size(was)?, size(is)?);
    (unit == other && was < is).then_some((unit, was, is))
}

/// Returns the unit and size of a plain number, of a board `WxH` (in squares), or of a time (in ns).
fn size(value: &Value) -> Option<(&'static str, i64)> {
    if let Some(number) = value.as_int() {
        return Some(("", number));
    }
    let text = value.as_text()?;
    let Some((width, height)) = text.split_once('x') else {
        let time = humantime::parse_duration(text).ok()?;
        return Some(("ns", i64::try_from(time.as_nanos()).ok()?));
    };
    let squares = width.parse::<i64>().ok()?.checked_mul(height.parse().ok()?);
    Some((SQUARES, squares?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn read(text: &str) -> (&str, &'static str, Case, Option<f64>) {
        let (cell, ns) = text.split_once(": ").unwrap();
        let (technique, case) = cell.trim().split_once(' ').unwrap();
        let device = if technique == "serial" { "host" } else { "gpu" };
        let case = Case::parse(case).unwrap();
        (technique, device, case, ns.trim().parse().ok())
    }

    /// Checks predictions. Each row contains the reference, the recorded costs in order, and the expected predictions.
    fn check(rows: &str) {
        for row in rows.trim().lines() {
            let [reference, learnt, predicted] = row.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let mut predictor = Predictor::default();
            for (technique, device, case, ns) in learnt.split("; ").map(read) {
                predictor.learn(technique, device, &case, ns.unwrap());
            }
            for (technique, device, case, expected) in predicted.split("; ").map(read) {
                let reference = (reference.trim(), "host");
                let found = predictor.predict(technique, device, &case, reference);
                assert_eq!(found.is_some(), expected.is_some(), "{row}: {case}");
                let [found, expected] = [found, expected].map(Option::unwrap_or_default);
                assert_relative_eq!(found, expected, max_relative = 1e-9);
            }
        }
    }

    /// With one smaller cell and no reference, the prediction is that cell's cost. A cell that is recorded twice counts
    /// once. A recorded cost of 0 does not lead to an infinite prediction.
    #[test]
    fn two_smaller_cells_give_the_growth_a_step() {
        check(
            "
serial | serial board=8x8 depth=3: 10 | serial board=8x8 depth=2: -; serial board=6x6 depth=4: -; serial board=8x8 depth=4: 10
serial | serial board=8x8 depth=4: 100; serial board=8x8 depth=6: 1600 | serial board=8x8 depth=8: 25600
serial | serial board=8x8 depth=1: 1; serial board=8x8 depth=2: 50; serial board=8x8 depth=2: 4 | serial board=8x8 depth=3: 16
serial | serial board=8x8 depth=1: 0; serial board=8x8 depth=2: 10 | serial board=8x8 depth=3: 10",
        );
    }

    /// On the host, one cell with fewer playouts is enough. With a time per move, the nearest cell is used, because
    /// games last longer if there is more time.
    #[test]
    fn counts_and_times_grow_by_a_power_not_by_steps() {
        check(
            "
serial | serial playouts=1000: 1e6; serial playouts=10000: 1e7 | serial playouts=100000: 1e8
none | serial playouts=1000000: 5e9; sliced playouts=1000000: 1e6 | serial playouts=16000000: 8e10; sliced playouts=16000000: 1e6
serial | mcts effort=10ms: 4e8 | mcts effort=100ms: 4e9
serial | mcts effort=10ms: 4e8; mcts effort=100ms: 5e9 | mcts effort=1s: 5e10; mcts effort=1ms: -",
        );
    }

    /// The growth at 24x24 predicts 1,800 for depth 4, but the known cost on the smaller board is higher. Costs are not
    /// extrapolated between boards. One smaller cell on each of two axes gives a lower bound, but no growth.
    #[test]
    fn a_larger_board_never_costs_less() {
        check(
            "
serial | serial board=21x21 depth=3: 50; serial board=21x21 depth=4: 9000; serial board=24x24 depth=2: 2; serial board=24x24 depth=3: 60 | serial board=24x24 depth=4: 9000; serial board=32x32 depth=1: -; serial board=32x32 depth=2: 2; serial board=32x32 depth=4: 9000
serial | serial board=9 depth=3: 30; serial board=12 depth=2: 10 | serial board=12 depth=3: 30
serial | serial board=9 depth=3: 30; serial board=12 depth=2: 10; serial board=12 depth=1: 2 | serial board=12 depth=3: 50",
        );
    }

    /// The technique's growth predicts 8,100. The reference's growth from depth 2 to 3 predicts 2,700.
    #[test]
    fn the_references_growth_bounds_the_techniques_own() {
        check(
            "
serial | serial board=8x8 depth=1: 1; split board=8x8 depth=1: 100; serial board=8x8 depth=2: 10; split board=8x8 depth=2: 900; serial board=8x8 depth=3: 30 | split board=8x8 depth=3: 2700",
        );
    }
}
