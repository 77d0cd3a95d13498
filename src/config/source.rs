//! Deserializes TOML, and converts faults to errors with file, line, column and key.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::words::read_file;

/// Why an experiment file was refused, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read: `file: cannot be read: the system's error`.
    #[error("{0}")]
    Read(String),
    /// The content is wrong: `file:line:column: key: what is wrong; what is allowed`. The key includes its tables, as
    /// in `sampling.min-samples`. Lines and columns (in characters) are counted from 1.
    #[error("{0}")]
    At(String),
}

/// Lists the allowed words, and suggests the nearest one for a misspelt word. At most one letter, or a third of the
/// letters, may be missing, added, swapped or wrong.
pub fn allowed(word: &str, candidates: impl IntoIterator<Item = impl ToString>) -> String {
    let candidates = candidates.into_iter().map(|it| it.to_string());
    let candidates: Vec<String> = candidates.collect();
    if candidates.is_empty() {
        return "none are allowed here".to_owned();
    }
    let text = format!("allowed: {}", candidates.join(", "));
    let word = word.to_lowercase();
    let distance = |other: &String| strsim::damerau_levenshtein(&word, other);
    let mut near = candidates;
    near.retain(|other| distance(other) <= (other.chars().count() / 3).max(1));
    match near.into_iter().min_by_key(distance) {
        Some(near) => format!("{text}; did you mean {near}?"),
        None => text,
    }
}

/// Maximum number of characters in a name, and in a text that an error quotes.
pub(super) const SHOWN: usize = 60;

/// Shortens a text for an error, and escapes line breaks and unprintable characters.
pub(super) fn shown_plain(text: &str) -> String {
    let escaped = |character: char| match character {
        '"' | '\'' | '\\' => character.to_string(),
        _ => character.escape_debug().to_string(),
    };
    let mut short: String = text.chars().take(SHOWN).map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

/// A fault in a checked value, with the keys and list indices that lead to it, innermost first.
#[derive(Debug)]
pub(super) struct Fault {
    path: Vec<String>,
    /// Whether the innermost key itself is wrong, rather than its value.
    is_key: bool,
    problem: String,
}

pub(super) type Checked<T> = Result<T, Fault>;

/// Creates a fault in the current value. [`At::at`] adds the keys that lead to it.
pub(super) fn fault<T>(problem: impl Into<String>) -> Checked<T> {
    Err(Fault {
        path: Vec::new(),
        is_key: false,
        problem: problem.into(),
    })
}

/// Refuses keys that are not in `keys`. The error suggests the nearest allowed key.
pub(super) fn only(
    own: impl IntoIterator<Item = impl AsRef<str>>,
    keys: &[impl AsRef<str>],
) -> Checked<()> {
    let names = keys.iter().map(AsRef::as_ref);
    let is_unknown = |own: &str| names.clone().all(|key| key != own);
    match own.into_iter().find(|key| is_unknown(key.as_ref())) {
        None => Ok(()),
        Some(key) => Err(Fault {
            path: vec![key.as_ref().to_owned()],
            is_key: true,
            problem: format!("unknown key; {}", allowed(key.as_ref(), names)),
        }),
    }
}

pub(super) trait At {
    /// Adds the enclosing key or list index to the path.
    fn at(self, step: impl ToString) -> Self;
}

impl<T> At for Checked<T> {
    fn at(self, step: impl ToString) -> Self {
        self.map_err(|mut fault| {
            fault.path.push(step.to_string());
            fault
        })
    }
}

/// A TOML text, or one of its tables.
pub(super) struct Document<'t> {
    file: &'t str,
    text: &'t str,
    pub(super) root: Spanned<DeValue<'t>>,
    /// The table's name in errors; empty for a whole text.
    pub(super) path: String,
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str, file: &'t str) -> Result<Self, ConfigError> {
        let root = DeTable::parse(text).map_err(|error| {
            let place = place(file, text, error.span().map_or(0, |span| span.start));
            let message: Vec<&str> = error.message().lines().collect();
            ConfigError::At(format!("{place}: invalid TOML: {}", message.join("; ")))
        })?;
        Ok(Document {
            file,
            text,
            path: String::new(),
            root: Spanned::new(root.span(), DeValue::Table(root.into_inner())),
        })
    }

    /// Returns the tables in the list under a key.
    pub(super) fn parts(&self, key: &str) -> impl Iterator<Item = Document<'t>> {
        self.list(key).iter().map(|item| {
            let table = item.get_ref().as_table().cloned().unwrap_or_default();
            Document {
                root: Spanned::new(item.span(), DeValue::Table(table)),
                path: String::new(),
                ..*self
            }
        })
    }

    pub(super) fn raw<R: Deserialize<'t>>(&self) -> Result<R, ConfigError> {
        // Serde would accept lists in place of structs.
        for key in ["sampling", "budget"] {
            let value = self.get(key).map(Spanned::get_ref);
            if value.is_some_and(|value| !value.is_table()) {
                return self.checked(fault("must be a table").at(key));
            }
        }
        for key in ["table", "chart", "claim", "experiment"] {
            let mut items = self.list(key).iter();
            if let Some(place) = items.position(|it| !it.get_ref().is_table()) {
                return self.checked(fault("must be a table").at(place).at(key));
            }
        }
        let raw = R::deserialize(ValueDeserializer::from(self.root.clone()));
        raw.map_err(|error| self.refusal(&error))
    }

    pub(super) fn table(&self) -> DeTable<'t> {
        let table = self.root.get_ref().as_table();
        table.cloned().unwrap_or_default()
    }

    /// Returns the list under a key, or an empty slice if there is none.
    pub(super) fn list(&self, key: &str) -> &[Spanned<DeValue<'t>>] {
        let list = self.get(key).and_then(|list| list.get_ref().as_array());
        list.map_or(&[], |list| &list[..])
    }

    pub(super) fn get(&self, key: &str) -> Option<&Spanned<DeValue<'t>>> {
        self.root.get_ref().get(key)
    }

    pub(super) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.get_ref().as_str()
    }

    /// Converts an error from serde or from a reader in `kinds`.
    fn refusal(&self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or(self.root.span());
        let whole = error.to_string();
        let path = whole.trim_end().strip_suffix('`');
        let path = path.and_then(|it| it.rsplit_once("\nin `"));
        let path = path.map_or(String::new(), |(_, path)| shown_plain(path));
        let message = error.message();
        let (told, listed) = message
            .rsplit_once("`, expected ")
            .unwrap_or((message.trim_end_matches('`'), ""));
        let listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
        let (key, problem) = match told.split_once(" `") {
            Some(("unknown field", key)) => {
                (key, format!("unknown key; {}", allowed(key, &listed)))
            }
            Some(("unknown variant", word)) => {
                let (word, allowed) = (shown_plain(word), allowed(word, &listed));
                ("", format!("\"{word}\" is not known; {allowed}"))
            }
            Some(("missing field", key)) => (key, "missing".to_owned()),
            Some(("duplicate field", key)) => (key, "occurs twice".to_owned()),
            _ => ("", self.mismatch(message, &span)),
        };
        self.error_at(span.start, vec![path, shown_plain(key)], &problem)
    }

    /// Describes a value of the wrong type, which it quotes from the text.
    fn mismatch(&self, message: &str, span: &Range<usize>) -> String {
        let huge = ["overflowed", "too large", "as i128", "as u128"];
        let must = message.rsplit_once(", expected ");
        let must = match must.map_or(message, |it| it.1) {
            "a map" => "a table".to_owned(),
            "a boolean" => "true or false".to_owned(),
            "a string" => "text in quotes".to_owned(),
            "a sequence" => "a list, such as [1, 2] or [[tables]]".to_owned(),
            "f64" => "a number".to_owned(),
            "u64" => format!("a whole number from 0 to {}", u64::MAX),
            _ if huge.iter().any(|it| message.contains(it)) => {
                format!("a whole number from {} to {}", i64::MIN, i64::MAX)
            }
            must => must.to_owned(),
        };
        let written = self.text.get(span.clone()).unwrap_or_default();
        format!("must be {must}, not {}", shown_plain(written))
    }

    pub(super) fn checked<T>(&self, checked: Checked<T>) -> Result<T, ConfigError> {
        checked.map_err(|fault| self.error(&fault))
    }

    fn error(&self, fault: &Fault) -> ConfigError {
        let (mut here, mut at) = (Some(&self.root), self.root.span());
        let mut names = Vec::new();
        for step in fault.path.iter().rev() {
            let value = here.map(Spanned::get_ref);
            match (value, step.parse::<usize>()) {
                (Some(DeValue::Array(items)), place) => {
                    here = place.ok().and_then(|place| items.get(place));
                }
                // A single value counts as a list with one item.
                (Some(value), Ok(_)) if !value.is_table() => {}
                (value, _) => {
                    let table = value.and_then(DeValue::as_table);
                    let found = table.and_then(|table| table.get_key_value(step.as_str()));
                    names.push(shown_plain(step));
                    at = found.map_or(at, |(key, _)| key.span());
                    here = found.map(|(_, value)| value);
                }
            }
            // If a key in the path is missing, the error points to the enclosing table.
            if let Some(value) = here.filter(|_| !fault.is_key) {
                at = value.span();
            }
        }
        self.error_at(at.start, names, &fault.problem)
    }

    fn error_at(&self, at: usize, mut names: Vec<String>, problem: &str) -> ConfigError {
        names.insert(0, self.path.clone());
        names.retain(|name| !name.is_empty());
        let colon = if names.is_empty() { "" } else { ": " };
        let place = place(self.file, self.text, at);
        ConfigError::At(format!("{place}: {}{colon}{problem}", names.join(".")))
    }

    /// Returns a value's location, as `file:line:column`.
    pub(super) fn place(&self, value: &Spanned<DeValue<'_>>) -> String {
        place(self.file, self.text, value.span().start)
    }
}

/// Returns the keys of a raw struct, taken from serde's error about an unknown key.
pub(super) fn keys_of<R: DeserializeOwned>() -> Vec<String> {
    let error = toml::from_str::<R>("\"\" = 0").err();
    let listed = error.map_or(String::new(), |error| error.message().to_owned());
    let listed = listed.split('`').skip(3).step_by(2);
    listed.map(str::to_owned).collect()
}

/// Returns the location of a byte in the text, as `file:line:column`.
fn place(file: &str, text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line_start..].chars().count() + 1;
    let line = before.matches('\n').count() + 1;
    format!("{file}:{line}:{column}")
}

/// Reads an experiment file.
pub fn read_text(path: &Path) -> Result<String, ConfigError> {
    let file = path.display().to_string();
    let failed = |error| ConfigError::Read(format!("{file}: cannot be read: {error}"));
    let bytes = read_file(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let place = place(&file, &text, text.len());
        ConfigError::At(format!("{place}: not text in UTF-8"))
    })
}
