//! The launches of a choice by trees of work-groups.

use std::time::Duration;

use crate::techniques::tasks::Effort;

/// Limit of the rounds from one root: the capacity of a node's counter.
pub const MOST_ROUNDS: u64 = u32::MAX as u64 - 1;

/// The work of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Leaves per active group.
    pub count: u64,
    /// Number of active groups.
    pub groups: usize,
}

/// Computes the lengths of a choice's launches.
pub struct Pace {
    /// What is asked for.
    pub effort: Effort,
    /// Number of groups.
    pub groups: usize,
    /// Limit of the rounds over all launches.
    pub most: u64,
    /// Limit of a launch's predicted time.
    pub limit: Duration,
}

impl Pace {
    /// The next launch, after `done` rounds and `leaves` leaves in `spent`; `None` at the end. Launches double until
    /// the limit; for an effort in time, a launch has half of the rounds predicted to fit.
    pub fn next(&self, done: u64, leaves: u64, spent: Duration) -> Option<Rounds> {
        let within = |time: Duration| {
            let rounds = time.as_nanos() * u128::from(done) / spent.as_nanos().max(1);
            u64::try_from(rounds).unwrap_or(u64::MAX)
        };
        let longest = done.min(within(self.limit)).max(1);
        let (left, groups) = match self.effort {
            Effort::Iterations(all) => {
                let whole = all / self.groups as u64 - leaves / self.groups as u64;
                match whole {
                    0 => (u64::from(all > leaves), (all - leaves) as usize),
                    _ => (whole, self.groups),
                }
            }
            Effort::Time(_) if done == 0 => (1, self.groups),
            Effort::Time(time) => {
                let fits = within(time.saturating_sub(spent)).min(self.most - done);
                (fits.div_ceil(2), self.groups)
            }
        };
        let count = left.min(longest);
        (count > 0).then_some(Rounds { count, groups })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All launches of a choice whose rounds take `round` each, and its leaves.
    fn launches(effort: Effort, groups: usize, round: Duration) -> (Vec<Rounds>, u64) {
        let pace = Pace {
            effort,
            groups,
            most: MOST_ROUNDS,
            limit: Duration::from_millis(50),
        };
        let (mut all, mut done, mut leaves) = (Vec::new(), 0, 0);
        while let Some(rounds) = pace.next(done, leaves, round * done as u32) {
            done += rounds.count;
            leaves += rounds.count * rounds.groups as u64;
            all.push(rounds);
        }
        (all, leaves)
    }

    #[test]
    fn launches_double_stay_short_and_end_in_time() {
        let round = Duration::from_micros(100);
        let time = Duration::from_secs(1);
        let (all, leaves) = launches(Effort::Time(time), 1, round);
        let counts: Vec<u64> = all.iter().map(|rounds| rounds.count).collect();
        assert_eq!(counts[..5], [1, 1, 2, 4, 8]);
        assert_eq!(counts.iter().max(), Some(&500), "50 ms");
        assert_eq!(counts.last(), Some(&1));
        assert_eq!(leaves, 10_000, "all that fits");
        assert!(all.len() < 60, "{}", all.len());
    }

    #[test]
    fn a_time_shorter_than_a_round_has_one() {
        let long = Duration::from_millis(3);
        let effort = Effort::Time(Duration::from_millis(1));
        assert_eq!(launches(effort, 9, long).1, 9);
    }
}
