//! Measures a plan's cells in several passes over its cases. Enforces budgets and orders the cases and samples.
//!
//! All external effects go through traits ([`Executor`](super::executor::Executor), [`Sink`], [`Progress`],
//! [`Clock`](super::clock::Clock), [`HostWatch`]), so tests run the whole schedule in milliseconds without a device.

mod answers;
mod kept;
mod rounds;
mod trial;
mod verify_clocked;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::answer_check::{self, OtherMove, Verdict};
use super::cell::{CellState, State};
use super::executor::{Failure, Lost};
use super::host::HostWatch;
use super::machine::{Machine, Result, Stop};
use super::plan::{CaseGroup, Cell, CellNames, Plan, Processor};
use super::predict::{Costs, Predictor};
use super::protocol::{Prepared, Sampled};
use super::record;
use super::reference::{self, Wrong};
use super::resume::Earlier;
use super::stop_rule::{BATCH_NS, InPass, StopRule, chosen_passes};
use crate::config::Experiment;
use crate::results::{FactRow, MeasurementRow, ResourceRow, Sample};
use crate::words::{Answer, Case, Counters, Counts, Extent, Kind, Reason, Status, Task, Value};
use crate::words::{Warning, cost_fs, is_brought};
use answers::reference_of;
use rounds::TRIAL_COUNTS_NS;
use verify_clocked::Verified;

/// Receives a run's rows. If it returns an error, the run ends with exit code 4.
pub trait Sink {
    /// Receives all new samples of a cell.
    fn samples(&mut self, cell: &Cell, rows: &[Sample]) -> anyhow::Result<()>;
    fn measurement(&mut self, cell: &Cell, row: &MeasurementRow) -> anyhow::Result<()>;
    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()>;
    /// Receives the value of a resource that a cell's technique uses. A later value with the same name replaces it.
    fn resource(&mut self, cell: &Cell, row: &ResourceRow) -> anyhow::Result<()>;
    /// Stores the full compiler log for a cell's kernel. Returns the place where a user can read it.
    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String>;
}

/// Receives progress reports from a run.
pub trait Progress {
    /// Reports that a pass over the cases starts. `pass` is its number, and `passes` is the number of passes.
    fn pass(&mut self, pass: u64, passes: u64);
    /// Reports that a case starts.
    fn case(&mut self, group: &CaseGroup);
    /// Reports that a cell's trial or a batch of its samples starts.
    fn working(&mut self, cell: &Cell);
    /// Reports that a cell has finished a pass that is not its last.
    fn rested(&mut self, row: &MeasurementRow);
    /// Reports that a cell has ended, or that the folder already had its complete row.
    fn ended(&mut self, row: &MeasurementRow);
}

/// The scheduler of a run, with its inputs and its state.
pub struct Scheduler<'a> {
    pub machine: Machine<'a>,
    pub sink: &'a mut dyn Sink,
    pub progress: &'a mut dyn Progress,
    pub watch: &'a mut dyn HostWatch,
    /// Results from earlier runs in the same folder.
    pub earlier: &'a Earlier,
    pub names: &'a dyn Fn(&Cell) -> CellNames,
    pub invocation: &'a str,
    /// Number of threads for the parallel baselines.
    pub threads: usize,
    /// The launch limit of each device, for techniques that cannot split a launch. Empty if no device has a limit.
    pub whole_launches: Vec<Option<Duration>>,
    pub state: RunState<'a>,
}

pub struct RunState<'a> {
    rule: StopRule<'a>,
    costs: Costs,
    order: Xoshiro256PlusPlus,
    /// Sequence number of the next sample in the folder.
    taken: u64,
    /// The known facts, as pairs of case and name.
    facts: HashSet<(String, String)>,
    /// Number of cells that are still to be measured in the current pass.
    left: usize,
    /// The current pass, counted from 1.
    pass: u64,
    /// Time lost to hung workers before this pass, and the planned end of this pass. Not used in the first pass.
    pass_ends: (Duration, Duration),
    /// Total time of the samples in the first pass. Each later pass needs the same time again.
    sampled: Duration,
    verified: Verified,
}

impl<'a> RunState<'a> {
    pub fn new(experiment: &'a Experiment, earlier: &Earlier) -> Self {
        let facts = earlier.facts.iter();
        Self {
            rule: StopRule::of(experiment),
            costs: Costs::new(experiment),
            order: Xoshiro256PlusPlus::seed_from_u64(experiment.seed),
            taken: earlier.first_order,
            facts: facts.map(|it| (it.case.clone(), it.fact.clone())).collect(),
            left: 0,
            pass: 1,
            pass_ends: (Duration::ZERO, Duration::ZERO),
            sampled: Duration::ZERO,
            verified: HashMap::new(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every cell has ended and has a row.
    Complete,
    /// The user stopped the run. The same command continues it.
    Interrupted,
}

impl<'a> Scheduler<'a> {
    /// Measures every cell in the plan that has no valid row yet, in passes over all cases. The first pass follows the
    /// plan's order, because cheap cells predict later ones. Every later pass shuffles the cases.
    pub fn run(&mut self, plan: &Plan) -> anyhow::Result<Ended> {
        self.state.left = plan.cells().count();
        let mut cases: Vec<_> = plan.groups.iter().map(|group| self.open(group)).collect();
        let mut outcome = self.passes(&mut cases);
        if !matches!(outcome, Err(Stop::Broken(_))) {
            outcome = self.take_back(&mut cases).and(outcome);
        }
        match outcome {
            Ok(()) => Ok(Ended::Complete),
            Err(Stop::Interrupted) => Ok(Ended::Interrupted),
            Err(Stop::Broken(error)) => Err(error),
        }
    }

    fn passes(&mut self, cases: &mut [OpenCase<'_>]) -> Result {
        for pass in 1..=self.state.rule.passes {
            self.pass(pass, cases)?;
        }
        // Some cells lack passes because time ran out.
        let cells = cases.iter_mut().flat_map(|case| &mut case.cells);
        for cell in cells.filter(|cell| cell.running() && !cell.samples.is_empty()) {
            let extent = Extent::Passes(cell.passes_taken(), self.state.rule.passes);
            self.end(cell, Status::Ok, Reason::RunBudgetEnded(extent))?;
        }
        Ok(())
    }

    /// Creates the state of a case, with its cells' samples from the folder.
    fn open<'p>(&mut self, group: &'p CaseGroup) -> OpenCase<'p> {
        let mut case = OpenCase {
            group,
            cells: Vec::new(),
            fixed_units: None,
            cost: Duration::ZERO,
        };
        for cell in &group.cells {
            let names = (self.names)(cell);
            let samples = self.earlier.resumed.get(&names.key);
            let row = self.earlier.kept.get(&names.key);
            let units = match row {
                Some(row) => self.state.costs.learn_row(cell, row),
                None => samples.map(|it| it.units),
            };
            case.fixed_units = units.or(case.fixed_units);
            let state = CellState::new(cell, names, row.is_some(), samples.cloned());
            case.cells.push(state);
        }
        case
    }

    /// Makes one pass over all cases. The first pass prepares all cells and measures their costs. It starts a case only
    /// if there is enough time to repeat its samples in all later passes.
    fn pass(&mut self, pass: u64, cases: &mut [OpenCase<'_>]) -> Result {
        let passes = self.state.rule.passes;
        let share = self.machine.left() / (passes + 1 - pass) as u32;
        self.progress.pass(pass, passes);
        self.state.pass = pass;
        self.state.pass_ends = (self.machine.time_hung(), self.machine.clock.now() + share);
        let mut order: Vec<usize> = (0..cases.len()).collect();
        // Cases without a time limit go first. If a technique is wrong there, its time-limited cells must not count.
        order.sort_by_key(|at| cases[*at].group.case.is_clocked());
        if pass > 1 {
            order = affordable(cases, share);
            order.shuffle(&mut self.state.order);
            // Every pass uses new processes, because address layout and placement are constant within a process.
            self.machine.new_workers();
            let all = cases.iter().flat_map(|case| &case.cells);
            self.state.left = all.filter(|cell| cell.passes().contains(&pass)).count();
        }
        for at in order {
            let case = &mut cases[at];
            self.progress.case(case.group);
            match pass {
                1 => self.first_pass(case)?,
                _ => self.later_pass(case)?,
            }
        }
        Ok(())
    }

    fn first_pass(&mut self, case: &mut OpenCase<'_>) -> Result {
        let cells = &mut case.cells;
        self.choose_kept(cells)?;
        if cells.is_empty() {
            return Ok(());
        }
        self.watch.begin();
        let left = self.left_of_pass();
        if left.is_zero() {
            return self.end_of_budget(cells);
        }
        let budget = self.machine.experiment.budget.cell.min(self.machine.left());
        if self.skip_if_long(cells, (budget, left))? {
            return Ok(());
        }
        self.verify_clocked(cells)?;
        for at in 0..cells.len() {
            if cells[at].running() {
                self.trial(cells, at, budget)?;
            }
        }
        let share = self.share();
        self.choose_units(cells, case.fixed_units, (budget, share))?;
        self.references(cells)?;
        let (before, hung) = (self.machine.clock.now(), self.machine.time_hung());
        self.warm_up(cells)?;
        for cell in cells.iter_mut().filter(|cell| cell.running()) {
            self.start_sampling(cell, budget);
        }
        let outcome = self.rounds_and_forget(cells);
        case.cost = self.machine.clock.now().saturating_sub(before);
        case.cost = case.cost.saturating_sub(self.machine.time_hung() - hung);
        // Each later pass prepares the cells again, but loads their programs from the cache.
        for CellState { prepared, .. } in cells.iter().filter(|it| it.running()) {
            let again_ns = prepared.setup_ns.saturating_sub(prepared.build_ns);
            case.cost += Duration::from_nanos(again_ns);
        }
        self.state.sampled += case.cost;
        outcome
    }

    /// Chooses the passes of a cell whose cost is now known. A long trial may count as the cell's first sample.
    fn start_sampling(&mut self, cell: &mut CellState<'_>, budget: Duration) {
        let passes = self.state.rule.passes;
        let lacking = passes.saturating_sub(cell.passes_taken() as u64).max(1);
        let wanted = if cell.resumed { lacking } else { passes };
        let affordable = (budget.as_nanos() as f64 / cell.sample_ns().max(1.0)) as u64;
        let chosen = chosen_passes(affordable.clamp(1, wanted), passes);
        let before = std::mem::replace(&mut cell.state, State::Sampling(chosen));
        if let State::Trial(units, sampled) = before
            && units == cell.units
            && sampled.sample.total_ns >= TRIAL_COUNTS_NS
        {
            let own = &mut cell.in_pass;
            own.spent_sampling += std::mem::take(&mut own.spent_trial);
            self.count(cell, *sampled);
        }
    }

    /// Makes a later pass over a case whose cells were prepared in the first pass.
    fn later_pass(&mut self, case: &mut OpenCase<'_>) -> Result {
        let (pass, cells) = (self.state.pass, &mut case.cells);
        let is_asked = |cell: &CellState<'_>| cell.passes().contains(&pass);
        if !cells.iter().any(is_asked) || self.left_of_pass().is_zero() {
            return Ok(());
        }
        self.machine.check_stop()?;
        self.watch.begin();
        for cell in cells.iter_mut() {
            cell.in_pass = InPass::default();
        }
        self.warm_up(cells)?;
        self.rounds_and_forget(cells)
    }

    fn rounds_and_forget(&mut self, cells: &mut [CellState<'_>]) -> Result {
        let outcome = self.rounds(cells);
        for cell in cells {
            // A lost worker changes the status even of a cell that has already ended with `ok`.
            if let Err(lost) = self.machine.forget(cell.cell)?
                && (cell.running() || cell.ended_well())
            {
                self.finish(cell, lost.status(), Reason::Told(lost.to_string()))?;
            }
        }
        outcome
    }

    /// Returns the time for a cell in the current pass. The minimum numbers of positions and samples may take longer.
    fn share(&self) -> Duration {
        let equal = self.left_of_pass() / self.state.left.max(1) as u32;
        equal.min(self.machine.experiment.budget.cell / self.state.rule.passes as u32)
    }

    fn left_of_pass(&self) -> Duration {
        let (passes, left) = (self.state.rule.passes as u32, self.machine.left());
        if self.state.pass == 1 {
            return left.saturating_sub(self.state.sampled * (passes - 1)) / passes;
        }
        let (hung_before, ends) = self.state.pass_ends;
        let hung = self.machine.time_hung() - hung_before;
        left.min((ends + hung).saturating_sub(self.machine.clock.now()))
    }

    /// Corrects the rows of cells with a time limit if their technique was later wrong with an effort in iterations.
    fn take_back(&mut self, cases: &mut [OpenCase<'_>]) -> Result {
        for cell in cases.iter_mut().flat_map(|case| &mut case.cells) {
            if cell.ended_well()
                && cell.cell.case.is_clocked()
                && let Some((status, reason)) = self.wrong_by_iterations(cell.cell)
            {
                self.finish(cell, status, Reason::Told(reason))?;
            }
        }
        Ok(())
    }
}

/// A case, with its state over all passes of the run.
struct OpenCase<'p> {
    group: &'p CaseGroup,
    cells: Vec<CellState<'p>>,
    /// Number of positions per sample, if the folder already has cells of the case.
    fixed_units: Option<u64>,
    /// Time that the case needs in a later pass: its samples' time in the first pass, plus repeated preparations.
    cost: Duration,
}

/// Returns the indices of the cases that fit into the time of a pass, in the plan's order.
fn affordable(cases: &[OpenCase<'_>], mut time: Duration) -> Vec<usize> {
    let mut chosen = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        // The time of a case varies a little, so a case may exceed the remaining time by 10 %.
        if chosen.is_empty() || case.cost <= time + time / 10 {
            time = time.saturating_sub(case.cost);
            chosen.push(at);
        }
    }
    chosen
}
