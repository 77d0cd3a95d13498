use std::collections::HashMap;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::DeValue;

use super::parse::{RawExperiment, experiment};
use super::source::{At, Document, allowed, fault, keys_of, only, read_text};
use super::{ConfigError, Experiment};
use crate::words::Catalogue;

const MEMBERS: &str = "experiment";

/// Loads an experiment, or a suite's experiments in order, each with the path that loads it alone: `FILE:NAME`.
///
/// A suite has `[[experiment]]` tables. Its other keys are defaults for these tables. The tables `sampling`, `budget`
/// and `options` are merged key by key. Fails like [`parse`](super::parse).
pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let (path, name) = divided(path);
    let text = read_text(path)?;
    load_text(path, name, &text, catalogue)
}

/// Like [`load`], but reads a text. Errors and run folders call it `path`. `name` limits the result to one experiment.
pub fn load_text(
    path: &Path,
    name: Option<&str>,
    text: &str,
    catalogue: &Catalogue,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let file = path.display().to_string();
    let document = Document::parse(text, &file)?;
    let mut all = match document.get(MEMBERS).is_some() {
        true => read_suite(&document, path, catalogue)?,
        false => vec![(path.to_owned(), experiment(&document, catalogue)?)],
    };
    if let Some(name) = name {
        let names: Vec<String> = all.iter().map(|(_, it)| it.name.clone()).collect();
        all.retain(|(_, experiment)| experiment.name == name);
        if all.is_empty() {
            let allowed = allowed(name, &names);
            let problem = format!("no experiment is called {name:?}; {allowed}");
            return document.checked(fault(problem));
        }
    }
    Ok(all)
}

/// Splits `FILE:NAME` into the file and the experiment's name. A file name may itself contain a colon.
fn divided(path: &Path) -> (&Path, Option<&str>) {
    match path.to_str().and_then(|text| text.rsplit_once(':')) {
        Some((file, name)) if !path.exists() && Path::new(file).is_file() => {
            (Path::new(file), Some(name))
        }
        _ => (path, None),
    }
}

fn read_suite(
    document: &Document<'_>,
    path: &Path,
    catalogue: &Catalogue,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let mut shared = document.table();
    shared.remove("title");
    shared.remove(MEMBERS);
    let mut keys = keys_of::<RawExperiment>();
    keys.retain(|key| key != "name");
    keys.push(MEMBERS.to_owned());
    document.checked(only(shared.keys().map(Spanned::get_ref), &keys))?;
    if document.list(MEMBERS).is_empty() {
        let problem = "must be a list of at least one [[experiment]] table";
        return document.checked(fault(problem).at(MEMBERS));
    }
    // The keys are in lower case, because some file systems ignore case.
    let mut names: HashMap<String, String> = HashMap::new();
    let mut all = Vec::new();
    let shared = DeValue::Table(shared);
    // Errors name keys as in a separate file. The line number identifies the experiment.
    for mut part in document.parts(MEMBERS) {
        complete(part.root.get_mut(), &shared);
        let experiment = experiment(&part, catalogue)?;
        let name = &experiment.name;
        let place = part.place(part.get("name").unwrap_or(&part.root));
        if let Some(other) = names.insert(name.to_lowercase(), place) {
            return part.checked(fault(shared_name(name, &other)).at("name"));
        }
        let mut place = path.as_os_str().to_owned();
        place.push(":");
        place.push(name);
        all.push((place.into(), experiment));
    }
    Ok(all)
}

/// Returns the error for two experiments with the same name. They would share a run folder.
pub fn shared_name(name: &str, other: &str) -> String {
    let reason = "run folders are named after experiments, so each needs a unique name";
    format!("{name:?} is already used by {other}; {reason}")
}

/// Copies the missing keys from `shared` to a table, recursively.
fn complete<'t>(own: &mut DeValue<'t>, shared: &DeValue<'t>) {
    if let (DeValue::Table(own), DeValue::Table(shared)) = (own, shared) {
        for (key, value) in shared {
            let there = own.entry(key.clone()).or_insert_with(|| value.clone());
            complete(there.get_mut(), value.get_ref());
        }
    }
}
