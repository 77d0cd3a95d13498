//! What the commands that measure have in common: this program, the signals, why there was no run and the exit
//! code of what came of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use super::exit::{Exit, Failure};
use super::targets;
use crate::config::ConfigError;
use crate::harness::{self, RunError};
use crate::opencl;
use crate::results::{self, Program};
use crate::words::{Status, shell_line};

/// The exit code that a cell's status means.
pub fn exit_of(status: Status) -> Exit {
    match status {
        Status::Ok | Status::Skipped | Status::Unsupported | Status::Memory => Exit::Good,
        Status::Mismatch => Exit::WrongAnswer,
        Status::BuildFailed | Status::Timeout | Status::Crashed | Status::Failed => Exit::Failed,
        Status::Damaged => Exit::Files,
    }
}

/// First signal: finish the request under way. Second: kill the workers and stop.
pub fn listen_for_interrupts(
    stop: Arc<AtomicBool>,
    stop_now: Arc<AtomicBool>,
) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            stop_now.store(true, Ordering::Relaxed);
        } else {
            eprintln!("stopping after the samples under way; once more to stop at once");
        }
    })
    .context("cannot listen for Ctrl-C")
    .map_err(Failure::usage)
}

/// This program, its sources and its kernels.
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

/// The command that the user typed, with this program under its own name.
pub fn command_line() -> String {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    let words: Vec<String> = std::iter::once("bench".to_owned())
        .chain(arguments)
        .collect();
    shell_line(&words)
}

/// Why there was no run, with its exit code.
pub fn run_failure(error: RunError) -> Failure {
    match error {
        RunError::OtherExperiment { .. } | RunError::OtherOrigin { .. } => Failure::usage(error),
        RunError::Files(_) | RunError::Write(_) => Failure::files(error),
    }
}

/// A file that cannot be read is one thing, a file that says something wrong another.
pub fn load_failure(error: ConfigError) -> Failure {
    match error {
        ConfigError::Read { .. } => Failure::files(error),
        ConfigError::At(_) => Failure::usage(error),
    }
}
