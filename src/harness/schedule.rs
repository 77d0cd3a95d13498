//! Measures the cells of a plan, case by case: trial run, sample size, interleaved rounds, checks.
//!
//! All external effects go through traits ([`Executor`], [`Sink`], [`Progress`],
//! [`Clock`](super::clock::Clock), [`HostWatch`](super::host::HostWatch)), so that tests run the whole
//! schedule in milliseconds without a device.

mod checking;
mod requests;
mod state;
mod twins;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use self::checking::reference_of;
pub use self::state::{Progress, Scheduler, Sink};
use self::state::{State, Stop};
use self::twins::place_of;
use super::begun::Taken;
use super::executor::Executor;
use super::live::{
    BATCH_NS, Ending, Live, PassRule, Purpose, TURNS, chosen_passes, fewest_samples,
};
use super::plan::{CaseGroup, Cell, Plan, Processor};
use super::predict::Predictor;
use super::protocol::Sampled;
use super::record::{self, RowContext};
use crate::config::Sampling;
use crate::results::MeasurementRow;
use crate::stats;
use crate::words::{Case, Extent, Kind, Limit, Reason, Status, Task, Warning, cost_fs};

/// Limit of samples in one request, however short they are.
const BATCH_MOST: u64 = 50;
/// A shorter trial is repeated, because its first call has cold caches.
const TRIAL_REPEAT_NS: u64 = 20_000_000;
/// A trial of at least this many ns with the final number of positions counts as a sample: effects of a cold
/// start are negligible in it.
const TRIAL_COUNTS_NS: u64 = 1_000_000_000;
/// Predictions are often wrong by a factor of two: a cell is skipped without a trial only if it is predicted
/// to exceed its budget by more than this factor.
const TRUST_IN_PREDICTION: f64 = 2.0;

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every cell has a row.
    Complete,
    /// The user stopped it; the same command continues it.
    Interrupted,
}

impl Scheduler<'_> {
    /// Measures every cell of the plan that has no valid row yet, in passes over all cases: the first in the
    /// plan's order, on which predictions depend, each later one in a different order.
    pub fn run(&mut self, plan: &Plan) -> anyhow::Result<Ended> {
        let passes = self.passes();
        let mut state = State {
            predictor: Predictor::default(),
            by_position: self.experiment.task == Task::Game,
            order: Xoshiro256PlusPlus::seed_from_u64(self.experiment.seed),
            taken: self.first_order,
            facts: self
                .facts
                .iter()
                .map(|fact| (fact.case.clone(), fact.fact.clone()))
                .collect(),
            left: plan.len(),
            pass: 1,
            pass_ends: Duration::ZERO,
            sampled: Duration::ZERO,
            wrong: HashMap::new(),
            proofs: HashMap::new(),
        };
        let groups = plan.groups.iter();
        let mut cases: Vec<OpenCase<'_>> =
            groups.map(|group| self.open(group, &mut state)).collect();
        let outcome = (1..=passes).try_for_each(|pass| self.pass(pass, &mut cases, &mut state));
        let outcome = outcome.and_then(|()| self.close(&mut cases, &mut state));
        let outcome = match outcome {
            Err(Stop::Broken(error)) => return Err(error),
            outcome => self.take_back(&mut cases, &mut state).and(outcome),
        };
        match outcome {
            Ok(()) => Ok(Ended::Complete),
            Err(Stop::Interrupted) => Ok(Ended::Interrupted),
            Err(Stop::Broken(error)) => Err(error),
        }
    }

    /// The number of passes over the cases. A match has one, because its games are not repetitions of each
    /// other.
    fn passes(&self) -> u64 {
        match self.experiment.task {
            Task::Match => 1,
            _ => self.experiment.sampling.passes as u64,
        }
    }

    /// The cells of a case, with their samples in the folder.
    fn open<'p>(&mut self, group: &'p CaseGroup, state: &mut State) -> OpenCase<'p> {
        let mut case = OpenCase {
            group,
            lives: Vec::new(),
            fixed_units: None,
            cost: Duration::ZERO,
        };
        for cell in &group.cells {
            let names = (self.names)(cell);
            let begun = self.begun.get(&names.key);
            let live = match (self.kept.get(&names.key), begun) {
                (Some(row), begun) => {
                    if let Some(ns) = row.median_ns.filter(|_| row.units > 0) {
                        state.learn(cell, ns as f64, row.units);
                        case.fixed_units = Some(row.units);
                    }
                    Live::kept(cell, names, begun.cloned())
                }
                (None, Some(begun)) => {
                    case.fixed_units = Some(begun.units);
                    Live::going_on(cell, names, begun.clone())
                }
                (None, None) => Live::new(cell, names),
            };
            case.lives.push(live);
        }
        case
    }

    /// One pass over all cases. The first pass prepares all cells and measures their costs; it starts cases
    /// as long as there is time to repeat their samples in all other passes.
    fn pass(
        &mut self,
        pass: u64,
        cases: &mut [OpenCase<'_>],
        state: &mut State,
    ) -> Result<(), Stop> {
        let passes = self.passes();
        let now = self.clock.now();
        let share = self.left() / (passes + 1 - pass) as u32;
        self.progress.pass(pass, passes);
        state.pass = pass;
        state.pass_ends = now + share;
        let mut order: Vec<usize> = (0..cases.len()).collect();
        // Cases by iterations first: a technique that is wrong there must not count in cases under the clock.
        order.sort_by_key(|at| cases[*at].group.case.is_clocked());
        if pass > 1 {
            order = affordable(cases, share);
            order.shuffle(&mut state.order);
            // New processes for every pass, because address layout and placement are constant within a
            // process.
            self.host.retire();
            for device in &mut self.devices {
                device.retire();
            }
            let in_pass = |live: &&Live<'_>| live.running() && live.is_in(pass);
            state.left = cases
                .iter()
                .flat_map(|case| &case.lives)
                .filter(in_pass)
                .count();
        }
        for at in order {
            let case = &mut cases[at];
            self.progress.case(case.group);
            if pass == 1 {
                self.choose_kept(&mut case.lives, state)?;
                self.first_pass(case, state)?;
            } else {
                self.later_pass(case, state)?;
            }
        }
        Ok(())
    }

    fn first_pass(&mut self, case: &mut OpenCase<'_>, state: &mut State) -> Result<(), Stop> {
        let lives = &mut case.lives;
        if lives.is_empty() {
            return Ok(());
        }
        self.watch.begin();
        let left = self.left_of_pass(state);
        if left.is_zero() {
            self.wind_up(lives, Reason::RunBudgetEnded, state)?;
            return self.end_all(lives, state);
        }
        let passes = self.passes();
        let budget = self.experiment.budget.cell.min(self.left());
        for at in 0..lives.len() {
            self.trial(lives, at, budget, state)?;
        }
        let share = self.share(state);
        self.choose_units(lives, case.fixed_units, (budget, share), state)?;
        for live in lives.iter_mut().filter(|live| live.running()) {
            let lacking = passes.saturating_sub(live.passes_taken() as u64).max(1);
            let wanted = if live.goes_on { lacking } else { passes };
            let sample_ns = (live.ns_per_unit * live.units as f64).max(1.0);
            let affordable = (budget.as_nanos() as f64 / sample_ns) as u64;
            live.passes = chosen_passes(affordable.clamp(1, wanted), passes);
        }
        self.proofs(lives, state)?;
        self.references(lives, state)?;
        let (before, hung) = (self.clock.now(), self.time_hung());
        self.warm_up(lives, state)?;
        self.count_trials(lives, state);
        let outcome = self.rounds_and_forget(lives, state);
        case.cost = self.clock.now().saturating_sub(before);
        case.cost = case.cost.saturating_sub(self.time_hung() - hung);
        // Each pass prepares its cells again; built programs are cached.
        for live in lives
            .iter()
            .filter(|live| live.running() && live.is_timed())
        {
            let prepared = &live.prepared;
            let again = prepared.setup_ns.saturating_sub(prepared.build_ns);
            case.cost += Duration::from_nanos(again);
        }
        state.sampled += case.cost;
        outcome
    }

    /// A later pass over a case, whose cells were prepared in the first.
    fn later_pass(&mut self, case: &mut OpenCase<'_>, state: &mut State) -> Result<(), Stop> {
        let pass = state.pass;
        let lives = &mut case.lives;
        let is_asked = |live: &Live<'_>| live.running() && live.is_timed() && live.is_in(pass);
        if !lives.iter().any(is_asked) || self.left_of_pass(state).is_zero() {
            return Ok(());
        }
        self.check_stop()?;
        self.watch.begin();
        for live in lives.iter_mut() {
            live.begin_pass();
        }
        self.warm_up(lives, state)?;
        self.rounds_and_forget(lives, state)
    }

    fn rounds_and_forget(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        let outcome = self.rounds(lives, state);
        for live in lives.iter_mut() {
            let is_well = |ending: &Ending| ending.status == Status::Ok;
            if let Err(lost) = self.forget(live.cell)
                && live.ending.as_ref().is_none_or(is_well)
            {
                // Losing its worker counts even after a good end, cleared here so that the loss is recorded.
                live.ending = None;
                self.settle::<()>(live, Err(lost), state)?;
            }
        }
        outcome
    }

    /// The time of a cell in the current pass. It may exceed it only for the minimum of positions and
    /// samples, so that a noisy cell does not use up the time of later ones.
    fn share(&self, state: &State) -> Duration {
        let equal = self.left_of_pass(state) / state.left.max(1) as u32;
        equal.min(self.experiment.budget.cell / self.passes() as u32)
    }

    fn left_of_pass(&self, state: &State) -> Duration {
        let passes = self.passes() as u32;
        match state.pass {
            1 => self.left().saturating_sub(state.sampled * (passes - 1)) / passes,
            _ => state
                .pass_ends
                .saturating_sub(self.clock.now())
                .min(self.left()),
        }
    }

    /// Ends the cells that lack passes because there was no time.
    fn close(&mut self, cases: &mut [OpenCase<'_>], state: &mut State) -> Result<(), Stop> {
        let lives = cases.iter_mut().flat_map(|case| &mut case.lives);
        for live in lives.filter(|live| live.running() && live.is_timed()) {
            if !live.samples.is_empty() {
                let (taken, passes) = (live.passes_taken(), self.passes());
                let reason = Reason::RunBudgetEnded(Extent::Passes(taken, passes));
                self.end(live, Status::Ok, reason, state)?;
            }
        }
        Ok(())
    }

    /// Corrects the rows of cells under the clock that ended well, if their technique was later found to be
    /// wrong by iterations.
    fn take_back(&mut self, cases: &mut [OpenCase<'_>], state: &mut State) -> Result<(), Stop> {
        for live in cases.iter_mut().flat_map(|case| &mut case.lives) {
            let is_well = |ending: &Ending| ending.status == Status::Ok;
            let counts = live.is_timed() && live.ending.as_ref().is_some_and(is_well);
            if let Some(reason) = state.wrong.get(&place_of(live.cell))
                && counts
                && live.cell.case.is_clocked()
            {
                let reason = Reason::Told(twins::wrong_by_iterations(reason));
                live.ending = None;
                self.end(live, Status::Mismatch, reason, state)?;
            }
        }
        Ok(())
    }

    /// Keeps only those kept cells of a case that its new cells need: references, and cells that the new ones
    /// are compared with. Without new cells, none.
    fn choose_kept(&mut self, lives: &mut Vec<Live<'_>>, state: &mut State) -> Result<(), Stop> {
        let is_new = |live: &Live<'_>| live.purpose == Purpose::Measure;
        let new: Vec<usize> = (0..lives.len()).filter(|&at| is_new(&lives[at])).collect();
        let mut needed: HashSet<usize> = HashSet::new();
        if !new.is_empty() {
            needed.extend(new.iter().filter_map(|&at| reference_of(lives, at)));
            if self.compares {
                needed.extend(self.compared_with(lives));
            }
        }
        let mut left = Vec::new();
        for (at, mut live) in std::mem::take(lives).into_iter().enumerate() {
            if !is_new(&live) {
                if needed.contains(&at) {
                    if self.compares && self.experiment.task != Task::Match {
                        live.purpose = Purpose::TimeAgain;
                    }
                } else {
                    self.complete_facts(&mut live, state)?;
                }
                if live.purpose != Purpose::TimeAgain {
                    if let Some(row) = self.kept.get(&live.names.key) {
                        self.progress.ended(row, true);
                    }
                    state.left = state.left.saturating_sub(1);
                }
                if !needed.contains(&at) {
                    continue;
                }
            }
            left.push(live);
        }
        *lives = left;
        Ok(())
    }

    /// The kept cells of a case that its new ones are compared with: named baselines, on the host or on a
    /// device with new cells, and the host's fastest with one thread and with any number; and the cells that
    /// are compared with a new baseline.
    fn compared_with(&self, lives: &[Live<'_>]) -> HashSet<usize> {
        let kept = |at: usize| {
            let live = &lives[at];
            let row = self.kept.get(&live.names.key)?;
            (live.purpose != Purpose::Measure && row.status == Status::Ok).then_some(row)
        };
        let all = || (0..lives.len()).filter(|&at| kept(at).is_some());
        let new_places: HashSet<Processor> = lives
            .iter()
            .filter(|live| live.purpose == Purpose::Measure)
            .map(|live| live.cell.on)
            .collect();
        let named = self.experiment.baselines();
        let mut found: HashSet<usize> = all()
            .filter(|&at| {
                let cell = lives[at].cell;
                let is_near = cell.on == Processor::Host || new_places.contains(&cell.on);
                is_near && named.contains(cell.choice.label.as_str())
            })
            .collect();
        // Earlier samples, taken without a baseline that is new or was interrupted, share no pass with it.
        let new_baselines: HashSet<Processor> = lives
            .iter()
            .filter(|live| live.purpose == Purpose::Measure)
            .filter(|live| named.contains(live.cell.choice.label.as_str()))
            .map(|live| live.cell.on)
            .collect();
        let is_without =
            |on| new_baselines.contains(&Processor::Host) || new_baselines.contains(&on);
        found.extend(all().filter(|&at| is_without(lives[at].cell.on)));
        let cost = |at: &usize| kept(*at).and_then(cost_of_row);
        let of_host = || all().filter(|&at| lives[at].cell.on == Processor::Host);
        let one_core = of_host().filter(|&at| lives[at].cell.entry.kind == Kind::Serial);
        found.extend(one_core.min_by_key(cost));
        found.extend(of_host().min_by_key(cost));
        found
    }

    /// Prepares a kept cell again if the folder lacks facts that its preparation reported.
    fn complete_facts(&mut self, live: &mut Live<'_>, state: &mut State) -> Result<(), Stop> {
        let Some(row) = self.kept.get(&live.names.key) else {
            return Ok(());
        };
        let is_told = |name: &str| {
            let mut known = state.facts.iter().filter(|(_, known)| known == name);
            known.any(|(case, _)| {
                Case::parse(case).is_some_and(|about| {
                    about.0.iter().all(|(axis, value)| {
                        let own = live.cell.case.get(axis);
                        own.is_some_and(|own| own.to_string() == value.to_string())
                    })
                })
            })
        };
        if row.status != Status::Ok || row.facts.split_whitespace().all(is_told) {
            return Ok(());
        }
        self.progress.working(live.cell);
        // If it cannot be prepared, its own row says so.
        if self.make_ready(live, None, state)? {
            // The facts are reported; losing the worker while freeing the cell has no other cost.
            let _ = self.forget(live.cell);
        }
        Ok(())
    }

    /// Prepares a cell and runs it once on few positions, to measure its cost.
    fn trial(
        &mut self,
        lives: &mut [Live<'_>],
        at: usize,
        budget: Duration,
        state: &mut State,
    ) -> Result<(), Stop> {
        self.check_stop()?;
        if self.left_for(lives[at].cell).is_zero() {
            if lives[at].goes_on {
                // It ends with the samples that it has.
                return Ok(());
            }
            let reason = self.total_spent();
            return self.end(&mut lives[at], Status::Skipped, reason, state);
        }
        let live = &lives[at];
        let cell = live.cell;
        self.progress.working(cell);
        if self.executor(cell).is_none() {
            let live = &mut lives[at];
            return self.end(live, Status::Unsupported, Reason::NoDevice, state);
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
        // The first prepared cell reports the length of the line of play.
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
        // A cell with a row has run within its budget, whatever the prediction.
        if let Some(ns) = predicted.filter(|_| lives[at].purpose == Purpose::Measure) {
            let live = &mut lives[at];
            live.predicted_ns = Some((ns * at_least) as u64);
            let needed = ns * at_least * fewest_samples(self.passes()) as f64;
            if needed > TRUST_IN_PREDICTION * budget.as_nanos() as f64 {
                state.learn(cell, ns, 1);
                let reason = over_budget(budget, needed);
                return self.end(live, Status::Skipped, reason, state);
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
        // A short trial runs twice: the first call is cold, and overestimates the cost.
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

    /// Prepares a match that was partly played. It needs no trial, because its games tell its cost.
    fn go_on(&mut self, live: &mut Live<'_>, state: &mut State) -> Result<(), Stop> {
        if !self.make_ready(live, None, state)? {
            return Ok(());
        }
        live.most_units = live.prepared.units;
        let samples = live.samples.iter();
        let both = samples.map(|taken| {
            let sampled = &taken.sampled;
            sampled.total_ns.saturating_add(sampled.opponent_ns)
        });
        let ns = stats::median(&both.collect::<Vec<_>>()).unwrap_or(0) as f64;
        live.ns_per_unit = ns / live.units.max(1) as f64;
        state.learn(live.cell, ns, live.units);
        Ok(())
    }

    /// Chooses the number of positions that every technique of the case searches: the largest that fits all
    /// shares, trials included, found by halving down to the minimum.
    fn choose_units(
        &mut self,
        lives: &mut [Live<'_>],
        fixed: Option<u64>,
        (budget, share): (Duration, Duration),
        state: &mut State,
    ) -> Result<(), Stop> {
        let samples = self.rule(Duration::ZERO, Duration::ZERO, 1).fewest() as f64;
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
            // A worker killed during a later cell's trial lost this cell too.
            if self.ensure(live, state)? {
                self.limit(live, units, state)?;
            }
        }
        Ok(())
    }

    /// Takes untimed samples with the final number of positions if they are cheap. Long ones were warmed up
    /// by their trial, and in later passes a cold start does not show in them.
    fn warm_up(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        let pass = state.pass;
        for at in 0..lives.len() {
            let live = &lives[at];
            let sample_ns = (live.ns_per_unit * live.units as f64) as u64;
            let is_measured = live.running() && live.is_timed() && live.is_in(pass);
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

    /// Samples the techniques in interleaved, seeded-random order (A B B A …) until each has enough.
    fn rounds(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        let pass = state.pass;
        let share = self.share(state);
        let is_asked =
            |live: &Live<'_>| live.running() && live.is_timed() && !live.rests && live.is_in(pass);
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
                if self.stop.load(Ordering::Relaxed) {
                    self.wind_up(lives, Reason::Interrupted, state)?;
                    return Err(Stop::Interrupted);
                }
                if self.left().is_zero() {
                    self.wind_up(lives, Reason::RunBudgetEnded, state)?;
                    return self.end_all(lives, state);
                }
                if self.is_too_long(&lives[at]) {
                    let live = &mut lives[at];
                    let (status, reason) = match self.is_worth_a_row(live) {
                        true => (Status::Ok, Reason::RunBudgetEnded(samples_of(live))),
                        false => (Status::Skipped, self.total_spent()),
                    };
                    self.end(live, status, reason, state)?;
                    continue;
                }
                match self.batch(lives, at, share, state) {
                    Err(Stop::Interrupted) => {
                        self.wind_up(lives, Reason::Interrupted, state)?;
                        return Err(Stop::Interrupted);
                    }
                    outcome => outcome?,
                }
            }
        }
    }

    /// Whether a cell's next sample, at its known cost, would exceed the run's budget.
    fn is_too_long(&self, live: &Live<'_>) -> bool {
        live.ns_per_unit * live.units as f64 > self.left().as_nanos() as f64
    }

    /// Makes long trials with the final number of positions the first samples of their cells.
    fn count_trials(&self, lives: &mut [Live<'_>], state: &mut State) {
        for live in lives.iter_mut().filter(|l| l.running() && l.is_timed()) {
            let units = live.units;
            let long =
                |(of, sample): &(u64, Sampled)| *of == units && sample.total_ns >= TRIAL_COUNTS_NS;
            if let Some((_, sample)) = live.trial.take().filter(long) {
                live.spent_sampling += std::mem::take(&mut live.spent_trial);
                live.samples.push(self.taken(sample, state));
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
        let taken = match rule.is_match {
            true => live.samples.len(),
            false => live.of_pass(self.invocation, state.pass).count(),
        };
        // Small enough for several turns among the others before a cell is done.
        let most = rule.most().div_ceil(TURNS as usize);
        let most = most.min(rule.most().saturating_sub(taken)) as u64;
        let count = ((BATCH_NS as f64 / estimate) as u64).clamp(1, most.clamp(1, BATCH_MOST));
        live.turns += 1;
        if !self.is_ready(live) {
            // A new worker, after a loss during another cell: its first call is cold.
            if self.take(live, 1, state)?.is_none() {
                return Ok(());
            }
        }
        let before = live.spent;
        let Some(samples) = self.take(live, count, state)? else {
            return Ok(());
        };
        // By this clock, because a match's samples contain only one player's time.
        live.spent_sampling += live.spent.saturating_sub(before);
        if !self.check(lives, at, state)? {
            return Ok(());
        }
        let live = &mut lives[at];
        for sample in samples {
            live.samples.push(self.taken(sample, state));
        }
        let rule = self.rule(budget, share, state.pass);
        match live.enough(&rule) {
            Some(unmet) => self.rest(live, unmet, state),
            None => Ok(()),
        }
    }

    /// The sampling rule of a pass; `budget` and `share` are per pass.
    fn rule(&self, budget: Duration, share: Duration, pass: u64) -> PassRule<'_> {
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

    /// Ends a cell's part in a pass: finally after its last one, else with a provisional row, in case the run
    /// ends early.
    fn rest(&mut self, live: &mut Live<'_>, unmet: Reason, state: &mut State) -> Result<(), Stop> {
        let passes = self.passes();
        if state.pass < live.last_pass() && !live.measured_nothing() {
            live.rests = true;
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

    /// Converts a sample into a counted one. Its `at_ns` is relative to the invocation by now.
    fn taken(&self, sampled: Sampled, state: &mut State) -> Taken {
        let order = state.taken;
        state.taken += 1;
        Taken {
            order,
            invocation: self.invocation.to_owned(),
            pass: state.pass,
            at: Duration::from_nanos(sampled.at_ns),
            sampled,
        }
    }

    /// Stops early: records cells with enough samples for a median, and leaves the others for the next run.
    fn wind_up(
        &mut self,
        lives: &mut [Live<'_>],
        why: fn(Extent) -> Reason,
        state: &mut State,
    ) -> Result<(), Stop> {
        for live in lives
            .iter_mut()
            .filter(|live| live.running() && live.is_timed())
        {
            if self.is_worth_a_row(live) {
                let reason = why(samples_of(live));
                self.end(live, Status::Ok, reason, state)?;
            }
        }
        Ok(())
    }

    /// Whether an interrupted cell has enough samples for a row. In a match every game counts.
    fn is_worth_a_row(&self, live: &Live<'_>) -> bool {
        let fewest = match self.passes() {
            1 if self.experiment.task != Task::Match => self.experiment.sampling.min_samples,
            _ => 1,
        };
        live.samples.len() >= fewest
    }

    /// Ends a cell: writes and flushes its rows. A cell that has ended keeps its rows, even if it fails later
    /// as a reference of others.
    fn end(
        &mut self,
        live: &mut Live<'_>,
        status: Status,
        reason: Reason,
        state: &mut State,
    ) -> Result<(), Stop> {
        if !live.running() {
            return Ok(());
        }
        let (status, reason) = match status {
            Status::Ok if live.measured_nothing() => {
                (Status::Skipped, Reason::TooCoarse(live.clock_step_ns))
            }
            _ => (status, reason),
        };
        if status == Status::Mismatch && live.cell.case.int("effort").is_some() {
            let place = place_of(live.cell);
            state
                .wrong
                .entry(place)
                .or_insert_with(|| reason.to_string());
        }
        live.rests = false;
        live.ending = Some(Ending {
            status,
            reason: reason.clone(),
        });
        if !live.is_timed() {
            return Ok(());
        }
        if live.purpose == Purpose::TimeAgain && status == Status::Skipped {
            // Its row stays; only the ratios of new cells over it are missing.
            state.left = state.left.saturating_sub(1);
            if let Some(row) = self.kept.get(&live.names.key) {
                self.progress.ended(row, true);
            }
            return Ok(());
        }
        self.write(live, status, &reason, state)
    }

    /// Writes a cell's new samples and its row.
    fn write(
        &mut self,
        live: &mut Live<'_>,
        status: Status,
        reason: &Reason,
        state: &mut State,
    ) -> Result<(), Stop> {
        state.left = state.left.saturating_sub(1);
        for warning in self.watch.warnings() {
            let is_like = |known: &Warning| known.to_string() == warning.to_string();
            if !live.warnings.iter().any(is_like) {
                live.warnings.push(warning);
            }
        }
        let context = RowContext {
            experiment: self.experiment,
            threads: self.threads,
            invocation: self.invocation,
            within: !self.compares,
            warnings: &live.warnings,
        };
        let row = record::measurement(live, (status, reason), &context);
        if status == Status::Ok {
            self.sink
                .samples(&record::sample_rows(live))
                .map_err(Stop::Broken)?;
            if let Some(row) = record::tree_depth(live) {
                self.sink.resource(live.cell, &row).map_err(Stop::Broken)?;
            }
            live.stored = live.samples.len();
        }
        if let Some(ns) = row.median_ns.filter(|_| row.units > 0) {
            state.learn(live.cell, ns as f64, row.units);
        }
        self.sink.measurement(&row).map_err(Stop::Broken)?;
        if live.rests {
            self.progress.rested(&row);
        } else {
            self.progress.ended(&row, false);
        }
        Ok(())
    }

    /// Ends all cells of a case for which there is no time left.
    fn end_all(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        for live in lives
            .iter_mut()
            .filter(|live| live.running() && live.is_timed())
        {
            self.end(live, Status::Skipped, self.total_spent(), state)?;
        }
        Ok(())
    }

    fn executor(&mut self, cell: &Cell) -> Option<&mut dyn Executor> {
        match cell.on {
            Processor::Host => Some(&mut *self.host),
            Processor::Device(place) => match self.devices.get_mut(place) {
                Some(executor) => Some(&mut **executor),
                None => None,
            },
            Processor::NoDevice => None,
        }
    }

    fn check_stop(&self) -> Result<(), Stop> {
        if self.stop.load(Ordering::Relaxed) {
            Err(Stop::Interrupted)
        } else {
            Ok(())
        }
    }

    fn total_spent(&self) -> Reason {
        Reason::BudgetSpent {
            budget_ns: self.experiment.budget.total.as_nanos() as u64,
            hung_ns: self.time_hung().as_nanos() as u64,
        }
    }

    /// The minimum of positions in a sample; 1 for tasks other than a line of play.
    fn smallest_units(&self) -> f64 {
        match self.experiment.task {
            Task::Game => self.experiment.sampling.min_positions.max(1) as f64,
            _ => 1.0,
        }
    }
}

/// A case over all passes of the run.
struct OpenCase<'p> {
    group: &'p CaseGroup,
    lives: Vec<Live<'p>>,
    /// Positions per sample of its kept cells.
    fixed_units: Option<u64>,
    /// Time of its samples in the first pass, preparations included.
    cost: Duration,
}

/// Moves twins next to each other, to the place of the first.
fn side_by_side(turn: &mut [usize], twins: impl Fn(usize) -> usize) {
    let before = turn.to_vec();
    let first = |at: &usize| before.iter().position(|it| twins(*it) == twins(*at));
    turn.sort_by_key(first);
}

/// The cases that a pass has time for, in the plan's order: cases that the first pass started too late do not
/// take passes from others.
fn affordable(cases: &[OpenCase<'_>], mut time: Duration) -> Vec<usize> {
    let mut chosen = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        // The time of a case varies a little: a pass may end 10 % late.
        if chosen.is_empty() || case.cost <= time + time / 10 {
            time = time.saturating_sub(case.cost);
            chosen.push(at);
        }
    }
    chosen
}

/// Positions in the case's line of play, according to the prepared cells; 0 if there are none.
fn longest(lives: &[Live<'_>]) -> u64 {
    let units = lives.iter().map(|live| live.prepared.units);
    units.max().unwrap_or(0)
}

/// Cost of a position by a row or, if the clock decides, of a playout, fs.
fn cost_of_row(row: &MeasurementRow) -> Option<u64> {
    let is_clocked = Case::parse(&row.case).is_some_and(|case| case.is_clocked());
    let count = if is_clocked { row.playouts? } else { row.units };
    cost_fs(row.median_ns?, count)
}

/// The unmet condition of the interval over a cell's passes.
fn across(live: &Live<'_>, sampling: &Sampling) -> Reason {
    let mut passes: BTreeMap<(&str, u64), Vec<u64>> = BTreeMap::new();
    for taken in &live.samples {
        let pass = (taken.invocation.as_str(), taken.pass);
        passes
            .entry(pass)
            .or_default()
            .push(live.cost(&taken.sampled));
    }
    let passes: Vec<Vec<u64>> = passes.into_values().collect();
    let count = passes.len();
    match stats::passes::interval(&stats::passes::medians(&passes), None) {
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

/// How far a cell came, in samples.
fn samples_of(live: &Live<'_>) -> Extent {
    Extent::Samples(live.samples.len())
}

fn over_budget(budget: Duration, needed_ns: f64) -> Reason {
    Reason::OverBudget {
        budget_ns: budget.as_nanos() as u64,
        predicted_ns: needed_ns as u64,
    }
}
