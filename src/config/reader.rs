//! Parsed TOML with places: every key and value knows its position, for errors.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::duration::{DURATIONS_ALLOWED, parse_duration};
use super::error::{Complaint, ConfigError, allowed};
use crate::words::{ParamEntry, Params, Value};

const SHOWN: usize = 60;

/// True for letters, digits and `-_.`, beginning with a letter or a digit.
pub(super) fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(plain)
}

#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
}

impl Source<'_> {
    /// An error at a byte of the text.
    pub(super) fn error(&self, at: usize, key: &str, problem: impl Into<String>) -> ConfigError {
        let (line, column) = self.place(at);
        ConfigError::At(Box::new(Complaint {
            file: self.file.to_owned(),
            line,
            column,
            key: key.to_owned(),
            problem: problem.into(),
        }))
    }

    fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before[line_start..].chars().count() + 1;
        (before.matches('\n').count() + 1, column)
    }
}

#[derive(Clone)]
pub(super) struct Table<'t> {
    source: Source<'t>,
    path: String,
    at: usize,
    table: &'t DeTable<'t>,
}

#[derive(Clone)]
pub(super) struct Item<'t> {
    source: Source<'t>,
    path: String,
    at: usize,
    value: &'t DeValue<'t>,
}

impl<'t> Table<'t> {
    pub(super) fn root(source: Source<'t>, table: &'t DeTable<'t>) -> Self {
        Self {
            source,
            path: String::new(),
            at: 0,
            table,
        }
    }

    pub(super) fn content(&self) -> &'t DeTable<'t> {
        self.table
    }

    /// Other content at the same place, with top-level keys.
    pub(super) fn with_content<'c>(&self, table: &'c DeTable<'c>) -> Table<'c>
    where
        't: 'c,
    {
        Table {
            source: self.source,
            path: String::new(),
            at: self.at,
            table,
        }
    }

    /// Refuses unlisted keys, and names the nearest listed one.
    pub(super) fn only(&self, keys: &[&str]) -> Result<(), ConfigError> {
        let mut unknown: Vec<_> = self
            .table
            .keys()
            .filter(|key| !keys.contains(&key.get_ref().as_ref()))
            .collect();
        unknown.sort_by_key(|key| key.span().start);
        match unknown.first() {
            None => Ok(()),
            Some(key) => {
                let name = key.get_ref();
                let problem = format!("unknown key; {}", allowed(name, keys));
                Err(self
                    .source
                    .error(key.span().start, &self.joined(name), problem))
            }
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Item<'t>> {
        self.table
            .iter()
            .find(|(name, _)| name.get_ref() == key)
            .map(|(_, value)| self.item(key, value))
    }

    pub(super) fn need(&self, key: &str) -> Result<Item<'t>, ConfigError> {
        self.get(key)
            .ok_or_else(|| self.error_at_key(key, "missing"))
    }

    pub(super) fn entries(&self) -> Vec<(&'t str, Item<'t>)> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>)| {
            let name: &'t str = key.get_ref();
            (name, self.item(name, value))
        };
        entries.into_iter().map(entry).collect()
    }

    /// Another name of the table in errors, to tell several apart.
    pub(super) fn called(self, path: String) -> Self {
        Self { path, ..self }
    }

    pub(super) fn error_at_key(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        self.source.error(self.at, &self.joined(key), problem)
    }

    pub(super) fn error(&self, problem: impl Into<String>) -> ConfigError {
        self.source.error(self.at, &self.path, problem)
    }

    fn item(&self, key: &str, value: &'t Spanned<DeValue<'t>>) -> Item<'t> {
        Item {
            source: self.source,
            path: self.joined(key),
            at: value.span().start,
            value: value.get_ref(),
        }
    }

    /// A key in errors. A quoted key may hold anything; errors are one line.
    fn joined(&self, key: &str) -> String {
        let key = shown_plain(key);
        if self.path.is_empty() {
            key
        } else {
            format!("{}.{key}", self.path)
        }
    }
}

impl<'t> Item<'t> {
    pub(super) fn error(&self, problem: impl Into<String>) -> ConfigError {
        self.source.error(self.at, &self.path, problem)
    }

    pub(super) fn place(&self) -> String {
        let (line, column) = self.source.place(self.at);
        format!("{}:{line}:{column}", self.source.file)
    }

    /// `must be …, not …`.
    pub(super) fn wrong(&self, must: &str) -> ConfigError {
        self.error(format!("must be {must}, not {}", shown(self.value)))
    }

    /// An error of a catalogue check. A message without the key lists only the allowed values.
    pub(super) fn will_not_do(&self, problem: &str) -> ConfigError {
        let key = self.path.rsplit('.').next().unwrap_or_default();
        match problem
            .strip_prefix(key)
            .and_then(|rest| rest.strip_prefix(": "))
        {
            Some(rest) => self.error(rest),
            None => self.error(format!("{} will not do: {problem}", shown(self.value))),
        }
    }

    pub(super) fn text(&self) -> Result<&'t str, ConfigError> {
        self.value
            .as_str()
            .ok_or_else(|| self.wrong("text in quotes"))
    }

    pub(super) fn one_of(&self, names: &[&str]) -> Result<&'t str, ConfigError> {
        let text = self.text()?;
        if names.contains(&text) {
            return Ok(text);
        }
        Err(self.error(format!(
            "{} is not known; {}",
            shown(self.value),
            allowed(text, names)
        )))
    }

    /// A name for files, command lines and CSV: letters, digits and `-_.`, beginning with a letter or a digit.
    pub(super) fn name(&self) -> Result<&'t str, ConfigError> {
        let text = self.text()?;
        if is_name(text) && text.len() <= SHOWN {
            return Ok(text);
        }
        Err(self.wrong(&format!(
            "1 to {SHOWN} letters, digits, '-', '_' or '.', the first a letter or a digit"
        )))
    }

    pub(super) fn flag(&self) -> Result<bool, ConfigError> {
        self.value
            .as_bool()
            .ok_or_else(|| self.wrong("true or false"))
    }

    pub(super) fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, ConfigError> {
        self.value
            .as_integer()
            .and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                self.wrong(&format!(
                    "a whole number from {} to {}",
                    range.start(),
                    range.end()
                ))
            })
    }

    /// More than 0 and less than 1.
    pub(super) fn share(&self) -> Result<f64, ConfigError> {
        self.value
            .as_float()
            .and_then(|number| number.as_str().parse::<f64>().ok())
            .filter(|number| *number > 0.0 && *number < 1.0)
            .ok_or_else(|| self.wrong("a number more than 0 and less than 1"))
    }

    pub(super) fn number(&self) -> Result<f64, ConfigError> {
        let whole = self.value.as_integer().and_then(|number| {
            let whole = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            Some(whole as f64)
        });
        let float = || self.value.as_float()?.as_str().parse::<f64>().ok();
        whole
            .or_else(float)
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.wrong("a number"))
    }

    pub(super) fn duration(&self) -> Result<Duration, ConfigError> {
        let text = self.value.as_str().unwrap_or_default();
        parse_duration(text).map_err(|_| self.wrong(DURATIONS_ALLOWED))
    }

    pub(super) fn table(&self) -> Result<Table<'t>, ConfigError> {
        let table = self.value.as_table().ok_or_else(|| self.wrong("a table"))?;
        Ok(Table {
            source: self.source,
            path: self.path.clone(),
            at: self.at,
            table,
        })
    }

    pub(super) fn list(&self) -> Result<Vec<Item<'t>>, ConfigError> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        Ok(list
            .iter()
            .map(|item| Item {
                at: item.span().start,
                value: item.get_ref(),
                ..self.clone()
            })
            .collect())
    }

    /// A list, or a single value.
    pub(super) fn list_or_one(&self) -> Result<Vec<Item<'t>>, ConfigError> {
        if self.value.is_array() {
            self.list()
        } else {
            Ok(vec![self.clone()])
        }
    }

    pub(super) fn tables(&self) -> Result<Vec<Table<'t>>, ConfigError> {
        if !self.value.is_array() {
            return Err(self.wrong(&format!("a list of tables, [[{}]]", self.path)));
        }
        self.list()?.iter().map(Item::table).collect()
    }

    pub(super) fn value(&self) -> Result<Value, ConfigError> {
        let whole = |text: &str, radix| i64::from_str_radix(text, radix).ok();
        match self.value {
            DeValue::Boolean(flag) => Ok(Value::Flag(*flag)),
            DeValue::String(text) => Ok(Value::Text(text.clone().into_owned())),
            DeValue::Integer(number) => whole(number.as_str(), number.radix())
                .map(Value::Int)
                .ok_or_else(|| {
                    self.wrong(&format!("a whole number from {} to {}", i64::MIN, i64::MAX))
                }),
            DeValue::Array(_) => {
                let items = self.list()?;
                Ok(Value::List(
                    items.iter().map(Item::value).collect::<Result<_, _>>()?,
                ))
            }
            _ => Err(self.wrong("text, a whole number, true, false or a list of these")),
        }
    }
}

/// A value in errors: on one line and not too long.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{}\"", shown_plain(text)),
        DeValue::Integer(number) => shown_plain(&number.to_string()),
        DeValue::Float(number) => shown_plain(&number.to_string()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Text in errors, with line breaks and unprintable characters escaped.
pub(super) fn shown_plain(text: &str) -> String {
    let mut short = String::new();
    for character in text.chars().take(SHOWN) {
        if matches!(character, '"' | '\'' | '\\') {
            short.push(character);
        } else {
            short.extend(character.escape_debug());
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

/// One trimmed line, or the default. Refuses control characters, which a terminal would obey.
pub(super) fn line_or(item: Option<Item<'_>>, default: &str) -> Result<String, ConfigError> {
    plain_or(item, default, &[])
}

/// [`line_or`] for several lines.
pub(super) fn text_or(item: Option<Item<'_>>, default: &str) -> Result<String, ConfigError> {
    plain_or(item, default, &['\n', '\r', '\t'])
}

fn plain_or(
    item: Option<Item<'_>>,
    default: &str,
    controls: &[char],
) -> Result<String, ConfigError> {
    let Some(item) = item else {
        return Ok(default.to_owned());
    };
    let text = item.text()?.trim();
    let wrong = |letter: &char| letter.is_control() && !controls.contains(letter);
    match text.chars().find(wrong) {
        None => Ok(text.to_owned()),
        Some(letter) => {
            let letter = letter.escape_unicode();
            Err(item.wrong(&format!("text without the control character {letter}")))
        }
    }
}

/// Reads the parameters of a table, each checked by its entry; the keys in `others` belong to another table.
pub(super) fn read_params(
    table: &Table<'_>,
    others: &[&str],
    entries: &[ParamEntry],
) -> Result<Params, ConfigError> {
    let names: Vec<&str> = others
        .iter()
        .copied()
        .chain(entries.iter().map(|entry| entry.name))
        .collect();
    table.only(&names)?;
    let mut params = Params::new();
    for entry in entries {
        let Some(item) = table.get(entry.name) else {
            continue;
        };
        let value = item.value()?;
        (entry.check)(&value).map_err(|problem| item.will_not_do(&problem))?;
        params.insert(entry.name.to_owned(), value);
    }
    Ok(params)
}
