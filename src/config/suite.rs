use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::Experiment;
use super::error::{ConfigError, allowed};
use super::parse::{KEYS, document, parse_table, read_text};
use super::reader::{Source, Table};
use crate::words::Catalogue;

/// The keys that make a file a suite: files beside it, and experiments that stand in it.
const FILES: &str = "experiments";
const MEMBERS: &str = "experiment";
const TITLE: &str = "title";

/// Keys that are the suite's own.
const SUITE: [&str; 3] = [TITLE, FILES, MEMBERS];

/// Keys that each experiment of a suite has for itself.
const OWN: [&str; 2] = ["name", TITLE];

/// Reads a file: the experiment in it, or those of a suite in its order, each with the path that
/// loads it alone.
///
/// A suite has `[[experiment]]` tables, each with the keys of an experiment's file, or `experiments`, a list
/// of files beside it, or both; and it may have a `title`. Any other key of an experiment may stand
/// in the suite for all its tables: it counts where a table lacks it, and of `sampling`, `budget` and
/// `options` key by key.
///
/// `FILE:NAME` is one experiment of a suite.
///
/// # Errors
///
/// As [`parse`](super::parse), where a file cannot be read, and where no experiment has the name. A suite
/// lists no other suite.
pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let (path, name) = divided(path);
    let text = read_text(path)?;
    load_from(path, name, &text, catalogue)
}

/// [`load`] of a text that is not to be read from `path`, which stands for it in errors and run folders.
///
/// # Errors
///
/// As [`load`].
pub fn load_text(
    path: &Path,
    text: &str,
    catalogue: &Catalogue,
) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    load_from(path, None, text, catalogue)
}

fn load_from(
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
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let allowed = allowed(name, &names);
            return Err(root.error(format!("no experiment is called {name:?}; {allowed}")));
        }
    }
    Ok(all)
}

/// The file, and the name of the one experiment of it that is asked for. A colon may also be the file's own.
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
    let mut all = read_files(root, path, catalogue)?;
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
        // Keys are called as in a file of their own, and lines say which is meant.
        let table = member.with_content(&whole);
        let experiment = parse_table(&table, catalogue)?;
        if all.iter().any(|(_, other)| other.name == experiment.name) {
            let name = table.need("name")?;
            return Err(name.error(format!("{:?} is there twice", experiment.name)));
        }
        let mut place = path.as_os_str().to_owned();
        place.push(":");
        place.push(&experiment.name);
        all.push((place.into(), experiment));
    }
    Ok(all)
}

/// Reads the files that a suite lists.
fn read_files(
    root: &Table<'_>,
    path: &Path,
    catalogue: &Catalogue,
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
        let file = folder.join(item.text()?);
        if all.iter().any(|(other, _)| *other == file) {
            return Err(item.error(format!("{:?} is there twice", item.text()?)));
        }
        let text = read_text(&file)?;
        let experiment = super::parse(&text, &file.display().to_string(), catalogue)?;
        all.push((file, experiment));
    }
    Ok(all)
}

/// Adds what a table lacks, and does so in the tables that both have.
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
