//! One run: an experiment over its devices, into a run folder.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::executor::Executor;
use super::host::{ProcWatch, WallClock, utc_now};
use super::plan::{Cell, Plan, Target};
use super::process::ProcessExecutor;
use super::resume::{self, add_answered, cell_names, valid_rows};
use super::schedule::{Ended, Progress, Scheduler, Sink};
use super::workers::Workers;
use crate::config::{self, Experiment};
use crate::results::{
    FactRow, Host, Invocation, MeasurementRow, Program, ResourceRow, ResultsError, RunFolder,
    SampleRow,
};
use crate::words::{Catalogue, Task};

/// What a run is asked to do.
#[derive(Clone)]
pub struct RunRequest<'a> {
    /// The experiment as the folder stores it: overrides applied, filters not.
    pub whole: &'a Experiment,
    /// The experiment with its filters applied: what this run measures.
    pub experiment: &'a Experiment,
    /// All games and techniques.
    pub catalogue: &'a Catalogue,
    /// The devices.
    pub targets: &'a [Target],
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// A folder that replaces the embedded kernels, and the hash of what it holds.
    pub kernels: Option<&'a Path>,
    /// Where built programs are kept; `None`: every program is built anew.
    pub cache: Option<&'a Path>,
    /// The program, its sources and its kernels.
    pub program: Program,
    /// This program's file, to start workers.
    pub executable: &'a Path,
    /// The machine.
    pub host: Host,
    /// The command line, for the folder's record.
    pub command: String,
    /// The experiment's file, as the command names it.
    pub config: &'a Path,
    /// The run folder.
    pub folder: &'a Path,
    /// Throw away what the folder holds.
    pub fresh: bool,
    /// Set when the user wants to stop after the request under way.
    pub stop: Arc<AtomicBool>,
    /// Set when the user wants to stop at once.
    pub stop_now: Arc<AtomicBool>,
    /// A fault that a worker shows on purpose, for tests: `device:crash@3` or `host:hang@1`.
    pub inject: Option<String>,
}

impl RunRequest<'_> {
    /// What the folder keeps of this command, as of now; `together` is what two invocations that were
    /// sampled together share.
    pub(super) fn invocation(&self, together: Option<&str>) -> Invocation {
        Invocation {
            utc: utc_now(),
            command: self.command.clone(),
            config: self.config.display().to_string(),
            together: together.map(str::to_owned),
            program: self.program.clone(),
            host: self.host.clone(),
            devices: self.targets.iter().map(|it| it.record.clone()).collect(),
            ..Invocation::default()
        }
        .with_id()
    }

    /// How this run's workers are started.
    pub(super) fn workers(&self) -> Workers<'_> {
        Workers {
            executable: self.executable,
            threads: self.threads,
            kernels: self.kernels,
            cache: self.cache,
            stop_now: Arc::clone(&self.stop_now),
            inject: self.inject.as_deref(),
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Finished {
    /// Complete or interrupted.
    pub ended: Ended,
    /// The rows of the cells that this run was asked for.
    pub rows: Vec<MeasurementRow>,
}

/// Why there was no run, or why it broke off.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder holds another experiment.
    #[error(
        "{}: holds a run of the experiment `{found}`, not of `{wanted}`; use --fresh or another \
         folder with --out", .folder.display()
    )]
    OtherExperiment {
        /// The folder.
        folder: PathBuf,
        /// What it holds.
        found: String,
        /// What was asked.
        wanted: String,
    },
    /// A filtered run would throw away rows that it does not measure again.
    #[error(
        "{}: holds {rows} made by another {what}; measure all again without a filter, or \
         --fresh, or another folder with --out", .folder.display()
    )]
    OtherOrigin {
        /// The folder.
        folder: PathBuf,
        /// How many rows it holds, `12 rows`.
        rows: String,
        /// What is not what it was: `program and host`.
        what: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] ResultsError),
    /// A row could not be written.
    #[error("{0:#}")]
    Write(anyhow::Error),
}

/// Makes the run.
pub fn run(
    request: &RunRequest<'_>,
    folder: &mut RunFolder,
    progress: &mut dyn Progress,
) -> Result<Finished, RunError> {
    let mut plan = Plan::new(request.experiment, request.targets, request.catalogue);
    let names = cell_names(request);
    let earlier = folder.has_run().then(|| folder.read()).transpose()?;
    let rows = earlier.as_ref().map_or(&[][..], |run| &run.measurements);
    let asked: HashSet<String> = plan.cells().map(|cell| names(cell).key).collect();
    if request.whole.task != Task::Match {
        add_answered(&mut plan, request, &names, rows);
    }
    let mut kept = valid_rows(&plan, &names, rows);
    let mut begun = HashMap::new();
    if let Some(earlier) = &earlier {
        begun = resume::begun(earlier, &plan, &names);
        let going_on = resume::going_on(earlier, request, &plan, &names);
        kept.retain(|key, _| !going_on.contains(key));
    }
    let orders = earlier.iter().flat_map(|run| &run.samples);
    let first_order = orders.map(|sample| sample.order + 1).max().unwrap_or(0);

    let clock = WallClock::start();
    let invocation = request.invocation(None);
    // In this order, so that a folder with an environment, which makes it a run folder, has both.
    folder.write_experiment(&config::to_toml(request.whole))?;
    folder.add_invocation(&invocation)?;

    let workers = request.workers();
    let mut host = workers.host();
    let mut devices: Vec<ProcessExecutor> = request
        .targets
        .iter()
        .map(|target| workers.device(target))
        .collect();
    let mut sink = FolderSink::new(folder);
    let mut scheduler = Scheduler {
        experiment: request.experiment,
        host: &mut host,
        devices: devices
            .iter_mut()
            .map(|device| device as &mut dyn Executor)
            .collect(),
        sink: &mut sink,
        progress,
        clock: &clock,
        watch: &mut ProcWatch::default(),
        stop: &request.stop,
        kept: &kept,
        begun: &begun,
        compares: true,
        names: &names,
        invocation: &invocation.id,
        first_order,
        facts: earlier.as_ref().map_or(&[], |run| &run.facts),
        threads: request.threads,
        hung: BTreeMap::new(),
    };
    let ended = scheduler.run(&plan).map_err(RunError::Write)?;
    let mut measured = sink.rows;
    let rows = plan
        .cells()
        .map(|cell| names(cell).key)
        .filter(|key| asked.contains(key))
        .filter_map(|key| measured.remove(&key).or_else(|| kept.get(&key).cloned()))
        .collect();
    Ok(Finished { ended, rows })
}

/// Appends rows to the folder and remembers them.
pub(super) struct FolderSink<'a> {
    folder: &'a mut RunFolder,
    rows: HashMap<String, MeasurementRow>,
}

impl<'a> FolderSink<'a> {
    /// One that has no rows yet.
    pub(super) fn new(folder: &'a mut RunFolder) -> Self {
        Self {
            folder,
            rows: HashMap::new(),
        }
    }

    /// The rows that it was given, the last of each cell.
    pub(super) fn rows(&self) -> impl Iterator<Item = &MeasurementRow> {
        self.rows.values()
    }
}

impl Sink for FolderSink<'_> {
    fn samples(&mut self, rows: &[SampleRow]) -> anyhow::Result<()> {
        Ok(self.folder.append_samples(rows)?)
    }

    fn measurement(&mut self, row: &MeasurementRow) -> anyhow::Result<()> {
        self.folder.append_measurement(row)?;
        self.rows.insert(row.key.clone(), row.clone());
        Ok(())
    }

    fn fact(&mut self, row: &FactRow) -> anyhow::Result<()> {
        Ok(self.folder.append_facts(std::slice::from_ref(row))?)
    }

    fn resource(&mut self, _: &Cell, row: &ResourceRow) -> anyhow::Result<()> {
        Ok(self.folder.append_resource(row)?)
    }

    fn log(&mut self, cell: &Cell, text: &str) -> anyhow::Result<String> {
        let name = format!("{} {} {}", cell.choice.label, cell.case, cell.device_label);
        Ok(self.folder.write_log(&name, text)?)
    }
}
