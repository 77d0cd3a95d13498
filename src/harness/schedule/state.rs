//! The inputs of a run and its state.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::config::Experiment;
use crate::harness::begun::Earlier;
use crate::harness::clock::Clock;
use crate::harness::executor::Executor;
use crate::harness::host::HostWatch;
use crate::harness::plan::{CaseGroup, Cell, CellNames, Processor};
use crate::harness::predict::Predictor;
use crate::results::{FactRow, MeasurementRow, ResourceRow, Sample};
use crate::words::{Case, Counters, Status};

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

/// The inputs of a run.
pub struct Scheduler<'a> {
    pub experiment: &'a Experiment,
    /// Executes the CPU techniques.
    pub host: &'a mut dyn Executor,
    /// Execute the device techniques, in the order of the run's targets.
    pub devices: Vec<&'a mut dyn Executor>,
    pub sink: &'a mut dyn Sink,
    pub progress: &'a mut dyn Progress,
    pub clock: &'a dyn Clock,
    pub watch: &'a mut dyn HostWatch,
    /// Set when the user requests a stop after the current request.
    pub stop: &'a AtomicBool,
    /// What earlier runs left in the same folder.
    pub earlier: &'a Earlier,
    pub names: &'a dyn Fn(&Cell) -> CellNames,
    pub invocation: &'a str,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// For each device, the launch limit that techniques must keep which cannot split a launch: they are skipped if
    /// they are predicted to exceed it. Empty for no limits.
    pub whole_launches: Vec<Option<Duration>>,
    /// Time of workers that did not answer, by device (`None`: the host). Empty at the start.
    pub hung: BTreeMap<Option<usize>, Duration>,
}

/// Why a case was left early.
pub(super) enum Stop {
    Interrupted,
    Broken(anyhow::Error),
}

/// The state of a run.
pub(super) struct State {
    pub(super) predictor: Predictor,
    /// Longest launches of the cells of devices, and the costs of the cells of the host, ns.
    pub(super) launches: Predictor,
    /// Whether costs are per position, as in a line of play, where the number of positions varies; in all other tasks a
    /// cost is per sample.
    pub(super) by_position: bool,
    pub(super) order: Xoshiro256PlusPlus,
    pub(super) taken: u64,
    pub(super) facts: HashSet<(String, String)>,
    /// Cells whose turn in the current pass is to come.
    pub(super) left: usize,
    /// The current pass, from 1.
    pub(super) pass: u64,
    /// When the current pass should end, since the start of the run; unknown in the first pass.
    pub(super) pass_ends: Duration,
    /// The first pass's time for samples, which each later pass takes again.
    pub(super) sampled: Duration,
    /// Techniques, by device, with a wrong answer by iterations, and the error.
    pub(super) wrong: HashMap<Place, String>,
    /// The proofs of techniques whose cells the clock decides: counters of an answer by iterations, or why there is
    /// none; by technique and device, and case.
    pub(super) proofs: HashMap<(Place, Case), Proof>,
}

impl State {
    /// Records the cost of a sample of `units` units, ns.
    pub(super) fn learn(&mut self, cell: &Cell, ns: f64, units: u64) {
        let parts = if self.by_position { units.max(1) } else { 1 };
        let each = ns / parts as f64;
        let (label, device) = (&cell.choice.label, &cell.device_label);
        self.predictor.learn(label, device, &cell.case, each);
        if cell.on == Processor::Host {
            // The growth of the reference's costs tells how launches grow.
            self.launches.learn(label, device, &cell.case, each);
        }
    }

    /// Records the longest launch of a cell, ns; 0 if there was none.
    pub(super) fn learn_launch(&mut self, cell: &Cell, ns: u64) {
        if cell.on != Processor::Host {
            let (label, device) = (&cell.choice.label, &cell.device_label);
            self.launches.learn(label, device, &cell.case, ns as f64);
        }
    }
}

/// Why there is no proof: status and reason for the cell that needs it.
pub(super) type Refused = (Status, String);

/// The counters of a technique's correct answer by iterations, `None` if there is nothing to compare with; or what was
/// wrong.
pub(super) type Proof = Result<Option<Counters>, Refused>;

/// Program, technique label and device label.
pub(super) type Place = (usize, String, String);

/// The identity of a cell's technique in the run.
pub(super) fn place_of(cell: &Cell) -> Place {
    let (label, device) = (&cell.choice.label, &cell.device_label);
    (cell.program, label.clone(), device.clone())
}
