/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Returns a share's 95 % interval by Wilson's score method (Wilson, "Probable Inference", 1927), or `None` without
/// trials. `successes` may count draws as halves. The interval is then too wide, because draws reduce the variance.
pub fn share_interval(successes: f64, trials: u64) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let share = (successes / n).clamp(0.0, 1.0);
    let centre = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    let low = ((centre - spread) / scale).clamp(0.0, share);
    let high = ((centre + spread) / scale).clamp(share, 1.0);
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_abs_diff_eq;
    use proptest::prelude::*;

    #[test]
    fn known_intervals() {
        // Newcombe (1998), Table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (wins, trials, low, high) in [
            (81.0, 263, 0.2553, 0.3662),
            (15.0, 148, 0.0624, 0.1605),
            (0.0, 20, 0.0, 0.1611),
            (1.0, 29, 0.0061, 0.1718),
        ] {
            let (l, h) = share_interval(wins, trials).unwrap();
            assert_abs_diff_eq!(l, low, epsilon = 5e-5);
            assert_abs_diff_eq!(h, high, epsilon = 5e-5);
        }
        assert_eq!(share_interval(0.0, 0), None);
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_share(halves in 0u64..400, more in 0u64..400) {
            let trials = halves.div_ceil(2) + more;
            prop_assume!(trials > 0);
            let share = halves as f64 / 2.0 / trials as f64;
            let (low, high) = share_interval(halves as f64 / 2.0, trials).unwrap();
            prop_assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
        }
    }
}
