//! Compares the paper's generator with the counter-based one by the results of random games.
//!
//! Pearson's statistic of homogeneity compares wins, draws and losses per first move, summed over the moves. For equal
//! distributions and independent games it is near its degrees of freedom, within about the root of twice that number.
//! The counter-based generator against another seed shows this. Dependent games change it.

use std::ops::Range;

use crate::words::Tally;

/// Minimum of playouts. With fewer, some results are too rare for the statistic.
const LEAST: u64 = 10_000;

const MOST: u64 = 1_000_000;

/// The playouts to compare for a sample of `playouts`; `None` for too few.
pub(super) fn compared(playouts: u64) -> Option<Range<u64>> {
    (playouts >= LEAST).then_some(0..playouts.min(MOST))
}

/// Tallies of the same playouts with different random numbers.
pub(super) struct Tallies {
    /// By the counter-based generator with the run's seed.
    pub counter: Tally,
    /// By the counter-based generator with another seed.
    pub again: Tally,
    /// By the paper's generator.
    pub xorshift: Tally,
}

impl Tallies {
    /// Facts for reports: shares in percent over all moves, and the statistics.
    pub fn facts(&self) -> [(&'static str, f64); 9] {
        let percent = |part: u64, tally: &Tally| 100.0 * part as f64 / tally.playouts() as f64;
        let (counter, xorshift) = (&self.counter, &self.xorshift);
        let (statistic, freedom) = chi_squared(counter, xorshift);
        [
            ("win-percent-counter", percent(counter.wins, counter)),
            ("win-percent-xorshift", percent(xorshift.wins, xorshift)),
            ("draw-percent-counter", percent(counter.draws, counter)),
            ("draw-percent-xorshift", percent(xorshift.draws, xorshift)),
            ("loss-percent-counter", percent(counter.losses, counter)),
            ("loss-percent-xorshift", percent(xorshift.losses, xorshift)),
            ("chi-squared-xorshift", statistic),
            ("chi-squared-counter", chi_squared(counter, &self.again).0),
            ("chi-squared-freedom", f64::from(freedom)),
        ]
    }
}

/// Pearson's statistic for two tallies of one position, and its degrees of freedom.
fn chi_squared(one: &Tally, other: &Tally) -> (f64, u32) {
    let (mut statistic, mut freedom) = (0.0, 0);
    for (one, other) in one.by_first_move.iter().zip(&other.by_first_move) {
        let one = [one.0, one.1, one.2].map(|count| count as f64);
        let other = [other.0, other.1, other.2].map(|count| count as f64);
        let (of_one, of_other) = (one.iter().sum::<f64>(), other.iter().sum::<f64>());
        let mut results = 0_u32;
        for (a, b) in one.into_iter().zip(other) {
            if a + b > 0.0 {
                let apart = a * (of_other / of_one).sqrt() - b * (of_one / of_other).sqrt();
                statistic += apart * apart / (a + b);
                results += 1;
            }
        }
        freedom += results.saturating_sub(1);
    }
    (statistic, freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(by_first_move: &[(u64, u64, u64)]) -> Tally {
        Tally {
            by_first_move: by_first_move.to_vec(),
            ..Tally::default()
        }
    }

    #[test]
    fn the_statistic_is_pearsons() {
        let one = tally(&[(10, 20, 30), (5, 0, 5)]);
        let other = tally(&[(20, 20, 20), (5, 0, 5)]);
        let (statistic, freedom) = chi_squared(&one, &other);
        // Expected in both: 15, 20, 25.
        let expected = 2.0 * (25.0 / 15.0 + 25.0 / 25.0);
        assert!((statistic - expected).abs() < 1e-9, "{statistic}");
        assert_eq!(freedom, 2 + 1);
        // 30 and 60 games: expected 10 and 20 in one, 20 and 40 in the other.
        let (statistic, freedom) = chi_squared(&tally(&[(16, 14, 0)]), &tally(&[(14, 46, 0)]));
        let expected = 36.0 / 10.0 + 36.0 / 20.0 + 36.0 / 20.0 + 36.0 / 40.0;
        assert!((statistic - expected).abs() < 1e-9, "{statistic}");
        assert_eq!(freedom, 1);
    }

    #[test]
    fn few_playouts_are_not_compared_and_many_in_part() {
        assert_eq!(compared(LEAST - 1), None);
        assert_eq!(compared(LEAST), Some(0..LEAST));
        assert_eq!(compared(10_000_000), Some(0..MOST));
    }
}
