//! One number of a table, or the reason why there is none.

use super::data::{HOST, Index, Place};
use super::number::Unit;
use super::{rate, ratios};
use crate::config::{Part, Quantity};
use crate::results::{MeasurementRow, SampleRow};
use crate::stats::passes::{self, Prior};
use crate::stats::{Ratio, Verdict, ratio_of_medians};
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
    /// What it lacks an interval for, though its quantity has one: `1 pass`, `2 passes`; of the two times of a
    /// match, and of a mean, `3 samples`.
    pub few: Option<String>,
}

/// The fewest samples whose range is a 95 % interval of the median: it fails to hold the median
/// with probability 2 ÷ 2ⁿ, so an interval of five samples reaches 94 % at best.
const ENOUGH: usize = 6;

/// What stands under a table that has ratios of few passes.
pub(crate) const FEW: &str = "Ratios without a colour that name their passes have fewer than three: they have no \
    interval, and no verdict rests on them.";

/// `1 pass`, `2 passes`.
pub(super) fn passes_text(count: usize) -> String {
    match count {
        1 => "1 pass".to_owned(),
        count => format!("{count} passes"),
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
        Quantity::Time => times(index, row, 1.0),
        Quantity::TimePerUnit => times(index, row, row.units.max(1) as f64),
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
        .filter(|sample| sample.key == row.key)
        .map(|sample| sample.opponent_ns)
        .collect();
    let seed = index.data.experiment.seed;
    compared(&opponent, index.times(row), seed, 1.0, row.opponent_ns)
}

/// The ratio that passes' ratios make, and what it says. Of fewer than three passes there is no interval,
/// and nothing follows from it: then it is that of all samples, `whole`.
pub(super) fn of_passes(
    ratios: &[f64],
    whole: f64,
    prior: Option<&Prior>,
) -> Result<Known, Missing> {
    let (value, interval) = match passes::interval(ratios, prior) {
        Some((value, interval)) => (value, Some(interval)),
        None => (whole, None),
    };
    let verdict = Ratio { value, interval }.verdict();
    if let (Verdict::Unclear, Some((low, high))) = (verdict, interval) {
        return Err(Missing {
            interval,
            ..Missing::new("unclear", too_wide(low, high))
        });
    }
    Ok(Known {
        interval,
        verdict: interval.map(|_| verdict),
        ..plain(value)
    })
}

/// The 95 % interval of something that samples tell, from its value in each pass.
pub(super) fn over_passes(
    index: &Index<'_>,
    row: &MeasurementRow,
    of: impl Fn(&[&SampleRow]) -> Option<f64>,
) -> Option<(f64, f64)> {
    let mut passes: Vec<((&str, u64), Vec<&SampleRow>)> = Vec::new();
    for sample in index.samples(row) {
        match passes.iter_mut().find(|(pass, _)| *pass == sample.pass()) {
            Some((_, own)) => own.push(sample),
            None => passes.push((sample.pass(), vec![sample])),
        }
    }
    let values: Option<Vec<f64>> = passes.iter().map(|(_, own)| of(own)).collect();
    passes::interval(&values?, None).map(|(_, interval)| interval)
}

/// Why something timed has no interval, if it has none.
pub(super) fn few_passes(
    index: &Index<'_>,
    row: &MeasurementRow,
    interval: Option<(f64, f64)>,
) -> Option<String> {
    interval
        .is_none()
        .then(|| passes_text(index.passes(row).len()))
}

fn too_wide(low: f64, high: f64) -> String {
    let shown = Unit::Plain.show_interval(low, high);
    format!("interval {shown} is too wide")
}

/// A ratio that may be printed, or why it may not.
fn compared(
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
            Some((low, high)) => too_wide(low, high),
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
            .then(|| format!("{} samples", technique.len())),
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
    let wanted = index.data.experiment.sampling.min_samples;
    let mean_of = |samples: &[&SampleRow]| {
        let sum: u128 = samples
            .iter()
            .map(|sample| u128::from(sample.total_ns))
            .sum();
        (!samples.is_empty()).then(|| sum as f64 / samples.len() as f64 / units)
    };
    let samples = index.samples(row);
    let interval = over_passes(index, row, mean_of);
    let few = || format!("{} samples", samples.len());
    match mean_of(samples) {
        Some(mean) => Ok(Known {
            few: few_passes(index, row, interval).or((samples.len() < wanted).then(few)),
            interval,
            ..plain(mean)
        }),
        None => Err(Missing::of_row(row)),
    }
}

fn times(index: &Index<'_>, row: &MeasurementRow, units: f64) -> Result<Known, Missing> {
    let row = answered(row)?;
    let scaled = |ns: Option<u64>| ns.map(|ns| ns as f64 / units);
    match scaled(row.median_ns) {
        Some(median) => {
            let interval = scaled(row.low_ns).zip(scaled(row.high_ns));
            Ok(Known {
                interval,
                few: few_passes(index, row, interval),
                ..plain(median)
            })
        }
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
