//! One number of a table, or the reason why there is none.

use super::data::{HOST, Index, Place};
use super::number::Unit;
use super::{rate, ratios};
use crate::config::{Part, Quantity};
use crate::results::MeasurementRow;
use crate::stats::{Ratio, Verdict, mean_with_interval, ratio_of_medians};
use crate::words::{Case, Status, Task};

/// What a cell of a table shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Figure {
    Known(Known),
    Missing(Missing),
}

/// A number, in its quantity's own unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    pub value: f64,
    /// 95 % interval, where the quantity has one.
    pub interval: Option<(f64, f64)>,
    /// What a speed-up says; `None` for other quantities.
    pub verdict: Option<Verdict>,
    /// Median time of the baseline that a ratio is over, ns.
    pub baseline_ns: Option<u64>,
    /// Of a ratio over a role, the technique that has it: `rayon-shared on 16 threads`.
    pub baseline: Option<String>,
    /// For a part of a time: its share of all parts.
    pub share: Option<f64>,
    /// How many samples a ratio is made from, baseline's and technique's, where either has fewer
    /// than [`ENOUGH`]; of a mean, where there are fewer than the experiment asks for.
    pub few: Option<(usize, usize)>,
}

/// The fewest samples whose range is a 95 % interval of the median: it fails to hold the median
/// with probability 2 ÷ 2ⁿ, so an interval of five samples reaches 94 % at best.
pub(super) const ENOUGH: usize = 6;

/// What stands under a table that has ratios of few samples.
pub(crate) const FEW: &str = "Ratios that name their samples, without a colour, have fewer than six on \
    a side (`5 over 3 samples`: the baseline's, then the technique's). Their interval is at best \
    the samples' range, which holds the true median in 50 % of all cases for two samples, 75 % for \
    three, 88 % for four and 94 % for five: take them as a hint.";

impl Known {
    /// The samples of a ratio that has few: `3 samples`, or `5 over 3 samples` where its sides
    /// differ.
    pub(crate) fn few_samples(&self) -> Option<String> {
        self.few.map(|(baseline, technique)| {
            if baseline == technique {
                format!("{technique} samples")
            } else {
                format!("{baseline} over {technique} samples")
            }
        })
    }
}

/// Why there is no number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Missing {
    /// One word, as in the CSV's `status` column.
    pub status: &'static str,
    /// The rest of it; may be empty.
    pub reason: String,
    /// The interval that was too wide to print a ratio for.
    pub interval: Option<(f64, f64)>,
    /// Median time of the baseline, where it has one, ns.
    pub baseline_ns: Option<u64>,
}

impl Missing {
    pub(crate) fn new(status: &'static str, reason: impl Into<String>) -> Self {
        Missing {
            status,
            reason: reason.into(),
            interval: None,
            baseline_ns: None,
        }
    }

    /// The case is none of the experiment's.
    pub(crate) fn not_asked() -> Self {
        Self::new("not in this experiment", "")
    }

    /// The cell has no row yet.
    pub(crate) fn not_measured() -> Self {
        Self::new("not measured", "")
    }

    /// The cell has no row because the run's filters left it out.
    pub(crate) fn not_in_run() -> Self {
        Self::new("not in this run", "")
    }

    /// The column is a device's and the technique the host's, or the other way round.
    pub(crate) fn elsewhere() -> Self {
        Self::new("elsewhere", "")
    }

    /// A technique beside itself.
    pub(crate) fn is_baseline() -> Self {
        Self::new("baseline", "")
    }

    /// The row that has no number says why: `skipped: budget 60 s, predicted 310 s`.
    pub(crate) fn of_row(row: &MeasurementRow) -> Self {
        match row.status {
            Status::Ok => Self::new("not measured", "the row has no median"),
            status => Self::new(status.word(), row.reason.clone()),
        }
    }

    /// Status and reason in one line.
    pub(crate) fn text(&self) -> String {
        if self.reason.is_empty() {
            self.status.to_owned()
        } else {
            format!("{}: {}", self.status, self.reason)
        }
    }
}

/// The quantity of one cell. `baseline` is used only where the quantity needs one.
pub(crate) fn measured(
    index: &Index<'_>,
    quantity: &Quantity,
    case: &Case,
    place: &Place<'_>,
    baseline: Option<&str>,
) -> Figure {
    let Some(row) = index.row(&case.to_string(), place.technique, place.device) else {
        return Figure::Missing(no_row(index, case, place.technique));
    };
    let itself = quantity.needs_baseline() && baseline == Some(place.technique);
    let result = match quantity {
        _ if itself => answered(row).and(Err(Missing::is_baseline())),
        Quantity::Speedup => speedup(index, row, baseline.unwrap_or_default()),
        Quantity::NodeOverhead => node_overhead(index, row, baseline.unwrap_or_default()),
        Quantity::Fact(name) => Err(Missing::new("not measured", format!("no fact {name}"))),
        Quantity::MeanTimePerUnit => mean(index, row, row.units.max(1) as f64),
        Quantity::Time => times(row, 1.0),
        Quantity::TimePerUnit => times(row, row.units.max(1) as f64),
        Quantity::NodeRate => rate::of_nodes(index, row),
        Quantity::LeafRate => rate::of_leaves(index, row),
        Quantity::PlayoutRate => rate::of_playouts(index, row),
        Quantity::PlyRate => rate::of_plies(index, row),
        Quantity::Part(part) => part_of_time(row, *part),
        Quantity::Resource(name) => resource(index, row, name),
        Quantity::Nodes => answered(row).and_then(|row| match row.nodes {
            Some(nodes) => Ok(plain(nodes as f64)),
            None => Err(Missing::of_row(row)),
        }),
    };
    result.map_or_else(Figure::Missing, Figure::Known)
}

/// Why a cell has no row.
fn no_row(index: &Index<'_>, case: &Case, technique: &str) -> Missing {
    let choice = index.data.experiment.choice(technique);
    if choice.is_some_and(|choice| !choice.takes(case)) {
        Missing::not_asked()
    } else if index.is_asked(&case.to_string(), technique) {
        Missing::not_measured()
    } else {
        Missing::not_in_run()
    }
}

/// A fact of the cases that agree with a partial one: the same for all of them, or none is shown.
pub(crate) fn fact(index: &Index<'_>, name: &str, cases: &[&Case]) -> Figure {
    let mut found: Option<f64> = None;
    for fact in index.data.facts.iter().filter(|fact| fact.fact == name) {
        let about = Case::parse(&fact.case).unwrap_or_default();
        if !cases.iter().any(|case| super::data::agrees(case, &about)) {
            continue;
        }
        match found {
            Some(value) if value != fact.value => {
                return Figure::Missing(Missing::new(
                    "ambiguous",
                    "it differs along an axis that the table does not show",
                ));
            }
            _ => found = Some(fact.value),
        }
    }
    let left_out = !cases.iter().any(|case| index.is_chosen(&case.to_string()));
    found.map_or_else(
        || {
            Figure::Missing(if left_out {
                Missing::not_in_run()
            } else {
                Missing::not_measured()
            })
        },
        |value| Figure::Known(plain(value)),
    )
}

/// What a technique takes of its device. Cells that gave no times tell it too, once they were made
/// ready.
fn resource(index: &Index<'_>, row: &MeasurementRow, name: &str) -> Result<Known, Missing> {
    let mut resources = index.data.resources.iter();
    let found = resources.find(|own| {
        own.resource == name
            && own.case == row.case
            && own.technique == row.technique
            && own.device == row.device
    });
    match found {
        Some(own) => Ok(plain(own.value as f64)),
        None if row.device == HOST => Err(Missing::new("no device", "")),
        None if row.status == Status::Ok => Err(Missing::new("not told", "")),
        None => Err(Missing::of_row(row)),
    }
}

/// The ratio of medians, baseline over technique; or why there is none: either has no right answer, they
/// did different work, they were not measured together, or the interval is too wide. `over` is a label or a
/// role of [`ROLES`](super::ratios::ROLES).
pub(crate) fn speedup(
    index: &Index<'_>,
    row: &MeasurementRow,
    over: &str,
) -> Result<Known, Missing> {
    ratio(index, row, over).result
}

/// The ratio that [`speedup`] tells, with what it is over. Of one that is not in the run's list only the reason
/// is told.
pub(crate) fn ratio(index: &Index<'_>, row: &MeasurementRow, over: &str) -> ratios::Ratio {
    if let Some(known) = index.ratios().of(row, over) {
        return known.clone();
    }
    let mut ratio = ratios::make(index, row, over);
    if ratio.result.is_ok() {
        let why = format!("{} is not compared with {over} in this run", row.technique);
        ratio.result = Err(Missing::new("no baseline", why));
    }
    ratio
}

/// The ratio of a cell that may have no row.
pub(crate) fn ratio_at(
    index: &Index<'_>,
    case: &Case,
    place: &Place<'_>,
    over: &str,
) -> ratios::Ratio {
    let text = case.to_string();
    match index.row(&text, place.technique, place.device) {
        Some(row) => ratio(index, row, over),
        None => {
            let cell = [text, place.technique.to_owned(), place.device.to_owned()];
            ratios::Ratio::without(cell, over, no_row(index, case, place.technique))
        }
    }
}

/// In a match: the opponent's time over the technique's own.
pub(crate) fn over_opponent(index: &Index<'_>, row: &MeasurementRow) -> Result<Known, Missing> {
    let row = answered(row)?;
    let opponent: Vec<u64> = index
        .data
        .samples
        .iter()
        .filter(|sample| sample.is_of(row))
        .map(|sample| sample.opponent_ns)
        .collect();
    let seed = index.data.experiment.seed;
    compared(&opponent, index.times(row), seed, 1.0, row.opponent_ns)
}

/// A ratio that may be printed, or why it may not.
pub(super) fn compared(
    baseline: &[u64],
    technique: &[u64],
    seed: u64,
    scale: f64,
    baseline_ns: Option<u64>,
) -> Result<Known, Missing> {
    let Some(ratio) = ratio_of_medians(baseline, technique, seed) else {
        return Err(Missing::new(
            "no samples",
            "the raw samples of one side are not in the folder",
        ));
    };
    let ratio = Ratio {
        value: ratio.value * scale,
        interval: ratio
            .interval
            .map(|(low, high)| (low * scale, high * scale)),
    };
    let verdict = ratio.verdict();
    if verdict == Verdict::Unclear {
        let reason = match ratio.interval {
            None => "too few samples for an interval".to_owned(),
            Some((low, high)) => {
                format!(
                    "interval {} is too wide",
                    Unit::Plain.show_interval(low, high)
                )
            }
        };
        return Err(Missing {
            interval: ratio.interval,
            baseline_ns,
            ..Missing::new("unclear", reason)
        });
    }
    Ok(Known {
        value: ratio.value,
        interval: ratio.interval,
        verdict: Some(verdict),
        baseline_ns,
        baseline: None,
        share: None,
        few: (baseline.len().min(technique.len()) < ENOUGH)
            .then_some((baseline.len(), technique.len())),
    })
}

/// Nodes of a technique over the nodes of a baseline.
pub(crate) fn node_overhead(
    index: &Index<'_>,
    row: &MeasurementRow,
    baseline: &str,
) -> Result<Known, Missing> {
    let row = answered(row)?;
    let base = baseline_row(index, row, baseline)?;
    same_work(index.data.experiment.task, row, base)?;
    match (row.nodes, base.nodes) {
        (Some(own), Some(other)) if own > 0 && other > 0 => Ok(Known {
            baseline_ns: base.median_ns,
            ..plain(own as f64 / other as f64)
        }),
        _ => Err(Missing::new("no nodes", "one side counts none")),
    }
}

pub(super) fn plain(value: f64) -> Known {
    Known {
        value,
        interval: None,
        verdict: None,
        baseline_ns: None,
        baseline: None,
        share: None,
        few: None,
    }
}

pub(super) fn answered(row: &MeasurementRow) -> Result<&MeasurementRow, Missing> {
    if row.status == Status::Ok && row.median_ns.is_some() {
        Ok(row)
    } else {
        Err(Missing::of_row(row))
    }
}

pub(super) fn baseline_row<'a>(
    index: &Index<'a>,
    row: &MeasurementRow,
    baseline: &str,
) -> Result<&'a MeasurementRow, Missing> {
    let why = |reason: String| Missing::new("no baseline", format!("{baseline} {reason}"));
    let Some(base) = index.baseline(&row.case, baseline, &row.device) else {
        if row.device == HOST && index.on_device(baseline) == Some(true) {
            return Err(why(format!(
                "runs on devices, {} on the host",
                row.technique
            )));
        }
        let case = Case::parse(&row.case).unwrap_or_default();
        return Err(why(format!("is {}", no_row(index, &case, baseline).text())));
    };
    answered(base).map_err(|missing| why(format!("is {}", missing.text())))
}

/// By what a ratio of whole times, the second row's over the first's, must be multiplied to compare
/// like with like. Playouts are alike, so their number may differ; the positions of a line of play
/// are not: `None` where there are more of them on one side.
pub(super) fn scale(task: Task, row: &MeasurementRow, base: &MeasurementRow) -> Option<f64> {
    if row.units == base.units {
        return Some(1.0);
    }
    let alike = task == Task::Playouts && base.units > 0;
    alike.then(|| row.units as f64 / base.units as f64)
}

/// The [`scale`] of a ratio, or why there is none.
pub(super) fn same_work(
    task: Task,
    row: &MeasurementRow,
    base: &MeasurementRow,
) -> Result<f64, Missing> {
    scale(task, row, base).ok_or_else(|| {
        Missing::new(
            "different work",
            format!("{} positions, its baseline {}", row.units, base.units),
        )
    })
}

/// The mean of a cell's times, from its raw samples.
fn mean(index: &Index<'_>, row: &MeasurementRow, units: f64) -> Result<Known, Missing> {
    let row = answered(row)?;
    let seed = index.data.experiment.seed;
    let wanted = index.data.experiment.sampling.min_samples;
    let samples = index.times(row);
    match mean_with_interval(samples, seed) {
        Some((mean, interval)) => Ok(Known {
            interval: interval.map(|(low, high)| (low / units, high / units)),
            few: (samples.len() < wanted).then_some((samples.len(), samples.len())),
            ..plain(mean / units)
        }),
        None => Err(Missing::of_row(row)),
    }
}

fn times(row: &MeasurementRow, units: f64) -> Result<Known, Missing> {
    let row = answered(row)?;
    let scaled = |ns: Option<u64>| ns.map(|ns| ns as f64 / units);
    match scaled(row.median_ns) {
        Some(median) => Ok(Known {
            interval: scaled(row.low_ns).zip(scaled(row.high_ns)),
            ..plain(median)
        }),
        None => Err(Missing::of_row(row)),
    }
}

/// The parts of a device cell's time in the order of [`Part::ALL`], ns; `None` for the host's cells,
/// and where the device's timestamps cannot be trusted.
pub(crate) fn parts(row: &MeasurementRow) -> Option<[u64; 5]> {
    if row.device == HOST || row.status != Status::Ok {
        return None;
    }
    let parts = [
        row.upload_ns?,
        row.queue_ns?,
        row.kernel_ns?,
        row.download_ns?,
        row.host_ns?,
    ];
    (parts.iter().sum::<u64>() > 0).then_some(parts)
}

/// One part of a device cell's time, and its share of the sum of all parts' medians.
fn part_of_time(row: &MeasurementRow, part: Part) -> Result<Known, Missing> {
    let row = answered(row)?;
    if row.device == HOST {
        return Err(Missing::new("on the host", ""));
    }
    let Some(parts) = parts(row) else {
        let reason = "the device's timestamps cannot be trusted";
        return Err(Missing::new("not measured", reason));
    };
    let own = parts[part as usize] as f64;
    Ok(Known {
        share: Some(own / parts.iter().sum::<u64>() as f64),
        ..plain(own)
    })
}
