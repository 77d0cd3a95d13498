/// Returns the arithmetic mean, rounded to the nearest integer, or `None` if there are no samples.
pub fn mean(samples: &[u64]) -> Option<u64> {
    let sum: u128 = samples.iter().map(|&sample| u128::from(sample)).sum();
    let count = samples.len() as u128;
    // The mean is at most the largest sample, so it fits into a `u64`.
    Some((sum + count / 2).checked_div(count)? as u64)
}

/// Returns the first quartile, the [`median`] and the third quartile, or `None` without samples. The quartiles are
/// interpolated linearly between order statistics (type 7 in Hyndman & Fan, "Sample Quantiles in Statistical Packages",
/// 1996) and rounded to the nearest integer.
pub fn quartiles(samples: &[u64]) -> Option<[u64; 3]> {
    let sorted = sorted(samples);
    let median = middle(&sorted)?;
    let quartile = |number: usize| {
        let place = (sorted.len() - 1) * number;
        let (index, rest) = (place / 4, (place % 4) as u128);
        let low = sorted[index];
        let high = sorted.get(index + 1).unwrap_or(&low);
        // The interpolated part is at most `high - low`, so it fits into a `u64`.
        low + ((u128::from(high - low) * rest + 2) / 4) as u64
    };
    Some([quartile(1), median, quartile(3)])
}

/// Returns the median of samples in any order, or `None` without samples. For an even count, it is the mean of the two
/// middle samples, rounded down. The lower of the two would favour cells with only two samples.
pub fn median(samples: &[u64]) -> Option<u64> {
    middle(&sorted(samples))
}

fn middle(sorted: &[u64]) -> Option<u64> {
    let upper = sorted.get(sorted.len() / 2)?;
    // An odd number of samples has one middle sample.
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower.midpoint(*upper))
}

pub(super) fn sorted(samples: &[u64]) -> Vec<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes the type 7 quantile in floating point, as in textbooks.
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
    fn nothing_has_no_median() {
        assert_eq!(median(&[]), None);
        assert_eq!((mean(&[]), quartiles(&[])), (None, None));
        assert_eq!((mean(&[7]), quartiles(&[7])), (Some(7), Some([7; 3])));
    }

    #[test]
    fn the_largest_samples_do_not_overflow() {
        let samples = [u64::MAX, 0, u64::MAX, 0, u64::MAX];
        assert_eq!(median(&samples), Some(u64::MAX));
        assert_eq!(quartiles(&samples), Some([0, u64::MAX, u64::MAX]));
        assert_eq!(mean(&samples), Some((3 * u128::from(u64::MAX) / 5) as u64));
    }

    proptest! {
        #[test]
        fn summaries_equal_the_naive_ones(
            samples in prop::collection::vec(0u64..1 << 50, 1..80)
        ) {
            let close = |ours: u64, naive: f64| (ours as f64 - naive).abs() <= 1.0;
            prop_assert!(close(median(&samples).unwrap(), naive_quantile(&samples, 0.5)));
            let [first, second, third] = quartiles(&samples).unwrap();
            prop_assert!(close(first, naive_quantile(&samples, 0.25)));
            prop_assert_eq!(Some(second), median(&samples));
            prop_assert!(close(third, naive_quantile(&samples, 0.75)));
            let sum = samples.iter().map(|&s| s as f64).sum::<f64>();
            prop_assert!(close(mean(&samples).unwrap(), sum / samples.len() as f64));
        }
    }
}
