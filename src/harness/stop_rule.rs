//! Decides when a cell has enough samples, and in which passes it takes them. `docs/methodology.md` explains the rule.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::config::{Experiment, Sampling};
use crate::results::Sample;
use crate::stats::passes::{FEWEST_PASSES, interval, medians_of};
use crate::stats::{relative_half_width, share_interval};
use crate::words::{Case, Limit, MatchScore, Reason, Task, cost_fs};

/// Minimum number of samples for an interval. A cell is skipped if its budget allows fewer.
const FEWEST_SAMPLES: usize = 2;

/// Target duration of a batch of samples, ns.
pub const BATCH_NS: u64 = 20_000_000;
/// Maximum number of samples in one request.
const BATCH_MOST: u64 = 50;

/// Minimum number of turns per pass for a cell with short samples, because some processor states last milliseconds.
const TURNS: u64 = 8;

pub type Games = BTreeMap<u64, MatchScore>;

/// A cell's state in the current pass.
#[derive(Default)]
pub struct InPass {
    /// True if the cell has enough samples.
    pub rests: bool,
    /// Number of batches of samples in this pass so far.
    pub turns: u64,
    /// Time spent on the trial, the untimed samples and the timed samples.
    pub spent: Duration,
    /// Part of `spent` that the trial took.
    pub spent_trial: Duration,
    /// Part of `spent` that timed samples took.
    pub spent_sampling: Duration,
}

pub struct StopRule<'a> {
    sampling: &'a Sampling,
    /// Number of passes over the cases. A match has a single pass, because its games are not repetitions.
    pub passes: u64,
    /// True for a match. A resumed match counts its earlier games.
    pub is_match: bool,
    seed: u64,
}

impl<'a> StopRule<'a> {
    pub fn of(experiment: &'a Experiment) -> Self {
        let is_match = experiment.task == Task::Match;
        let sampling = &experiment.sampling;
        Self {
            sampling,
            passes: if is_match { 1 } else { sampling.passes as u64 },
            is_match,
            seed: experiment.seed,
        }
    }

    /// Returns the minimum number of a cell's samples, counted over all passes.
    pub fn fewest_in_all(&self) -> usize {
        match self.passes as usize {
            FEWEST_PASSES.. => FEWEST_PASSES,
            _ => FEWEST_SAMPLES,
        }
    }

    /// Returns the minimum number of samples in a pass.
    pub fn fewest(&self) -> usize {
        self.sampling.min_samples.div_ceil(self.passes as usize)
    }

    /// Returns the maximum number of samples in a pass.
    fn most(&self) -> usize {
        let share = self.sampling.max_samples.div_ceil(self.passes as usize);
        share.max(self.fewest())
    }

    /// Returns the number of samples that an interrupted cell needs for a row: 1 with several passes or in a match.
    pub fn fewest_in_row(&self) -> usize {
        match self.passes {
            1 if !self.is_match => self.sampling.min_samples,
            _ => 1,
        }
    }

    /// Returns the size of the next batch after `taken` samples in this pass. Samples are spread over several turns.
    pub fn batch(&self, taken: usize, sample_ns: f64) -> u64 {
        let most = self.most().div_ceil(TURNS as usize);
        let most = most.min(self.most().saturating_sub(taken)) as u64;
        ((BATCH_NS as f64 / sample_ns.max(1.0)) as u64).clamp(1, most.clamp(1, BATCH_MOST))
    }

    /// Returns the minimum number of turns in a pass if a turn takes the time `each`.
    fn turns(&self, each: Duration) -> u64 {
        match each.as_nanos() {
            nanos if nanos <= u128::from(BATCH_NS) => TURNS,
            _ if self.passes == 1 => TURNS / 2,
            _ => TURNS / 4,
        }
    }

    /// Returns `None` if a cell needs more samples in this pass, otherwise the unmet condition or [`Reason::Met`].
    ///
    /// `costs` are the costs of the samples that count. `budget` is the time limit for the minimum number of samples,
    /// and `share` is the time limit for a narrower interval. Both include the trial.
    pub fn enough(
        &self,
        (costs, games): (&[u64], &Games),
        own: &InPass,
        (budget, share): (Duration, Duration),
    ) -> Option<Reason> {
        let taken = costs.len();
        let spent = own.spent_trial + own.spent_sampling;
        if taken < self.fewest() {
            // Stop before a sample that would exceed the budget. Also stop at twice the budget if the trial
            // underestimated the cost. With several passes, even a single sample per pass is useful.
            let least = if self.passes == 1 { FEWEST_SAMPLES } else { 1 };
            let sampling = own.spent_sampling;
            let each = sampling.checked_div(taken as u32).unwrap_or_default();
            let ends = taken >= least && spent + each > budget;
            return (ends || taken > 0 && own.spent > budget * 2)
                .then_some(Reason::FewSamples(taken));
        }
        let limit = match taken >= self.most() {
            true => Some(Limit::Samples),
            false => (spent >= share).then_some(Limit::Share),
        };
        // A cell that has reached a limit needs no more turns.
        let turned = own.turns >= self.turns(spent / own.turns.max(1) as u32);
        let has_turned = limit.is_some() || turned;
        let (half_width, target) = (relative_half_width(costs, self.seed), self.sampling.target);
        let is_met = match self.is_match {
            true => is_decided(games),
            false => has_turned && half_width.is_some_and(|width| width <= target),
        };
        let wide = |limit| Reason::Wide {
            half_width,
            target,
            limit,
        };
        match is_met {
            true => Some(Reason::Met),
            false => limit.map(wide),
        }
    }

    /// Returns the unmet condition for the interval over passes, or [`Reason::Met`]. `costs` yields pass and cost.
    pub fn across<P: Ord>(&self, costs: impl Iterator<Item = (P, u64)>) -> Reason {
        let medians = medians_of(costs);
        let passes = medians.len();
        let Some((mean, (low, high))) = interval(&medians, None) else {
            let wanted = self.sampling.passes;
            return Reason::FewPasses { passes, wanted };
        };
        let (width, target) = ((high - low) / 2.0 / mean, self.sampling.target);
        if width <= target {
            return Reason::Met;
        }
        Reason::Wide {
            half_width: Some(width),
            target,
            limit: Limit::Passes(passes),
        }
    }
}

/// Returns the quantity that the interval covers: the time of a sample or, with a time per move, the cost per playout.
pub fn cost(case: &Case, sample: &Sample) -> u64 {
    let clocked = Some(sample.playouts).filter(|_| case.is_clocked());
    let by_playout = clocked.and_then(|count| cost_fs(sample.total_ns, count));
    by_playout.unwrap_or(sample.total_ns)
}

/// Returns the sampling condition that a match with these games and samples has not met when it ends at `limit`.
pub fn unmet_of_match(
    games: &Games,
    case: &Case,
    samples: &[Sample],
    (experiment, limit): (&Experiment, Limit),
) -> Reason {
    if is_decided(games) {
        return Reason::Met;
    }
    let costs: Vec<u64> = samples.iter().map(|sample| cost(case, sample)).collect();
    let rule = StopRule::of(experiment);
    Reason::Wide {
        half_width: relative_half_width(&costs, rule.seed),
        target: rule.sampling.target,
        limit,
    }
}

/// True if the interval of the share of points excludes 50 %. Thinking times do not show who is ahead.
fn is_decided(games: &Games) -> bool {
    let won = games.values().map(MatchScore::points).sum();
    let played = games.values().map(MatchScore::played).sum();
    share_interval(won, played).is_some_and(|(low, high)| low > 0.5 || high < 0.5)
}

/// Chooses the passes of a cell that has time for only `count` passes: the first and the last, then passes that halve
/// the widest gaps. A larger `count` only adds passes.
pub fn chosen_passes(count: u64, passes: u64) -> Vec<u64> {
    let mut chosen = vec![1];
    if passes > 1 && count > 1 {
        chosen.push(passes);
    }
    while (chosen.len() as u64) < count.min(passes) {
        let mut sorted = chosen.clone();
        sorted.sort_unstable();
        let gaps = sorted.windows(2).filter(|pair| pair[1] - pair[0] > 1);
        let Some(widest) = gaps.rev().max_by_key(|pair| pair[1] - pair[0]) else {
            break;
        };
        chosen.push(widest[0].midpoint(widest[1]));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passes_of_a_long_cell_are_among_those_of_a_shorter_one() {
        for passes in 1..12 {
            let mut before: Vec<u64> = Vec::new();
            for count in 1..=passes {
                let mut chosen = chosen_passes(count, passes);
                assert_eq!(chosen.len() as u64, count, "{count} of {passes}");
                assert!(before.iter().all(|pass| chosen.contains(pass)));
                assert!(chosen.iter().all(|pass| (1..=passes).contains(pass)));
                chosen.sort_unstable();
                chosen.dedup();
                assert_eq!(chosen.len() as u64, count);
                before = chosen;
            }
        }
        assert_eq!(chosen_passes(3, 5), [1, 5, 3]);
    }
}
