//! Parsed TOML with places: every key and value knows its position, for errors.

use std::ops::RangeInclusive;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, allowed};
use crate::words::{ParamEntry, Params, Value};

const SHOWN: usize = 60;

/// True for letters, digits and `-_.`, beginning with a letter or a digit.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(plain)
}

#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
}

impl Source<'_> {
    /// An error at a byte of the text. `key` is empty if the file is no TOML.
    pub(super) fn error(&self, at: usize, key: &str, problem: impl Into<String>) -> ConfigError {
        let (place, problem) = (self.place(at), problem.into());
        ConfigError::At(match key {
            "" => format!("{place}: {problem}"),
            key => format!("{place}: {key}: {problem}"),
        })
    }

    /// `file:line:column` of a byte of the text.
    fn place(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = before[line_start..].chars().count() + 1;
        let line = before.matches('\n').count() + 1;
        format!("{}:{line}:{column}", self.file)
    }
}

/// A part of a file: its value, its key with its tables, and its place, a byte of the text.
#[derive(Clone)]
pub(super) struct Node<'t, V> {
    source: Source<'t>,
    path: String,
    at: usize,
    value: &'t V,
}

pub(super) type Table<'t> = Node<'t, DeTable<'t>>;
pub(super) type Item<'t> = Node<'t, DeValue<'t>>;

impl<'t, V> Node<'t, V> {
    pub(super) fn error(&self, problem: impl Into<String>) -> ConfigError {
        self.source.error(self.at, &self.path, problem)
    }

    /// Another value at the same place.
    fn with<W>(&self, value: &'t W) -> Node<'t, W> {
        Node {
            source: self.source,
            path: self.path.clone(),
            at: self.at,
            value,
        }
    }
}

impl<'t> Table<'t> {
    pub(super) fn root(source: Source<'t>, value: &'t DeTable<'t>) -> Self {
        Node {
            source,
            path: String::new(),
            at: 0,
            value,
        }
    }

    pub(super) fn content(&self) -> &'t DeTable<'t> {
        self.value
    }

    /// Other content at the same place, with top-level keys.
    pub(super) fn with_content<'c>(&self, content: &'c DeTable<'c>) -> Table<'c>
    where
        't: 'c,
    {
        Node {
            at: self.at,
            ..Table::root(self.source, content)
        }
    }

    /// Refuses unlisted keys, and names the nearest listed one.
    pub(super) fn only(&self, keys: &[impl AsRef<str>]) -> Result<(), ConfigError> {
        let is_known = |name: &str| keys.iter().any(|key| key.as_ref() == name);
        let unknown = self.value.keys().filter(|key| !is_known(key.get_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else {
            return Ok(());
        };
        let name = key.get_ref();
        let problem = format!("unknown key; {}", allowed(name, keys));
        let path = self.joined(name);
        Err(self.source.error(key.span().start, &path, problem))
    }

    pub(super) fn get(&self, key: &str) -> Option<Item<'t>> {
        self.value.get(key).map(|value| self.item(key, value))
    }

    /// Reads a key's value; `None` without the key.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Item<'t>) -> Result<T, ConfigError>,
    ) -> Result<Option<T>, ConfigError> {
        self.get(key).as_ref().map(read).transpose()
    }

    pub(super) fn need(&self, key: &str) -> Result<Item<'t>, ConfigError> {
        self.get(key)
            .ok_or_else(|| self.error_at_key(key, "missing"))
    }

    /// A key's list of tables; empty without the key.
    pub(super) fn tables(&self, key: &str) -> Result<Vec<Table<'t>>, ConfigError> {
        Ok(self.read(key, Item::tables)?.unwrap_or_default())
    }

    /// A key's trimmed line, or the default. Refuses control characters, which a terminal would obey.
    pub(super) fn line_or(&self, key: &str, default: &str) -> Result<String, ConfigError> {
        let line = self.read(key, |item| item.plain(&[]))?;
        Ok(line.unwrap_or_else(|| default.to_owned()))
    }

    /// As [`Table::line_or`], of several lines; empty without the key.
    pub(super) fn text(&self, key: &str) -> Result<String, ConfigError> {
        let text = self.read(key, |item| item.plain(&['\n', '\r', '\t']))?;
        Ok(text.unwrap_or_default())
    }

    pub(super) fn entries(&self) -> Vec<(&'t str, Item<'t>)> {
        let mut entries: Vec<_> = self.value.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entries = entries.into_iter();
        let entries =
            entries.map(|(key, value)| (&**key.get_ref(), self.item(key.get_ref(), value)));
        entries.collect()
    }

    /// Another name of the table in errors, to tell several apart.
    pub(super) fn called(self, path: String) -> Self {
        Self { path, ..self }
    }

    pub(super) fn error_at_key(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        self.source.error(self.at, &self.joined(key), problem)
    }

    fn item(&self, key: &str, value: &'t Spanned<DeValue<'t>>) -> Item<'t> {
        Node {
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
    pub(super) fn place(&self) -> String {
        self.source.place(self.at)
    }

    /// `must be …, not …`.
    pub(super) fn wrong(&self, must: &str) -> ConfigError {
        self.error(format!("must be {must}, not {}", shown(self.value)))
    }

    /// An error of a catalogue check. A message without the key lists only the allowed values.
    pub(super) fn will_not_do(&self, problem: &str) -> ConfigError {
        let key = self.path.rsplit('.').next().unwrap_or_default();
        match problem.split_once(": ") {
            Some((own, rest)) if own == key => self.error(rest),
            _ => self.error(format!("{} will not do: {problem}", shown(self.value))),
        }
    }

    pub(super) fn text(&self) -> Result<&'t str, ConfigError> {
        self.value
            .as_str()
            .ok_or_else(|| self.wrong("text in quotes"))
    }

    pub(super) fn one_of(&self, names: &[impl AsRef<str>]) -> Result<&'t str, ConfigError> {
        let text = self.text()?;
        if names.iter().any(|name| name.as_ref() == text) {
            return Ok(text);
        }
        let (shown, allowed) = (shown(self.value), allowed(text, names));
        Err(self.error(format!("{shown} is not known; {allowed}")))
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
        let (least, most) = (range.start(), range.end());
        self.value
            .as_integer()
            .and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.wrong(&format!("a whole number from {least} to {most}")))
    }

    fn float(&self) -> Option<f64> {
        self.value.as_float()?.as_str().parse().ok()
    }

    /// More than 0 and less than 1.
    pub(super) fn share(&self) -> Result<f64, ConfigError> {
        self.float()
            .filter(|number| *number > 0.0 && *number < 1.0)
            .ok_or_else(|| self.wrong("a number more than 0 and less than 1"))
    }

    pub(super) fn number(&self) -> Result<f64, ConfigError> {
        let whole = self.value.as_integer();
        let whole = whole.and_then(|it| i64::from_str_radix(it.as_str(), it.radix()).ok());
        whole
            .map(|whole| whole as f64)
            .or_else(|| self.float())
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.wrong("a number"))
    }

    pub(super) fn duration(&self) -> Result<Duration, ConfigError> {
        let text = self.value.as_str().unwrap_or_default();
        parse_duration(text).map_err(|_| self.wrong(DURATIONS_ALLOWED))
    }

    pub(super) fn table(&self) -> Result<Table<'t>, ConfigError> {
        let table = self.value.as_table().ok_or_else(|| self.wrong("a table"))?;
        Ok(self.with(table))
    }

    pub(super) fn list(&self) -> Result<Vec<Item<'t>>, ConfigError> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let item = |item: &'t Spanned<DeValue<'t>>| Item {
            at: item.span().start,
            ..self.with(item.get_ref())
        };
        Ok(list.iter().map(item).collect())
    }

    /// A list, or a single value.
    pub(super) fn list_or_one(&self) -> Result<Vec<Item<'t>>, ConfigError> {
        if self.value.is_array() {
            self.list()
        } else {
            Ok(vec![self.clone()])
        }
    }

    /// [`Item::list_or_one`] that is not empty; `remedy` is for the error.
    pub(super) fn some(&self, remedy: &str) -> Result<Vec<Item<'t>>, ConfigError> {
        let items = self.list_or_one()?;
        match items.is_empty() {
            true => Err(self.error(format!("empty; {remedy}"))),
            false => Ok(items),
        }
    }

    pub(super) fn tables(&self) -> Result<Vec<Table<'t>>, ConfigError> {
        if !self.value.is_array() {
            return Err(self.wrong(&format!("a list of tables, [[{}]]", self.path)));
        }
        self.list()?.iter().map(Item::table).collect()
    }

    /// Trimmed text without control characters other than these.
    fn plain(&self, controls: &[char]) -> Result<String, ConfigError> {
        let text = self.text()?.trim();
        let wrong = |letter: &char| letter.is_control() && !controls.contains(letter);
        match text.chars().find(wrong) {
            None => Ok(text.to_owned()),
            Some(letter) => {
                let letter = letter.escape_unicode();
                Err(self.wrong(&format!("text without the control character {letter}")))
            }
        }
    }

    pub(super) fn value(&self) -> Result<Value, ConfigError> {
        match self.value {
            DeValue::Boolean(flag) => Ok(Value::Flag(*flag)),
            DeValue::String(text) => Ok(Value::Text(text.clone().into_owned())),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map(Value::Int)
                .map_err(|_| {
                    self.wrong(&format!("a whole number from {} to {}", i64::MIN, i64::MAX))
                }),
            DeValue::Array(_) => self.values().map(Value::List),
            _ => Err(self.wrong("text, a whole number, true, false or a list of these")),
        }
    }

    pub(super) fn values(&self) -> Result<Vec<Value>, ConfigError> {
        self.list()?.iter().map(Item::value).collect()
    }
}

const DURATIONS: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(30 * 24 * 3600);

const DURATIONS_ALLOWED: &str = "a time from \"1ms\" to \"30days\", such as \"20s\" or \"5m\"";

/// Parses a time of an experiment file or `--budget`: `20s`, `5m`, `1h 30m`. The error lists the allowed forms.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .ok()
        .filter(|duration| DURATIONS.contains(duration))
        .ok_or_else(|| format!("must be {DURATIONS_ALLOWED}"))
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

/// Reads the parameters of a table, each checked by its entry; the keys in `others` belong to another table.
pub(super) fn read_params(
    table: &Table<'_>,
    others: &[&str],
    entries: &[ParamEntry],
) -> Result<Params, ConfigError> {
    let own = entries.iter().map(|entry| entry.name);
    table.only(&others.iter().copied().chain(own).collect::<Vec<_>>())?;
    let mut params = Params::new();
    for entry in entries {
        if let Some(item) = table.get(entry.name) {
            let value = item.value()?;
            (entry.check)(&value).map_err(|problem| item.will_not_do(&problem))?;
            params.insert(entry.name.to_owned(), value);
        }
    }
    Ok(params)
}
