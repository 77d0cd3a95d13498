use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kinds::{pick, unknown};
use super::source::{Checked, Fault};
use crate::words::worded;

/// The quantity of a table's cells or a chart's points.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Ratio of medians: baseline over technique. Needs `technique` and `baseline`.
    Speedup,
    /// Median time of the whole task divided by its positions or playouts, ns.
    TimePerUnit,
    /// Mean time of the whole task divided by its positions or playouts, ns.
    MeanTimePerUnit,
    /// Median time of the whole task, ns.
    Time,
    /// Nodes of the technique over nodes of `baseline`.
    NodeOverhead,
    /// Nodes per second.
    NodeRate,
    /// Nodes of the whole task.
    Nodes,
    /// Leaves per second.
    LeafRate,
    /// Playouts per second.
    PlayoutRate,
    /// Plies of playouts per second.
    PlyRate,
    /// Median of a part of a device technique's time, ns, with its share of all parts.
    Part(Part),
    /// Share of transfers, up and down, in a device technique's time, from 0 to 1.
    TransferShare,
    /// A technique's device resource, by name: `local-bytes`, `group`.
    Resource(String),
    /// A fact of the case, by name: `branching-factor`, `positions`.
    Fact(String),
}

/// The words of the quantities without a name.
static PLAIN: [(&str, Quantity); 11] = [
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
    ("transfer-share", Quantity::TransferShare),
];

impl Quantity {
    /// The words of all quantities, for errors; NAME stands for a name.
    pub(super) fn words() -> Vec<String> {
        let [plain @ .., (last, _)] = &PLAIN;
        let plain = plain.iter().map(|(word, _)| (*word).to_owned());
        let parts = Part::ALL.map(|part| Quantity::Part(part).to_string());
        let named = [*last, "fact:NAME", "resource:NAME"].map(str::to_owned);
        plain.chain(parts).chain(named).collect()
    }

    /// Reads the word in an experiment file: `speedup`, `part:kernel`, `fact:branching-factor`.
    pub fn parse(word: &str) -> Option<Quantity> {
        if let Some((_, plain)) = PLAIN.iter().find(|(own, _)| *own == word) {
            return Some(plain.clone());
        }
        match word.split_once(':')? {
            ("part", name) => Part::parse(name).map(Quantity::Part),
            ("fact", name) if !name.is_empty() => Some(Quantity::Fact(name.to_owned())),
            ("resource", name) if !name.is_empty() => Some(Quantity::Resource(name.to_owned())),
            _ => None,
        }
    }

    /// [`Quantity::parse`] with an error. `more`: further allowed words.
    pub(super) fn read(word: &str, more: &[&str]) -> Checked<Quantity> {
        let mut words: Vec<String> = more.iter().map(ToString::to_string).collect();
        words.extend(Quantity::words());
        Quantity::parse(word).map_or_else(|| unknown(word, &words), Ok)
    }

    /// True if it compares a technique with a baseline.
    pub fn needs_baseline(&self) -> bool {
        matches!(self, Quantity::Speedup | Quantity::NodeOverhead)
    }

    /// True if a published table's word names it. A paper's time is usually a mean; it matches means and medians.
    pub fn is_called(&self, word: &str) -> bool {
        let plain = match self {
            Quantity::MeanTimePerUnit => Quantity::TimePerUnit,
            own => own.clone(),
        };
        word == plain.to_string() || word == self.to_string()
    }

    /// True if it is the time of a whole task, or per position or playout.
    pub fn is_whole_time(&self) -> bool {
        use Quantity::{MeanTimePerUnit, Time, TimePerUnit};
        matches!(self, Time | TimePerUnit | MeanTimePerUnit)
    }

    /// True if it belongs to the case, not to a technique.
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
        Quantity::read(&String::deserialize(from)?, &[]).map_err(Fault::of_serde)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Part(part) => write!(f, "part:{}", part.word()),
            Quantity::Fact(name) => write!(f, "fact:{name}"),
            Quantity::Resource(name) => write!(f, "resource:{name}"),
            plain => {
                let word = PLAIN.iter().find(|(_, own)| own == plain);
                f.write_str(word.map_or("", |(word, _)| word))
            }
        }
    }
}

/// A part of the time of a device technique's sample. All parts sum to the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Host to device.
    Upload,
    /// Enqueued but not yet started.
    Queue,
    /// Kernels running.
    Kernel,
    /// Device to host.
    Download,
    /// The rest.
    Host,
}

worded!(Part { Upload "upload" Queue "queue" Kernel "kernel" Download "download" Host "host" });

impl Part {
    /// All of them, in the order of reports.
    pub const ALL: [Part; 5] = {
        use Part::{Download, Host, Kernel, Queue, Upload};
        [Upload, Queue, Kernel, Download, Host]
    };

    fn parse(word: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.word() == word)
    }
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
}

worded!(TimeUnit { Seconds "s" Milliseconds "ms" Microseconds "us" Nanoseconds "ns" });

impl Serialize for TimeUnit {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeUnit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let units = TimeUnit::ALL.map(|unit| (unit.word(), unit));
        pick(&String::deserialize(from)?, units).map_err(Fault::of_serde)
    }
}

impl TimeUnit {
    /// All of them, the largest first.
    pub const ALL: [TimeUnit; 4] = {
        use TimeUnit::{Microseconds, Milliseconds, Nanoseconds, Seconds};
        [Seconds, Milliseconds, Microseconds, Nanoseconds]
    };

    /// Reads the word in a file.
    pub fn parse(word: &str) -> Option<TimeUnit> {
        TimeUnit::ALL.into_iter().find(|unit| unit.word() == word)
    }

    /// The sign for readers.
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
        for word in Quantity::words() {
            assert_eq!(Quantity::parse(&word).unwrap().to_string(), word);
        }
        for word in [
            "part:",
            "part:rest",
            "fact:",
            "resource:",
            "facts",
            "other:upload",
            "",
        ] {
            assert_eq!(Quantity::parse(word), None, "{word}");
        }
    }
}
