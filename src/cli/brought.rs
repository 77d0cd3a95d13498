//! Programs and kernels that experiments bring: consent to start them, and hashes of their files.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{anyhow, bail};

use super::exit::{Exit, Failure};
use super::run_args::ConsentArgs;
use crate::config::{Experiment, TechniqueChoice};
use crate::results;
use crate::techniques::own_kernel;
use crate::techniques::program;
use crate::techniques::program::params::{
    HASH, VERSION, as_noted, command_of, files_of, hash_of, hash_of_text,
};
use crate::words::{self, PROGRAM, Value, is_brought, shell_line};

/// Some libraries take many seconds to load before a program says hello.
const HELLO: Duration = Duration::from_secs(120);

/// Programs that run the file that is their first argument.
const INTERPRETERS: [&str; 9] = [
    "python3", "python", "sh", "bash", "perl", "ruby", "node", "julia", "lua",
];

pub struct Consent<'a> {
    pub all: bool,
    /// A list of trusted files, as `sha256sum` writes it.
    pub trusted: Option<&'a Path>,
}

impl<'a> Consent<'a> {
    pub fn of(args: &'a ConsentArgs) -> Consent<'a> {
        Consent {
            all: args.allow_commands,
            trusted: args.trusted.as_deref(),
        }
    }

    pub const NONE: Consent<'static> = Consent {
        all: false,
        trusted: None,
    };
}

/// Refuses an experiment with a command that the user did not consent to, before anything starts.
pub fn check(experiment: &Experiment, consent: &Consent<'_>) -> anyhow::Result<()> {
    let mut choices = experiment.techniques.iter();
    choices.try_for_each(|choice| check_choice(&experiment.name, choice, consent))
}

fn check_choice(
    experiment: &str,
    choice: &TechniqueChoice,
    consent: &Consent<'_>,
) -> anyhow::Result<()> {
    if !consent.all && choice.technique == PROGRAM {
        let trusted = consent.trusted.map(read_trusted).transpose()?;
        let files = files_of(&choice.params);
        let command = command_of(&choice.params);
        let is_trusted = trusted.as_ref().is_some_and(|trusted| {
            runs_a_listed_file(trusted, &command) && files.iter().all(|it| is_listed(trusted, it))
        });
        if !is_trusted {
            let line = shell_line(&command);
            let why = match consent.trusted {
                Some(list) => format!(
                    "{} does not list all of its files, or its command is not a listed file or an interpreter and one",
                    list.display()
                ),
                None => "--allow-commands lets it, --trusted FILE what FILE lists".to_owned(),
            };
            bail!("{experiment}: {} would start `{line}`; {why}", choice.label);
        }
    }
    Ok(())
}

fn read_trusted(file: &Path) -> anyhow::Result<HashSet<String>> {
    let text =
        words::read_text(file).map_err(|error| anyhow!("--trusted {}: {error}", file.display()))?;
    let first = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    Ok(first.map(str::to_lowercase).collect())
}

/// True if the program, or an interpreter's script, is listed. Other words prove nothing: options may hold programs.
fn runs_a_listed_file(trusted: &HashSet<String>, command: &[String]) -> bool {
    let is_file = |word: &String| !word.starts_with('-') && is_listed(trusted, Path::new(word));
    match command {
        // A name without a folder is looked up in PATH.
        [program, ..] if program.contains('/') => is_file(program),
        [program, file, ..] => INTERPRETERS.contains(&program.as_str()) && is_file(file),
        _ => false,
    }
}

fn is_listed(trusted: &HashSet<String>, file: &Path) -> bool {
    results::whole_file_hash(file).is_ok_and(|hash| trusted.contains(&hash))
}

/// Notes hashes of kernels and programs, and versions, which decide the rows that a resumed run keeps. Checks each file
/// again, as it may have changed since [`check`].
pub fn note(
    experiment: &mut Experiment,
    kernels: Option<&Path>,
    consent: &Consent<'_>,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let patience = HELLO.min(experiment.budget.request());
    for choice in &mut experiment.techniques {
        note_files(choice, kernels).map_err(Failure::usage)?;
        if choice.technique == PROGRAM {
            check_choice(&experiment.name, choice, consent).map_err(Failure::usage)?;
            note_version(choice, patience, stop).map_err(Failure::usage)?;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Failure {
                exit: Exit::Interrupted,
                error: anyhow!("interrupted before the first cell"),
            });
        }
    }
    Ok(())
}

/// A hash of a technique's files and parameters; `None` for built-in techniques and unreadable files.
pub fn hash(choice: &TechniqueChoice, kernels: Option<&Path>) -> Option<String> {
    if !is_brought(&choice.technique) {
        return None;
    }
    let mut noted = choice.clone();
    note_files(&mut noted, kernels).ok()?;
    noted.params.remove(VERSION);
    let parts = serde_json::to_string(&(&noted.technique, &noted.params)).ok()?;
    Some(hash_of_text(&parts))
}

/// Notes the hash of a technique's files. Its workers refuse other files.
pub fn note_files(choice: &mut TechniqueChoice, kernels: Option<&Path>) -> anyhow::Result<()> {
    if !is_brought(&choice.technique) {
        return Ok(());
    }
    let fault = |fault| anyhow!("{}: {fault}", choice.label);
    let hash = match own_kernel::source_of(&choice.params, kernels).map_err(fault)? {
        Some(source) => hash_of_text(&source),
        None => hash_of(&files_of(&choice.params)).map_err(fault)?,
    };
    choice.params.insert(HASH.to_owned(), Value::Text(hash));
    Ok(())
}

fn note_version(
    choice: &mut TechniqueChoice,
    patience: Duration,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    choice.params.remove(VERSION);
    // A program that fails here fails in its cells, which say why.
    if let Ok(who) = program::hello_within(&command_of(&choice.params), patience, stop) {
        let version = Value::Text(who.title());
        choice.params.insert(VERSION.to_owned(), version);
    }
    as_noted(&choice.params).map_err(|fault| anyhow!("{}: {fault}", choice.label))
}
