//! Measures the cells of a plan, case by case: trial run, sample size, interleaved rounds, checks.
//!
//! All external effects go through traits ([`Executor`], [`Sink`], [`Progress`], [`Clock`](super::clock::Clock),
//! [`HostWatch`](super::host::HostWatch)), so that tests run the whole schedule in milliseconds without a device.

mod checking;
mod endings;
mod kept;
mod proofs;
mod requests;
mod rounds;
mod state;
mod trial;
mod twins;

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use self::endings::whole_ns;
pub use self::state::{Progress, Scheduler, Sink};
use self::state::{State, Stop, place_of};
use super::executor::Executor;
use super::live::{InPass, Live, Purpose};
use super::pass_rule::chosen_passes;
use super::plan::{CaseGroup, Cell, Plan, Processor};
use super::predict::Predictor;
use crate::words::{Extent, Reason, Status, Task};

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every cell has a row.
    Complete,
    /// The user stopped it; the same command continues it.
    Interrupted,
}

impl Scheduler<'_> {
    /// Measures every cell of the plan that has no valid row yet, in passes over all cases: the first in the plan's
    /// order, on which predictions depend, each later one in a different order.
    pub fn run(&mut self, plan: &Plan) -> anyhow::Result<Ended> {
        let passes = self.passes();
        let mut state = State {
            predictor: Predictor::default(),
            launches: Predictor::default(),
            by_position: self.experiment.task == Task::Game,
            order: Xoshiro256PlusPlus::seed_from_u64(self.experiment.seed),
            taken: self.earlier.first_order,
            facts: self
                .earlier
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

    /// The number of passes over the cases. A match has one, because its games are not repetitions of each other.
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
            let begun = self.earlier.begun.get(&names.key);
            let mut purpose = Purpose::Measure;
            if let Some(row) = self.earlier.kept.get(&names.key) {
                purpose = Purpose::AnswersOnly;
                if let Some(ns) = whole_ns(row) {
                    state.learn(cell, ns as f64, row.units);
                    case.fixed_units = Some(row.units);
                }
            } else if let Some(begun) = begun {
                case.fixed_units = Some(begun.units);
            }
            let live = Live::new(cell, names, purpose, begun.cloned());
            case.lives.push(live);
        }
        case
    }

    /// One pass over all cases. The first pass prepares all cells and measures their costs; it starts cases as long as
    /// there is time to repeat their samples in all other passes.
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
            // New processes for every pass, because address layout and placement are constant within a process.
            self.host.retire();
            for device in &mut self.devices {
                device.retire();
            }
            let in_pass = |live: &&Live<'_>| live.running() && live.passes.contains(&pass);
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
        if self.skip_if_long(lives, (budget, left), state)? {
            return Ok(());
        }
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
        for live in lives.iter().filter(|live| live.is_sampled()) {
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
        let is_asked = |live: &Live<'_>| live.is_sampled() && live.passes.contains(&pass);
        if !lives.iter().any(is_asked) || self.left_of_pass(state).is_zero() {
            return Ok(());
        }
        self.check_stop()?;
        self.watch.begin();
        for live in lives.iter_mut() {
            live.in_pass = InPass::default();
        }
        self.warm_up(lives, state)?;
        self.rounds_and_forget(lives, state)
    }

    fn rounds_and_forget(&mut self, lives: &mut [Live<'_>], state: &mut State) -> Result<(), Stop> {
        let outcome = self.rounds(lives, state);
        for live in lives.iter_mut() {
            let is_well = |(status, _): &(Status, Reason)| *status == Status::Ok;
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

    /// The time of a cell in the current pass. It may exceed it only for the minimum of positions and samples, so that
    /// a noisy cell does not use up the time of later ones.
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
        for live in lives.filter(|live| live.is_sampled()) {
            if !live.samples.is_empty() {
                let (taken, passes) = (live.passes_taken(), self.passes());
                let reason = Reason::RunBudgetEnded(Extent::Passes(taken, passes));
                self.end(live, Status::Ok, reason, state)?;
            }
        }
        Ok(())
    }

    /// Corrects the rows of cells under the clock that ended well, if their technique was later found to be wrong by
    /// iterations.
    fn take_back(&mut self, cases: &mut [OpenCase<'_>], state: &mut State) -> Result<(), Stop> {
        for live in cases.iter_mut().flat_map(|case| &mut case.lives) {
            let is_well = |(status, _): &(Status, Reason)| *status == Status::Ok;
            let counts = live.is_timed() && live.ending.as_ref().is_some_and(is_well);
            if let Some(reason) = state.wrong.get(&place_of(live.cell))
                && counts
                && live.cell.case.is_clocked()
            {
                let reason = Reason::Told(proofs::wrong_by_iterations(reason));
                live.ending = None;
                self.end(live, Status::Mismatch, reason, state)?;
            }
        }
        Ok(())
    }

    fn executor(&mut self, cell: &Cell) -> Option<&mut dyn Executor> {
        match cell.on {
            Processor::Host => Some(&mut *self.host),
            Processor::Device(place) => Some(&mut **self.devices.get_mut(place)?),
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

/// The cases that a pass has time for, in the plan's order: cases that the first pass started too late do not take
/// passes from others.
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
