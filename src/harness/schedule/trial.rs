//! Trials: what a cell costs, and how many positions of it a sample has.

use std::time::Duration;

use super::checking::reference_of;
use super::state::{Scheduler, State, Stop};
use crate::harness::live::{Live, Purpose};
use crate::harness::pass_rule::fewest_samples;
use crate::harness::predict::Predictor;
use crate::results::Sample;
use crate::stats;
use crate::words::{Reason, Status, Task};

/// A shorter trial is repeated, because its first call has cold caches.
const TRIAL_REPEAT_NS: u64 = 20_000_000;
/// Predictions are often wrong by a factor of two: a cell is skipped without a trial only if it is predicted to exceed
/// its budget by more than this factor.
const TRUST_IN_PREDICTION: f64 = 2.0;

impl Scheduler<'_> {
    /// Prepares a cell and runs it once on few positions, to measure its cost.
    pub(super) fn trial(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        budget: Duration,
        state: &mut State,
    ) -> Result<(), Stop> {
        self.check_stop()?;
        let predicted = predicted(&state.predictor, lives, at);
        let over_limit = self.over_launch_limit(lives, at, state);
        // Positions in the case's line of play, by the prepared cells; 0 if there are none.
        let line = lives.iter().map(|live| live.prepared.units).max();
        let mut line = line.unwrap_or(0);
        let live = &mut lives[at];
        let cell = live.cell;
        if self.left_for(cell).is_zero() {
            if live.goes_on {
                // It ends with the samples that it has.
                return Ok(());
            }
            return self.end(live, Status::Skipped, self.total_spent(), state);
        }
        self.progress.working(cell);
        if self.executor(cell).is_none() {
            return self.end(live, Status::Unsupported, Reason::NoDevice, state);
        }
        if live.goes_on {
            return self.go_on(live, state);
        }
        if let Some(reason) = over_limit {
            if let Reason::LaunchOverLimit { predicted_ns, .. } = reason {
                // Larger cells are predicted from this one.
                state.learn_launch(cell, predicted_ns);
            }
            return self.end(live, Status::Skipped, reason, state);
        }
        // The first prepared cell reports the length of the line of play.
        let asks_line = self.experiment.task == Task::Game && line == 0;
        if asks_line {
            if !self.make_ready(live, None, state)? {
                return Ok(());
            }
            line = live.prepared.units;
        }
        let at_least = match line {
            0 => self.smallest_units(),
            units => self.smallest_units().min(units as f64),
        };
        // A cell with a row has run within its budget, whatever the prediction.
        if let Some(ns) = predicted.filter(|_| live.purpose == Purpose::Measure) {
            live.predicted_ns = Some((ns * at_least) as u64);
            let needed = ns * at_least * fewest_samples(self.passes()) as f64;
            if is_too_long(needed, budget) {
                state.learn(cell, ns, 1);
                let reason = over_budget(budget, needed);
                return self.end(live, Status::Skipped, reason, state);
            }
        }
        if !asks_line && !self.make_ready(live, None, state)? {
            return Ok(());
        }
        if self.experiment.task == Task::Game {
            let fewest = (self.experiment.sampling.min_positions as u64).min(live.prepared.units);
            if !self.limit(live, fewest, state)? {
                return Ok(());
            }
        }
        // A short trial runs twice: the first call is cold, and overestimates the cost.
        let mut shortest: Option<u64> = None;
        for _ in 0..2 {
            let Some(samples) = self.take(live, 1, state)? else {
                return Ok(());
            };
            let ns = samples
                .iter()
                .map(|it| it.sample.whole_ns())
                .min()
                .unwrap_or(0);
            let launches = samples.iter().map(|one| one.longest_launch_ns);
            state.learn_launch(cell, launches.max().unwrap_or(0));
            let units = live.units;
            live.trial = samples.into_iter().next().map(|sample| (units, sample));
            shortest = Some(shortest.map_or(ns, |least| least.min(ns)));
            if ns >= TRIAL_REPEAT_NS {
                break;
            }
        }
        live.in_pass.spent_trial = live.in_pass.spent;
        let shortest = shortest.unwrap_or(0) as f64;
        live.ns_per_unit = shortest / live.units.max(1) as f64;
        state.learn(cell, shortest, live.units);
        Ok(())
    }

    /// The reason to skip a cell whose technique cannot split its launches, if the longest is predicted to exceed the
    /// limit of its device. The prediction comes from smaller cells. Without one the cell is tried.
    fn over_launch_limit(&self, lives: &[Live<'_>], at: usize, state: &State) -> Option<Reason> {
        let cell = lives[at].cell;
        let limit = *self.whole_launches.get(cell.on.place()?)?;
        let limit = limit.filter(|_| !cell.entry.splits_in(self.experiment.task))?;
        let predicted = predicted(&state.launches, lives, at)?;
        let limit_ns = limit.as_nanos() as u64;
        (predicted > limit_ns as f64).then_some(Reason::LaunchOverLimit {
            limit_ns,
            predicted_ns: predicted as u64,
        })
    }

    /// Skips a case whose smallest samples, one of each cell that may be tried at all, are predicted to take more than
    /// the time that is `left` of the first pass: its trials alone would cost the other cases their later passes, and
    /// it would have too few itself. Returns whether it was skipped.
    pub(super) fn skip_if_long(
        &mut self,
        lives: &mut [Live<'_>],
        (budget, left): (Duration, Duration),
        state: &mut State,
    ) -> Result<bool, Stop> {
        if lives
            .iter()
            .any(|live| live.purpose != Purpose::Measure || !live.samples.is_empty())
        {
            return Ok(false);
        }
        let each: Vec<Option<f64>> = (0..lives.len())
            .map(|at| predicted(&state.predictor, lives, at))
            .collect();
        let least = self.smallest_units();
        let samples = least * fewest_samples(self.passes()) as f64;
        let is_tried = |ns: &&f64| !is_too_long(**ns * samples, budget);
        let of_case = least * each.iter().flatten().filter(is_tried).sum::<f64>();
        if of_case <= left.as_nanos() as f64 {
            return Ok(false);
        }
        for (live, ns) in lives.iter_mut().zip(each) {
            if let Some(ns) = ns {
                live.predicted_ns = Some((ns * least) as u64);
                state.learn(live.cell, ns, 1);
            }
            let reason = Reason::CaseOverPass {
                left_ns: left.as_nanos() as u64,
                predicted_ns: of_case as u64,
            };
            self.end(live, Status::Skipped, reason, state)?;
        }
        Ok(true)
    }

    /// Prepares a match that was partly played. It needs no trial, because its games tell its cost.
    fn go_on(&mut self, live: &mut Live<'_>, state: &mut State) -> Result<(), Stop> {
        if !self.make_ready(live, None, state)? {
            return Ok(());
        }
        let samples = live.samples.iter();
        let both: Vec<u64> = samples.map(Sample::whole_ns).collect();
        let ns = stats::median(&both).unwrap_or(0) as f64;
        live.ns_per_unit = ns / live.units.max(1) as f64;
        state.learn(live.cell, ns, live.units);
        Ok(())
    }

    /// Chooses the number of positions that every technique of the case searches: the largest that fits all shares,
    /// trials included, found by halving down to the minimum.
    pub(super) fn choose_units(
        &mut self,
        lives: &mut [Live<'_>],
        fixed: Option<u64>,
        (budget, share): (Duration, Duration),
        state: &mut State,
    ) -> Result<(), Stop> {
        let samples = self.rule(Duration::ZERO, Duration::ZERO, 1).fewest() as f64;
        let (budget_ns, share_ns) = (budget.as_nanos() as f64, share.as_nanos() as f64);
        let fewest = fixed.unwrap_or_else(|| {
            let running = lives.iter().filter(|live| live.running());
            let most = running.map(|live| live.prepared.units).max();
            most.unwrap_or(1).min(self.smallest_units() as u64).max(1)
        });
        for live in lives
            .iter_mut()
            .filter(|live| live.running() && live.purpose == Purpose::Measure && !live.goes_on)
        {
            let units = match state.by_position {
                true => live.fit(fewest),
                false => live.units,
            };
            let needed = live.ns_per_unit * units as f64 * fewest_samples(self.passes()) as f64;
            if needed > budget_ns {
                let reason = over_budget(budget, needed);
                self.end(live, Status::Skipped, reason, state)?;
            }
        }
        if !state.by_position {
            return Ok(());
        }
        let units = fixed.unwrap_or_else(|| {
            let running = || lives.iter().filter(|live| live.running());
            let slowest = running().map(|l| l.ns_per_unit).fold(0.0, f64::max);
            let most = running().map(|live| live.prepared.units).max();
            let mut units = most.unwrap_or(fewest);
            let trial = self.smallest_units();
            while units > fewest && slowest * (units as f64 * samples + trial) > share_ns {
                units = (units / 2).max(fewest);
            }
            units
        });
        for live in lives.iter_mut().filter(|live| live.running()) {
            let units = live.fit(units);
            // A worker killed during a later cell's trial lost this cell too.
            if self.ensure(live, state)? {
                self.limit(live, units, state)?;
            }
        }
        Ok(())
    }

    /// The minimum of positions in a sample; 1 for tasks other than a line of play.
    fn smallest_units(&self) -> f64 {
        match self.experiment.task {
            Task::Game => self.experiment.sampling.min_positions.max(1) as f64,
            _ => 1.0,
        }
    }
}

/// The predicted time of one position of a cell, or of a sample of any other task, ns.
fn predicted(predictor: &Predictor, lives: &[Live<'_>], at: usize) -> Option<f64> {
    let names = |at: usize| {
        let cell = lives[at].cell;
        (cell.choice.label.as_str(), cell.device_label.as_str())
    };
    let (technique, device) = names(at);
    let reference = names(reference_of(lives, at).unwrap_or(at));
    predictor.predict(technique, device, &lives[at].cell.case, reference)
}

/// Whether a cell that is predicted to need this time, ns, is not tried.
fn is_too_long(needed_ns: f64, budget: Duration) -> bool {
    needed_ns > TRUST_IN_PREDICTION * budget.as_nanos() as f64
}

fn over_budget(budget: Duration, needed_ns: f64) -> Reason {
    Reason::OverBudget {
        budget_ns: budget.as_nanos() as u64,
        predicted_ns: needed_ns as u64,
    }
}
