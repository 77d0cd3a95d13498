use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kinds::pick;
use super::source::{Checked, Fault};
use crate::words::worded;

/// The quantity in a table's cells or at a chart's points.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Ratio of medians: baseline over technique. Needs `technique` and `baseline`.
    Speedup,
    /// Median time for the whole task divided by its positions or playouts, ns.
    TimePerUnit,
    /// Mean time for the whole task divided by its positions or playouts, ns.
    MeanTimePerUnit,
    /// Median time for the whole task, ns.
    Time,
    /// The technique's nodes divided by the nodes of `baseline`.
    NodeOverhead,
    /// Nodes per second.
    NodeRate,
    /// Nodes in the whole task.
    Nodes,
    /// Leaves per second.
    LeafRate,
    /// Playouts per second.
    PlayoutRate,
    /// Playout plies per second.
    PlyRate,
    /// Median time of one part of a device technique, ns, with its share of all parts.
    Part(Part),
    /// Share of a device technique's time spent on transfers in both directions, from 0 to 1.
    TransferShare,
    /// A technique's device resource, such as `local-bytes` or `group`.
    Resource(String),
    /// A fact about the case, such as `branching-factor` or `positions`.
    Fact(String),
    /// In a match, the player's points divided by its games, 0 to 1. A draw counts half. Only for claims.
    Score,
}

/// The words for the quantities. NAME stands for a name. The first one is only for claims.
static WORDS: [(&str, Quantity); 19] = [
    ("score", Quantity::Score),
    ("speedup", Quantity::Speedup),
    ("time-per-unit", Quantity::TimePerUnit),
    ("mean-time-per-unit", Quantity::MeanTimePerUnit),
    ("time", Quantity::Time),
    ("node-overhead", Quantity::NodeOverhead),
    ("node-rate", Quantity::NodeRate),
    ("nodes", Quantity::Nodes),
    ("leaf-rate", Quantity::LeafRate),
    ("playout-rate", Quantity::PlayoutRate),
    ("ply-rate", Quantity::PlyRate),
    ("part:upload", Quantity::Part(Part::Upload)),
    ("part:queue", Quantity::Part(Part::Queue)),
    ("part:kernel", Quantity::Part(Part::Kernel)),
    ("part:download", Quantity::Part(Part::Download)),
    ("part:host", Quantity::Part(Part::Host)),
    ("transfer-share", Quantity::TransferShare),
    ("fact:NAME", Quantity::Fact(String::new())),
    ("resource:NAME", Quantity::Resource(String::new())),
];

fn read(word: &str, words: &[(&'static str, Quantity)]) -> Checked<Quantity> {
    match word.split_once(':') {
        Some(("fact", name)) if !name.is_empty() => Ok(Quantity::Fact(name.to_owned())),
        Some(("resource", name)) if !name.is_empty() => Ok(Quantity::Resource(name.to_owned())),
        _ => pick(word, words.iter().cloned()),
    }
}

/// The quantity named in a claim.
pub(super) fn claimed<'de, D: Deserializer<'de>>(from: D) -> Result<Quantity, D::Error> {
    read(&String::deserialize(from)?, &WORDS).map_err(Fault::of_serde)
}

impl Quantity {
    /// True if it compares a technique with a baseline.
    pub fn needs_baseline(&self) -> bool {
        matches!(self, Quantity::Speedup | Quantity::NodeOverhead)
    }

    /// True if a published table's word names it. A paper's time is usually a mean, so it matches means and medians.
    pub fn is_called(&self, word: &str) -> bool {
        let plain = match self {
            Quantity::MeanTimePerUnit => Quantity::TimePerUnit,
            own => own.clone(),
        };
        word == plain.to_string() || word == self.to_string()
    }

    /// True if it is a time for a whole task, a position or a playout.
    pub fn is_whole_time(&self) -> bool {
        use Quantity::{MeanTimePerUnit, Time, TimePerUnit};
        matches!(self, Time | TimePerUnit | MeanTimePerUnit)
    }

    /// True if it belongs to the case rather than to a technique.
    pub fn is_fact(&self) -> bool {
        matches!(self, Quantity::Fact(_))
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let [_, of_tables @ ..] = &WORDS;
        read(&String::deserialize(from)?, of_tables).map_err(Fault::of_serde)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Fact(name) => write!(f, "fact:{name}"),
            Quantity::Resource(name) => write!(f, "resource:{name}"),
            plain => {
                let word = WORDS.iter().find(|(_, own)| own == plain);
                f.write_str(word.map_or("", |(word, _)| word))
            }
        }
    }
}

/// A part of the time of a device technique's sample. All parts add up to the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Transfer from host to device.
    Upload,
    /// Enqueued but not yet started.
    Queue,
    /// Kernels running.
    Kernel,
    /// Transfer from device to host.
    Download,
    /// The rest.
    Host,
}

worded!(Part { Upload "upload" Queue "queue" Kernel "kernel" Download "download" Host "host" });

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
}

worded!(TimeUnit { Seconds "s" Milliseconds "ms" Microseconds "us" Nanoseconds "ns" });

impl TimeUnit {
    /// Parses the word used in files.
    pub fn parse(word: &str) -> Option<TimeUnit> {
        TimeUnit::ALL.into_iter().find(|unit| unit.word() == word)
    }

    /// The symbol shown to readers.
    pub fn sign(self) -> &'static str {
        match self {
            TimeUnit::Microseconds => "µs",
            other => other.word(),
        }
    }

    /// The power of ten that converts this unit to ns.
    pub fn exponent(self) -> i32 {
        9 - 3 * self as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for (word, _) in &WORDS {
            assert_eq!(read(word, &WORDS).unwrap().to_string(), *word);
        }
        for word in "part:|part:rest|fact:|resource:|facts|other:upload|".split('|') {
            assert!(read(word, &WORDS).is_err(), "{word}");
        }
    }
}
