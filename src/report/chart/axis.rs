//! From values to places along an axis, and the ticks of it.

/// An axis from a low to a high value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// An axis that holds all these values with a little room; `None` where there are none.
    ///
    /// A linear axis begins at 0 where no value is below. A logarithmic one leaves out what is not
    /// above 0.
    pub(super) fn around(values: impl IntoIterator<Item = f64>, log: bool) -> Option<Self> {
        let usable = |value: &f64| value.is_finite() && (!log || *value > 0.0);
        let values = values
            .into_iter()
            .filter(usable)
            .map(|value| (value, value));
        let (low, high) =
            values.reduce(|(low, high), (value, _)| (low.min(value), high.max(value)))?;
        Some(if log {
            // At least from half to double, so that noise does not fill the chart.
            let room = (high / low).powf(0.06).max(1.0);
            let widen = (2.0 / (high / low)).max(1.0).sqrt();
            Axis {
                low: low / room / widen,
                high: high * room * widen,
                log,
            }
        } else {
            let (low, high) = (low.min(0.0), high.max(0.0));
            let span = if high > low { high - low } else { 1.0 };
            let below = if low < 0.0 { span * 0.06 } else { 0.0 };
            Axis {
                low: low - below,
                high: high + span * 0.06,
                log,
            }
        })
    }

    /// An axis of exactly these ends.
    pub(super) fn exact(low: f64, high: f64, log: bool) -> Self {
        Axis { low, high, log }
    }

    /// Where a value is: 0 at the low end, 1 at the high end. `None` where it has no place.
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

    /// Round values inside the axis, rising.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let inside = |tick: &f64| *tick >= self.low && *tick <= self.high;
        let decades = (self.high / self.low).log10();
        if self.log && decades >= 0.6 {
            let steps: &[f64] = match decades {
                d if d < 1.3 => &[1.0, 2.0, 3.0, 5.0],
                d if d < 3.0 => &[1.0, 2.0, 5.0],
                _ => &[1.0],
            };
            let every = if decades > 8.0 { 2 } else { 1 };
            let first = self.low.log10().floor() as i32;
            let last = self.high.log10().ceil() as i32;
            return (first..=last)
                .filter(|decade| decade.rem_euclid(every) == 0)
                .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)))
                .filter(inside)
                .collect();
        }
        let raw = (self.high - self.low) / 6.0;
        let size = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * size)
            .find(|step| *step >= raw)
            .unwrap_or(size * 10.0);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|n| n as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_ticks_are_round_and_few() {
        let axis = Axis::around([0.16, 23.6], true).unwrap();
        assert_eq!(axis.ticks(), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        let axis = Axis::around([1e3, 1e9], true).unwrap();
        assert_eq!(axis.ticks().len(), 7);
        let axis = Axis::around([0.97, 1.03], true).unwrap();
        assert!((3..=8).contains(&axis.ticks().len()), "{:?}", axis.ticks());
    }

    #[test]
    fn a_linear_axis_begins_at_zero() {
        let axis = Axis::around([7.9, 78.3], false).unwrap();
        assert_eq!(axis.place(0.0), Some(0.0));
        assert_eq!(axis.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0]);
    }

    #[test]
    fn values_keep_their_order_and_stay_inside() {
        for log in [false, true] {
            let axis = Axis::around([0.5, 2.0, 40.0], log).unwrap();
            let places: Vec<f64> = [0.5, 2.0, 40.0]
                .iter()
                .map(|v| axis.place(*v).unwrap())
                .collect();
            assert!(
                places.is_sorted() && places[0] >= 0.0 && places[2] <= 1.0,
                "{places:?}"
            );
        }
    }

    #[test]
    fn what_has_no_place_is_left_out() {
        assert!(Axis::around([0.0, -1.0], true).is_none());
        assert_eq!(Axis::around([1.0], true).unwrap().place(0.0), None);
        assert!(Axis::around([], false).is_none());
    }
}
