//! Reads and checks the kinds of values that files contain.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

use super::source::{At, Checked, SHOWN, allowed, fault, only, shown_plain};
use crate::words::{ParamEntry, Params, Value};

/// Maximum number of samples per cell, and of positions per sample.
pub const MOST_SAMPLES: u64 = 1_000_000;
/// Maximum number of untimed samples. A worker sends them in one answer, whose length is limited.
pub(super) const MOST_WARMUP: u64 = 1_000;
/// Maximum number of passes. With more passes, starting the workers would take longer than the samples.
pub const MOST_PASSES: u64 = 100;

/// Defines readers for `deserialize_with`: name, type, description of the allowed values, and check.
macro_rules! kinds {
    ($($name:ident: $type:ty = $must:expr, $read:expr;)*) => {
        $(pub(super) fn $name<'de, D: Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
            let read: fn(&toml::Value) -> Option<$type> = $read;
            let value = toml::Value::deserialize(from)?;
            read(&value).ok_or_else(|| D::Error::custom($must))
        })*
    };
}

kinds! {
    line: String = "text in quotes without control characters", |value| plain(value, &[]);
    prose: String = "text in quotes without control characters except tabs and line breaks",
        |value| plain(value, &['\n', '\r', '\t']);
    sentence: String = "a sentence", |value| {
        let words: Vec<&str> = value.as_str()?.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    };
    share: f64 = "a number above 0 and below 1",
        |value| value.as_float().filter(|share| *share > 0.0 && *share < 1.0);
    positions: Option<usize> = format!("a whole number from 1 to {MOST_SAMPLES}, or \"all\""),
        |value| match value.as_str() {
            Some("all") => Some(None),
            _ => whole_in(value, 1..=MOST_SAMPLES).map(Some),
        };
    time: Duration = DURATIONS_ALLOWED, |value| parse_duration(value.as_str()?).ok();
}

/// Parses a percentage from the command line: `2%`.
pub fn parse_percentage(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').and_then(|it| it.parse().ok());
    let share = percent.map(|percent: f64| percent / 100.0);
    let share = share.filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "must be above 0% and below 100%, such as 2%".to_owned())
}

/// Returns the trimmed text. Refuses control characters, because a terminal would interpret them.
fn plain(value: &toml::Value, controls: &[char]) -> Option<String> {
    let text = value.as_str()?.trim();
    let mut letters = text.chars();
    let is_plain = letters.all(|letter| !letter.is_control() || controls.contains(&letter));
    is_plain.then(|| text.to_owned())
}

pub(super) fn whole<'de, const LEAST: u64, const MOST: u64, D: Deserializer<'de>>(
    from: D,
) -> Result<usize, D::Error> {
    let must = || D::Error::custom(format!("a whole number from {LEAST} to {MOST}"));
    whole_in(&toml::Value::deserialize(from)?, LEAST..=MOST).ok_or_else(must)
}

fn whole_in(value: &toml::Value, range: RangeInclusive<u64>) -> Option<usize> {
    let number = u64::try_from(value.as_integer()?).ok()?;
    range.contains(&number).then_some(number as usize)
}

/// Reads a list of values. A single value counts as a list with one item.
pub(super) fn many<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let items = match toml::Value::deserialize(from)? {
        toml::Value::Array(items) => items,
        one => vec![one],
    };
    let read = |item| T::deserialize(item).map_err(|error: toml::de::Error| error.message().into());
    let read: Result<Vec<T>, String> = items.into_iter().map(read).collect();
    read.map_err(D::Error::custom)
}

/// Formats a value for an error, shortened and on one line.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::List(_) => "a list".to_owned(),
        plain => plain.to_string(),
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shown_plain(text))
}

pub(super) fn wrong<T>(value: &Value, must: &str) -> Checked<T> {
    fault(format!("must be {must}, not {}", shown(value)))
}

/// Converts an error from a catalogue check. Adds the value, unless the message begins with the key.
pub(super) fn will_not_do<T>(value: &Value, key: &str, problem: &str) -> Checked<T> {
    match problem.split_once(": ") {
        Some((own, rest)) if own == key => fault(rest),
        _ => fault(format!("{} is not allowed: {problem}", shown(value))),
    }
}

pub(super) fn text(value: &Value) -> Checked<&str> {
    let text = value.as_text();
    text.map_or_else(|| wrong(value, "text in quotes"), Ok)
}

pub(super) fn pick<N: AsRef<str>, T>(
    text: &str,
    all: impl IntoIterator<Item = (N, T)>,
) -> Checked<T> {
    let mut names = Vec::new();
    for (name, candidate) in all {
        if name.as_ref() == text {
            return Ok(candidate);
        }
        names.push(name.as_ref().to_owned());
    }
    let allowed = allowed(text, names);
    fault(format!("{} is not known; {allowed}", quoted(text)))
}

pub(super) fn one_of(text: &str, names: &[impl AsRef<str>]) -> Checked<String> {
    pick(text, names.iter().map(|name| (name, text.to_owned())))
}

/// Checks that a name is safe in file names, on command lines and in CSV.
pub(super) fn name(text: &str) -> Checked<String> {
    let must = "1 to 60 letters, digits, '-', '_' or '.', beginning with a letter or a digit";
    match is_name(text) && text.len() <= SHOWN {
        true => Ok(text.to_owned()),
        false => fault(format!("must be {must}, not {}", quoted(text))),
    }
}

/// Refuses duplicate items.
pub(super) fn once<T: PartialEq + fmt::Display>(items: &[T]) -> Checked<()> {
    for (place, item) in items.iter().enumerate() {
        if items[..place].contains(item) {
            return fault(format!("{} occurs twice", quoted(&item.to_string()))).at(place);
        }
    }
    Ok(())
}

/// Returns a list's items, or a single value as one item. Refuses empty lists, duplicates, and items that fail `check`.
pub(super) fn each(
    value: &Value,
    mut check: impl FnMut(&Value) -> Checked<()>,
) -> Checked<Vec<Value>> {
    let items = match value {
        Value::List(items) => items.clone(),
        one => vec![one.clone()],
    };
    if items.is_empty() {
        return fault("empty; give at least one value");
    }
    for (place, item) in items.iter().enumerate() {
        check(item).at(place)?;
    }
    once(&items)?;
    Ok(items)
}

/// Like [`once`], but also refuses texts that are not in `names`.
pub(super) fn known(items: &[String], names: &[impl AsRef<str>]) -> Checked<()> {
    for (place, item) in items.iter().enumerate() {
        one_of(item, names).at(place)?;
    }
    once(items)
}

/// Checks parameters against their entries. `keys` are the other allowed keys of the table.
pub(super) fn check_params(params: &Params, keys: &[&str], entries: &[ParamEntry]) -> Checked<()> {
    let names = keys.iter().copied().chain(entries.iter().map(|it| it.name));
    only(params.keys(), &names.collect::<Vec<_>>())?;
    let mut given = entries
        .iter()
        .filter_map(|it| Some((it, params.get(it.name)?)));
    given.try_for_each(|(entry, value)| {
        let checked = (entry.check)(value);
        checked.or_else(|why| will_not_do(value, entry.name, &why).at(entry.name))
    })
}

/// Returns true for a text of letters, digits and `-_.` that begins with a letter or a digit.
pub(super) fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(plain)
}

const DURATIONS: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(30 * 24 * 3600);

const DURATIONS_ALLOWED: &str = "a time from \"1ms\" to \"30days\", such as \"20s\" or \"5m\"";

/// Parses a time from an experiment file or `--budget`: `20s`, `5m`, `1h 30m`. The error lists the allowed forms.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text).ok();
    let duration = duration.filter(|duration| DURATIONS.contains(duration));
    duration.ok_or_else(|| format!("must be {DURATIONS_ALLOWED}"))
}
