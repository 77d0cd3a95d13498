//! A number in a report with its details, or the reason why it is missing.

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
    /// The number of passes, which is too small for an interval or a verdict.
    Passes(usize),
    /// The number of samples, which is so small that the interval is only a hint.
    Samples(usize),
}

/// Marks a ratio in which one of our programs replaces one of the paper's.
pub(crate) const STAND_IN: &str = MARKS[2].0;

/// The marks and their meanings.
pub const MARKS: [(&str, &str); 3] = [
    ("†", "Fewer than three passes: no interval and no verdict."),
    ("‡", "Fewer than six samples."),
    ("§", "One of our programs replaces one of the paper's."),
];

impl Few {
    /// Returns the mark.
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

/// Explains the marks that occur in some texts. Empty if there are none.
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
    /// The technique that has the role: `rayon-shared on 16 threads`.
    pub baseline: Option<String>,
    pub share: Option<f64>,
    pub few: Option<Few>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Missing {
    /// A word, as printed and as in the CSV's `status` column.
    pub gap: &'static str,
    pub reason: String,
    /// The interval of a ratio that is not printed because the interval is too wide.
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

    /// Takes the reason from the row: `skipped: budget 60 s, predicted 310 s`.
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

/// A technique without an answer may be the fastest.
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
