//! A run: its inputs and its state.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::config::Experiment;
use crate::harness::host::HostWatch;
use crate::harness::machine::Machine;
use crate::harness::plan::{CaseGroup, Cell, CellNames};
use crate::harness::predict::Costs;
use crate::harness::reference::Wrong;
use crate::harness::resume::Earlier;
use crate::harness::stop_rule::StopRule;
use crate::results::{FactRow, MeasurementRow, ResourceRow, Sample};
use crate::words::{Case, Counters};

/// Receives the rows of a run. An error ends the run with exit code 4.
pub trait Sink {
    /// Receives all new samples of one cell.
    fn samples(&mut self, cell: &Cell, rows: &[Sample]) -> anyhow::Result<()>;
    fn measurement(&mut self, cell: &Cell, row: &MeasurementRow) -> anyhow::Result<()>;
    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()>;
    /// Receives a resource of a cell's technique. The last one of a name counts.
    fn resource(&mut self, cell: &Cell, row: &ResourceRow) -> anyhow::Result<()>;
    /// Stores the full compiler log of a cell's kernel; returns where it can be read.
    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String>;
}

/// Receives the progress of a run.
pub trait Progress {
    /// A pass over the cases starts: its number, and the number of passes.
    fn pass(&mut self, pass: u64, passes: u64);
    /// A case starts.
    fn case(&mut self, group: &CaseGroup);
    /// A trial or a batch of samples of a cell starts.
    fn working(&mut self, cell: &Cell);
    /// A cell has finished a pass and has more to come.
    fn rested(&mut self, row: &MeasurementRow);
    /// A cell has ended; `kept` means that it was already in the folder.
    fn ended(&mut self, row: &MeasurementRow, kept: bool);
}

/// A run: its inputs and its state.
pub struct Scheduler<'a> {
    pub machine: Machine<'a>,
    pub sink: &'a mut dyn Sink,
    pub progress: &'a mut dyn Progress,
    pub watch: &'a mut dyn HostWatch,
    /// What earlier runs left in the same folder.
    pub earlier: &'a Earlier,
    pub names: &'a dyn Fn(&Cell) -> CellNames,
    pub invocation: &'a str,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// For each device, the launch limit that techniques must keep which cannot split a launch: they are skipped if
    /// they are predicted to exceed it. Empty for no limits.
    pub whole_launches: Vec<Option<Duration>>,
    pub state: RunState<'a>,
}

/// The state of a run.
pub struct RunState<'a> {
    pub(super) rule: StopRule<'a>,
    pub(super) costs: Costs,
    pub(super) order: Xoshiro256PlusPlus,
    /// The number of the next sample in the folder's order.
    pub(super) taken: u64,
    /// Case and name of each fact in the folder.
    pub(super) facts: HashSet<(String, String)>,
    /// Cells whose turn in the current pass is to come.
    pub(super) left: usize,
    /// The current pass, from 1.
    pub(super) pass: u64,
    /// The time of workers that hung before the current pass, and when it should end; not known in the first pass.
    pub(super) pass_ends: (Duration, Duration),
    /// The first pass's time for samples, which each later pass takes again.
    pub(super) sampled: Duration,
    pub(super) verified: Verified,
}

impl<'a> RunState<'a> {
    /// The state at the start.
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

/// Program, technique and device, and the case without its effort; no case for all cases by iterations.
pub(super) type Subject = (usize, String, String, Option<Case>);

/// What was found in this run: the counters of the right answer, `None` if there is nothing to compare with; or what
/// was wrong.
pub(super) type Verified = HashMap<Subject, Result<Option<Counters>, Wrong>>;
