//! What a run is made with, and what is known while it goes on.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::config::Experiment;
use crate::harness::begun::Begun;
use crate::harness::clock::Clock;
use crate::harness::executor::Executor;
use crate::harness::host::HostWatch;
use crate::harness::plan::{CaseGroup, Cell, CellNames};
use crate::harness::predict::Predictor;
use crate::results::{FactRow, MeasurementRow, ResourceRow, SampleRow};
use crate::words::{Case, Counters, Status};

/// Takes the rows of a run. An error ends the run with exit code 4.
pub trait Sink {
    /// All samples of one cell.
    fn samples(&mut self, rows: &[SampleRow]) -> anyhow::Result<()>;
    /// One cell.
    fn measurement(&mut self, row: &MeasurementRow) -> anyhow::Result<()>;
    /// One fact of a case.
    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()>;
    /// One thing that a cell's technique takes of its device. The last of a name counts.
    fn resource(&mut self, cell: &Cell, row: &ResourceRow) -> anyhow::Result<()>;
    /// What a compiler said of a cell's kernel, whole. Says where it can be read.
    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String>;
}

/// Is told how far the run is.
pub trait Progress {
    /// A pass over the cases begins: which, and of how many.
    fn pass(&mut self, pass: u64, passes: u64);
    /// Work on a case begins.
    fn case(&mut self, group: &CaseGroup);
    /// A cell gets its trial run or a batch of samples.
    fn working(&mut self, cell: &Cell);
    /// A cell has had its part of a pass, and others are to come.
    fn rested(&mut self, row: &MeasurementRow);
    /// A cell has ended; `kept`: it was in the folder already.
    fn ended(&mut self, row: &MeasurementRow, kept: bool);
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
    /// Whether kept cells that new ones are compared with are timed again beside them. Where only answers
    /// count, as in tuning, they are not.
    pub compares: bool,
    /// By what rows know a cell.
    pub names: &'a dyn Fn(&Cell) -> CellNames,
    /// Id of this invocation.
    pub invocation: &'a str,
    /// The number of the next sample in the folder's order.
    pub first_order: u64,
    /// Facts that the folder has.
    pub facts: &'a [FactRow],
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// Time that workers took which did not answer, by device (`None`: the host). Empty at the start.
    pub hung: BTreeMap<Option<usize>, Duration>,
}

/// Why a case was left early.
pub(super) enum Stop {
    Interrupted,
    Broken(anyhow::Error),
}

/// What is known while the run goes on.
pub(super) struct State {
    pub(super) predictor: Predictor,
    /// Whether costs are known for one position each: of a line of play more or fewer are searched;
    /// of all other tasks a sample is a whole.
    pub(super) by_position: bool,
    pub(super) order: Xoshiro256PlusPlus,
    pub(super) taken: u64,
    pub(super) facts: HashSet<(String, String)>,
    /// Cells that have not had their turn in the pass under way.
    pub(super) left: usize,
    /// The pass under way, from 1.
    pub(super) pass: u64,
    /// When it should be over, after the run began; of the first pass nobody knows before.
    pub(super) pass_ends: Duration,
    /// What the first pass took for samples: each other one takes as long.
    pub(super) sampled: Duration,
    /// Techniques, each on its device, with a wrong answer by iterations, and what was wrong.
    pub(super) wrong: HashMap<Place, String>,
    /// What techniques counted where they showed that they are right before the clock decides, or why
    /// they did not; by technique and device, and the case.
    pub(super) proofs: HashMap<(Place, Case), Proof>,
}

impl State {
    /// Learns what a sample of that many units cost, ns.
    pub(super) fn learn(&mut self, cell: &Cell, ns: f64, units: u64) {
        let parts = if self.by_position { units.max(1) } else { 1 };
        let (label, device) = (&cell.choice.label, &cell.device_label);
        self.predictor
            .learn(label, device, &cell.case, ns / parts as f64);
    }
}

/// Why there is none: the status and the reason of the cell that needs it.
pub(super) type Refused = (Status, String);

/// What a technique counted where it showed that it is right, `None` where there is nothing to compare with;
/// or what it showed instead.
pub(super) type Proof = Result<Option<Counters>, Refused>;

/// Whose technique, its label and its device's.
pub(super) type Place = (usize, String, String);
