//! Helpers of the measuring commands: program, signals, failures and exit codes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::CommandFactory;
use clap::parser::ValueSource;

use super::args::Cli;
use super::exit::{Exit, Failure};
use super::interrupted;
use super::targets;
use super::workers_args::WorkersArgs;
use crate::config::ConfigError;
use crate::harness::{self, RunError, Workers};
use crate::opencl;
use crate::results::{self, Given, Program};
use crate::words::Status;

pub fn exit_of(status: Status) -> Exit {
    match status {
        Status::Ok | Status::Skipped | Status::Unsupported | Status::Memory => Exit::Good,
        Status::Mismatch => Exit::WrongAnswer,
        Status::BuildFailed | Status::Timeout | Status::Crashed | Status::Failed => Exit::Failed,
        Status::Damaged => Exit::Files,
    }
}

/// Threads of the parallel baselines: `--threads`, or all that this process may use.
pub fn threads(given: Option<u16>) -> usize {
    given.map_or_else(harness::default_threads, usize::from)
}

pub fn workers<'a>(
    executable: &'a Path,
    args: &'a WorkersArgs,
    cache: Option<&'a Path>,
    stop_now: &Arc<AtomicBool>,
) -> Workers<'a> {
    Workers {
        executable,
        threads: threads(args.threads),
        kernels: args.kernels.as_deref(),
        cache,
        launch_limit: args.launch_limit,
        stop_now: Arc::clone(stop_now),
    }
}

/// Two flags that signals set. The first signal: finish the current request. The second: kill the workers and stop.
pub fn interrupts() -> Result<[Arc<AtomicBool>; 2], Failure> {
    let flags: [Arc<AtomicBool>; 2] = Default::default();
    let [stop, stop_now] = flags.clone();
    ctrlc::set_handler(move || {
        interrupted::tell();
        if stop.swap(true, Ordering::Relaxed) {
            stop_now.store(true, Ordering::Relaxed);
        } else {
            eprintln!("stopping after the samples under way; once more to stop at once");
        }
    })
    .context("cannot listen for Ctrl-C")
    .map_err(Failure::usage)?;
    Ok(flags)
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
        binary_hash: results::file_hash(&targets::executable()?).map_err(Failure::files)?,
    })
}

pub fn given() -> Given {
    let command = Cli::command();
    let matches = command.clone().get_matches();
    let mut given = Given::default();
    let Some((name, matches)) = matches.subcommand() else {
        return given;
    };
    given.arguments.push(name.to_owned());
    let arguments = command.find_subcommand(name).into_iter();
    for argument in arguments.flat_map(clap::Command::get_arguments) {
        let id = argument.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        for values in matches.get_raw_occurrences(id).into_iter().flatten() {
            let values = values.map(|value| value.to_string_lossy().into_owned());
            match argument.get_long() {
                None => given.arguments.extend(values),
                Some(long) => {
                    let values = values.filter(|_| argument.get_action().takes_values());
                    let option = std::iter::once(long.to_owned()).chain(values);
                    given.options.push(option.collect());
                }
            }
        }
    }
    given
}

pub fn run_failure(error: RunError) -> Failure {
    match error {
        RunError::OtherExperiment { .. } | RunError::OtherOrigin { .. } => Failure::usage(error),
        RunError::Files(_) | RunError::Write(_) => Failure::files(error),
    }
}

pub fn load_failure(error: ConfigError) -> Failure {
    match error {
        ConfigError::Read { .. } => Failure::files(error),
        ConfigError::At(_) => Failure::usage(error),
    }
}
