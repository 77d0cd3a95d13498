use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::host::utc_now;
use super::plan::Target;
use super::workers::Workers;
use crate::config::Experiment;
use crate::results::{Host, Invocation, Program, ResultsError};
use crate::words::Catalogue;

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
