//! Compares two runs of one experiment, cell by cell.
//!
//! A cell's ratio is the geometric mean of the second run's pass medians over the first's, with an interval from both
//! runs' passes ([`quotient`](crate::stats::passes::quotient)). No interval covers a machine's drift between two runs.

mod cells;
mod comparison;
mod likeness;
mod show;

use regex_lite::Regex;
use serde::Serialize;

use super::data::RunData;
use crate::config::{Selection, technique_pattern};
use crate::results::CellId;
use crate::stats::Ratio;
use crate::words::{Case, Status};

/// Options of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// An interval within 1 ± this means no change. 0.02 is 2 %.
    pub same: f64,
    /// The comparison fails if a technique or cell is certainly slower, by more than this, or if an answer is lost.
    pub fail_over: Option<f64>,
    /// The comparison fails if a cell's nodes, launches or bytes grow by more than this.
    pub fail_work: Option<f64>,
    /// A regular expression that matches part of a technique's label.
    pub technique: Option<String>,
    /// `axis=value`: any of an axis's values, and all axes.
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

/// The change of a cell from the first run to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The whole interval is below 1.
    Faster,
    /// The whole interval lies within [`Options::same`] of 1.
    Same,
    /// The interval contains 1 but is wider, or is missing.
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

    /// The change for a ratio of times, new over old.
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

/// A cell of both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Common {
    /// The cell, with the device's label in the first run, or in the second if only it has the cell.
    pub cell: CellId,
    /// Median cost of each side, ns per sample, or per playout if `each`.
    pub costs: [f64; 2],
    /// Costs are per playout, as the numbers of playouts differ or the clock decides them.
    pub each: bool,
    /// Second cost over first.
    pub ratio: Ratio,
    /// The change.
    pub change: Change,
    /// True if it is certainly slower, by more than [`Options::fail_over`], among all compared cells.
    pub beyond: bool,
    /// Counters that grew by more than [`Options::fail_work`]: `nodes 1,200, then 1,500`.
    pub more_work: Vec<String>,
    /// Samples of each side.
    pub samples: [usize; 2],
    /// Notes for a reader: other work, other threads.
    pub notes: Vec<String>,
}

impl Common {
    /// True if a side has too few passes for an interval.
    pub fn has_few_passes(&self) -> bool {
        self.ratio.interval.is_none()
    }
}

/// The geometric mean over a technique's cells with three passes, with an interval of the passes' means
/// ([`of_cells`](crate::stats::passes::of_cells)).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TechniqueChange {
    pub technique: String,
    /// The device's label in the first run.
    pub device: String,
    pub cells: usize,
    /// Second cost over first.
    pub ratio: Ratio,
    /// True if it is certainly slower, by more than [`Options::fail_over`].
    pub beyond: bool,
}

/// A cell of both runs that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomparable {
    /// The cell, with the device's label in the first run, or in the second if only it has the cell.
    pub cell: CellId,
    /// Its status on each side.
    pub status: [Status; 2],
    /// True if the second has an answer for fewer positions.
    pub less: bool,
    /// Why there is no ratio.
    pub why: String,
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Side {
    pub folder: String,
    /// Version and git revision.
    pub program: String,
    /// Processor and threads.
    pub host: String,
    pub devices: Vec<String>,
}

/// Two runs, compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    experiment: String,
    options: Options,
    /// The first run and the second.
    sides: [Side; 2],
    /// Warnings, one per line.
    pub warnings: Vec<String>,
    /// Cells with an answer on both sides, by ratio, the slowest last.
    pub common: Vec<Common>,
    /// The techniques over all their cells, the slowest last.
    techniques: Vec<TechniqueChange>,
    /// Cells of both runs without two comparable answers.
    pub incomparable: Vec<Incomparable>,
    /// Cells of only the first run, and of only the second.
    pub only: [Vec<CellId>; 2],
    /// Cells of only the first run that the second was asked for: it ended before.
    unmeasured: Vec<CellId>,
}

/// The compared cells.
struct Filter {
    technique: Option<Regex>,
    selection: Selection,
}

impl Filter {
    /// Fails if a filter matches nothing in either run.
    fn new(runs: [&RunData; 2], options: &Options) -> Result<Self, CompareError> {
        let selection = Selection {
            technique: options.technique.clone(),
            cases: options.cases.clone(),
            ..Selection::default()
        };
        let [first, second] = runs.map(|run| selection.of(&run.experiment));
        if let (Err(error), Err(_)) = (first, second) {
            return Err(CompareError(error.to_string()));
        }
        let technique = options.technique.as_deref().map(technique_pattern);
        let technique = technique.transpose();
        let technique = technique.map_err(|error| CompareError(error.to_string()))?;
        Ok(Filter {
            technique,
            selection,
        })
    }

    fn takes(&self, case: &Case, technique: &str) -> bool {
        self.takes_technique(technique) && self.selection.takes(case)
    }

    fn takes_technique(&self, label: &str) -> bool {
        let pattern = self.technique.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(label))
    }
}
