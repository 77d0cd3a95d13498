//! Code that the measuring commands share: program, workers, cache, signals and exit codes.

use std::fs::File;
use std::iter::once;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::CommandFactory;
use clap::parser::ValueSource;

use super::args::{Cli, HostArgs, WorkersArgs};
use super::exit::{Exit, Failure};
use super::machine::{MachineArgs, lock, lock_file};
use super::terminal;
use crate::config::Experiment;
use crate::harness::{self, WorkerOptions, Workers};
use crate::opencl::{self, Cache};
use crate::results::{self, Program};
use crate::words::Status;

/// The path of an experiment file, and one experiment from this file.
pub type Chosen = (PathBuf, Experiment);

/// Returns the worst exit code of cells with these statuses.
pub fn exit_of(statuses: impl IntoIterator<Item = Status>) -> Exit {
    let exits = statuses.into_iter().map(|status| match status {
        Status::Ok | Status::Skipped | Status::Unsupported | Status::Memory | Status::Pending => {
            Exit::Good
        }
        Status::Mismatch => Exit::WrongAnswer,
        Status::BuildFailed | Status::Timeout | Status::Crashed | Status::Failed => Exit::Failed,
        Status::Damaged => Exit::Files,
    });
    exits.fold(Exit::Good, Exit::worse)
}

pub fn executable() -> Result<PathBuf, Failure> {
    let file = std::env::current_exe().context("where this program's file is");
    file.map_err(Failure::files)
}

pub fn workers(args: &WorkersArgs, stop_now: &Arc<AtomicBool>) -> Result<Workers, Failure> {
    Ok(Workers {
        executable: executable()?,
        options: WorkerOptions {
            device: None,
            threads: args.host.threads(),
            kernels: args.kernels.clone(),
            cache: args.host.cache_folder(),
            launch_limit: args.host.launch_limit,
        },
        stop_now: Arc::clone(stop_now),
    })
}

impl HostArgs {
    pub fn threads(&self) -> usize {
        self.threads
            .map_or_else(harness::default_threads, usize::from)
    }

    /// Creates the cache folder for built programs, unless caching is off. Warns if the folder is not writable.
    fn cache_folder(&self) -> Option<PathBuf> {
        let absolute = |name: &str| {
            let path = std::env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let folder = match &self.cache {
            Some(text) if text.is_empty() || text == "off" => return None,
            Some(text) => PathBuf::from(text),
            // The user's cache folder, according to the XDG base directory specification.
            None => absolute("XDG_CACHE_HOME")
                .or_else(|| Some(absolute("HOME")?.join(".cache")))?
                .join("plybench/programs"),
        };
        if let Err(error) = Cache::new(&folder).prepare() {
            let shown = folder.display();
            eprintln!(
                "bench: {shown}: built programs cannot be kept there ({error}); --cache DIR names another folder, \
                 --cache off does without"
            );
        }
        Some(folder)
    }
}

/// Returns two flags that signals set. The first signal ends the run after the current request, the second at once.
pub fn interrupts() -> Result<[Arc<AtomicBool>; 2], Failure> {
    let flags: [Arc<AtomicBool>; 2] = Default::default();
    let [stop, stop_now] = flags.clone();
    ctrlc::set_handler(move || {
        terminal::note_interrupt();
        if stop.swap(true, Ordering::Relaxed) {
            stop_now.store(true, Ordering::Relaxed);
        } else {
            eprintln!("stopping after the samples under way; interrupt again to stop at once");
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flags)
}

/// A timing run, which holds the machine's lock. Signals stop it ([`interrupts`]).
pub struct TimingRun {
    pub stop: Arc<AtomicBool>,
    pub stop_now: Arc<AtomicBool>,
    _machine: Option<File>,
}

impl TimingRun {
    /// Waits for the lock of the machine. Devices and programs must start later, or they would disturb the run that holds the lock.
    pub fn begin(args: &MachineArgs) -> Result<Self, Failure> {
        let [stop, stop_now] = interrupts()?;
        let path = lock_file().filter(|_| !args.shared);
        let machine = path.map(|path| lock(&path, &stop)).transpose()?;
        Ok(Self {
            _machine: machine.flatten(),
            stop,
            stop_now,
        })
    }
}

pub fn program(kernels: Option<&Path>) -> Result<Program, Failure> {
    Ok(Program {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: env!("PLYBENCH_REVISION").to_owned(),
        source_hash: env!("PLYBENCH_SOURCE_HASH").to_owned(),
        kernel_hash: opencl::kernel_hash(kernels).map_err(Failure::files)?,
        compiled_for: env!("PLYBENCH_TARGET_FEATURES").to_owned(),
        compiled_without: harness::unused_features(),
        profile: env!("PLYBENCH_PROFILE").to_owned(),
        binary_hash: results::file_hash(&executable()?).map_err(Failure::files)?,
    })
}

/// The options that change a measurement, except those with a field in `Selection`.
const OPTIONS: &str = "budget cell_budget target min_samples max_samples passes seed quick sweep threads kernels \
    launch_limit";

/// Returns the `OPTIONS` on this process's command line, as typed.
pub fn options() -> Vec<Vec<String>> {
    let matches = Cli::command().get_matches();
    let own = matches.subcommand().map(|(_, own)| own);
    let mut options = Vec::new();
    for id in OPTIONS.split(' ') {
        let own = own.filter(|own| own.try_contains_id(id).is_ok());
        let own = own.filter(|own| own.value_source(id) == Some(ValueSource::CommandLine));
        let all = own.and_then(|own| own.get_raw_occurrences(id));
        for values in all.into_iter().flatten() {
            let values = values.filter(|_| id != "quick");
            let values = values.map(|it| it.to_string_lossy().into_owned());
            options.push(once(id.replace('_', "-")).chain(values).collect());
        }
    }
    options
}
