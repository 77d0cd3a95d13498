use std::fmt;
use std::sync::LazyLock;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

/// The quantities with their words. NAME stands for a name. The first one is only for claims.
static QUANTITIES: [(&str, Quantity); 19] = [
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

static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| QUANTITIES.iter().map(|it| it.0).collect());

/// The quantity with a word, except the first `hidden` ones.
fn read<E: Error>(word: &str, hidden: usize) -> Result<Quantity, E> {
    let mut allowed = QUANTITIES[hidden..].iter();
    match word.split_once(':') {
        Some(("fact", name)) if !name.is_empty() => Ok(Quantity::Fact(name.to_owned())),
        Some(("resource", name)) if !name.is_empty() => Ok(Quantity::Resource(name.to_owned())),
        _ => match allowed.find(|(own, _)| *own == word) {
            Some((_, quantity)) => Ok(quantity.clone()),
            None => Err(E::unknown_variant(word, &WORDS[hidden..])),
        },
    }
}

/// The quantity named in a claim.
pub(super) fn claimed<'de, D: Deserializer<'de>>(from: D) -> Result<Quantity, D::Error> {
    read(&String::deserialize(from)?, 0)
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
        read(&String::deserialize(from)?, 1)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Fact(name) => write!(f, "fact:{name}"),
            Quantity::Resource(name) => write!(f, "resource:{name}"),
            plain => {
                let word = QUANTITIES.iter().find(|(_, own)| own == plain);
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
        let read = read::<serde::de::value::Error>;
        for word in &*WORDS {
            assert_eq!(read(word, 0).unwrap().to_string(), *word);
        }
        for word in "part:|part:rest|fact:|resource:|facts|other:upload|".split('|') {
            assert!(read(word, 0).is_err(), "{word}");
        }
        assert!(read("score", 1).is_err());
    }
}
