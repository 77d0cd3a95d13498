//! Files as serde reads them: the keys of each table, and the kinds of their values.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::error::{SHOWN, allowed, shown_plain};
use super::source::{At, Checked, fault, only};
use crate::words::{ParamEntry, Params, Value};

const MOST_SAMPLES: u64 = 1_000_000;
/// Untimed samples come in one answer of a worker, which has a limited length.
const MOST_WARMUP: u64 = 1_000;
/// More passes add nothing, and their workers' starts cost more than their samples.
const MOST_PASSES: u64 = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExperiment {
    pub(super) name: Word,
    pub(super) title: Option<Line>,
    pub(super) paper: Option<Line>,
    pub(super) game: Word,
    pub(super) task: Word,
    pub(super) analysis: Option<Prose>,
    pub(super) seed: Option<u64>,
    pub(super) order: Option<Value>,
    #[serde(default)]
    pub(super) options: Params,
    pub(super) cases: Option<Vec<Params>>,
    #[serde(default)]
    pub(super) technique: Vec<RawTechnique>,
    pub(super) techniques: Option<Word>,
    #[serde(default)]
    pub(super) sampling: RawSampling,
    #[serde(default)]
    pub(super) budget: RawBudget,
    #[serde(default)]
    pub(super) table: Vec<RawView>,
    #[serde(default)]
    pub(super) chart: Vec<RawView>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawSampling {
    pub(super) min_samples: Option<Whole<1, MOST_SAMPLES>>,
    pub(super) max_samples: Option<Whole<1, MOST_SAMPLES>>,
    pub(super) target: Option<Share>,
    pub(super) warmup: Option<Whole<0, MOST_WARMUP>>,
    pub(super) passes: Option<Whole<1, MOST_PASSES>>,
    pub(super) positions: Option<Positions>,
    pub(super) min_positions: Option<Whole<1, MOST_SAMPLES>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawBudget {
    pub(super) cell: Option<Time>,
    pub(super) total: Option<Time>,
    pub(super) deadline: Option<Time>,
}

/// A technique: its own keys, and parameters that the catalogue lists.
#[derive(Default)]
pub(super) struct RawTechnique {
    pub(super) only: Option<Params>,
    pub(super) sweep: Option<Params>,
    /// Its other keys and its parameters.
    pub(super) params: Params,
}

impl<'de> Deserialize<'de> for RawTechnique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = RawTechnique;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawTechnique, A::Error> {
                let mut raw = RawTechnique::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "only" => raw.only = Some(map.next_value()?),
                        "sweep" => raw.sweep = Some(map.next_value()?),
                        _ => drop(raw.params.insert(key, map.next_value()?)),
                    }
                }
                Ok(raw)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// A table or a chart.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawView {
    pub(super) id: Word,
    pub(super) title: Option<Line>,
    pub(super) quantity: Value,
    #[serde(default)]
    pub(super) fixed: Params,
    pub(super) techniques: Option<Value>,
    pub(super) baselines: Option<Value>,
    pub(super) published: Option<Value>,
    pub(super) published_baseline: Option<Word>,
    pub(super) analysis: Option<Prose>,
    pub(super) rows: Option<Value>,
    pub(super) columns: Option<Value>,
    pub(super) unit: Option<Value>,
    pub(super) x: Option<Word>,
    pub(super) series: Option<Value>,
    pub(super) log: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawClaims {
    pub(super) paper: Sentence,
    /// Each is read by itself, so that a mistake costs one claim.
    #[serde(rename = "claim")]
    _claim: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawClaim {
    pub(super) id: Word,
    pub(super) experiment: Word,
    pub(super) text: Sentence,
    pub(super) source: Sentence,
    pub(super) table: Option<Word>,
    pub(super) quantity: Option<Word>,
    pub(super) technique: Option<Word>,
    pub(super) baseline: Option<Word>,
    pub(super) cases: Option<Parts>,
    pub(super) test: Word,
    pub(super) note: Option<Prose>,
    pub(super) value: Option<Number>,
    pub(super) within: Option<Number>,
    pub(super) along: Option<Word>,
    pub(super) at: Option<Value>,
}

/// Partial cases of a claim.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a table of axes and values, or a list of these")]
pub(super) enum Parts {
    One(Params),
    Many(Vec<Params>),
}

/// A value in errors: on one line and not too long.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{}\"", shown_plain(text)),
        Value::List(_) => "a list".to_owned(),
        plain => plain.to_string(),
    }
}

/// `must be …, not …`.
pub(super) fn wrong<T>(value: &Value, must: &str) -> Checked<T> {
    fault(format!("must be {must}, not {}", shown(value)))
}

/// An error of a catalogue check. A message without the key lists only the allowed values.
pub(super) fn will_not_do<T>(value: &Value, key: &str, problem: &str) -> Checked<T> {
    match problem.split_once(": ") {
        Some((own, rest)) if own == key => fault(rest),
        _ => fault(format!("{} will not do: {problem}", shown(value))),
    }
}

pub(super) fn text(value: &Value) -> Checked<&str> {
    let text = value.as_text();
    text.map_or_else(|| wrong(value, "text in quotes"), Ok)
}

/// The candidate of that name.
pub(super) fn pick<N: AsRef<str>, T>(
    value: &Value,
    all: impl IntoIterator<Item = (N, T)>,
) -> Checked<T> {
    let text = text(value)?;
    let mut names = Vec::new();
    for (name, candidate) in all {
        if name.as_ref() == text {
            return Ok(candidate);
        }
        names.push(name);
    }
    let (shown, allowed) = (shown(value), allowed(text, &names));
    fault(format!("{shown} is not known; {allowed}"))
}

pub(super) fn one_of(value: &Value, names: &[impl AsRef<str>]) -> Checked<String> {
    pick(value, names.iter().map(|name| (name, ())))?;
    text(value).map(str::to_owned)
}

/// A name for files, command lines and CSV.
pub(super) fn name(value: &Value) -> Checked<String> {
    let must = "1 to 60 letters, digits, '-', '_' or '.', the first a letter or a digit";
    let name = value
        .as_text()
        .filter(|it| is_name(it) && it.len() <= SHOWN);
    name.map_or_else(|| wrong(value, must), |name| Ok(name.to_owned()))
}

/// Each of a list, or the single value, once; not empty. `remedy` is for the error.
pub(super) fn each<T: PartialEq>(
    value: &Value,
    remedy: &str,
    mut read: impl FnMut(&Value) -> Checked<T>,
) -> Checked<Vec<T>> {
    let Value::List(items) = value else {
        return Ok(vec![read(value)?]);
    };
    let mut all = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let one = read(item).at(place)?;
        if all.contains(&one) {
            return fault(format!("{} is there twice", shown(item))).at(place);
        }
        all.push(one);
    }
    match all.is_empty() {
        true => fault(format!("empty; {remedy}")),
        false => Ok(all),
    }
}

/// Reads the parameters of a table, each checked by its entry; the keys in `others` are none.
pub(super) fn params(own: &Params, others: &[&str], entries: &[ParamEntry]) -> Checked<Params> {
    let mut keys = others.to_vec();
    keys.extend(entries.iter().map(|entry| entry.name));
    only(own.keys(), &keys)?;
    let mut params = own.clone();
    params.retain(|key, _| !others.contains(&key.as_str()));
    for ParamEntry { name, check, .. } in entries {
        if let Some(value) = params.get(*name) {
            check(value).or_else(|problem| will_not_do(value, name, &problem).at(name))?;
        }
    }
    Ok(params)
}

/// A kind of value, and its check.
macro_rules! checked {
    ($(#[$doc:meta])* $name:ident($inner:ty), $must:expr, $read:expr) => {
        $(#[$doc])*
        #[derive(Deserialize)]
        #[serde(try_from = "toml::Value")]
        pub(super) struct $name(pub(super) $inner);

        impl TryFrom<toml::Value> for $name {
            type Error = String;

            fn try_from(value: toml::Value) -> Result<Self, String> {
                let read: fn(&toml::Value) -> Option<$inner> = $read;
                read(&value).map($name).ok_or_else(|| $must.to_string())
            }
        }
    };
}

/// Trimmed text. A terminal would obey control characters.
fn plain(value: &toml::Value, controls: &[char]) -> Option<String> {
    let text = value.as_str()?.trim();
    let mut letters = text.chars();
    let is_plain = letters.all(|letter| !letter.is_control() || controls.contains(&letter));
    is_plain.then(|| text.to_owned())
}

checked!(
    Line(String),
    "text in quotes without control characters",
    |value| plain(value, &[])
);
checked!(
    Prose(String),
    "text in quotes without control characters but tabs and line breaks",
    |value| plain(value, &['\n', '\r', '\t'])
);
checked!(Word(Value), "text in quotes", |value| {
    value.as_str().map(|text| Value::Text(text.to_owned()))
});
checked!(Sentence(String), "a sentence", |value| {
    let words: Vec<&str> = value.as_str()?.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
});
checked!(Number(f64), "a number", |value| {
    let whole = value.as_integer().map(|whole| whole as f64);
    let number = whole.or(value.as_float());
    number.filter(|number| number.is_finite())
});
checked!(
    Share(f64),
    "a number more than 0 and less than 1",
    |value| {
        let share = value.as_float();
        share.filter(|share| *share > 0.0 && *share < 1.0)
    }
);
checked!(
    /// The most positions; `None`: all.
    Positions(Option<usize>),
    format!("a whole number from 1 to {MOST_SAMPLES}, or \"all\""),
    |value| match value.as_str() {
        Some("all") => Some(None),
        _ => Whole::<1, MOST_SAMPLES>::of(value).map(Some),
    }
);
checked!(Time(Duration), DURATIONS_ALLOWED, |value| {
    parse_duration(value.as_str()?).ok()
});

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "toml::Value")]
pub(super) struct Whole<const LEAST: u64, const MOST: u64>(pub(super) usize);

impl<const LEAST: u64, const MOST: u64> Whole<LEAST, MOST> {
    fn of(value: &toml::Value) -> Option<usize> {
        let number = u64::try_from(value.as_integer()?).ok()?;
        (LEAST..=MOST).contains(&number).then_some(number as usize)
    }
}

impl<const LEAST: u64, const MOST: u64> TryFrom<toml::Value> for Whole<LEAST, MOST> {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let must = || format!("a whole number from {LEAST} to {MOST}");
        Self::of(&value).map(Whole).ok_or_else(must)
    }
}

/// True for letters, digits and `-_.`, beginning with a letter or a digit.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(plain)
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
