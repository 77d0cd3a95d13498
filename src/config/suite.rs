use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Experiment;
use super::error::{ConfigError, allowed};
use super::parse::{experiment, read_text};
use super::raw::{Item, Line, Open, Table};
use super::source::{Document, Fault, place};
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
    let mut all = match [FILES, MEMBERS]
        .iter()
        .any(|key| document.get(key).is_some())
    {
        true => read_suite(&document, path, catalogue)?,
        false => vec![(path.to_owned(), experiment(&document, catalogue)?)],
    };
    if let Some(name) = name {
        let names: Vec<String> = all.iter().map(|(_, it)| it.name.clone()).collect();
        all.retain(|(_, experiment)| experiment.name == name);
        if all.is_empty() {
            let problem = format!(
                "no experiment is called {name:?}; {}",
                allowed(name, &names)
            );
            return Err(document.error(Fault::new(document.root.span(), problem)));
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
    #[serde(rename = "title")]
    _title: Option<Line>,
    experiments: Option<Item>,
    experiment: Option<Spanned<Vec<Open>>>,
}

fn read_suite(
    document: &Document<'_>,
    path: &Path,
    catalogue: &Catalogue,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let mut shared = document.root.get_ref().clone();
    let own = SUITE.iter();
    let own = own.filter_map(|key| shared.remove_entry(*key)).collect();
    let own = document.part(Spanned::new(document.root.span(), own), "");
    let raw: Table<RawSuite> = own.raw()?;
    let unknown = shared.keys().min_by_key(|key| key.span().start);
    if let (Some(key), None) = (unknown, &raw.experiment) {
        return Err(document.error(Fault::unknown(key.span(), key.get_ref(), &SUITE)));
    }
    let mut names = Names::new();
    let mut all = Vec::new();
    if let Some(list) = &raw.experiments {
        all = read_files(document, list, path, catalogue, &mut names)?;
    }
    let Some(list) = &raw.experiment else {
        return Ok(all);
    };
    if list.get_ref().is_empty() {
        let problem = "empty; give one experiment at least";
        return Err(document.error(Fault::new(list.span(), problem)));
    }
    let members = document
        .get(MEMBERS)
        .and_then(|list| list.get_ref().as_array());
    let members = || members.into_iter().flatten();
    for (key, value) in &shared {
        let is_taken = |member: &Spanned<DeValue<'_>>| {
            let own = member.get_ref().get(key.get_ref().as_ref());
            own.is_none_or(|own| own.get_ref().is_table() && value.get_ref().is_table())
        };
        if key.get_ref() == "name" || !members().any(is_taken) {
            let problem = "every [[experiment]] has its own";
            return Err(document.error(Fault::new(value.span(), problem)));
        }
    }
    for member in members() {
        let mut whole = member.get_ref().as_table().cloned().unwrap_or_default();
        complete(&mut whole, &shared);
        // Keys are named as in a separate file; lines tell the member.
        let part = document.part(Spanned::new(member.span(), whole), "");
        let experiment = experiment(&part, catalogue)?;
        let name = part.get("name").map_or(member.span(), Spanned::span);
        let place = place(document.file, document.text, name.start);
        let named = add_name(&mut names, &experiment.name, place);
        named.map_err(|problem| part.error(Fault::new(name, problem)))?;
        let mut place = path.as_os_str().to_owned();
        place.push(":");
        place.push(&experiment.name);
        all.push((place.into(), experiment));
    }
    Ok(all)
}

/// The names of a suite's experiments with their places, in lower case as some file systems have them.
type Names = HashMap<String, String>;

/// Refuses a second experiment of a name: both would share a run folder.
fn add_name(names: &mut Names, name: &str, place: String) -> Result<(), String> {
    let other = names.insert(name.to_lowercase(), place);
    other.map_or(Ok(()), |other| Err(shared_name(name, &other)))
}

/// Two experiments of a name would share a run folder.
pub fn shared_name(name: &str, other: &str) -> String {
    let remedy = "give each experiment its own, which names its run folder";
    format!("{name:?} is the name of {other} too; {remedy}")
}

fn read_files(
    document: &Document<'_>,
    list: &Item,
    path: &Path,
    catalogue: &Catalogue,
    names: &mut Names,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let error = |fault| document.error(fault);
    let items = list.list().map_err(error)?;
    if items.is_empty() {
        return Err(error(
            list.error("empty; name one experiment file at least"),
        ));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut all: Vec<(PathBuf, Experiment)> = Vec::new();
    for item in items {
        let name = item.text().map_err(error)?;
        let file = folder.join(name);
        if all.iter().any(|(other, _)| *other == file) {
            return Err(error(item.error(format!("{name:?} is there twice"))));
        }
        let text = read_text(&file)?;
        let place = file.display().to_string();
        let experiment = super::parse(&text, &place, catalogue)?;
        let named = add_name(names, &experiment.name, place);
        named.map_err(|problem| error(item.error(problem)))?;
        all.push((file, experiment));
    }
    Ok(all)
}

/// Adds missing keys to a table, recursively.
fn complete<'t>(own: &mut DeTable<'t>, shared: &DeTable<'t>) {
    for (key, value) in shared {
        match (own.get_mut(key.get_ref().as_ref()), value.get_ref()) {
            (None, _) => {
                own.insert(key.clone(), value.clone());
            }
            (Some(there), DeValue::Table(shared)) => {
                if let DeValue::Table(own) = there.get_mut() {
                    complete(own, shared);
                }
            }
            (Some(_), _) => {}
        }
    }
}
