//! From a text to raw structs, and from a fault to an error with file, line, column and key.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use super::error::{ConfigError, allowed};
use super::raw::{CHART_KEYS, TABLE_KEYS, Table, shown_plain};

/// A fault: its bytes in the text, the missing or too many key of the table there, and the problem.
#[derive(Debug)]
pub(super) struct Fault {
    span: Range<usize>,
    key: String,
    problem: String,
    /// The allowed keys, after an unknown one.
    keys: Option<Vec<String>>,
}

impl Fault {
    pub(super) fn new(span: Range<usize>, problem: impl Into<String>) -> Fault {
        Fault::at_key(span, "", problem)
    }

    /// A fault of a table's key that may be missing.
    pub(super) fn at_key(span: Range<usize>, key: &str, problem: impl Into<String>) -> Fault {
        Fault {
            span,
            key: key.to_owned(),
            problem: problem.into(),
            keys: None,
        }
    }

    /// An unknown key.
    pub(super) fn unknown(span: Range<usize>, key: &str, keys: &[impl AsRef<str>]) -> Fault {
        Fault {
            keys: Some(keys.iter().map(|key| key.as_ref().to_owned()).collect()),
            ..Fault::new(span, key)
        }
    }
}

/// Errors of serde, and those of checked values, which have their whole message.
impl From<toml::de::Error> for Fault {
    fn from(error: toml::de::Error) -> Fault {
        let (span, message) = (error.span().unwrap_or(0..0), error.message());
        if let Some(found) = message.strip_prefix("unknown field `") {
            let (key, keys) = found.rsplit_once("`, expected ").unwrap_or((found, ""));
            let keys: Vec<&str> = keys.split('`').skip(1).step_by(2).collect();
            return Fault::unknown(span, key, &keys);
        }
        if let Some(key) = message.strip_prefix("missing field `") {
            return Fault::at_key(span, key.trim_end_matches('`'), "missing");
        }
        let found = message.strip_prefix("invalid type: ");
        let Some((found, must)) = found.and_then(|it| it.rsplit_once(", expected ")) else {
            return Fault::new(span, message);
        };
        let found = match found {
            "map" => "a table",
            "sequence" => "a list",
            word => word.split_once(' ').map_or(word, |(_, value)| value),
        };
        let found = shown_plain(found.trim_matches('`'));
        Fault::new(span, format!("must be {must}, not {found}"))
    }
}

/// A text as TOML, or a table of it.
pub(super) struct Document<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
    pub(super) root: Spanned<DeTable<'t>>,
    /// The name of the table in errors; empty for a whole text.
    pub(super) path: String,
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str, file: &'t str) -> Result<Self, ConfigError> {
        let root = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let message: Vec<&str> = error.message().lines().collect();
            let problem = format!("not TOML: {}", message.join("; "));
            ConfigError::At(format!("{}: {problem}", place(file, text, at)))
        })?;
        let whole = Document {
            file,
            text,
            path: String::new(),
            root,
        };
        let must = "must be text, a number, true, false, a list or a table, not a date";
        match whole.root.get_ref().values().find_map(date) {
            Some(span) => Err(whole.error(Fault::new(span, must))),
            None => Ok(whole),
        }
    }

    /// A table of the text, under a name of its own.
    pub(super) fn part(&self, root: Spanned<DeTable<'t>>, path: &str) -> Document<'t> {
        Document {
            root,
            path: path.to_owned(),
            ..*self
        }
    }

    /// The raw form.
    pub(super) fn raw<R: Deserialize<'t>>(&self) -> Result<Table<R>, ConfigError> {
        let raw = Table::deserialize(Deserializer::from(self.root.clone()));
        raw.map_err(|error| self.error(error.into()))
    }

    pub(super) fn get(&self, key: &str) -> Option<&Spanned<DeValue<'t>>> {
        self.root.get_ref().get(key)
    }

    pub(super) fn error(&self, fault: Fault) -> ConfigError {
        let is_root = fault.span == self.root.span();
        let path = path(self.root.get_ref(), &fault.span).filter(|_| !is_root);
        let mut names = vec![self.path.clone(), path.unwrap_or_default(), fault.key];
        names.retain(|name| !name.is_empty());
        let path = names.join(".");
        let mut problem = fault.problem;
        if let Some(mut keys) = fault.keys {
            // Tables and charts have one raw struct.
            match path.split_once('.') {
                Some(("table", _)) => keys.retain(|key| !CHART_KEYS.contains(&key.as_str())),
                Some(("chart", _)) => keys.retain(|key| !TABLE_KEYS.contains(&key.as_str())),
                _ => {}
            }
            problem = format!("unknown key; {}", allowed(&problem, &keys));
        }
        // Serde does not tell which key has the list.
        problem = problem.replace("be a sequence", &format!("be a list of tables, [[{path}]]"));
        let key = if path.is_empty() { path } else { path + ": " };
        let place = place(self.file, self.text, fault.span.start);
        ConfigError::At(format!("{place}: {key}{problem}"))
    }
}

/// `file:line:column` of a byte of the text.
pub(super) fn place(file: &str, text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line_start..].chars().count() + 1;
    let line = before.matches('\n').count() + 1;
    format!("{file}:{line}:{column}")
}

/// The keys that lead to a key or a value.
fn path(table: &DeTable<'_>, span: &Range<usize>) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let name = shown_plain(key.get_ref());
        if [key.span(), value.span()].contains(span) {
            return Some(name);
        }
        match below(value, span)? {
            rest if rest.is_empty() => Some(name),
            rest => Some(format!("{name}.{rest}")),
        }
    })
}

fn below(value: &Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<String> {
    match value.get_ref() {
        _ if value.span() == *span => Some(String::new()),
        DeValue::Table(table) => path(table, span),
        DeValue::Array(items) => items.iter().find_map(|item| below(item, span)),
        _ => None,
    }
}

fn date(value: &Spanned<DeValue<'_>>) -> Option<Range<usize>> {
    match value.get_ref() {
        DeValue::Datetime(_) => Some(value.span()),
        DeValue::Table(table) => table.values().find_map(date),
        DeValue::Array(items) => items.iter().find_map(date),
        _ => None,
    }
}
