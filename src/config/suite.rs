use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::Experiment;
use super::error::ConfigError;
use super::parse::{parse, read_text};
use super::reader::{Source, Table};
use crate::words::Catalogue;

/// The key that makes a file a suite.
const EXPERIMENTS: &str = "experiments";

/// Reads a file: the experiment in it, or those that it lists as a suite does, with their files, in
/// its order.
///
/// A suite has the key `experiments`, a list of experiment files beside it, and may have a `title`.
///
/// # Errors
///
/// As [`parse`], and where a file cannot be read. A suite lists no other suite.
pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Vec<(PathBuf, Experiment)>, ConfigError> {
    let file = path.display().to_string();
    let text = read_text(path)?;
    let Some(names) = suite(&text, &file)? else {
        let experiment = parse(&text, &file, catalogue)?;
        return Ok(vec![(path.to_owned(), experiment)]);
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    names
        .into_iter()
        .map(|name| {
            let member = folder.join(name);
            let text = read_text(&member)?;
            let experiment = parse(&text, &member.display().to_string(), catalogue)?;
            Ok((member, experiment))
        })
        .collect()
}

/// The files that a suite lists; `None` where the text is none.
fn suite(text: &str, file: &str) -> Result<Option<Vec<String>>, ConfigError> {
    let source = Source { file, text };
    // What is no TOML at all is refused as an experiment is.
    let Ok(document) = DeTable::parse(text) else {
        return Ok(None);
    };
    let root = Table::root(source, document.get_ref());
    let Some(list) = root.get(EXPERIMENTS) else {
        return Ok(None);
    };
    root.only(&["title", EXPERIMENTS])?;
    let items = list.list()?;
    if items.is_empty() {
        return Err(list.error("empty; name one experiment file at least"));
    }
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = item.text()?.to_owned();
        if names.contains(&name) {
            return Err(item.error(format!("{name:?} is there twice")));
        }
        names.push(name);
    }
    Ok(Some(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_lists_its_files_in_order() {
        let listed = suite(
            "title = \"All\"\nexperiments = [\"b.toml\", \"a.toml\"]",
            "x.toml",
        );
        assert_eq!(listed.unwrap().unwrap(), ["b.toml", "a.toml"]);
        assert_eq!(suite("name = \"one\"", "x.toml").unwrap(), None);
        assert_eq!(suite("no TOML", "x.toml").unwrap(), None);
    }

    #[test]
    fn mistakes_in_a_suite_are_named() {
        let refused = |text| suite(text, "x.toml").unwrap_err().to_string();
        assert!(refused("experiments = []").contains("experiments: empty"));
        assert!(refused("experiments = \"a\"").starts_with("x.toml:1:15: experiments:"));
        assert!(refused("experiments = [\"a\", \"a\"]").contains("there twice"));
        assert!(refused("experiments = [\"a\"]\ngame = \"x\"").contains("game: unknown key"));
    }
}
