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

/// Refuses an experiment with a command that the user did not consent to, before anything starts.
pub fn check(experiment: &Experiment, consent: &ConsentArgs) -> anyhow::Result<()> {
    let mut choices = experiment.techniques.iter();
    choices.try_for_each(|choice| check_choice(&experiment.name, choice, consent))
}

fn check_choice(name: &str, choice: &TechniqueChoice, consent: &ConsentArgs) -> anyhow::Result<()> {
    if consent.allow_commands || choice.technique != PROGRAM {
        return Ok(());
    }
    let command = command_of(&choice.params);
    let mut why = "--allow-commands lets it, --trusted FILE what FILE lists".to_owned();
    if let Some(list) = &consent.trusted {
        let (list, text) = (list.display(), words::read_text(list));
        let text = text.map_err(|error| anyhow!("--trusted {list}: {error}"))?;
        let first = text.lines().map(|line| line.split_whitespace().next());
        let trusted = first.flatten().map(str::to_lowercase).collect();
        let mut files = files_of(&choice.params).into_iter();
        if files.all(|it| is_listed(&trusted, &it)) && runs_a_listed_file(&trusted, &command) {
            return Ok(());
        }
        why = format!(
            "{list} does not list all of its files, or its command is not a listed file or an interpreter and one"
        );
    }
    let line = shell_line(&command);
    bail!("{name}: {} would start `{line}`; {why}", choice.label);
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
    consent: &ConsentArgs,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let patience = HELLO.min(experiment.budget.request());
    for choice in &mut experiment.techniques {
        note_files(choice, kernels)?;
        if choice.technique == PROGRAM {
            check_choice(&experiment.name, choice, consent)?;
            choice.params.remove(VERSION.name);
            // A program that fails here fails in its cells, which say why.
            let title = program::hello_within(&command_of(&choice.params), patience, stop);
            let version = title.map(|title| (VERSION.name.to_owned(), Value::Text(title)));
            choice.params.extend(version);
            let noted = as_noted(&choice.params, kernels);
            noted.map_err(|fault| anyhow!("{}: {fault}", choice.label))?;
        }
        if stop.load(Ordering::Relaxed) {
            let why = anyhow!("interrupted before the first cell");
            return Err(Failure::new(Exit::Interrupted, why));
        }
    }
    Ok(())
}

/// A hash of a technique's files and parameters; `None` for built-in techniques and unreadable files.
pub fn hash(choice: &TechniqueChoice, kernels: Option<&Path>) -> Option<String> {
    is_brought(&choice.technique).then_some(())?;
    let mut noted = choice.clone();
    note_files(&mut noted, kernels).ok()?;
    noted.params.remove(VERSION.name);
    let parts = serde_json::to_string(&(&noted.technique, &noted.params)).ok()?;
    Some(hash_of_text(&parts))
}

/// Notes the hash of a technique's files. Its workers refuse other files.
pub fn note_files(choice: &mut TechniqueChoice, kernels: Option<&Path>) -> anyhow::Result<()> {
    if is_brought(&choice.technique) {
        let hash = hash_of(&choice.params, kernels);
        let hash = hash.map_err(|fault| anyhow!("{}: {fault}", choice.label))?;
        let name = HASH.name.to_owned();
        choice.params.insert(name, Value::Text(hash));
    }
    Ok(())
}
