//! Checks that the user allows an experiment's programs, and records the hashes of user-supplied files.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{anyhow, bail};

use super::exit::Failure;
use crate::config::{Experiment, TechniqueChoice};
use crate::techniques::program;
use crate::techniques::program::params::{HASH, VERSION, as_noted, command_of, hash_of};
use crate::words::{PROGRAM, Value, is_brought, shell_line};

/// Timeout for a program's first answer. Some programs load libraries for many seconds first.
const HELLO: Duration = Duration::from_secs(120);

/// Fails if an experiment has commands that the user has not allowed. Call it before anything starts.
pub fn check(experiment: &Experiment, is_allowed: bool) -> anyhow::Result<()> {
    let mut choices = experiment.techniques.iter();
    if let Some(choice) = choices.find(|choice| choice.technique == PROGRAM && !is_allowed) {
        let line = shell_line(&command_of(&choice.params));
        let (name, label) = (&experiment.name, &choice.label);
        bail!("{name}: {label} would start `{line}`; allow it with --allow-commands")
    }
    Ok(())
}

/// Records the hashes and versions of kernels and programs. A resumed run uses them to decide which rows to keep.
pub fn note(
    experiment: &mut Experiment,
    kernels: Option<&Path>,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let patience = HELLO.min(experiment.budget.request());
    for choice in &mut experiment.techniques {
        note_files(choice, kernels)?;
        if choice.technique == PROGRAM {
            choice.params.remove(VERSION.name);
            // A program that fails here also fails in its cells, which report the reason.
            let title = program::hello_within(&command_of(&choice.params), patience, stop);
            let version = title.map(|title| (VERSION.name.to_owned(), Value::Text(title)));
            choice.params.extend(version);
            let noted = as_noted(&choice.params, kernels);
            noted.map_err(|fault| anyhow!("{}: {fault}", choice.label))?;
        }
        if stop.load(Ordering::Relaxed) {
            fail!(Interrupted, "interrupted before the first cell");
        }
    }
    Ok(())
}

/// Records the hash of a technique's files. The workers refuse other versions of the files.
pub fn note_files(choice: &mut TechniqueChoice, kernels: Option<&Path>) -> anyhow::Result<()> {
    if is_brought(&choice.technique) {
        let hash = hash_of(&choice.params, kernels);
        let hash = hash.map_err(|fault| anyhow!("{}: {fault}", choice.label))?;
        let name = HASH.name.to_owned();
        choice.params.insert(name, Value::Text(hash));
    }
    Ok(())
}
