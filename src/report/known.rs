//! A number in the report with its details, or the reason why it is missing.

use std::fmt;

use serde::Serialize;

use crate::results::MeasurementRow;
use crate::stats::Verdict;
use crate::words::Status;

pub(crate) type Figure = Result<Known, Missing>;

/// Why a number is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Few {
    /// Too few passes for an interval or a verdict.
    Passes(usize),
    /// There are too few samples, so the interval is only a hint.
    Samples(usize),
}

/// Marks a ratio that stands in for a paper's ratio but uses a different program on one side.
pub(crate) const STAND_IN: &str = MARKS[2].0;

/// The marks and their meanings.
pub const MARKS: [(&str, &str); 3] = [
    ("†", "Fewer than three passes: no interval and no verdict."),
    ("‡", "Fewer than six samples."),
    ("§", "A program of ours stands in for one of the paper's."),
];

impl Few {
    /// The mark.
    pub fn mark(self) -> &'static str {
        MARKS[usize::from(matches!(self, Few::Samples(_)))].0
    }
}

impl fmt::Display for Few {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Few::Passes(1) => f.write_str("1 pass"),
            Few::Passes(count) => write!(f, "{count} passes"),
            Few::Samples(count) => write!(f, "{count} samples"),
        }
    }
}

/// The meaning of the marks in some texts; empty if there are none.
pub fn meaning<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> String {
    let is_used = |mark| texts.clone().any(|text| text.contains(mark));
    let used = MARKS.iter().filter(|(mark, _)| is_used(mark));
    let used: Vec<String> = used.map(|(mark, what)| format!("{mark} {what}")).collect();
    used.join(" ")
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Known {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub verdict: Option<Verdict>,
    pub baseline_ns: Option<u64>,
    /// The technique behind a role: `rayon-shared on 16 threads`.
    pub baseline: Option<String>,
    pub share: Option<f64>,
    pub few: Option<Few>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Missing {
    /// A word, as printed and as in the CSV's `status` column.
    pub gap: &'static str,
    pub reason: String,
    /// The interval that is too wide for the ratio to be printed.
    pub interval: Option<(f64, f64)>,
}

impl Missing {
    pub(crate) const NOT_ASKED: Missing = Missing::bare("not in this experiment");
    /// The cell has no row yet.
    pub(crate) const NOT_MEASURED: Missing = Missing::bare("not measured");
    /// The run's filters left the cell out.
    pub(crate) const NOT_IN_RUN: Missing = Missing::bare("not in this run");
    /// A technique compared with itself.
    pub(crate) const IS_BASELINE: Missing = Missing::bare("baseline");

    pub(crate) const fn bare(gap: &'static str) -> Self {
        Missing {
            gap,
            reason: String::new(),
            interval: None,
        }
    }

    pub(crate) fn new(gap: &'static str, reason: impl Into<String>) -> Self {
        Missing {
            reason: reason.into(),
            ..Missing::bare(gap)
        }
    }

    /// The reason from the row: `skipped: budget 60 s, predicted 310 s`.
    pub(crate) fn of_row(row: &MeasurementRow) -> Self {
        match row.status {
            Status::Ok => Self::new("not measured", "the row has no median"),
            status => Self::new(status.word(), row.reason.clone()),
        }
    }

    pub(crate) fn text(&self) -> String {
        match self.reason.as_str() {
            "" => self.gap.to_owned(),
            reason => format!("{}: {reason}", self.gap),
        }
    }
}

/// The two sides did not take samples alternately within one invocation.
pub(super) const APART: &str = "not measured together";
/// A technique that may be the best has no answer.
pub(super) const BEST_UNKNOWN: &str = "best unknown";
pub(super) const NO_BASELINE: &str = "no baseline";

pub(super) fn plain(value: f64) -> Known {
    Known {
        value,
        ..Known::default()
    }
}

pub(super) fn answered(row: &MeasurementRow) -> Result<&MeasurementRow, Missing> {
    match (row.status, row.median_ns) {
        (Status::Ok, Some(_)) => Ok(row),
        _ => Err(Missing::of_row(row)),
    }
}
