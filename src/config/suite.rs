use std::collections::HashMap;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parse::{RawExperiment, experiment};
use super::source::{At, Document, allowed, fault, keys_of, only, read_text};
use super::{ConfigError, Experiment};
use crate::words::Catalogue;

const MEMBERS: &str = "experiment";

/// Reads an experiment, or a suite's experiments in order. Each has the path that loads it alone: `FILE:NAME`.
///
/// A suite has `[[experiment]]` tables. Its other keys are their defaults, merged key by key in `sampling`, `budget`
/// and `options`. Fails like [`parse`](super::parse).
pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let (path, name) = divided(path);
    let text = read_text(path)?;
    load_text(path, name, &text, catalogue)
}

/// Like [`load`], for a given text. `path` names it in errors and run folders. With `name`: only that experiment.
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

/// Splits a path into the file and the requested experiment's name. A file name may contain a colon too.
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
        let problem = "must be tables, [[experiment]], at least one";
        return document.checked(fault(problem).at(MEMBERS));
    }
    // Lower case, because some file systems ignore case.
    let mut names: HashMap<String, String> = HashMap::new();
    let mut all = Vec::new();
    for member in document.list(MEMBERS) {
        let mut own = member.get_ref().as_table().cloned().unwrap_or_default();
        complete(&mut own, &shared);
        // Errors name keys as in a separate file. The line number shows the member.
        let part = document.with(member.span(), own);
        let experiment = experiment(&part, catalogue)?;
        let name = &experiment.name;
        let place = document.place(part.get("name").unwrap_or(member));
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

/// The error for two experiments with one name, which would share a run folder.
pub fn shared_name(name: &str, other: &str) -> String {
    let remedy = "give each experiment its own, which names its run folder";
    format!("{name:?} is the name of {other} too; {remedy}")
}

/// Adds the missing keys to a table, recursively.
fn complete<'t>(own: &mut DeTable<'t>, shared: &DeTable<'t>) {
    for (key, value) in shared {
        let there = own.entry(key.clone()).or_insert_with(|| value.clone());
        if let (DeValue::Table(own), DeValue::Table(shared)) = (there.get_mut(), value.get_ref()) {
            complete(own, shared);
        }
    }
}
