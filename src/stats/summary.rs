use super::bootstrap::{Interval, interval_of_sorted};
use super::median::{median_of_sorted, sorted};

/// The statistics of a cell's samples in `measurements.csv`, in the samples' unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Number of samples.
    pub count: usize,
    /// For an even count, the mean of the two middle samples, rounded down.
    pub median: u64,
    /// Arithmetic mean, rounded to the nearest.
    pub mean: u64,
    /// First quartile, by linear interpolation between order statistics (type 7 of Hyndman & Fan, "Sample Quantiles in
    /// Statistical Packages", 1996), rounded to the nearest.
    pub q1: u64,
    /// Third quartile.
    pub q3: u64,
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
    /// 95 % bootstrap percentile interval of the median; `None` for fewer than two samples.
    pub interval: Option<Interval>,
}

impl Summary {
    /// Summarises samples in any order; `None` for no samples.
    pub fn of(samples: &[u64], seed: u64) -> Option<Summary> {
        let summary = Summary::without_interval(samples)?;
        Some(Summary {
            interval: interval_of_sorted(&sorted(samples), seed),
            ..summary
        })
    }

    /// As [`Summary::of`], without the interval, which takes most of the time.
    pub fn without_interval(samples: &[u64]) -> Option<Summary> {
        let sorted = sorted(samples);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let sum: u128 = sorted.iter().map(|&sample| u128::from(sample)).sum();
        let count = sorted.len() as u128;
        Some(Summary {
            count: sorted.len(),
            median: median_of_sorted(&sorted),
            // The mean lies between two `u64`, so the conversion back is exact.
            mean: ((sum + count / 2) / count) as u64,
            q1: quartile(&sorted, 1),
            q3: quartile(&sorted, 3),
            min,
            max,
            interval: None,
        })
    }

    /// Half the width of the median's interval over the median; `None` without an interval or if only the median is 0.
    pub fn relative_half_width(&self) -> Option<f64> {
        let Interval { low, high } = self.interval?;
        if low == high {
            return Some(0.0);
        }
        (self.median > 0).then(|| (high - low) as f64 / 2.0 / self.median as f64)
    }
}

/// `sorted` must be ascending and not empty.
fn quartile(sorted: &[u64], quarters: usize) -> u64 {
    let place = (sorted.len() - 1) * quarters;
    let (index, rest) = (place / 4, (place % 4) as u128);
    let low = sorted[index];
    let step = sorted
        .get(index + 1)
        .map_or(0, |high| u128::from(high - low));
    // At most `step`, a difference of two u64.
    low + ((step * rest + 2) / 4) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::median::median;
    use super::*;

    /// Type 7 in floating point, as textbooks write it.
    fn naive_quantile(samples: &[u64], p: f64) -> f64 {
        let sorted = sorted(samples);
        let place = p * (sorted.len() - 1) as f64;
        let (low, high) = (
            sorted[place.floor() as usize],
            sorted[place.ceil() as usize],
        );
        low as f64 + (high - low) as f64 * place.fract()
    }

    #[test]
    fn an_even_number_takes_the_mean_of_the_middle_two() {
        assert_eq!(median(&[4, 1, 3, 2]), Some(2));
        assert_eq!(median(&[40, 10, 30, 20]), Some(25));
        assert_eq!(median(&[u64::MAX, u64::MAX]), Some(u64::MAX));
    }

    #[test]
    fn nothing_has_no_median_and_one_sample_no_interval() {
        assert_eq!(median(&[]), None);
        assert_eq!(Summary::of(&[], 1), None);
        let one = Summary::of(&[7], 1).unwrap();
        assert_eq!((one.median, one.mean, one.q1, one.q3), (7, 7, 7, 7));
        assert_eq!(one.interval, None);
        assert_eq!(one.relative_half_width(), None);
    }

    #[test]
    fn a_width_is_a_share_of_the_median() {
        let mut summary = Summary::of(&[100, 100], 1).unwrap();
        assert_eq!(summary.relative_half_width(), Some(0.0));
        summary.interval = Some(Interval { low: 90, high: 110 });
        approx::assert_relative_eq!(summary.relative_half_width().unwrap(), 0.1);
        summary.median = 0;
        assert_eq!(summary.relative_half_width(), None);
    }

    #[test]
    fn the_largest_samples_do_not_overflow() {
        let summary = Summary::of(&[u64::MAX, 0, u64::MAX, 0, u64::MAX], 1).unwrap();
        let expected = (u64::MAX, 0, u64::MAX);
        assert_eq!((summary.median, summary.q1, summary.q3), expected);
        assert_eq!(summary.mean, (3 * u128::from(u64::MAX) / 5) as u64);
    }

    proptest! {
        #[test]
        fn summaries_equal_the_naive_ones(
            samples in prop::collection::vec(0u64..1 << 50, 1..80)
        ) {
            let summary = Summary::of(&samples, 3).unwrap();
            let close = |ours: u64, naive: f64| (ours as f64 - naive).abs() <= 1.0;
            prop_assert!(close(summary.median, naive_quantile(&samples, 0.5)));
            prop_assert!(close(summary.q1, naive_quantile(&samples, 0.25)));
            prop_assert!(close(summary.q3, naive_quantile(&samples, 0.75)));
            let mean = samples.iter().map(|&s| s as f64).sum::<f64>() / samples.len() as f64;
            prop_assert!(close(summary.mean, mean));
            prop_assert_eq!(summary.min, *samples.iter().min().unwrap());
            prop_assert_eq!(summary.max, *samples.iter().max().unwrap());
            if let Some(interval) = summary.interval {
                prop_assert!(summary.min <= interval.low && interval.high <= summary.max);
                prop_assert!(interval.low <= summary.median && summary.median <= interval.high);
            }
        }
    }
}
