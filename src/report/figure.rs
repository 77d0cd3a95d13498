//! One number of a table, or the reason why there is none.

use super::data::{HOST, Index, Place};
use super::known::{Known, Missing, answered, plain};
use super::pairs::{self, baseline_row, no_row, same_work};
use super::passes::{few, few_samples, over_passes, too_wide};
use super::{rate, ratios};
use crate::config::{Part, Quantity};
use crate::results::{MeasurementRow, SampleRow};
use crate::stats::{Ratio, Verdict, ratio_of_medians};
use crate::words::{Case, Status};

/// What a cell of a table shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Figure {
    Known(Known),
    Missing(Missing),
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
        Quantity::TransferShare => transfer_share(index, row),
        Quantity::Resource(name) => resource(index, row, name),
        Quantity::Nodes => answered(row).and_then(|row| match row.nodes {
            Some(nodes) => Ok(plain(nodes as f64)),
            None => Err(Missing::of_row(row)),
        }),
    };
    result.map_or_else(Figure::Missing, Figure::Known)
}

/// A fact of the cases that agree with a partial one: the same for all of them, or none is shown.
pub(crate) fn fact(index: &Index<'_>, name: &str, cases: &[&Case]) -> Figure {
    let mut found: Option<f64> = None;
    for fact in index.data.facts.iter().filter(|fact| fact.fact == name) {
        // Of a case that cannot be read it is not known whose it is.
        let about = Case::parse(&fact.case);
        let is_of = |case: &&Case| {
            let about = about.as_ref();
            about.is_some_and(|about| super::data::agrees(case, about))
        };
        if !cases.iter().any(is_of) {
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
    if let Some(known) = pairs::ratios(index).of(row, over) {
        return known.clone();
    }
    let mut ratio = pairs::make(index, row, over);
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
        few: few_samples(baseline.len().min(technique.len())),
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

/// Nodes a second of a technique over those of a baseline: the speed-up times the node overhead.
pub(crate) fn rate_ratio(
    index: &Index<'_>,
    row: &MeasurementRow,
    baseline: &str,
) -> Result<Known, Missing> {
    let overhead = node_overhead(index, row, baseline)?;
    let speedup = speedup(index, row, baseline)?;
    Ok(Known {
        baseline_ns: speedup.baseline_ns,
        ..plain(speedup.value * overhead.value)
    })
}

/// The mean of a cell's times, from its raw samples.
fn mean(index: &Index<'_>, row: &MeasurementRow, units: f64) -> Result<Known, Missing> {
    let row = answered(row)?;
    let mean_of = |samples: &[&SampleRow]| {
        let sum: u128 = samples
            .iter()
            .map(|sample| u128::from(sample.total_ns))
            .sum();
        (!samples.is_empty()).then(|| sum as f64 / samples.len() as f64 / units)
    };
    let samples = index.samples(row);
    let interval = over_passes(index, row, mean_of);
    match mean_of(samples) {
        Some(mean) => Ok(Known {
            few: few(index, row, interval),
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
                few: few(index, row, interval),
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

/// [`parts`], or why there are none.
fn trusted_parts(row: &MeasurementRow) -> Result<[u64; 5], Missing> {
    let row = answered(row)?;
    if row.device == HOST {
        return Err(Missing::new("on the host", ""));
    }
    parts(row).ok_or_else(|| {
        let reason = "the device's timestamps cannot be trusted";
        Missing::new("not measured", reason)
    })
}

/// The share that uploads and downloads have in the time of all samples.
fn transfer_share(index: &Index<'_>, row: &MeasurementRow) -> Result<Known, Missing> {
    trusted_parts(row)?;
    let share_of = |samples: &[&SampleRow]| {
        let sum = |of: fn(&SampleRow) -> u64| samples.iter().map(|sample| of(sample)).sum::<u64>();
        let transfers = sum(|sample| sample.upload_ns + sample.download_ns);
        let whole = sum(|sample| sample.total_ns);
        (whole > 0).then(|| transfers as f64 / whole as f64)
    };
    let share = share_of(index.samples(row)).ok_or_else(|| Missing::of_row(row))?;
    let interval = over_passes(index, row, share_of);
    Ok(Known {
        few: few(index, row, interval),
        interval,
        ..plain(share)
    })
}

/// One part of a device cell's time, and its share of the sum of all parts' medians.
fn part_of_time(row: &MeasurementRow, part: Part) -> Result<Known, Missing> {
    let parts = trusted_parts(row)?;
    let own = parts[part as usize] as f64;
    Ok(Known {
        share: Some(own / parts.iter().sum::<u64>() as f64),
        ..plain(own)
    })
}
