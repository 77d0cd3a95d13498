use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bootstrap::{RESAMPLES, TAIL};

/// The arithmetic mean of samples in any order and its 95 % bootstrap percentile interval (Efron &
/// Tibshirani, 1993, section 13.3), low and high, in the samples' unit.
///
/// `None` for no samples; no interval for one. Means follow every outlier; papers that publish them
/// are compared with them.
pub fn mean_with_interval(samples: &[u64], seed: u64) -> Option<(f64, Option<(f64, f64)>)> {
    let mean = mean(samples.iter().copied())?;
    if samples.len() < 2 {
        return Some((mean, None));
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut means: Vec<f64> = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let draws = (0..samples.len()).map(|_| samples[random.random_range(0..samples.len())]);
        means.extend(self::mean(draws));
    }
    means.sort_unstable_by(f64::total_cmp);
    let interval = (means[TAIL], means[RESAMPLES - 1 - TAIL]);
    Some((mean, Some(interval)))
}

fn mean(samples: impl ExactSizeIterator<Item = u64>) -> Option<f64> {
    let count = samples.len();
    let sum: u128 = samples.map(u128::from).sum();
    (count > 0).then(|| sum as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn a_mean_has_an_interval_where_there_are_two_samples() {
        assert_eq!(mean_with_interval(&[], 1), None);
        assert_eq!(mean_with_interval(&[7], 1), Some((7.0, None)));
        assert_eq!(
            mean_with_interval(&[7, 7, 7], 1),
            Some((7.0, Some((7.0, 7.0))))
        );
    }

    #[test]
    fn the_interval_is_about_two_standard_errors_to_either_side() {
        let samples: Vec<u64> = (0..1_000).collect();
        let (mean, interval) = mean_with_interval(&samples, 5).unwrap();
        let (low, high) = interval.unwrap();
        assert_relative_eq!(mean, 499.5);
        // 288.8 is the standard deviation of the numbers below 1,000.
        let error = 1.96 * 288.8 / 1_000_f64.sqrt();
        assert_relative_eq!(mean - low, error, max_relative = 0.1);
        assert_relative_eq!(high - mean, error, max_relative = 0.1);
    }
}
