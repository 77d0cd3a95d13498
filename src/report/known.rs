//! A number of the report with its details, or why it is missing.

use std::fmt;

use crate::results::MeasurementRow;
use crate::stats::Verdict;
use crate::stats::passes::FEWEST_PASSES;
use crate::words::Status;

pub(crate) type Figure = Result<Known, Missing>;

/// Why a number is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Few {
    /// Too few passes for an interval and a verdict.
    Passes(usize),
    /// So few samples that the interval is only a hint.
    Samples(usize),
}

/// Marks a ratio that stands for a paper's, but has another program on a side.
pub(crate) const STAND_IN: &str = "§";

/// The marks with their meanings.
pub const MARKS: [(&str, &str); 3] = [
    ("†", "Fewer than three passes: no interval and no verdict."),
    ("‡", "Fewer than six samples."),
    (
        STAND_IN,
        "A program of ours stands in for one of the paper's.",
    ),
];

impl Few {
    /// The mark.
    pub fn mark(self) -> &'static str {
        let [(passes, _), (samples, _), _] = MARKS;
        match self {
            Few::Passes(_) => passes,
            Few::Samples(_) => samples,
        }
    }
}

impl fmt::Display for Few {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Few::Passes(count) => {
                write!(f, "{count} pass{}", if *count == 1 { "" } else { "es" })
            }
            Few::Samples(count) => write!(f, "{count} samples"),
        }
    }
}

/// Meaning of the marks in some texts; empty without marks.
pub fn meaning<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> String {
    let used = MARKS
        .iter()
        .filter(|(mark, _)| texts.clone().any(|text| text.contains(mark)));
    let used: Vec<String> = used.map(|(mark, what)| format!("{mark} {what}")).collect();
    used.join(" ")
}

/// Why a figure gives no verdict: `2 of 3 passes`, `the interval is too wide`, `not measured together`.
pub(crate) fn undecided(figure: &Figure) -> String {
    match figure {
        Ok(Known {
            few: Some(Few::Passes(count)),
            ..
        }) => format!("{count} of {FEWEST_PASSES} passes"),
        Ok(_) => "no interval".to_owned(),
        Err(why) if why.interval.is_some() => "the interval is too wide".to_owned(),
        Err(why) => why.gap.word().to_owned(),
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    NotAsked,
    /// The cell has no row yet, or no row with such a number.
    NotMeasured,
    /// The run's filters left the cell out.
    NotInRun,
    /// The column is a device's and the technique the host's, or vice versa.
    Elsewhere,
    /// A technique compared with itself.
    IsBaseline,
    Ambiguous,
    /// A device quantity of a technique without a device.
    NoDevice,
    NotTold,
    NotCounted,
    NoNodes,
    NoScore,
    NoBaseline,
    NoSamples,
    Unclear,
    OtherRules,
    DifferentWork,
    /// The sides were not sampled in turns within one invocation.
    Apart,
    /// A technique that may be the best has no answer.
    BestUnknown,
    /// The host answered without the device.
    NoLaunch,
    OnTheHost,
    NotPrinted,
    NotPublished,
    Row(Status),
}

impl Gap {
    /// As printed, and in the CSV's `status` column.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Gap::NotAsked => "not in this experiment",
            Gap::NotMeasured => "not measured",
            Gap::NotInRun => "not in this run",
            Gap::Elsewhere => "elsewhere",
            Gap::IsBaseline => "baseline",
            Gap::Ambiguous => "ambiguous",
            Gap::NoDevice => "no device",
            Gap::NotTold => "not told",
            Gap::NotCounted => "not counted",
            Gap::NoNodes => "no nodes",
            Gap::NoScore => "the row has no score",
            Gap::NoBaseline => "no baseline",
            Gap::NoSamples => "no samples",
            Gap::Unclear => "unclear",
            Gap::OtherRules => "other rules",
            Gap::DifferentWork => "different work",
            Gap::Apart => "not measured together",
            Gap::BestUnknown => "best unknown",
            Gap::NoLaunch => "no launch",
            Gap::OnTheHost => "on the host",
            Gap::NotPrinted => "not printed",
            Gap::NotPublished => "not published",
            Gap::Row(status) => status.word(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Missing {
    pub gap: Gap,
    pub reason: String,
    /// The interval that was too wide to print a ratio.
    pub interval: Option<(f64, f64)>,
    pub baseline_ns: Option<u64>,
}

impl Missing {
    pub(crate) const NOT_ASKED: Missing = Missing::bare(Gap::NotAsked);
    pub(crate) const NOT_MEASURED: Missing = Missing::bare(Gap::NotMeasured);
    pub(crate) const NOT_IN_RUN: Missing = Missing::bare(Gap::NotInRun);
    pub(crate) const ELSEWHERE: Missing = Missing::bare(Gap::Elsewhere);
    pub(crate) const IS_BASELINE: Missing = Missing::bare(Gap::IsBaseline);

    pub(crate) const fn bare(gap: Gap) -> Self {
        Missing {
            gap,
            reason: String::new(),
            interval: None,
            baseline_ns: None,
        }
    }

    pub(crate) fn new(gap: Gap, reason: impl Into<String>) -> Self {
        Missing {
            reason: reason.into(),
            ..Missing::bare(gap)
        }
    }

    /// From the row: `skipped: budget 60 s, predicted 310 s`.
    pub(crate) fn of_row(row: &MeasurementRow) -> Self {
        match row.status {
            Status::Ok => Self::new(Gap::NotMeasured, "the row has no median"),
            status => Self::new(Gap::Row(status), row.reason.clone()),
        }
    }

    pub(crate) fn text(&self) -> String {
        match self.reason.as_str() {
            "" => self.gap.word().to_owned(),
            reason => format!("{}: {reason}", self.gap.word()),
        }
    }
}

pub(super) fn plain(value: f64) -> Known {
    Known {
        value,
        ..Known::default()
    }
}

pub(super) fn answered(row: &MeasurementRow) -> Result<&MeasurementRow, Missing> {
    match row.status == Status::Ok && row.median_ns.is_some() {
        true => Ok(row),
        false => Err(Missing::of_row(row)),
    }
}
