//! Computes confidence intervals from passes.
//!
//! Times vary between samples, and drift over seconds with the machine's load. Neighbouring samples see the same state
//! of the machine. Intervals therefore use passes, which are minutes apart and start new processes (Kalibera and Jones,
//! "Rigorous benchmarking in reasonable time", 2013). The method is a random-effects interval with Student's t, on the
//! logarithms of the passes' values.
//!
//! Three to five values estimate the variance poorly. All cells of a run share a machine, so each cell's variance is
//! shrunk towards the pooled variance ([`Prior`]). This follows Smyth, "Linear models and empirical Bayes methods",
//! 2004, but with a fixed weight.

use std::collections::BTreeMap;

use super::median;

/// Minimum number of passes for an interval.
pub const FEWEST_PASSES: usize = 3;

/// Maximum number of degrees of freedom of the pooled variance, chosen for the coverage in the tests below. With fewer,
/// intervals miss a second mode. With more, they are too narrow for a cell that varies more than the others.
const PRIOR_FREEDOM: f64 = 8.0;

/// The variance between passes, pooled over comparable cells in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The variance of the passes' values, on a log scale.
    variance: f64,
    /// The weight of the variance, in degrees of freedom.
    freedom: f64,
}

impl Prior {
    /// Pools the variances of the cells. Each cell has one value per pass. `None` if no cell has two values.
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a [f64]>) -> Option<Prior> {
        let (mut squares, mut freedom) = (0.0, 0.0);
        for spread in cells.into_iter().filter_map(Spread::of) {
            squares += spread.variance * spread.freedom;
            freedom += spread.freedom;
        }
        (freedom > 0.0).then(|| Prior {
            variance: squares / freedom,
            freedom: PRIOR_FREEDOM.min(freedom),
        })
    }
}

/// Mean and variance of the values' logarithms, with the variance's degrees of freedom.
struct Spread {
    mean: f64,
    variance: f64,
    freedom: f64,
}

impl Spread {
    /// Returns `None` for fewer than two values, or if a value is not positive.
    fn of(values: &[f64]) -> Option<Spread> {
        let is_usable = |value: &f64| value.is_finite() && *value > 0.0;
        if values.len() < 2 || !values.iter().all(is_usable) {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().map(|value| value.ln()).sum::<f64>() / count;
        let squares = values.iter().map(|value| (value.ln() - mean).powi(2));
        let freedom = count - 1.0;
        Some(Spread {
            mean,
            variance: squares.sum::<f64>() / freedom,
            freedom,
        })
    }
}

/// Returns the geometric mean and its 95 % interval. Needs at least [`FEWEST_PASSES`] values, all of them positive.
pub fn interval(values: &[f64], prior: Option<&Prior>) -> Option<(f64, (f64, f64))> {
    interval_of(values, None, prior, TAILS)
}

/// Returns the [`interval`] of `over` or, if `under` is given, of the ratio of `over` to `under`. The passes of the two
/// sides are independent. `tails` is the probability outside the interval: 0.05 for 95 %.
pub fn interval_of(
    over: &[f64],
    under: Option<&[f64]>,
    prior: Option<&Prior>,
    tails: f64,
) -> Option<(f64, (f64, f64))> {
    let (others, weight) = prior.map_or((0.0, 0.0), |prior| (prior.variance, prior.freedom));
    let (mut mean, mut squares, mut freedom) = (0.0, others * weight, weight);
    let sides: Vec<&[f64]> = std::iter::once(over).chain(under).collect();
    for (values, sign) in sides.iter().zip([1.0, -1.0]) {
        let spread = Spread::of(values).filter(|_| values.len() >= FEWEST_PASSES)?;
        mean += sign * spread.mean;
        squares += spread.variance * spread.freedom;
        freedom += spread.freedom;
    }
    let variance = squares / freedom;
    let of_means = sides.iter().map(|values| variance / values.len() as f64);
    let half = quantile(freedom, tails) * of_means.sum::<f64>().sqrt();
    Some((mean.exp(), ((mean - half).exp(), (mean + half).exp())))
}

/// Returns the median of each pass's samples, in the order of the passes, as input for [`interval`].
pub fn medians_of<Pass: Ord>(samples: impl Iterator<Item = (Pass, u64)>) -> Vec<f64> {
    let mut passes: BTreeMap<Pass, Vec<u64>> = BTreeMap::new();
    for (pass, value) in samples {
        passes.entry(pass).or_default().push(value);
    }
    let medians = passes.values().filter_map(|samples| median(samples));
    medians.map(|median| median as f64).collect()
}

/// Returns a technique's value in each pass, over all of its cells. It is the overall geometric mean, shifted by the
/// mean log distance of the pass's values from their cells' means. Cells with missing passes keep their full weight.
/// Each item in `cells` has a cell's pairs of pass and value. Empty if there are no values, or if one is not positive.
pub fn of_cells(cells: &[Vec<(u64, f64)>]) -> Vec<f64> {
    let cells: Vec<&Vec<(u64, f64)>> = cells.iter().filter(|cell| !cell.is_empty()).collect();
    let values = || cells.iter().flat_map(|cell| cell.iter());
    if cells.is_empty() || values().any(|(_, value)| !value.is_finite() || *value <= 0.0) {
        return Vec::new();
    }
    let mean = |cell: &[(u64, f64)]| {
        cell.iter().map(|(_, value)| value.ln()).sum::<f64>() / cell.len() as f64
    };
    let count = cells.len() as f64;
    let middle = cells.iter().map(|cell| mean(cell)).sum::<f64>() / count;
    let mut distances: BTreeMap<u64, f64> = BTreeMap::new();
    for cell in &cells {
        let own = mean(cell);
        for (pass, value) in cell.iter() {
            *distances.entry(*pass).or_default() += (value.ln() - own) / cell.len() as f64 / count;
        }
    }
    let passes = distances.len() as f64;
    let each = distances.values();
    each.map(|distance| (middle + passes * distance).exp())
        .collect()
}

/// The probability outside a 95 % interval, both tails together.
pub const TAILS: f64 = 0.05;

/// Returns the two-sided quantile of Student's t with `n` degrees of freedom, at least two, for tails below a half
/// (Hill, "Algorithm 396: Student's t-quantiles", 1970).
fn quantile(n: f64, tails: f64) -> f64 {
    if (n - 2.0).abs() < 0.01 {
        return (2.0 / (tails * (2.0 - tails)) - 2.0).sqrt();
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * std::f64::consts::FRAC_PI_2).sqrt() * n;
    let mut y = (d * tails).powf(2.0 / n);
    if y > 0.05 + a {
        let x = normal_quantile(tails / 2.0);
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0)
            + 0.5 / (n + 4.0))
            * y
            - 1.0)
            * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).sqrt()
}

/// Returns the standard normal quantile for a share below a half. It is exact for 2.5 %, otherwise within 0.0005
/// (Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.23).
fn normal_quantile(share: f64) -> f64 {
    if share == TAILS / 2.0 {
        return -1.959_963_985;
    }
    let t = (-2.0 * share.ln()).sqrt();
    let over = (0.010_328 * t + 0.802_853) * t + 2.515_517;
    let under = ((0.001_308 * t + 0.189_269) * t + 1.432_788) * t + 1.0;
    over / under - t
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Student's t, two-sided, 95 %.
        for (freedom, expected) in [
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (6.0, 2.447),
            (8.0, 2.306),
            (30.0, 2.042),
        ] {
            let found = quantile(freedom, TAILS);
            assert!((found - expected).abs() < 0.01, "{freedom}: {found}");
        }
        // 0.1 % in both tails together.
        for (freedom, expected) in [(4.0, 8.610), (12.0, 4.318), (30.0, 3.646)] {
            let found = quantile(freedom, 0.001);
            assert!((found / expected - 1.0).abs() < 0.01, "{freedom}: {found}");
        }
    }

    #[test]
    fn cells_with_all_passes_make_the_passes_means() {
        let cells = [vec![(1, 1.0), (2, 4.0)], vec![(1, 4.0), (2, 1.0)]];
        let found = of_cells(&cells);
        let holds = found.iter().all(|value| (value - 2.0).abs() < 1e-9);
        assert!(holds, "{found:?}");
        // A cell that lacks a pass shifts the overall mean, but not the differences between passes.
        let cells = [vec![(1, 1.0), (2, 1.0)], vec![(1, 4.0)]];
        let found = of_cells(&cells);
        let holds = found.iter().all(|value| (value - 2.0).abs() < 1e-9);
        assert!(holds, "{found:?}");
        assert!(of_cells(&[vec![(1, 0.0)]]).is_empty());
        assert!(of_cells(&[]).is_empty());
    }

    #[test]
    fn fewer_than_three_passes_make_no_interval() {
        assert_eq!(interval(&[1.0, 1.1], None), None);
        assert_eq!(interval(&[1.0, 0.0, 1.1], None), None);
        let (mean, (low, high)) = interval(&[1.0, 1.0, 1.0], None).unwrap();
        assert_eq!((mean, low, high), (1.0, 1.0, 1.0));
    }

    #[test]
    fn a_quotient_is_surer_the_more_passes_it_has() {
        let (slow, quick) = ([2.0, 2.1, 1.9], [1.0, 1.05, 0.95]);
        let (value, (low, high)) = interval_of(&slow, Some(&quick), None, TAILS).unwrap();
        assert!((value - 2.0).abs() < 0.01 && low < 2.0 && 2.0 < high && low > 1.5);
        let more = |side: [f64; 3]| [side, side].concat();
        let (_, (closer, _)) = interval_of(&more(slow), Some(&more(quick)), None, TAILS).unwrap();
        assert!(closer > low);
        assert_eq!(interval_of(&slow[..2], Some(&quick), None, TAILS), None);
    }

    /// Noise of a pass, on a log scale.
    #[derive(Clone, Copy, Debug)]
    struct World {
        within: f64,
        between: f64,
        /// The distance between two equally likely states.
        modes: f64,
    }

    /// Returns an approximately standard normal variate, from the sum of twelve uniforms minus 6.
    fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
        (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
    }

    /// Simulates runs of twenty cells under disturbances that are common on real machines. Returns the share of
    /// intervals that cover the true value.
    fn coverage(world: World, passes: usize, random: &mut Xoshiro256PlusPlus) -> f64 {
        const RUNS: usize = 400;
        const CELLS: usize = 20;
        const SAMPLES: usize = 5;
        let mut held = 0;
        for _ in 0..RUNS {
            let cells: Vec<Vec<f64>> = (0..CELLS)
                .map(|_| {
                    let pass = |random: &mut Xoshiro256PlusPlus| {
                        let state = if random.random::<bool>() { 0.5 } else { -0.5 };
                        let centre = world.between * normal(random) + world.modes * state;
                        let mut samples: Vec<u64> = (0..SAMPLES)
                            .map(|_| {
                                let own = centre + world.within * normal(random);
                                (1e6 * own.exp()) as u64
                            })
                            .collect();
                        samples.sort_unstable();
                        samples[SAMPLES / 2] as f64 / 1e6
                    };
                    (0..passes).map(|_| pass(random)).collect()
                })
                .collect();
            let prior = Prior::of(cells.iter().map(Vec::as_slice));
            for values in &cells {
                let (_, (low, high)) = interval(values, prior.as_ref()).unwrap();
                held += usize::from(low <= 1.0 && 1.0 <= high);
            }
        }
        held as f64 / (RUNS * CELLS) as f64
    }

    #[test]
    fn intervals_hold_the_number_as_often_as_they_say() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2013);
        for (within, between, modes) in [
            (0.05, 0.0, 0.0),
            (0.02, 0.05, 0.0),
            (0.02, 0.2, 0.0),
            (0.02, 0.02, 0.3),
            (0.05, 0.05, 0.2),
            (0.03, 0.03, 0.25),
        ] {
            let world = World {
                within,
                between,
                modes,
            };
            for passes in [3, 5] {
                let found = coverage(world, passes, &mut random);
                let holds = (0.93..=0.97).contains(&found);
                assert!(holds, "{world:?}, {passes} passes: {found}");
            }
        }
    }
}
