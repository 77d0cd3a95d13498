use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::kinds::{line, once};
use super::parse::{RawExperiment, experiment};
use super::source::{At, Checked, Document, allowed, fault, keys_of, only, read_text};
use super::{ConfigError, Experiment};
use crate::words::Catalogue;

const FILES: &str = "experiments";
const MEMBERS: &str = "experiment";

/// Keys of a suite that are no defaults of its experiments.
const SUITE: [&str; 3] = ["title", FILES, MEMBERS];

/// Reads an experiment, or those of a suite in order, each with the path that loads it alone: `FILE:NAME`.
///
/// A suite has `[[experiment]]` tables, or `experiments`, a list of files beside it, or both. Its other keys are
/// defaults for its tables, key by key for `sampling`, `budget` and `options`. A suite lists no other suite. Fails as
/// [`parse`](super::parse).
pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let (path, name) = divided(path);
    let text = read_text(path)?;
    load_text(path, name, &text, catalogue)
}

/// [`load`] for a given text; `path` names it in errors and run folders. With `name`, only that experiment.
pub fn load_text(
    path: &Path,
    name: Option<&str>,
    text: &str,
    catalogue: &Catalogue,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let file = path.display().to_string();
    let document = Document::parse(text, &file)?;
    let has = |key| document.get(key).is_some();
    let mut all = match has(FILES) || has(MEMBERS) {
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

/// The file, and the name of its requested experiment. The file's name may contain a colon too.
fn divided(path: &Path) -> (&Path, Option<&str>) {
    match path.to_str().and_then(|text| text.rsplit_once(':')) {
        Some((file, name)) if !path.exists() && Path::new(file).is_file() => {
            (Path::new(file), Some(name))
        }
        _ => (path, None),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSuite {
    #[serde(default, rename = "title", deserialize_with = "line")]
    _title: String,
    #[serde(default)]
    experiments: Vec<String>,
    #[serde(rename = "experiment")]
    _experiment: Option<Vec<IgnoredAny>>,
}

fn read_suite(
    document: &Document<'_>,
    path: &Path,
    catalogue: &Catalogue,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let mut shared = document.table();
    let own = SUITE.iter().filter_map(|key| shared.remove_entry(*key));
    let raw: RawSuite = document.with(document.root.span(), own.collect()).raw()?;
    document.checked(check(document, &shared))?;
    document.checked(once(&raw.experiments).at(FILES))?;
    // In lower case, as some file systems have the names.
    let mut names: HashMap<String, String> = HashMap::new();
    let mut add_name = |name: &str, place| match names.insert(name.to_lowercase(), place) {
        None => Ok(()),
        Some(other) => fault(shared_name(name, &other)),
    };
    let mut all = Vec::new();
    let folder = path.parent().unwrap_or(Path::new(""));
    for (place, name) in raw.experiments.iter().enumerate() {
        let file = folder.join(name);
        let text = read_text(&file)?;
        let shown = file.display().to_string();
        let experiment = super::parse(&text, &shown, catalogue)?;
        let added = add_name(&experiment.name, shown);
        document.checked(added.at(place).at(FILES))?;
        all.push((file, experiment));
    }
    for member in document.list(MEMBERS) {
        let mut own = member.get_ref().as_table().cloned().unwrap_or_default();
        complete(&mut own, &shared);
        // Keys are named as in a separate file; lines tell the member.
        let part = document.with(member.span(), own);
        let experiment = experiment(&part, catalogue)?;
        let place = document.place(part.get("name").unwrap_or(member));
        part.checked(add_name(&experiment.name, place).at("name"))?;
        let mut place = path.as_os_str().to_owned();
        place.push(":");
        place.push(&experiment.name);
        all.push((place.into(), experiment));
    }
    Ok(all)
}

/// Checks the keys of a suite. `shared`: the defaults of its experiments.
fn check(document: &Document<'_>, shared: &DeTable<'_>) -> Checked<()> {
    let members = document.list(MEMBERS);
    let mut keys = SUITE.map(str::to_owned).to_vec();
    if document.get(MEMBERS).is_some() {
        let own = keys_of::<RawExperiment>().into_iter();
        keys.extend(own.filter(|key| key != "name" && key != "title"));
    }
    only(shared.keys().map(Spanned::get_ref), &keys)?;
    for (key, problem) in [
        (FILES, "empty; name one experiment file at least"),
        (MEMBERS, "empty; give one experiment at least"),
    ] {
        if document.get(key).is_some() && document.list(key).is_empty() {
            return fault(problem).at(key);
        }
    }
    for (key, value) in shared {
        let is_taken = |member: &Spanned<DeValue<'_>>| {
            let own = member.get_ref().get(key.get_ref().as_ref());
            own.is_none_or(|own| own.get_ref().is_table() && value.get_ref().is_table())
        };
        if !members.iter().any(is_taken) {
            return fault("every [[experiment]] has its own").at(key);
        }
    }
    Ok(())
}

/// Two experiments of a name would share a run folder.
pub fn shared_name(name: &str, other: &str) -> String {
    let remedy = "give each experiment its own, which names its run folder";
    format!("{name:?} is the name of {other} too; {remedy}")
}

/// Adds missing keys to a table, recursively.
fn complete<'t>(own: &mut DeTable<'t>, shared: &DeTable<'t>) {
    for (key, value) in shared {
        let there = own.entry(key.clone()).or_insert_with(|| value.clone());
        if let (DeValue::Table(own), DeValue::Table(shared)) = (there.get_mut(), value.get_ref()) {
            complete(own, shared);
        }
    }
}
