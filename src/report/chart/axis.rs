//! Computes the positions of values, ticks and columns on an axis.

use crate::report::format::Unit;

#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub low: f64,
    pub high: f64,
    log: bool,
}

impl Axis {
    /// Makes an axis that covers these values. A linear axis starts at 0. A logarithmic axis ignores values up to 0.
    pub(super) fn around(values: impl IntoIterator<Item = f64>, log: bool) -> Option<Self> {
        let mut usable: Vec<f64> = values.into_iter().collect();
        usable.retain(|value| value.is_finite() && (!log || *value > 0.0));
        let low = usable.iter().copied().reduce(f64::min)?;
        let high = usable.iter().copied().reduce(f64::max)?;
        if log {
            // The axis covers at least a factor of two, so that noise does not fill the chart.
            let room = (high / low).powf(0.06).max(1.0);
            let widen = (2.0 / (high / low)).max(1.0).sqrt();
            return Some(Axis::new(low / room / widen, high * room * widen, log));
        }
        let span = if high > 0.0 { high } else { 1.0 };
        Some(Axis::new(0.0, high.max(0.0) + span * 0.06, log))
    }

    pub(super) fn new(low: f64, high: f64, log: bool) -> Self {
        Axis { low, high, log }
    }

    /// Maps the low end to 0 and the high end to 1. Returns `None` if the axis cannot show the value.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.log && value <= 0.0) {
            return None;
        }
        let map = |v: f64| if self.log { v.ln() } else { v };
        let [value, low, high] = [value, self.low, self.high].map(map);
        Some(match high > low {
            true => (value - low) / (high - low),
            false => 0.5,
        })
    }

    pub(super) fn ticks(&self) -> Vec<f64> {
        let inside = |tick: &f64| *tick >= self.low && *tick <= self.high;
        let decades = (self.high / self.low).log10();
        if self.log && decades >= 0.6 {
            let steps: &[f64] = match decades {
                d if d < 1.3 => &[1.0, 2.0, 3.0, 5.0],
                d if d < 3.0 => &[1.0, 2.0, 5.0],
                _ => &[1.0],
            };
            let first = self.low.log10().floor() as i32;
            let last = self.high.log10().ceil() as i32;
            let decades = first..=last;
            let ticks =
                decades.flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
            return ticks.filter(inside).collect();
        }
        let raw = (self.high - self.low) / 6.0;
        let size = 10f64.powf(raw.log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0].map(|factor| factor * size);
        let step = steps.into_iter().find(|step| *step >= raw);
        let step = step.unwrap_or(size * 10.0);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|n| n as f64 * step).collect()
    }
}

/// Places columns from 0 to 1: numbers by value (logarithmic if they span at least two decades), other names evenly.
pub(super) fn columns(names: &[String]) -> Vec<f64> {
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
    let numbers = numbers.filter(|own| own.first() < own.last());
    let even = || (0..names.len()).map(|at| at as f64).collect();
    let values = numbers.unwrap_or_else(even);
    let ends = values.first().copied().zip(values.last().copied());
    let (first, last) = ends.unwrap_or_default();
    let axis = Axis::new(first, last, first > 0.0 && last / first >= 100.0);
    let place = |value: &f64| axis.place(*value).unwrap_or(0.0);
    values.iter().map(place).collect()
}

/// Splits points into unbroken runs, because a line must not cross a gap.
pub(super) fn runs(points: &[Option<(f64, f64)>]) -> Vec<Vec<(f64, f64)>> {
    let runs = points.split(Option::is_none);
    let runs = runs.map(|run| run.iter().flatten().copied().collect::<Vec<_>>());
    runs.filter(|run| run.len() > 1).collect()
}

/// Returns a column's label, such as `100 k` for 100000. Does not shorten a name that would lose a digit.
pub(super) fn tick_name(name: &str) -> String {
    let is_round = |count: &u32| count.to_string().trim_end_matches('0').len() <= 3;
    let count = name.parse::<u32>().ok().filter(|count| *count >= 1_000);
    match count.filter(is_round) {
        Some(count) => Unit::Count.tick(f64::from(count)),
        None => name.to_owned(),
    }
}
