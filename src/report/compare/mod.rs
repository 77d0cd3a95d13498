//! Two runs of one experiment, cell by cell: what became faster, what slower.
//!
//! A cell's ratio is that of the geometric means of the passes' medians, the second run's over the first's, with an
//! interval from both runs' passes ([`quotient`](crate::stats::passes::quotient)). Machines drift: a difference between
//! two runs of one program, minutes apart, is in no interval of passes.

mod cells;
mod comparison;
mod likeness;
mod show;

use regex_lite::Regex;
use serde::Serialize;

use super::data::RunData;
use crate::config::Overrides;
use crate::stats::Ratio;
use crate::words::{Case, Status, Value};

/// What is asked of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// An interval within 1 ± this says that nothing changed that matters. 0.02 is 2 %.
    pub same: f64,
    /// A technique, over all its cells, or a cell that is slower by more than this and certainly slower fails
    /// the comparison, and so does a cell whose answer the second run lost; `None`: none does.
    pub fail_over: Option<f64>,
    /// A cell that counts more nodes, launches or bytes than this beyond the first run's fails the comparison.
    pub fail_work: Option<f64>,
    /// A regular expression that some part of a technique's label matches.
    pub technique: Option<String>,
    /// `axis=value`. Of one axis any of the values, of different axes all.
    pub cases: Vec<String>,
}

impl Options {
    fn has_gate(&self) -> bool {
        self.fail_over.is_some() || self.fail_work.is_some()
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            same: 0.02,
            fail_over: None,
            fail_work: None,
            technique: None,
            cases: Vec::new(),
        }
    }
}

/// Why two runs cannot be compared: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CompareError(String);

/// What happened to a cell from the first run to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The whole interval is below 1.
    Faster,
    /// The whole interval lies within the threshold of [`Options::same`], whether it contains 1 or not.
    Same,
    /// The interval contains 1 but is wider than that, or there is none.
    Unclear,
    /// The whole interval is above 1.
    Slower,
}

impl Change {
    /// Every change, in the order of the summary.
    pub const ALL: [Change; 4] = {
        use Change::{Faster, Same, Slower, Unclear};
        [Faster, Slower, Same, Unclear]
    };

    /// What a ratio of times, new over old, says.
    pub fn of(ratio: &Ratio, same: f64) -> Change {
        match ratio.interval {
            None => Change::Unclear,
            Some((low, high)) if low >= 1.0 - same && high <= 1.0 + same => Change::Same,
            Some((low, _)) if low > 1.0 => Change::Slower,
            Some((_, high)) if high < 1.0 => Change::Faster,
            Some(_) => Change::Unclear,
        }
    }

    /// The word on the terminal and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Change::Faster => "faster",
            Change::Same => "same",
            Change::Unclear => "unclear",
            Change::Slower => "slower",
        }
    }
}

/// A cell that both runs have.
#[derive(Clone, Debug, PartialEq)]
pub struct Common {
    /// Which.
    pub cell: Cell,
    /// Median cost of each side, ns: of a sample, or of a playout where `each`.
    pub costs: [f64; 2],
    /// Whether the costs are of one playout, because the numbers of playouts differ or the clock decides them.
    pub each: bool,
    /// Cost of the second run over that of the first: above 1 where the second is slower.
    pub ratio: Ratio,
    /// What the ratio says.
    pub change: Change,
    /// Whether it is slower by more than [`Options::fail_over`], and certainly slower, as one of so many cells.
    pub beyond: bool,
    /// The counts that grew by more than [`Options::fail_work`]: `nodes 1,200, then 1,500`.
    pub more_work: Vec<String>,
    /// Samples of each side.
    pub samples: [usize; 2],
    /// What a reader should know: other work, other threads.
    pub notes: Vec<String>,
}

impl Common {
    /// Whether a side has too few passes for an interval.
    pub fn has_few_passes(&self) -> bool {
        self.ratio.interval.is_none()
    }
}

/// What became of a technique: the geometric mean over those of its cells that have three passes, with an
/// interval of the passes' means ([`of_cells`](crate::stats::passes::of_cells)).
#[derive(Clone, Debug, PartialEq)]
pub struct TechniqueChange {
    /// Its label.
    pub technique: String,
    /// The device's label in the first run.
    pub device: String,
    /// How many cells.
    pub cells: usize,
    /// Cost in the second run over that in the first.
    pub ratio: Ratio,
    /// Whether it is slower by more than [`Options::fail_over`], and certainly slower.
    pub beyond: bool,
}

/// A cell's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// `board=8x8 depth=4`.
    pub case: String,
    /// The technique's label.
    pub technique: String,
    /// The device's label in the first run; where only the second has the cell, its label there.
    pub device: String,
}

/// A cell that both runs have and that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomparable {
    /// Which.
    pub cell: Cell,
    /// How it ended on each side.
    pub status: [Status; 2],
    /// Whether both have an answer, but the second had no time for as many positions.
    pub less: bool,
    /// Why there is no ratio.
    pub why: String,
}

impl Incomparable {
    /// Whether the second run lost what the first had.
    fn is_lost(&self) -> bool {
        self.less || (self.status[0] == Status::Ok && self.status[1] != Status::Ok)
    }
}

/// One side of a comparison, for a reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    /// The run folder.
    pub folder: String,
    /// Version and git revision of the program.
    pub program: String,
    /// Processor and threads.
    pub host: String,
    /// Labels of the devices.
    pub devices: Vec<String>,
}

/// Two runs, compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The experiment's name.
    pub experiment: String,
    /// What was asked.
    pub options: Options,
    /// The first run and the second.
    pub sides: [Side; 2],
    /// What is to be known before any ratio is believed, a line each.
    pub warnings: Vec<String>,
    /// The cells that have an answer on both sides, by ratio, the slowest last.
    pub common: Vec<Common>,
    /// The techniques over all their cells, the slowest last.
    pub techniques: Vec<TechniqueChange>,
    /// The cells that both have, but without two answers to compare.
    pub incomparable: Vec<Incomparable>,
    /// The cells that only the first run has, and those that only the second has.
    pub only: [Vec<Cell>; 2],
    /// Those of the first run alone that the second was asked for on a device that it has: it was killed before.
    pub unmeasured: Vec<Cell>,
}

/// Which cells are compared.
struct Filter {
    technique: Option<Regex>,
    cases: Vec<(String, Value)>,
}

impl Filter {
    /// Understands the filters; one that matches nothing in either run is an error.
    fn new(runs: [&RunData; 2], options: &Options) -> Result<Self, CompareError> {
        let asked = Overrides {
            technique: options.technique.clone(),
            cases: options.cases.clone(),
            ..Overrides::default()
        };
        let [first, second] = runs.map(|run| run.experiment.clone().apply(&asked));
        if let (Err(error), Err(_)) = (first, second) {
            return Err(CompareError(error.to_string()));
        }
        let technique = options.technique.as_deref().map(Regex::new).transpose();
        let cases = options.cases.iter().filter_map(|text| text.split_once('='));
        let cases = cases.map(|(axis, value)| (axis.to_owned(), Value::parse(value)));
        Ok(Filter {
            technique: technique.map_err(|error| CompareError(format!("--technique: {error}")))?,
            cases: cases.collect(),
        })
    }

    fn takes(&self, case: &Case, technique: &str) -> bool {
        self.takes_technique(technique)
            && self.cases.iter().all(|(axis, _)| {
                let mut of_axis = self.cases.iter().filter(|(other, _)| other == axis);
                of_axis.any(|(_, value)| case.get(axis) == Some(value))
            })
    }

    fn takes_technique(&self, label: &str) -> bool {
        let pattern = self.technique.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(label))
    }
}
