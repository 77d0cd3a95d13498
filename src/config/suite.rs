use std::collections::HashMap;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::Experiment;
use super::error::{ConfigError, allowed};
use super::parse::{KEYS, document, parse_table, read_text};
use super::reader::{Item, Source, Table};
use crate::words::Catalogue;

const FILES: &str = "experiments";
const MEMBERS: &str = "experiment";
const TITLE: &str = "title";

const SUITE: [&str; 3] = [TITLE, FILES, MEMBERS];

/// Keys that each experiment of a suite sets.
const OWN: [&str; 2] = ["name", TITLE];

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
    let source = Source { file: &file, text };
    let document = document(source)?;
    let root = Table::root(source, document.get_ref());
    let mut all = if root.get(FILES).is_some() || root.get(MEMBERS).is_some() {
        read_suite(&root, path, catalogue)?
    } else {
        vec![(path.to_owned(), parse_table(&root, catalogue)?)]
    };
    if let Some(name) = name {
        let names: Vec<String> = all.iter().map(|(_, it)| it.name.clone()).collect();
        all.retain(|(_, experiment)| experiment.name == name);
        if all.is_empty() {
            let allowed = allowed(name, &names);
            return Err(root.error(format!("no experiment is called {name:?}; {allowed}")));
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

fn read_suite(
    root: &Table<'_>,
    path: &Path,
    catalogue: &Catalogue,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let mut keys = SUITE.to_vec();
    if root.get(MEMBERS).is_some() {
        keys.extend(KEYS.into_iter().filter(|key| !OWN.contains(key)));
    }
    root.only(&keys)?;
    root.line_or(TITLE, "")?;
    let mut named = HashMap::new();
    let mut all = read_files(root, path, catalogue, &mut named)?;
    let Some(list) = root.get(MEMBERS) else {
        return Ok(all);
    };
    let members = list.tables()?;
    if members.is_empty() {
        return Err(list.error("empty; give one experiment at least"));
    }
    for (key, item) in root.entries() {
        let is_taken = |member: &Table<'_>| {
            let own = member.get(key);
            own.is_none_or(|own| own.table().is_ok() && item.table().is_ok())
        };
        if !SUITE.contains(&key) && !members.iter().any(is_taken) {
            return Err(item.error("every [[experiment]] has its own"));
        }
    }
    let mut shared = root.content().clone();
    for key in SUITE {
        shared.remove(key);
    }
    for member in members {
        let mut whole = member.content().clone();
        complete(&mut whole, &shared);
        // Keys are named as in a separate file; lines tell the member.
        let table = member.with_content(&whole);
        let experiment = parse_table(&table, catalogue)?;
        let name = table.need("name")?;
        add_name(&mut named, &experiment.name, name.place(), &name)?;
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
fn add_name(
    named: &mut Names,
    name: &str,
    place: String,
    item: &Item<'_>,
) -> Result<(), ConfigError> {
    let Some(other) = named.insert(name.to_lowercase(), place) else {
        return Ok(());
    };
    Err(item.error(shared_name(name, &other)))
}

/// Two experiments of a name would share a run folder.
pub fn shared_name(name: &str, other: &str) -> String {
    let remedy = "give each experiment its own, which names its run folder";
    format!("{name:?} is the name of {other} too; {remedy}")
}

fn read_files(
    root: &Table<'_>,
    path: &Path,
    catalogue: &Catalogue,
    named: &mut Names,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let Some(list) = root.get(FILES) else {
        return Ok(Vec::new());
    };
    let items = list.list()?;
    if items.is_empty() {
        return Err(list.error("empty; name one experiment file at least"));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut all: Vec<(PathBuf, Experiment)> = Vec::new();
    for item in items {
        let name = item.text()?;
        let file = folder.join(name);
        if all.iter().any(|(other, _)| *other == file) {
            return Err(item.error(format!("{name:?} is there twice")));
        }
        let text = read_text(&file)?;
        let place = file.display().to_string();
        let experiment = super::parse(&text, &place, catalogue)?;
        add_name(named, &experiment.name, place, &item)?;
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
