//! Two runs compared, and what was asked of the comparison.

use regex_lite::Regex;
use serde::Serialize;
use serde_json::{Value, json};

use crate::config::{Selection, technique_pattern};
use crate::report::data::{Index, RunData};
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
pub struct CompareError(pub(super) String);

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
    /// True if the second lost the answer or has one for fewer positions.
    pub is_lost: bool,
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

impl Side {
    pub(super) fn of(index: &Index<'_>) -> Self {
        let environment = &index.data.environment;
        let (host, program) = (&environment.host, &environment.program);
        Side {
            folder: index.data.folder.display().to_string(),
            program: format!("{} ({})", program.version, program.revision),
            host: format!("{}, {} threads", host.cpu, host.threads),
            devices: index.devices.iter().map(|it| (*it).to_owned()).collect(),
        }
    }
}

/// Two runs, compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    pub(super) experiment: String,
    pub(super) options: Options,
    /// The first run and the second.
    pub(super) sides: [Side; 2],
    /// Warnings, one per line.
    pub warnings: Vec<String>,
    /// Cells with an answer on both sides, by ratio, the slowest last.
    pub common: Vec<Common>,
    /// The techniques over all their cells, the slowest last.
    pub(super) techniques: Vec<TechniqueChange>,
    /// Cells of both runs without two comparable answers.
    pub incomparable: Vec<Incomparable>,
    /// Cells of only the first run, and of only the second.
    pub only: [Vec<CellId>; 2],
    /// Cells of only the first run that the second was asked for: it ended before.
    pub(super) unmeasured: Vec<CellId>,
}

impl Comparison {
    pub(super) fn has_lost(&self) -> bool {
        self.lost().next().is_some() || self.options.has_gate() && !self.unmeasured.is_empty()
    }

    /// True if a gate fails: by [`Options::fail_over`], by [`Options::fail_work`], or by a lost answer.
    pub fn is_slower(&self) -> bool {
        self.beyond().next().is_some()
            || self.techniques.iter().any(|own| own.beyond)
            || self.common.iter().any(|own| !own.more_work.is_empty())
            || self.has_lost()
    }

    /// With a gate, the cells whose answer the second run lost or has for fewer positions.
    pub(super) fn lost(&self) -> impl Iterator<Item = &Incomparable> {
        let all = self.incomparable.iter();
        all.filter(|own| self.options.has_gate() && own.is_lost)
    }

    pub(super) fn beyond(&self) -> impl Iterator<Item = &Common> {
        self.common.iter().filter(|cell| cell.beyond)
    }

    /// Counts the cells with this change.
    pub fn count(&self, change: Change) -> usize {
        let cells = self.common.iter();
        cells.filter(|cell| cell.change == change).count()
    }

    /// The object of `bench compare --json`: costs in ns per sample, or per playout if `each`; ratios of B over A.
    pub fn json(&self) -> Value {
        let [a, b] = &self.sides;
        let [only_a, only_b] = &self.only;
        let counts =
            Change::ALL.map(|change| (change.word().to_owned(), self.count(change).into()));
        json!({
            "experiment": self.experiment,
            "a": a,
            "b": b,
            "same": self.options.same,
            "fail_over": self.options.fail_over,
            "fail_work": self.options.fail_work,
            "failed": self.is_slower(),
            "warnings": self.warnings,
            "summary": Value::Object(counts.into_iter().collect()),
            "techniques": self.techniques.iter().map(technique).collect::<Vec<_>>(),
            "cells": self.common.iter().map(common).collect::<Vec<_>>(),
            "incomparable": self.incomparable.iter().map(incomparable).collect::<Vec<_>>(),
            "only_a": only_a,
            "only_b": only_b,
        })
    }
}

fn ratio(own: &Ratio) -> Value {
    let (low, high) = own.interval.unzip();
    json!({ "ratio": own.value, "low": low, "high": high })
}

fn technique(own: &TechniqueChange) -> Value {
    let more = json!({ "technique": own.technique, "device": own.device, "cells": own.cells, "beyond": own.beyond });
    with(ratio(&own.ratio), more)
}

fn common(common: &Common) -> Value {
    let more = json!({
        "a_ns": common.costs[0], "b_ns": common.costs[1], "each": common.each,
        "change": common.change.word(), "beyond": common.beyond, "more_work": common.more_work,
        "samples_a": common.samples[0], "samples_b": common.samples[1],
        "few_passes": common.has_few_passes(), "notes": common.notes,
    });
    with(with(json!(common.cell), ratio(&common.ratio)), more)
}

fn incomparable(own: &Incomparable) -> Value {
    let [a, b] = own.status.map(|status| status.word());
    let more = json!({ "status_a": a, "status_b": b, "why": own.why });
    with(json!(own.cell), more)
}

fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, more) {
        fields.extend(more);
    }
    object
}

/// The compared cells.
pub(super) struct Filter {
    technique: Option<Regex>,
    pub(super) selection: Selection,
}

impl Filter {
    /// Fails if a filter matches nothing in either run.
    pub(super) fn new(runs: [&RunData; 2], options: &Options) -> Result<Self, CompareError> {
        let selection = Selection {
            technique: options.technique.clone(),
            cases: options.cases.clone(),
            ..Selection::default()
        };
        let refused = |error: anyhow::Error| CompareError(error.to_string());
        let [a, b] = runs.map(|run| selection.of(&run.experiment));
        a.or_else(|error| b.map_err(|_| error)).map_err(refused)?;
        let technique = options.technique.as_deref().map(technique_pattern);
        let technique = technique.transpose().map_err(refused)?;
        Ok(Filter {
            technique,
            selection,
        })
    }

    pub(super) fn takes(&self, case: &Case, technique: &str) -> bool {
        self.takes_technique(technique) && self.selection.takes(case)
    }

    pub(super) fn takes_technique(&self, label: &str) -> bool {
        let pattern = self.technique.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(label))
    }
}
