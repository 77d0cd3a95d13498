//! Variance components of a number: within a pass, between passes, between invocations.

/// Variances of the number's logarithm, by level, each corrected for the level below and at least 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Levels {
    /// Between samples of a pass.
    pub within: f64,
    /// Between passes of an invocation.
    pub passes: f64,
    /// Between invocations; 0 if there is only one.
    pub invocations: f64,
}

impl Levels {
    /// From samples by invocation and pass. `None` without two samples of a pass, two passes, or for values not above
    /// 0.
    pub fn of(invocations: &[Vec<Vec<f64>>]) -> Option<Levels> {
        let values = invocations.iter().flatten().flatten();
        if values
            .into_iter()
            .any(|value| value.is_nan() || *value <= 0.0)
        {
            return None;
        }
        let logs: Vec<Vec<Vec<f64>>> = invocations
            .iter()
            .map(|passes| {
                let passes = passes.iter().filter(|samples| !samples.is_empty());
                passes
                    .map(|it| it.iter().map(|value| value.ln()).collect())
                    .collect()
            })
            .collect();
        let within = pooled(logs.iter().flatten().map(Vec::as_slice))?;
        let of_passes: Vec<Vec<f64>> = logs
            .iter()
            .map(|passes| passes.iter().map(|samples| mean(samples)).collect())
            .collect();
        let size = |of: &dyn Fn(&Vec<Vec<f64>>) -> Vec<usize>| {
            let sizes: Vec<f64> = logs.iter().flat_map(of).map(|n| n as f64).collect();
            mean(&sizes)
        };
        let samples = size(&|passes| passes.iter().map(Vec::len).collect());
        let passes = pooled(of_passes.iter().map(Vec::as_slice))?;
        let of_invocations: Vec<f64> = of_passes.iter().map(|it| mean(it)).collect();
        let count = size(&|passes| vec![passes.len()]);
        let invocations = pooled([of_invocations.as_slice()]).unwrap_or(0.0);
        Some(Levels {
            within,
            passes: (passes - within / samples).max(0.0),
            invocations: (invocations - passes / count).max(0.0),
        })
    }

    /// The share of each level in the sum, in the order of the fields; `None` if nothing varies.
    pub fn shares(&self) -> Option<[f64; 3]> {
        let all = [self.within, self.passes, self.invocations];
        let sum: f64 = all.iter().sum();
        (sum > 0.0).then(|| all.map(|own| own / sum))
    }
}

/// True if the values form two groups of at least two, with a gap above 2 % and three times the wider group's range.
pub fn has_two_modes(values: &[f64]) -> bool {
    let mut logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    if logs.len() < 4 || logs.iter().any(|log| !log.is_finite()) {
        return false;
    }
    logs.sort_unstable_by(f64::total_cmp);
    (2..=logs.len() - 2).any(|at| {
        let gap = logs[at] - logs[at - 1];
        let spread = (logs[at - 1] - logs[0]).max(logs[logs.len() - 1] - logs[at]);
        // A gap below 2 % does not show two states of a machine.
        gap > 3.0 * spread && gap > 0.02
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The pooled variance of groups; `None` if no group has two values.
fn pooled<'a>(groups: impl IntoIterator<Item = &'a [f64]>) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0);
    for group in groups {
        let centre = mean(group);
        squares += group
            .iter()
            .map(|value| (value - centre).powi(2))
            .sum::<f64>();
        freedom += group.len().saturating_sub(1);
    }
    (freedom > 0).then(|| squares / freedom as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_told_from_those_below() {
        // Pass means a factor of two apart; samples within a pass agree to 1 %.
        let pass = |centre: f64| vec![centre * 0.99, centre, centre * 1.01];
        let varied = [vec![pass(1.0), pass(2.0), pass(1.0), pass(2.0)]];
        let [within, passes, invocations] = Levels::of(&varied).unwrap().shares().unwrap();
        assert!(within < 0.01 && passes > 0.99 && invocations == 0.0);
        // Samples scatter, passes do not.
        let alike = [vec![pass(1.0), pass(1.0), pass(1.0)]];
        let [within, passes, _] = Levels::of(&alike).unwrap().shares().unwrap();
        assert!((within, passes) == (1.0, 0.0));
        // Only invocations differ.
        let apart = [vec![pass(1.0), pass(1.0)], vec![pass(3.0), pass(3.0)]];
        let [_, _, invocations] = Levels::of(&apart).unwrap().shares().unwrap();
        assert!(invocations > 0.99);
    }

    #[test]
    fn one_sample_a_pass_tells_no_levels() {
        assert_eq!(Levels::of(&[vec![vec![1.0], vec![2.0]]]), None);
        assert_eq!(Levels::of(&[vec![vec![1.0, 2.0]]]), None);
        assert_eq!(Levels::of(&[vec![vec![1.0, 0.0], vec![1.0, 1.0]]]), None);
    }

    #[test]
    fn two_modes_are_two_groups_far_apart() {
        assert!(has_two_modes(&[1.0, 1.01, 1.5, 1.51]));
        assert!(has_two_modes(&[1.5, 1.0, 1.51, 1.01, 1.0]));
        assert!(!has_two_modes(&[1.0, 1.1, 1.2, 1.3, 1.4]));
        let holds = !has_two_modes(&[1.0, 1.0, 1.0, 1.5]);
        assert!(holds, "one pass is no group");
        assert!(!has_two_modes(&[1.0, 1.0, 1.01, 1.01]));
    }
}
