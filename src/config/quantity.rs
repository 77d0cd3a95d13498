use std::fmt;
use std::sync::LazyLock;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::words::worded;

/// A quantity that a table's cells or a chart's points show.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Ratio of median times: baseline divided by technique. Needs `technique` and `baseline`.
    Speedup,
    /// Median time for the whole task divided by its number of positions or playouts, ns.
    TimePerUnit,
    /// Mean time for the whole task divided by its number of positions or playouts, ns.
    MeanTimePerUnit,
    /// Median time for the whole task, ns.
    Time,
    /// The technique's number of nodes divided by the baseline's.
    NodeOverhead,
    /// Nodes per second.
    NodeRate,
    /// Number of nodes in the whole task.
    Nodes,
    /// Leaves per second.
    LeafRate,
    /// Playouts per second.
    PlayoutRate,
    /// Playout plies per second.
    PlyRate,
    /// Median time of one part of a device technique's samples, ns, and its share of the whole.
    Part(Part),
    /// Share of a device technique's time spent on transfers in both directions, from 0 to 1.
    TransferShare,
    /// A device resource that the technique uses, such as `local-bytes` or `group`.
    Resource(String),
    /// A fact about the case, such as `branching-factor` or `positions`.
    Fact(String),
    /// In a match, the player's points per game, from 0 to 1. A draw counts half. Only for claims.
    Score,
}

/// All quantities, with their names in files. NAME is a placeholder. Only claims may use the first one.
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

/// Parses a quantity. The first `hidden` quantities are not allowed.
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

/// Reads a claim's quantity.
pub(super) fn claimed<'de, D: Deserializer<'de>>(from: D) -> Result<Quantity, D::Error> {
    read(&String::deserialize(from)?, 0)
}

impl Quantity {
    /// Returns true if it compares a technique with a baseline.
    pub fn needs_baseline(&self) -> bool {
        matches!(self, Quantity::Speedup | Quantity::NodeOverhead)
    }

    /// Returns true if `word` names it in a published table. `time-per-unit` stands for both the median and the mean.
    pub fn is_called(&self, word: &str) -> bool {
        let is_mean = *self == Quantity::MeanTimePerUnit;
        word == self.to_string() || is_mean && word == Quantity::TimePerUnit.to_string()
    }

    /// Returns true if it is a time for a whole task, a position or a playout.
    pub fn is_whole_time(&self) -> bool {
        use Quantity::{MeanTimePerUnit, Time, TimePerUnit};
        matches!(self, Time | TimePerUnit | MeanTimePerUnit)
    }

    /// Returns true if it belongs to the case rather than to a technique.
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

/// A part of a device technique's sample time. The parts add up to the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Transfer from host to device.
    Upload,
    /// Time during which commands were enqueued but none was running.
    Queue,
    /// Execution of kernels.
    Kernel,
    /// Transfer from device to host.
    Download,
    /// The rest, which is host work.
    Host,
}

worded!(Part { Upload "upload" Queue "queue" Kernel "kernel" Download "download" Host "host" });

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// `s` in files.
    #[serde(rename = "s")]
    Seconds,
    /// `ms` in files.
    #[serde(rename = "ms")]
    Milliseconds,
    /// `us` in files, and `µs` for readers.
    #[serde(rename = "us")]
    Microseconds,
    /// `ns` in files.
    #[serde(rename = "ns")]
    Nanoseconds,
}

worded!(TimeUnit { Seconds "s" Milliseconds "ms" Microseconds "us" Nanoseconds "ns" });

impl TimeUnit {
    /// Parses the word used in files.
    pub fn parse(word: &str) -> Option<TimeUnit> {
        TimeUnit::ALL.into_iter().find(|unit| unit.word() == word)
    }

    /// Returns the symbol shown to readers.
    pub fn sign(self) -> &'static str {
        match self {
            TimeUnit::Microseconds => "µs",
            other => other.word(),
        }
    }

    /// Returns the power of ten that converts this unit to ns.
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
