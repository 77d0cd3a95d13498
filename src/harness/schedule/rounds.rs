//! Samples in turns: warm-up, rounds of batches, and when a cell has enough.

use std::time::Duration;

use rand::seq::SliceRandom;

use super::state::{Scheduler, State, Stop};
use crate::config::Sampling;
use crate::harness::live::Live;
use crate::harness::pass_rule::{BATCH_NS, PassRule, TURNS};
use crate::harness::protocol::Sampled;
use crate::stats;
use crate::words::{Extent, Limit, Reason, Status, Task};

/// Limit of samples in one request, however short they are.
const BATCH_MOST: u64 = 50;
/// A trial of at least this many ns with the final number of positions counts as a sample: effects of a cold start are
/// negligible in it.
const TRIAL_COUNTS_NS: u64 = 1_000_000_000;

impl Scheduler<'_> {
    /// Takes untimed samples with the final number of positions if they are cheap. Long ones were warmed up by their
    /// trial, and in later passes a cold start does not show in them.
    pub(super) fn warm_up(
        &mut self,
        lives: &mut [Live<'_>],
        state: &mut State,
    ) -> Result<(), Stop> {
        let pass = state.pass;
        for at in 0..lives.len() {
            let live = &lives[at];
            let sample_ns = (live.ns_per_unit * live.units as f64) as u64;
            let is_measured = live.is_sampled() && live.passes.contains(&pass);
            let count = match (pass, sample_ns) {
                (_, ..=BATCH_NS) => self.experiment.sampling.warmup as u64,
                (1, _) | (_, TRIAL_COUNTS_NS..) => 0,
                _ => 1,
            };
            if !is_measured || (pass == 1 && live.goes_on) || count == 0 || self.left().is_zero() {
                continue;
            }
            if self.take(&mut lives[at], count, state)?.is_some() {
                self.check(lives, at, state)?;
            }
        }
        Ok(())
    }

    /// Makes long trials with the final number of positions the first samples of their cells.
    pub(super) fn count_trials(&self, lives: &mut [Live<'_>], state: &mut State) {
        for live in lives.iter_mut().filter(|live| live.is_sampled()) {
            let units = live.units;
            let long =
                |(of, it): &(u64, Sampled)| *of == units && it.sample.total_ns >= TRIAL_COUNTS_NS;
            if let Some((_, sample)) = live.trial.take().filter(long) {
                let own = &mut live.in_pass;
                own.spent_sampling += std::mem::take(&mut own.spent_trial);
                self.count(live, sample, state);
            }
        }
    }

    /// Samples the techniques in interleaved, seeded-random order (A B B A …) until each has enough.
    pub(super) fn rounds(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        let pass = state.pass;
        let share = self.share(state);
        let is_asked = |live: &Live<'_>| {
            live.is_sampled() && !live.in_pass.rests && live.passes.contains(&pass)
        };
        loop {
            let mut turn: Vec<usize> = (0..lives.len()).filter(|&i| is_asked(&lives[i])).collect();
            if turn.is_empty() {
                return Ok(());
            }
            turn.shuffle(&mut state.order);
            side_by_side(&mut turn, |at| lives[at].cell.twins);
            let back: Vec<usize> = turn.iter().rev().copied().collect();
            for at in turn.into_iter().chain(back) {
                if !is_asked(&lives[at]) {
                    continue;
                }
                let outcome = match self.check_stop() {
                    Err(stop) => Err(stop),
                    Ok(()) if self.left().is_zero() => {
                        self.wind_up(lives, Reason::RunBudgetEnded, state)?;
                        return self.end_all(lives, state);
                    }
                    Ok(()) if self.is_too_long(&lives[at]) => {
                        let one = &mut lives[at..=at];
                        self.wind_up(one, Reason::RunBudgetEnded, state)?;
                        self.end_all(one, state)
                    }
                    Ok(()) => self.batch(lives, at, share, state),
                };
                if matches!(outcome, Err(Stop::Interrupted)) {
                    self.wind_up(lives, Reason::Interrupted, state)?;
                }
                outcome?;
            }
        }
    }

    /// One batch of timed samples of one cell.
    fn batch(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        share: Duration,
        state: &mut State,
    ) -> Result<(), Stop> {
        self.progress.working(lives[at].cell);
        let live = &mut lives[at];
        let estimate = (live.ns_per_unit * live.units as f64).max(1.0);
        // The caller has checked that time is left in the run's budget.
        let budget = self.experiment.budget.cell / live.passes.len().max(1) as u32;
        let rule = self.rule(budget, share, state.pass);
        let taken = live.samples_by(&rule).count();
        // Small enough for several turns among the others before a cell is done.
        let most = rule.most().div_ceil(TURNS as usize);
        let most = most.min(rule.most().saturating_sub(taken)) as u64;
        let count = ((BATCH_NS as f64 / estimate) as u64).clamp(1, most.clamp(1, BATCH_MOST));
        live.in_pass.turns += 1;
        if !self.is_ready(live) {
            // A new worker, after a loss during another cell: its first call is cold.
            if self.take(live, 1, state)?.is_none() {
                return Ok(());
            }
        }
        let before = live.in_pass.spent;
        let Some(samples) = self.take(live, count, state)? else {
            return Ok(());
        };
        // By this clock, because a match's samples contain only one player's time.
        live.in_pass.spent_sampling += live.in_pass.spent.saturating_sub(before);
        if !self.check(lives, at, state)? {
            return Ok(());
        }
        let live = &mut lives[at];
        for sample in samples {
            self.count(live, sample, state);
        }
        let rule = self.rule(budget, share, state.pass);
        match live.enough(&rule) {
            Some(unmet) => self.rest(live, unmet, state),
            None => Ok(()),
        }
    }

    /// Whether a cell's next sample, at its known cost, would exceed the run's budget.
    fn is_too_long(&self, live: &Live<'_>) -> bool {
        live.ns_per_unit * live.units as f64 > self.left().as_nanos() as f64
    }

    /// The sampling rule of a pass; `budget` and `share` are per pass.
    pub(super) fn rule(&self, budget: Duration, share: Duration, pass: u64) -> PassRule<'_> {
        PassRule {
            sampling: &self.experiment.sampling,
            invocation: self.invocation,
            pass,
            passes: self.passes(),
            is_match: self.experiment.task == Task::Match,
            budget,
            share,
            seed: self.experiment.seed,
        }
    }

    /// Ends a cell's part in a pass: finally after its last one, else with a provisional row, in case the run ends
    /// early.
    fn rest(&mut self, live: &mut Live<'_>, unmet: Reason, state: &mut State) -> Result<(), Stop> {
        let passes = self.passes();
        let last_pass = live.passes.iter().max().copied().unwrap_or(1);
        if state.pass < last_pass && !live.measured_nothing() {
            live.in_pass.rests = true;
            let taken = live.passes_taken();
            let reason = Reason::Interrupted(Extent::Passes(taken, passes));
            return self.write(live, Status::Ok, &reason, state);
        }
        let reason = match passes {
            1 => unmet,
            _ => across(live, &self.experiment.sampling),
        };
        self.end(live, Status::Ok, reason, state)
    }

    /// Makes a sample the cell's next one. Its `at_ns` counts from the invocation's begin by now.
    fn count(&self, live: &mut Live<'_>, mut sampled: Sampled, state: &mut State) {
        let sample = &mut sampled.sample;
        sample.cell = live.cell.id();
        sample.invocation = self.invocation.to_owned();
        sample.pass = state.pass;
        sample.sample = live.samples.len() as u64;
        sample.order = state.taken;
        state.taken += 1;
        live.add(sampled);
    }
}

/// Moves twins next to each other, to the place of the first.
fn side_by_side(turn: &mut [usize], twins: impl Fn(usize) -> usize) {
    let before = turn.to_vec();
    let first = |at: &usize| before.iter().position(|it| twins(*it) == twins(*at));
    turn.sort_by_key(first);
}

/// The unmet condition of the interval over a cell's passes.
fn across(live: &Live<'_>, sampling: &Sampling) -> Reason {
    let costs = live
        .samples
        .iter()
        .map(|sample| (sample.pass(), live.cost(sample)));
    let medians = stats::passes::medians_of(costs);
    let count = medians.len();
    match stats::passes::interval(&medians, None) {
        None => Reason::FewPasses {
            passes: count,
            wanted: sampling.passes,
        },
        Some((mean, (low, high))) => {
            let width = (high - low) / 2.0 / mean;
            if width <= sampling.target {
                return Reason::Met;
            }
            Reason::Wide {
                half_width: Some(width),
                target: sampling.target,
                limit: Limit::Passes(count),
            }
        }
    }
}
