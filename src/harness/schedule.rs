//! Measures the cells of a plan, case by case: trial run, sample size, interleaved rounds, checks.
//!
//! Everything outside goes through a trait ([`Executor`], [`Sink`], [`Progress`], [`Clock`],
//! [`HostWatch`]), so that the whole of it is tested in milliseconds without a device.

mod checking;
mod requests;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use self::checking::reference_of;
use super::begun::Begun;
use super::clock;
use super::executor::Executor;
use super::live::{Ending, FEWEST_SAMPLES, Live};
use super::plan::{CaseGroup, Cell, Plan};
use super::predict::Predictor;
use super::protocol::Sampled;
use super::record::{self, RowContext};
use crate::config::Experiment;
use crate::results::{FactRow, MeasurementRow, ResourceRow, SampleRow};
use crate::stats;
use crate::words::{Status, Task};

/// A batch of samples is asked for so many nanoseconds, so that the protocol costs nothing.
const BATCH_NS: u64 = 20_000_000;
/// Never more samples in one request than this, however short they are.
const BATCH_MOST: u64 = 50;
/// Turns that a cell has at least, unless its budget ends: two rounds of A B B A.
pub const TURNS: u64 = 4;
/// A trial run shorter than this is repeated: its first call is all cold caches.
const TRIAL_REPEAT_NS: u64 = 20_000_000;
/// A trial of at least so many nanoseconds, with the final number of positions, is a sample like
/// any other: whatever was cold at its start does not show in it.
const TRIAL_COUNTS_NS: u64 = 1_000_000_000;
/// Predictions are off by a factor of two as often as not: only beyond that is a cell skipped
/// without a trial run.
const TRUST_IN_PREDICTION: f64 = 2.0;

/// Begins the reason of a cell that the user cut off.
pub const INTERRUPTED: &str = "interrupted";
/// Begins the reason of a cell that the end of the run's budget cut off.
pub const RUN_BUDGET_ENDED: &str = "the run's whole budget ended";

/// Takes the rows of a run. An error ends the run with exit code 4.
pub trait Sink {
    /// All samples of one cell.
    fn samples(&mut self, rows: &[SampleRow]) -> anyhow::Result<()>;
    /// One cell.
    fn measurement(&mut self, row: &MeasurementRow) -> anyhow::Result<()>;
    /// One fact of a case.
    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()>;
    /// One thing that a technique takes of its device. The last of a name counts.
    fn resource(&mut self, row: &ResourceRow) -> anyhow::Result<()>;
    /// What a compiler said of a cell's kernel, whole. Says where it can be read.
    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String>;
}

/// Is told how far the run is.
pub trait Progress {
    /// Work on a case begins.
    fn case(&mut self, group: &CaseGroup);
    /// A cell gets its trial run or a batch of samples.
    fn working(&mut self, cell: &Cell);
    /// A cell has ended; `kept`: it was in the folder already.
    fn ended(&mut self, row: &MeasurementRow, kept: bool);
}

/// Time since the run began.
pub trait Clock {
    /// Never goes back.
    fn now(&self) -> Duration;
}

/// Watches the host while a case is measured.
pub trait HostWatch {
    /// A case begins.
    fn begin(&mut self);
    /// What was wrong with the host since then, in words for the rows.
    fn warnings(&mut self) -> Vec<String>;
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every cell has a row.
    Complete,
    /// The user stopped it; the rest can be done by the same command again.
    Interrupted,
}

/// What a run is made with.
pub struct Scheduler<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Executes the CPU techniques.
    pub host: &'a mut dyn Executor,
    /// Execute the device techniques, in the order of the run's targets.
    pub devices: Vec<&'a mut dyn Executor>,
    /// Takes the rows.
    pub sink: &'a mut dyn Sink,
    /// Is told how far the run is.
    pub progress: &'a mut dyn Progress,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Watches the host.
    pub watch: &'a mut dyn HostWatch,
    /// Set when the user wants to stop after the request under way.
    pub stop: &'a AtomicBool,
    /// Rows of an earlier run in the same folder that are still valid, by key.
    pub kept: &'a HashMap<String, MeasurementRow>,
    /// What an earlier run played of matches that it was stopped in, by key.
    pub begun: &'a HashMap<String, Begun>,
    /// The key of a cell.
    pub key: &'a dyn Fn(&Cell) -> String,
    /// Threads of the parallel baselines.
    pub threads: usize,
}

impl Scheduler<'_> {
    /// Measures every cell of the plan that has no valid row yet.
    pub fn run(&mut self, plan: &Plan) -> anyhow::Result<Ended> {
        let mut state = State {
            predictor: Predictor::default(),
            by_position: self.experiment.task == Task::Game,
            order: Xoshiro256PlusPlus::seed_from_u64(self.experiment.seed),
            taken: 0,
            facts: HashSet::new(),
            left: plan.len(),
        };
        for group in &plan.groups {
            self.progress.case(group);
            match self.case(group, &mut state) {
                Ok(()) => {}
                Err(Stop::Interrupted) => return Ok(Ended::Interrupted),
                Err(Stop::Broken(error)) => return Err(error),
            }
        }
        Ok(Ended::Complete)
    }

    fn case(&mut self, group: &CaseGroup, state: &mut State) -> Result<(), Stop> {
        let mut lives: Vec<Live<'_>> = Vec::new();
        let mut fixed_units = None;
        for cell in &group.cells {
            let key = (self.key)(cell);
            if let Some(row) = self.kept.get(&key) {
                if let Some(ns) = row.median_ns.filter(|_| row.units > 0) {
                    state.learn(cell, ns as f64, row.units);
                    fixed_units = Some(row.units);
                }
                self.progress.ended(row, true);
                state.left = state.left.saturating_sub(1);
                // A reference is needed for its answers even where its times are known.
                lives.push(Live::shadow(cell, key));
            } else if let Some(begun) = self.begun.get(&key) {
                lives.push(Live::going_on(cell, key, begun.clone()));
            } else {
                lives.push(Live::new(cell, key));
            }
        }
        let to_do = lives.iter().filter(|live| !live.shadow).count();
        if to_do == 0 {
            return Ok(());
        }
        let wanted: HashSet<usize> = (0..lives.len())
            .filter(|&i| !lives[i].shadow)
            .filter_map(|i| reference_of(&lives, i))
            .collect();
        let mut place = 0;
        lives.retain(|live| {
            place += 1;
            !live.shadow || wanted.contains(&(place - 1))
        });

        self.watch.begin();
        let left = self.left();
        if left.is_zero() {
            self.wind_up(&mut lives, RUN_BUDGET_ENDED, state)?;
            let reason = self.total_spent();
            return self.end_all(&mut lives, Status::Skipped, &reason, state);
        }
        let budget = self.experiment.budget.cell.min(left);
        // Its equal share of what is left is a cell's without a question. More it gets only where
        // its fewest positions and samples need it: a noisy cell must not use up the time of
        // those after it.
        let share = (left / state.left.max(1) as u32).min(budget);
        for at in 0..lives.len() {
            self.trial(&mut lives, at, budget, state)?;
        }
        self.choose_units(&mut lives, fixed_units, (budget, share), state)?;
        self.references(&mut lives, state)?;
        self.warm_up(&mut lives, state)?;
        Self::count_trials(&mut lives, state);
        let outcome = self.rounds(&mut lives, (budget, share), state);
        for live in &lives {
            if let Some(executor) = self.executor(live.cell) {
                executor.forget(live.cell.index);
            }
        }
        outcome
    }

    /// Makes a cell ready and runs it once on few positions, to learn what it costs.
    fn trial(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        budget: Duration,
        state: &mut State,
    ) -> Result<(), Stop> {
        self.check_stop()?;
        if self.left().is_zero() {
            if lives[at].goes_on {
                // It is wound up with what it has.
                return Ok(());
            }
            let reason = self.total_spent();
            return self.end(&mut lives[at], Status::Skipped, &reason, state);
        }
        let live = &lives[at];
        let cell = live.cell;
        self.progress.working(cell);
        if self.executor(cell).is_none() {
            let reason = "no OpenCL device on this machine (`bench devices` says more)";
            return self.end(&mut lives[at], Status::Unsupported, reason, state);
        }
        if live.goes_on {
            return self.go_on(&mut lives[at], state);
        }
        let reference = reference_of(lives, at).map_or(
            (cell.choice.label.as_str(), cell.device_label.as_str()),
            |r| {
                (
                    lives[r].cell.choice.label.as_str(),
                    lives[r].cell.device_label.as_str(),
                )
            },
        );
        let predicted = state.predictor.predict(
            &cell.choice.label,
            &cell.device_label,
            &cell.case,
            reference,
        );
        // How long the line of play is, the first cell that is made ready tells.
        let mut is_ready = false;
        if self.experiment.task == Task::Game && longest(lives) == 0 {
            if !self.make_ready(&mut lives[at], None, state)? {
                return Ok(());
            }
            is_ready = true;
        }
        let at_least = match longest(lives) {
            0 => self.smallest_units(),
            units => self.smallest_units().min(units as f64),
        };
        // A cell whose row is there already has run within its budget, whatever is predicted.
        if let Some(ns) = predicted.filter(|_| !lives[at].shadow) {
            let live = &mut lives[at];
            live.predicted_ns = Some((ns * at_least) as u64);
            let needed = ns * at_least * FEWEST_SAMPLES as f64;
            if needed > TRUST_IN_PREDICTION * budget.as_nanos() as f64 {
                state.learn(cell, ns, 1);
                let reason = over_budget(budget, needed);
                return self.end(live, Status::Skipped, &reason, state);
            }
        }
        if !is_ready && !self.make_ready(&mut lives[at], None, state)? {
            return Ok(());
        }
        let live = &mut lives[at];
        live.most_units = live.prepared.units;
        if self.experiment.task == Task::Game {
            let fewest = (self.experiment.sampling.min_positions as u64).min(live.most_units);
            if !self.limit(live, fewest, state)? {
                return Ok(());
            }
        }
        // Twice where it is short: the first call of all is cold, and says too much.
        let mut shortest: Option<u64> = None;
        for _ in 0..2 {
            let Some(samples) = self.take(&mut lives[at], 1, state)? else {
                return Ok(());
            };
            let ns = samples.iter().map(|s| s.total_ns).min().unwrap_or(0);
            let units = lives[at].units;
            lives[at].trial = samples.into_iter().next().map(|sample| (units, sample));
            shortest = Some(shortest.map_or(ns, |least| least.min(ns)));
            if ns >= TRIAL_REPEAT_NS {
                break;
            }
        }
        let live = &mut lives[at];
        live.spent_trial = live.spent;
        let shortest = shortest.unwrap_or(0) as f64;
        live.ns_per_unit = shortest / live.units.max(1) as f64;
        state.learn(cell, shortest, live.units);
        Ok(())
    }

    /// Makes a match ready that was played in part. It has no trial: its games tell what one costs.
    fn go_on(&mut self, live: &mut Live<'_>, state: &mut State) -> Result<(), Stop> {
        if !self.make_ready(live, None, state)? {
            return Ok(());
        }
        live.most_units = live.prepared.units;
        let samples = live.samples.iter();
        let both = samples.map(|(_, s)| s.total_ns.saturating_add(s.opponent_ns));
        let ns = stats::median(&both.collect::<Vec<_>>()).unwrap_or(0) as f64;
        live.ns_per_unit = ns / live.units.max(1) as f64;
        state.learn(live.cell, ns, live.units);
        Ok(())
    }

    /// Chooses how many positions of the line every technique of the case searches: as many as
    /// all can within their shares beside their trials, halved until they fit or are the fewest.
    fn choose_units(
        &mut self,
        lives: &mut [Live<'_>],
        fixed: Option<u64>,
        (budget, share): (Duration, Duration),
        state: &mut State,
    ) -> Result<(), Stop> {
        let samples = self.experiment.sampling.min_samples as f64;
        let (budget_ns, share_ns) = (budget.as_nanos() as f64, share.as_nanos() as f64);
        let fewest = fixed.unwrap_or_else(|| {
            let most = lives
                .iter()
                .filter(|l| l.running())
                .map(|l| l.most_units)
                .max();
            most.unwrap_or(1).min(self.smallest_units() as u64).max(1)
        });
        for live in lives
            .iter_mut()
            .filter(|live| live.running() && !live.shadow && !live.goes_on)
        {
            let units = match state.by_position {
                true => live.fit(fewest),
                false => live.units,
            };
            let needed = live.ns_per_unit * units as f64 * FEWEST_SAMPLES as f64;
            if needed > budget_ns {
                let reason = over_budget(budget, needed);
                self.end(live, Status::Skipped, &reason, state)?;
            }
        }
        if !state.by_position {
            return Ok(());
        }
        let units = fixed.unwrap_or_else(|| {
            let running = || lives.iter().filter(|live| live.running());
            let slowest = running().map(|l| l.ns_per_unit).fold(0.0, f64::max);
            let mut units = running()
                .map(|live| live.most_units)
                .max()
                .unwrap_or(fewest);
            let trial = self.smallest_units();
            while units > fewest && slowest * (units as f64 * samples + trial) > share_ns {
                units = (units / 2).max(fewest);
            }
            units
        });
        for live in lives.iter_mut().filter(|live| live.running()) {
            let units = live.fit(units);
            // A trial that was killed took with it what its worker held of the cells before it.
            if self.ensure(live, state)? {
                self.limit(live, units, state)?;
            }
        }
        Ok(())
    }

    /// Untimed samples with the final number of positions, where they are cheap: a long one has
    /// warmed everything up in its trial.
    fn warm_up(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        for at in 0..lives.len() {
            let live = &lives[at];
            let sample_ns = live.ns_per_unit * live.units as f64;
            let is_measured = live.running() && !live.shadow && !live.goes_on;
            if !is_measured || sample_ns > BATCH_NS as f64 {
                continue;
            }
            let count = self.experiment.sampling.warmup as u64;
            if count == 0 || self.left().is_zero() {
                continue;
            }
            if self.take(&mut lives[at], count, state)?.is_some() {
                self.check(lives, at, state)?;
            }
        }
        Ok(())
    }

    /// Samples the techniques in interleaved, seeded-random order (A B B A …) until each has
    /// enough.
    fn rounds(
        &mut self,
        lives: &mut [Live<'_>],
        budgets: (Duration, Duration),
        state: &mut State,
    ) -> Result<(), Stop> {
        loop {
            let mut turn: Vec<usize> = (0..lives.len())
                .filter(|&i| lives[i].running() && !lives[i].shadow)
                .collect();
            if turn.is_empty() {
                return Ok(());
            }
            turn.shuffle(&mut state.order);
            let back: Vec<usize> = turn.iter().rev().copied().collect();
            for at in turn.into_iter().chain(back) {
                if !lives[at].running() {
                    continue;
                }
                if self.stop.load(Ordering::Relaxed) {
                    self.wind_up(lives, INTERRUPTED, state)?;
                    return Err(Stop::Interrupted);
                }
                if self.left().is_zero() {
                    self.wind_up(lives, RUN_BUDGET_ENDED, state)?;
                    let reason = self.total_spent();
                    return self.end_all(lives, Status::Skipped, &reason, state);
                }
                match self.batch(lives, at, budgets, state) {
                    Err(Stop::Interrupted) => {
                        self.wind_up(lives, INTERRUPTED, state)?;
                        return Err(Stop::Interrupted);
                    }
                    outcome => outcome?,
                }
            }
        }
    }

    /// Makes long trials with the final number of positions the first samples of their cells.
    fn count_trials(lives: &mut [Live<'_>], state: &mut State) {
        for live in lives.iter_mut().filter(|l| l.running() && !l.shadow) {
            let units = live.units;
            let long =
                |(of, sample): &(u64, Sampled)| *of == units && sample.total_ns >= TRIAL_COUNTS_NS;
            if let Some((_, sample)) = live.trial.take().filter(long) {
                live.spent_sampling += std::mem::take(&mut live.spent_trial);
                live.samples.push((state.taken, sample));
                state.taken += 1;
            }
        }
    }

    /// One batch of timed samples of one cell.
    fn batch(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        (budget, share): (Duration, Duration),
        state: &mut State,
    ) -> Result<(), Stop> {
        self.progress.working(lives[at].cell);
        let live = &mut lives[at];
        let estimate = (live.ns_per_unit * live.units as f64).max(1.0);
        let sampling = &self.experiment.sampling;
        // The first batches are small, so that a cell cannot be done before it has had its turn
        // among the others several times.
        let most = match live.turns {
            0..TURNS => (sampling.min_samples as u64).div_ceil(TURNS),
            _ => BATCH_MOST.min(sampling.max_samples.saturating_sub(live.samples.len()) as u64),
        };
        let count = ((BATCH_NS as f64 / estimate) as u64).clamp(1, most.max(1));
        live.turns += 1;
        if !self.is_ready(live) {
            // Its worker was lost with another cell: the first call of a new one is all cold.
            if self.take(live, 1, state)?.is_none() {
                return Ok(());
            }
        }
        let before = live.spent;
        let Some(samples) = self.take(live, count, state)? else {
            return Ok(());
        };
        // By this clock: a match's samples say the time of one player only.
        live.spent_sampling += live.spent.saturating_sub(before);
        if !self.check(lives, at, state)? {
            return Ok(());
        }
        let live = &mut lives[at];
        for sample in samples {
            live.samples.push((state.taken, sample));
            state.taken += 1;
        }
        if let Some(unmet) = live.enough(
            &self.experiment.sampling,
            budget,
            share,
            self.experiment.seed,
        ) {
            self.end(live, Status::Ok, &unmet, state)?;
        }
        Ok(())
    }

    /// Stops early: cells with enough samples for a median are recorded, the others are left for
    /// the next run.
    fn wind_up(
        &mut self,
        lives: &mut [Live<'_>],
        why: &str,
        state: &mut State,
    ) -> Result<(), Stop> {
        for live in lives
            .iter_mut()
            .filter(|live| live.running() && !live.shadow)
        {
            if self.is_worth_a_row(live) {
                let reason = cut_off(why, live);
                self.end(live, Status::Ok, &reason, state)?;
            }
        }
        Ok(())
    }

    /// Whether a cell that is cut off has enough samples for a row of its own. The games of a match
    /// count, however few.
    fn is_worth_a_row(&self, live: &Live<'_>) -> bool {
        let fewest = match self.experiment.task {
            Task::Match => 1,
            _ => self.experiment.sampling.min_samples,
        };
        live.samples.len() >= fewest
    }

    /// Ends a cell: its rows are written and flushed. One that has ended keeps the rows that it has,
    /// though it may fail later as others' reference.
    fn end(
        &mut self,
        live: &mut Live<'_>,
        status: Status,
        reason: &str,
        state: &mut State,
    ) -> Result<(), Stop> {
        if !live.running() {
            return Ok(());
        }
        let (status, reason) = match status {
            Status::Ok if live.measured_nothing() => {
                (Status::Skipped, clock::too_coarse(live.clock_step_ns))
            }
            _ => (status, reason.to_owned()),
        };
        live.ending = Some(Ending { status, reason });
        if live.shadow {
            return Ok(());
        }
        let warnings = self.watch.warnings();
        let context = RowContext {
            experiment: self.experiment,
            threads: self.threads,
            warnings: &warnings,
        };
        if status == Status::Ok {
            self.sink
                .samples(&record::sample_rows(live))
                .map_err(Stop::Broken)?;
            if let Some(row) = record::tree_depth(live) {
                self.sink.resource(&row).map_err(Stop::Broken)?;
            }
        }
        state.left = state.left.saturating_sub(1);
        let row = record::measurement(live, &context);
        if let Some(ns) = row.median_ns.filter(|_| row.units > 0) {
            state.learn(live.cell, ns as f64, row.units);
        }
        self.sink.measurement(&row).map_err(Stop::Broken)?;
        self.progress.ended(&row, false);
        Ok(())
    }

    fn end_all(
        &mut self,
        lives: &mut [Live<'_>],
        status: Status,
        reason: &str,
        state: &mut State,
    ) -> Result<(), Stop> {
        for live in lives
            .iter_mut()
            .filter(|live| live.running() && !live.shadow)
        {
            self.end(live, status, reason, state)?;
        }
        Ok(())
    }

    fn executor(&mut self, cell: &Cell) -> Option<&mut dyn Executor> {
        match cell.device {
            None => Some(&mut *self.host),
            Some(place) => match self.devices.get_mut(place) {
                Some(executor) => Some(&mut **executor),
                None => None,
            },
        }
    }

    fn check_stop(&self) -> Result<(), Stop> {
        if self.stop.load(Ordering::Relaxed) {
            Err(Stop::Interrupted)
        } else {
            Ok(())
        }
    }

    fn total_spent(&self) -> String {
        let total = humantime::format_duration(self.experiment.budget.total);
        format!("the whole run's budget of {total} was spent before its turn")
    }

    /// The fewest positions that a sample may hold; 1 where it is a whole.
    fn smallest_units(&self) -> f64 {
        match self.experiment.task {
            Task::Game => self.experiment.sampling.min_positions.max(1) as f64,
            _ => 1.0,
        }
    }
}

/// Why a case was left early.
enum Stop {
    Interrupted,
    Broken(anyhow::Error),
}

struct State {
    predictor: Predictor,
    /// Whether costs are known for one position each: of a line of play more or fewer are searched;
    /// of all other tasks a sample is a whole.
    by_position: bool,
    order: Xoshiro256PlusPlus,
    taken: u64,
    facts: HashSet<(String, String)>,
    /// Cells without a row of this run.
    left: usize,
}

impl State {
    /// Learns what a sample of that many units cost, ns.
    fn learn(&mut self, cell: &Cell, ns: f64, units: u64) {
        let parts = if self.by_position { units.max(1) } else { 1 };
        let (label, device) = (&cell.choice.label, &cell.device_label);
        self.predictor
            .learn(label, device, &cell.case, ns / parts as f64);
    }
}

/// Positions of the case's line of play, by what was made ready so far; 0: nothing was.
fn longest(lives: &[Live<'_>]) -> u64 {
    let units = lives.iter().map(|live| live.prepared.units);
    units.max().unwrap_or(0)
}

/// The reason of a cell that was cut off with enough samples.
fn cut_off(why: &str, live: &Live<'_>) -> String {
    format!("{why} after {} samples", live.samples.len())
}

fn over_budget(budget: Duration, needed_ns: f64) -> String {
    let seconds = |ns: f64| {
        let s = ns / 1e9;
        if s >= 10.0 {
            format!("{s:.0} s")
        } else {
            format!("{s:.1} s")
        }
    };
    format!(
        "budget {}, predicted {}",
        seconds(budget.as_nanos() as f64),
        seconds(needed_ns)
    )
}
