use serde::Serialize;

use super::bootstrap::{MedianOfResample, interval_of_draws};
use super::summary::median;
use crate::words::worded;

/// Maximum ratio of an interval's upper end to its lower end. A speedup with a wider interval is not printed.
pub const WIDEST: f64 = 2.0;

/// A speedup: a baseline's median time divided by a technique's median time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Ratio of the medians, which is above 1 if the technique is faster.
    pub value: f64,
    /// The 95 % bootstrap percentile interval; `None` if either side has fewer than two samples.
    pub interval: Option<(f64, f64)>,
}

/// The conclusion to draw from a [`Ratio`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval is above 1.
    Faster,
    /// The whole interval is below 1.
    Slower,
    /// The interval contains 1.
    Tie,
    /// There is no interval, or it is wider than [`WIDEST`].
    Unclear,
}

worded! { Verdict { Faster "faster" Slower "slower" Tie "tie" Unclear "unclear" } }

impl Ratio {
    /// Draws the conclusion from the interval.
    pub fn verdict(&self) -> Verdict {
        match self.interval {
            Some((low, high)) if high > low * WIDEST => Verdict::Unclear,
            Some((low, _)) if low > 1.0 => Verdict::Faster,
            Some((_, high)) if high < 1.0 => Verdict::Slower,
            Some(_) => Verdict::Tie,
            None => Verdict::Unclear,
        }
    }
}

/// Returns the ratio of medians, with an interval from independent resamples. `None` if a median is missing or 0.
pub fn ratio_of_medians(baseline: &[u64], technique: &[u64], seed: u64) -> Option<Ratio> {
    let (over, under) = (median(baseline)?, median(technique)?);
    if over == 0 || under == 0 {
        return None;
    }
    let value = over as f64 / under as f64;
    let interval = (baseline.len() > 1 && technique.len() > 1).then(|| {
        let mut sides = [baseline, technique].map(MedianOfResample::new);
        interval_of_draws(seed, |random| {
            let [over, under] = sides.each_mut().map(|side| side.next(random));
            // A resample may have a median of 0 even if the samples do not.
            over as f64 / under.max(1) as f64
        })
    });
    Some(Ratio { value, interval })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn naive_interval(baseline: &[u64], technique: &[u64]) -> Vec<f64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(77);
        let mut resample = |samples: &[u64]| {
            let drawn: Vec<u64> = (0..samples.len())
                .map(|_| samples[random.random_range(0..samples.len())])
                .collect();
            median(&drawn).unwrap() as f64
        };
        let mut ratios: Vec<f64> = (0..4_000)
            .map(|_| resample(baseline) / resample(technique))
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios
    }

    #[test]
    fn a_ratio_needs_times_on_both_sides() {
        assert_eq!(ratio_of_medians(&[], &[1], 1), None);
        assert_eq!(ratio_of_medians(&[1], &[], 1), None);
        assert_eq!(ratio_of_medians(&[5], &[0], 1), None);
        assert_eq!(ratio_of_medians(&[0], &[5], 1), None);
        let single = ratio_of_medians(&[30], &[10], 1).unwrap();
        assert_eq!(
            single,
            Ratio {
                value: 3.0,
                interval: None
            }
        );
        assert_eq!(single.verdict(), Verdict::Unclear);
    }

    #[test]
    fn verdicts_follow_the_interval() {
        let verdict = |low, high| {
            Ratio {
                value: 1.0,
                interval: Some((low, high)),
            }
            .verdict()
        };
        assert_eq!(verdict(1.01, 1.5), Verdict::Faster);
        assert_eq!(verdict(0.6, 0.99), Verdict::Slower);
        assert_eq!(verdict(0.99, 1.01), Verdict::Tie);
        assert_eq!(verdict(1.0, 1.2), Verdict::Tie);
        assert_eq!(verdict(0.9, 1.0), Verdict::Tie);
        assert_eq!(verdict(20.0, 40.0), Verdict::Faster);
        assert_eq!(verdict(20.0, 40.1), Verdict::Unclear);
        assert_eq!(verdict(0.0, 0.5), Verdict::Unclear);
    }

    #[test]
    fn steady_samples_give_a_narrow_ratio() {
        let baseline: Vec<u64> = (0..50).map(|i| 2_000_000 + i * 100).collect();
        let technique: Vec<u64> = (0..50).map(|i| 500_000 + i * 25).collect();
        let ratio = ratio_of_medians(&baseline, &technique, 9).unwrap();
        approx::assert_relative_eq!(ratio.value, 4.0, max_relative = 1e-3);
        let (low, high) = ratio.interval.unwrap();
        assert!(low > 3.98 && high < 4.02 && low < high, "{low} to {high}");
        assert_eq!(ratio.verdict(), Verdict::Faster);
        assert_eq!(
            ratio_of_medians(&technique, &baseline, 9)
                .unwrap()
                .verdict(),
            Verdict::Slower
        );
    }

    #[test]
    fn a_technique_against_itself_is_a_tie() {
        let samples: Vec<u64> = (0..30).map(|i| 1_000 + (i * 37) % 101).collect();
        let found = ratio_of_medians(&samples, &samples, 4).unwrap().verdict();
        assert_eq!(found, Verdict::Tie);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn ratios_agree_with_the_naive_ones(
            baseline in prop::collection::vec(1_000u64..2_000, 2..40),
            technique in prop::collection::vec(1_000u64..2_000, 2..40),
            seed in 0u64..1_000,
        ) {
            let ratio = ratio_of_medians(&baseline, &technique, seed).unwrap();
            approx::assert_relative_eq!(
                ratio.value,
                median(&baseline).unwrap() as f64 / median(&technique).unwrap() as f64
            );
            let naive = naive_interval(&baseline, &technique);
            let (low, high) = ratio.interval.unwrap();
            prop_assert!(naive[20] <= low && low <= naive[240]);
            prop_assert!(naive[3_999 - 240] <= high && high <= naive[3_999 - 20]);
            prop_assert!(low <= ratio.value && ratio.value <= high);
        }
    }
}
