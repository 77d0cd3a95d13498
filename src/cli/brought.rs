//! What experiments bring themselves: consent to start their programs, and what their files hold.

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
use crate::techniques::program::params::{
    HASH, VERSION, command_of, files_of, hash_of, hash_of_text,
};
use crate::techniques::program::{self, Hello};
use crate::words::{self, PROGRAM, Value, is_brought, shell_line};

/// A program may take this long to say hello, if the experiment's requests may: some libraries take many seconds to
/// load.
const HELLO: Duration = Duration::from_secs(120);

/// Programs that run the file that is their first argument.
const INTERPRETERS: [&str; 9] = [
    "python3", "python", "sh", "bash", "perl", "ruby", "node", "julia", "lua",
];

/// What the user lets an experiment start.
pub struct Consent<'a> {
    /// Every command.
    pub all: bool,
    /// The commands whose files are in this list, as `sha256sum` writes it.
    pub trusted: Option<&'a Path>,
}

impl<'a> Consent<'a> {
    /// What the arguments say.
    pub fn of(args: &'a ConsentArgs) -> Consent<'a> {
        Consent {
            all: args.allow_commands,
            trusted: args.trusted.as_deref(),
        }
    }

    /// Of a command that starts no programs.
    pub const NONE: Consent<'static> = Consent {
        all: false,
        trusted: None,
    };
}

/// Refuses an experiment with a command that the user did not consent to. Nothing is started before.
///
/// # Errors
/// One line with the command.
pub fn check(experiment: &Experiment, consent: &Consent<'_>) -> anyhow::Result<()> {
    if consent.all {
        return Ok(());
    }
    let trusted = consent.trusted.map(read_trusted).transpose()?;
    for choice in &experiment.techniques {
        if choice.technique != PROGRAM {
            continue;
        }
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
            bail!(
                "{}: {} would start `{line}`; {why}",
                experiment.name,
                choice.label
            );
        }
    }
    Ok(())
}

/// The hashes at the beginning of a file's lines.
fn read_trusted(file: &Path) -> anyhow::Result<HashSet<String>> {
    let text =
        words::read_text(file).map_err(|error| anyhow!("--trusted {}: {error}", file.display()))?;
    let first = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    Ok(first.map(str::to_lowercase).collect())
}

/// Whether what a command runs is a file of the list: its first word, or its second where the first is an interpreter.
/// A list of other words vouches for nothing: an interpreter takes programs from its options too.
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

/// Notes what the files of an experiment's kernels and programs hold, and what the programs say of themselves:
/// both decide what a run that goes on may keep. The programs are started for it.
///
/// # Errors
/// Where a file cannot be read, and where `stop` was raised.
pub fn note(
    experiment: &mut Experiment,
    kernels: Option<&Path>,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let patience = HELLO.min(experiment.budget.request());
    for choice in &mut experiment.techniques {
        note_choice(choice, kernels, patience, stop).map_err(Failure::usage)?;
        if stop.load(Ordering::Relaxed) {
            return Err(Failure {
                exit: Exit::Interrupted,
                error: anyhow!("interrupted before the first cell"),
            });
        }
    }
    Ok(())
}

fn note_choice(
    choice: &mut TechniqueChoice,
    kernels: Option<&Path>,
    patience: Duration,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    if !is_brought(&choice.technique) {
        return Ok(());
    }
    let fault = |fault| anyhow!("{}: {fault}", choice.label);
    let hash = match own_kernel::source_of(&choice.params, kernels).map_err(fault)? {
        Some(source) => hash_of_text(&source),
        None => hash_of(&files_of(&choice.params)).map_err(fault)?,
    };
    choice.params.insert(HASH.to_owned(), Value::Text(hash));
    if choice.technique == PROGRAM {
        choice.params.remove(VERSION);
        // One that fails here fails in its cells, which say why.
        if let Ok(Hello { name, version, .. }) =
            program::hello_within(&command_of(&choice.params), patience, stop)
        {
            let version = format!("{name} {version}").trim().to_owned();
            choice
                .params
                .insert(VERSION.to_owned(), Value::Text(version));
        }
    }
    Ok(())
}
