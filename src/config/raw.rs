//! Files as serde reads them: the keys of each table, the kinds of their values, and all with their places.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range, RangeInclusive};
use std::time::Duration;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::error::allowed;
use super::source::Fault;
use crate::words::{ParamEntry, Params, Value};

const MOST_SAMPLES: u64 = 1_000_000;
/// Untimed samples come in one answer of a worker, which has a limited length.
const MOST_WARMUP: u64 = 1_000;
/// More passes add nothing, and their workers' starts cost more than their samples.
const MOST_PASSES: u64 = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExperiment {
    pub(super) name: Name,
    pub(super) title: Option<Line>,
    #[serde(default)]
    pub(super) paper: Line,
    pub(super) game: Item,
    pub(super) task: Item,
    #[serde(default)]
    pub(super) analysis: Prose,
    pub(super) seed: Option<Whole<0, { u64::MAX }>>,
    pub(super) order: Option<Item>,
    pub(super) options: Option<Open>,
    pub(super) cases: Spanned<Vec<Open>>,
    #[serde(default)]
    pub(super) technique: Vec<Open>,
    pub(super) techniques: Option<Item>,
    pub(super) sampling: Option<Table<RawSampling>>,
    pub(super) budget: Option<Table<RawBudget>>,
    #[serde(default)]
    pub(super) table: Vec<Table<RawView>>,
    #[serde(default)]
    pub(super) chart: Vec<Table<RawView>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawSampling {
    pub(super) min_samples: Option<Whole<1, MOST_SAMPLES>>,
    pub(super) max_samples: Option<Spanned<Whole<1, MOST_SAMPLES>>>,
    pub(super) target: Option<Share>,
    pub(super) warmup: Option<Whole<0, MOST_WARMUP>>,
    pub(super) passes: Option<Whole<1, MOST_PASSES>>,
    pub(super) positions: Option<Positions>,
    pub(super) min_positions: Option<Spanned<Whole<1, MOST_SAMPLES>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBudget {
    pub(super) cell: Option<Time>,
    pub(super) total: Option<Time>,
    pub(super) deadline: Option<Spanned<Time>>,
}

/// A table or a chart.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawView {
    pub(super) id: Spanned<Name>,
    pub(super) title: Option<Line>,
    pub(super) quantity: Item,
    pub(super) fixed: Option<Item>,
    pub(super) techniques: Option<Item>,
    pub(super) baselines: Option<Item>,
    pub(super) published: Option<Item>,
    pub(super) published_baseline: Option<Item>,
    #[serde(default)]
    pub(super) analysis: Prose,
    pub(super) rows: Option<Item>,
    pub(super) columns: Option<Item>,
    pub(super) unit: Option<Item>,
    pub(super) x: Option<Item>,
    pub(super) series: Option<Item>,
    pub(super) log: Option<Item>,
}

/// The keys that tables and charts do not share.
pub(super) const TABLE_KEYS: [&str; 3] = ["rows", "columns", "unit"];
pub(super) const CHART_KEYS: [&str; 3] = ["x", "series", "log"];

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
    pub(super) id: Item,
    pub(super) experiment: Name,
    pub(super) text: Sentence,
    pub(super) source: Sentence,
    pub(super) table: Option<Item>,
    pub(super) quantity: Item,
    pub(super) technique: Option<Item>,
    pub(super) baseline: Option<Item>,
    pub(super) cases: Option<Item>,
    pub(super) test: Item,
    pub(super) value: Option<Item>,
    pub(super) within: Option<Item>,
    pub(super) along: Option<Item>,
    pub(super) at: Option<Item>,
    #[serde(default)]
    pub(super) note: Prose,
}

/// A table with its place. Serde alone would take a list for a struct.
pub(super) struct Table<T> {
    pub(super) span: Range<usize>,
    raw: T,
}

impl<T> Table<T> {
    /// A fault of the table.
    pub(super) fn error(&self, problem: impl Into<String>) -> Fault {
        self.error_at("", problem)
    }

    /// A fault of a key that may be missing.
    pub(super) fn error_at(&self, key: &str, problem: impl Into<String>) -> Fault {
        Fault::at_key(self.span.clone(), key, problem)
    }

    pub(super) fn missing(&self, key: &str) -> Fault {
        self.error_at(key, "missing")
    }

    /// The value of one of its keys.
    pub(super) fn need<'i>(&self, key: &str, item: &'i Option<Item>) -> Result<&'i Item, Fault> {
        item.as_ref().ok_or_else(|| self.missing(key))
    }
}

/// A table whose keys a catalogue lists.
pub(super) type Open = Table<Keys>;
pub(super) type Keys = BTreeMap<Spanned<String>, Item>;

impl<T> Deref for Table<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.raw
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = Spanned::<Keyed<T>>::deserialize(deserializer)?;
        let span = table.span();
        let raw = table.into_inner().0;
        Ok(Table { span, raw })
    }
}

struct Keyed<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Keyed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Map<T> {
            type Value = Keyed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Keyed<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Keyed)
            }
        }
        deserializer.deserialize_map(Map(PhantomData))
    }
}

/// Refuses unlisted keys, and names the nearest listed one.
pub(super) fn only(table: &Keys, keys: &[impl AsRef<str>]) -> Result<(), Fault> {
    let is_known = |name: &str| keys.iter().any(|key| key.as_ref() == name);
    let unknown = table.keys().filter(|key| !is_known(key.get_ref()));
    match unknown.min_by_key(|key| key.span().start) {
        Some(key) => Err(Fault::unknown(key.span(), key.get_ref(), keys)),
        None => Ok(()),
    }
}

/// Reads the parameters of a table, each checked by its entry; the keys in `others` are none.
pub(super) fn params(
    table: &Keys,
    others: &[&str],
    entries: &[ParamEntry],
) -> Result<Params, Fault> {
    let own = entries.iter().map(|entry| entry.name);
    only(
        table,
        &others.iter().copied().chain(own).collect::<Vec<_>>(),
    )?;
    let mut params = Params::new();
    for entry in entries {
        if let Some(item) = table.get(entry.name) {
            let value = item.value()?;
            (entry.check)(&value).map_err(|problem| item.will_not_do(entry.name, &problem))?;
            params.insert(entry.name.to_owned(), value);
        }
    }
    Ok(params)
}

/// Any value, with its place.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Spanned<Node>")]
pub(super) struct Item {
    pub(super) span: Range<usize>,
    node: Node,
}

impl From<Spanned<Node>> for Item {
    fn from(node: Spanned<Node>) -> Item {
        Item {
            span: node.span(),
            node: node.into_inner(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Flag(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Item>),
    Table(Keys),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode)
    }
}

struct AnyNode;

impl<'de> Visitor<'de> for AnyNode {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Int(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Int(number.into()))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Node, E> {
        Ok(Node::Int(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Float(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Node, A::Error> {
        Keys::deserialize(MapAccessDeserializer::new(map)).map(Node::Table)
    }
}

/// A value in errors: on one line and not too long.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Flag(flag) => flag.fmt(f),
            Node::Int(number) => number.fmt(f),
            Node::Float(number) => toml::Value::Float(*number).fmt(f),
            Node::Text(text) => write!(f, "\"{}\"", shown_plain(text)),
            Node::List(_) => f.write_str("a list"),
            Node::Table(_) => f.write_str("a table"),
        }
    }
}

/// Characters of a name, and of a text in errors.
const SHOWN: usize = 60;

/// Text in errors, with line breaks and unprintable characters escaped.
pub(super) fn shown_plain(text: &str) -> String {
    let mut short = String::new();
    for character in text.chars().take(SHOWN) {
        match character {
            '"' | '\'' | '\\' => short.push(character),
            _ => short.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

impl Item {
    pub(super) fn error(&self, problem: impl Into<String>) -> Fault {
        Fault::new(self.span.clone(), problem)
    }

    /// `must be …, not …`.
    pub(super) fn wrong(&self, must: &str) -> Fault {
        self.error(self.node.wrong(must))
    }

    /// An error of a catalogue check. A message without the key lists only the allowed values.
    pub(super) fn will_not_do(&self, key: &str, problem: &str) -> Fault {
        match problem.split_once(": ") {
            Some((own, rest)) if own == key => self.error(rest),
            _ => self.error(format!("{} will not do: {problem}", self.node)),
        }
    }

    /// A checked value.
    pub(super) fn read<T: TryFrom<Node, Error = String>>(&self) -> Result<T, Fault> {
        T::try_from(self.node.clone()).map_err(|problem| self.error(problem))
    }

    pub(super) fn text(&self) -> Result<&str, Fault> {
        self.node.text().map_err(|problem| self.error(problem))
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.node.text() == Ok(word)
    }

    /// The candidate of that name.
    pub(super) fn pick<N: AsRef<str>, T>(
        &self,
        all: impl IntoIterator<Item = (N, T)>,
    ) -> Result<T, Fault> {
        let text = self.text()?;
        let mut names = Vec::new();
        for (name, candidate) in all {
            if name.as_ref() == text {
                return Ok(candidate);
            }
            names.push(name);
        }
        let allowed = allowed(text, &names);
        Err(self.error(format!("{} is not known; {allowed}", self.node)))
    }

    pub(super) fn one_of(&self, names: &[impl AsRef<str>]) -> Result<&str, Fault> {
        self.pick(names.iter().map(|name| (name, ())))?;
        self.text()
    }

    pub(super) fn table(&self) -> Result<&Keys, Fault> {
        match &self.node {
            Node::Table(table) => Ok(table),
            _ => Err(self.wrong("a table")),
        }
    }

    pub(super) fn list(&self) -> Result<&[Item], Fault> {
        match &self.node {
            Node::List(items) => Ok(items),
            _ => Err(self.wrong("a list")),
        }
    }

    /// A list, or a single value; not empty. `remedy` is for the error.
    pub(super) fn some(&self, remedy: &str) -> Result<&[Item], Fault> {
        match &self.node {
            Node::List(items) if items.is_empty() => Err(self.error(format!("empty; {remedy}"))),
            Node::List(items) => Ok(items),
            _ => Ok(std::slice::from_ref(self)),
        }
    }

    /// As [`Item::some`], each read, and once there.
    pub(super) fn each_once<T: PartialEq>(
        &self,
        remedy: &str,
        read: impl Fn(&Item) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut all = Vec::new();
        for item in self.some(remedy)? {
            let one = read(item)?;
            if all.contains(&one) {
                return Err(item.error(format!("{} is there twice", item.node)));
            }
            all.push(one);
        }
        Ok(all)
    }

    pub(super) fn value(&self) -> Result<Value, Fault> {
        match &self.node {
            Node::Flag(flag) => Ok(Value::Flag(*flag)),
            Node::Text(text) => Ok(Value::Text(text.clone())),
            Node::Int(number) => i64::try_from(*number).map(Value::Int).map_err(|_| {
                self.wrong(&format!("a whole number from {} to {}", i64::MIN, i64::MAX))
            }),
            Node::List(items) => {
                let values: Result<_, _> = items.iter().map(Item::value).collect();
                values.map(Value::List)
            }
            _ => Err(self.wrong("text, a whole number, true, false or a list of these")),
        }
    }
}

impl Node {
    fn wrong(&self, must: &str) -> String {
        format!("must be {must}, not {self}")
    }

    fn text(&self) -> Result<&str, String> {
        match self {
            Node::Text(text) => Ok(text),
            _ => Err(self.wrong("text in quotes")),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Node::Int(number) => Some(*number as f64),
            Node::Float(number) => Some(*number).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    fn whole(&self, range: RangeInclusive<u64>) -> Option<u64> {
        match self {
            Node::Int(number) => u64::try_from(*number).ok(),
            _ => None,
        }
        .filter(|number| range.contains(number))
    }

    /// Trimmed text. Refuses control characters other than these, which a terminal would obey.
    fn plain(&self, controls: &[char]) -> Result<String, String> {
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
}

/// A kind of value, and its check.
macro_rules! checked {
    ($(#[$doc:meta])* $name:ident($inner:ty): $read:expr) => {
        $(#[$doc])*
        #[derive(Default, Deserialize)]
        #[serde(try_from = "Node")]
        pub(super) struct $name(pub(super) $inner);

        impl TryFrom<Node> for $name {
            type Error = String;

            fn try_from(node: Node) -> Result<Self, String> {
                let read: fn(&Node) -> Result<$inner, String> = $read;
                read(&node).map($name)
            }
        }
    };
}

checked!(Flag(bool): |node| match node {
    Node::Flag(flag) => Ok(*flag),
    _ => Err(node.wrong("true or false")),
});
checked!(Line(String): |node| node.plain(&[]));
checked!(Prose(String): |node| node.plain(&['\n', '\r', '\t']));
checked!(Sentence(String): |node| {
    let words: Vec<&str> = node.text()?.split_whitespace().collect();
    match words.is_empty() {
        true => Err(node.wrong("a sentence")),
        false => Ok(words.join(" ")),
    }
});
checked!(
    /// A name for files, command lines and CSV.
    Name(String): |node| match node.text()? {
        text if is_name(text) && text.len() <= SHOWN => Ok(text.to_owned()),
        _ => Err(node.wrong(&format!(
            "1 to {SHOWN} letters, digits, '-', '_' or '.', the first a letter or a digit"
        ))),
    }
);
checked!(Number(f64): |node| node.number().ok_or_else(|| node.wrong("a number")));
checked!(Share(f64): |node| match node {
    Node::Float(share) if *share > 0.0 && *share < 1.0 => Ok(*share),
    _ => Err(node.wrong("a number more than 0 and less than 1")),
});
checked!(
    /// The most positions; `None`: all.
    Positions(Option<usize>): |node| match node.whole(1..=MOST_SAMPLES) {
        Some(number) => Ok(Some(number as usize)),
        None if node.text() == Ok("all") => Ok(None),
        None => Err(node.wrong(&format!("a whole number from 1 to {MOST_SAMPLES}, or \"all\""))),
    }
);
checked!(Time(Duration): |node| {
    let text = node.text().unwrap_or_default();
    parse_duration(text).map_err(|_| node.wrong(DURATIONS_ALLOWED))
});

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "Node")]
pub(super) struct Whole<const LEAST: u64, const MOST: u64>(pub(super) u64);

impl<const LEAST: u64, const MOST: u64> TryFrom<Node> for Whole<LEAST, MOST> {
    type Error = String;

    fn try_from(node: Node) -> Result<Self, String> {
        let number = node.whole(LEAST..=MOST).map(Whole);
        number.ok_or_else(|| node.wrong(&format!("a whole number from {LEAST} to {MOST}")))
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
