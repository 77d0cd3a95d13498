//! One run: an experiment over its devices, into a run folder.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::executor::Executor;
use super::host::{ProcWatch, WallClock, describe};
use super::plan::{Cell, HOST, NO_DEVICE, Plan, Target};
use super::process::{ProcessExecutor, WorkerCommand};
use super::schedule::{Ended, Progress, Scheduler, Sink};
use crate::config::{self, Experiment};
use crate::results::{
    CellIdentity, Environment, FORMAT, FactRow, MeasurementRow, Program, ResultsError, RunFolder,
    SampleRow, cell_key,
};
use crate::words::{Catalogue, Status};

/// What a run is asked to do.
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
    /// The program, its sources and its kernels.
    pub program: Program,
    /// This program's file, to start workers.
    pub executable: &'a Path,
    /// The command line, for the folder's record.
    pub command: String,
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
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] ResultsError),
    /// A row could not be written.
    #[error("{0:#}")]
    Write(anyhow::Error),
}

/// Opens the folder, drops the rows that are not valid any more, and says what it found.
///
/// Returns the folder, locked against a second run, and the notes for the user.
pub fn open_folder(request: &RunRequest<'_>) -> Result<(RunFolder, Vec<String>), RunError> {
    if request.fresh {
        return Ok((RunFolder::fresh(request.folder)?, Vec::new()));
    }
    let mut folder = RunFolder::create(request.folder)?;
    let mut notes = folder.warnings().to_vec();
    let Ok(earlier) = folder.read() else {
        return Ok((folder, notes));
    };
    if let Some(row) = earlier.measurements.first()
        && row.experiment != request.experiment.name
    {
        return Err(RunError::OtherExperiment {
            folder: request.folder.to_owned(),
            found: row.experiment.clone(),
            wanted: request.experiment.name.clone(),
        });
    }
    let host = describe(request.threads);
    let changed = [
        (
            earlier.environment.program.source_hash != request.program.source_hash,
            "program",
        ),
        (
            earlier.environment.program.kernel_hash != request.program.kernel_hash,
            "set of kernels",
        ),
        (
            earlier.environment.program.compiled_for != request.program.compiled_for,
            "build",
        ),
        (earlier.environment.host.cpu != host.cpu, "host"),
        (
            earlier.environment.host.threads != host.threads,
            "thread count",
        ),
    ];
    let changed: Vec<&str> = changed
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, what)| *what)
        .collect();
    let stale: HashSet<String> = if changed.is_empty() {
        let keys = cell_keys(request);
        let plan = Plan::new(request.whole, request.targets, request.catalogue);
        let current: HashMap<(String, String, String), String> = plan
            .cells()
            .map(|cell| (identity_of(cell), keys(cell)))
            .collect();
        earlier
            .measurements
            .iter()
            .filter(|row| {
                if row.device == NO_DEVICE && !request.targets.is_empty() {
                    return true;
                }
                let id = (row.case.clone(), row.technique.clone(), row.device.clone());
                current.get(&id).is_some_and(|key| *key != row.key)
            })
            .map(|row| row.key.clone())
            .collect()
    } else {
        earlier
            .measurements
            .iter()
            .map(|row| row.key.clone())
            .collect()
    };
    if !stale.is_empty() {
        let why = if changed.is_empty() {
            "the options, positions, seed, parameters, driver or device changed".to_owned()
        } else {
            format!("another {} made them", changed.join(" and "))
        };
        let dropped = folder.retain(|key| !stale.contains(key))?;
        notes.push(format!("{dropped} rows are measured again: {why}"));
    }
    Ok((folder, notes))
}

/// Makes the run.
pub fn run(
    request: &RunRequest<'_>,
    folder: &mut RunFolder,
    progress: &mut dyn Progress,
) -> Result<Finished, RunError> {
    let plan = Plan::new(request.experiment, request.targets, request.catalogue);
    let key = cell_keys(request);
    let earlier = folder.read().ok();
    let kept = valid_rows(
        &plan,
        &key,
        earlier.as_ref().map_or(&[], |run| &run.measurements),
    );

    let mut environment = earlier.map_or_else(Environment::default, |run| run.environment);
    environment.format = FORMAT;
    environment.program = request.program.clone();
    environment.host = describe(request.threads);
    for target in request.targets {
        environment
            .devices
            .retain(|device| device.label != target.record.label);
        environment.devices.push(target.record.clone());
    }
    environment.commands.push(request.command.clone());
    folder.write_environment(&environment)?;
    folder.write_experiment(&config::to_toml(request.whole))?;

    let worker = |place: &str, arguments: Vec<String>, environment: &[(String, String)]| {
        let mut all = vec!["worker".to_owned()];
        all.extend(arguments);
        all.extend(["--threads".to_owned(), request.threads.to_string()]);
        if let Some(kernels) = request.kernels {
            all.extend(["--kernels".to_owned(), kernels.display().to_string()]);
        }
        let fault = request
            .inject
            .as_deref()
            .and_then(|inject| inject.split_once(':'));
        let first = match fault {
            Some((of, fault)) if of == place => vec!["--inject".into(), fault.into()],
            _ => Vec::new(),
        };
        let command = WorkerCommand {
            program: request.executable.to_owned(),
            arguments: all.into_iter().map(Into::into).collect(),
            first,
            environment: environment.to_vec(),
        };
        ProcessExecutor::new(command, Arc::clone(&request.stop_now))
    };
    let mut host = worker("host", Vec::new(), &[]);
    let mut devices: Vec<ProcessExecutor> = request
        .targets
        .iter()
        .map(|target| {
            let (platform, device) = target.address;
            let address = format!("{platform}:{device}");
            worker(
                "device",
                vec!["--device".to_owned(), address],
                &target.environment,
            )
        })
        .collect();
    let mut sink = FolderSink {
        folder,
        rows: HashMap::new(),
    };
    let mut scheduler = Scheduler {
        experiment: request.experiment,
        host: &mut host,
        devices: devices
            .iter_mut()
            .map(|device| device as &mut dyn Executor)
            .collect(),
        sink: &mut sink,
        progress,
        clock: &WallClock::start(),
        watch: &mut ProcWatch::default(),
        stop: &request.stop,
        kept: &kept,
        key: &key,
        threads: request.threads,
    };
    let ended = scheduler.run(&plan).map_err(RunError::Write)?;
    let mut measured = sink.rows;
    let rows = plan
        .cells()
        .map(&key)
        .filter_map(|key| measured.remove(&key).or_else(|| kept.get(&key).cloned()))
        .collect();
    Ok(Finished { ended, rows })
}

/// The rows that need not be made again. What a budget cut off, and what a fault of the moment
/// ended, is tried again.
fn valid_rows(
    plan: &Plan,
    key: &dyn Fn(&Cell) -> String,
    rows: &[MeasurementRow],
) -> HashMap<String, MeasurementRow> {
    let keys: HashSet<String> = plan.cells().map(key).collect();
    rows.iter()
        .filter(|row| keys.contains(&row.key))
        .filter(|row| {
            matches!(
                row.status,
                Status::Ok
                    | Status::Mismatch
                    | Status::Unsupported
                    | Status::Memory
                    | Status::BuildFailed
            )
        })
        .map(|row| (row.key.clone(), row.clone()))
        .collect()
}

fn identity_of(cell: &Cell) -> (String, String, String) {
    (
        cell.case.to_string(),
        cell.choice.label.clone(),
        cell.device_label.clone(),
    )
}

/// The key of each cell: everything that a measurement depends on.
fn cell_keys<'a>(request: &'a RunRequest<'_>) -> impl Fn(&Cell) -> String + 'a {
    let host = describe(request.threads);
    move |cell: &Cell| {
        let driver = match cell.device.and_then(|place| request.targets.get(place)) {
            Some(target) => {
                let record = &target.record;
                format!(
                    "{} {} {}",
                    record.platform_version, record.name, record.driver
                )
            }
            None => String::new(),
        };
        let opponent = cell.choice.opponent.as_ref().and_then(|label| {
            let other = request
                .whole
                .techniques
                .iter()
                .find(|t| t.label == *label)?;
            Some((other.technique.as_str(), &other.params))
        });
        cell_key(&CellIdentity {
            kernel_hash: if cell.device_label == HOST {
                ""
            } else {
                &request.program.kernel_hash
            },
            source_hash: &request.program.source_hash,
            game: &request.whole.game,
            options: &request.whole.options,
            task: request.whole.task,
            case: &cell.case,
            technique: &cell.choice.technique,
            label: &cell.choice.label,
            params: &cell.choice.params,
            opponent,
            positions: request.whole.sampling.positions,
            seed: request.whole.seed,
            device: &cell.device_label,
            driver: &driver,
            cpu: &host.cpu,
            threads: request.threads,
        })
    }
}

/// Appends rows to the folder and remembers them.
struct FolderSink<'a> {
    folder: &'a mut RunFolder,
    rows: HashMap<String, MeasurementRow>,
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
}
