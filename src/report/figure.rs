//! Computes a number for a table, or the reason why it is missing.

use super::block::Measure;
use super::data::{HOST, Index, Place, distinct, grouped};
use super::known::{Figure, Known, Missing, answered, plain};
use super::matches;
use super::ratios::{baseline_row, marked, no_row, ratio, same_work, too_wide};
use crate::config::Quantity;
use crate::results::{MeasurementRow, Sample};
use crate::stats::{self, Verdict, passes, ratio_of_medians};
use crate::words::{Case, Status, cost_fs};

/// Computes a quantity of a cell. The baseline is ignored if the quantity does not need one.
pub(crate) fn measured(
    index: &Index<'_>,
    (quantity, baseline): Measure<'_>,
    case: &Case,
    place: &Place<'_>,
) -> Figure {
    let Some(row) = index.row(&case.to_string(), place.technique, place.device) else {
        return Err(no_row(index, case, place.technique));
    };
    let itself = quantity.needs_baseline() && baseline == Some(place.technique);
    let over = baseline.unwrap_or_default();
    let units = row.units.max(1) as f64;
    match quantity {
        _ if itself => answered(row).and(Err(Missing::IS_BASELINE)),
        Quantity::Speedup => ratio(index, row, over).result,
        Quantity::NodeOverhead => node_overhead(index, row, over),
        Quantity::Fact(name) => Err(Missing::new("not measured", format!("no fact {name}"))),
        Quantity::MeanTimePerUnit => sampled(index, answered(row)?, |samples| {
            let sum: u128 = samples.iter().map(|own| u128::from(own.total_ns)).sum();
            (!samples.is_empty()).then(|| sum as f64 / samples.len() as f64 / units)
        }),
        Quantity::Time => times(index, row, 1.0),
        Quantity::TimePerUnit => times(index, row, units),
        Quantity::NodeRate => rate(index, row, |sample| sample.nodes),
        Quantity::LeafRate => rate(index, row, |sample| sample.leaves),
        Quantity::PlayoutRate => rate(index, row, |sample| sample.playouts),
        Quantity::PlyRate => rate(index, row, |sample| sample.plies),
        Quantity::Part(part) => {
            let parts = parts(row)?;
            let own = parts[*part as usize] as f64;
            Ok(Known {
                share: Some(own / parts.iter().sum::<u64>() as f64),
                ..plain(own)
            })
        }
        // The transfers' share of the total time over all samples.
        Quantity::TransferShare => sampled(index, parts(row).map(|_| row)?, |samples| {
            let sum = |of: fn(&Sample) -> u64| samples.iter().map(|sample| of(sample)).sum::<u64>();
            let transfers = sum(|sample| sample.upload_ns + sample.download_ns);
            let whole = sum(|sample| sample.total_ns);
            (whole > 0).then(|| transfers as f64 / whole as f64)
        }),
        Quantity::Resource(name) => resource(index, row, name),
        Quantity::Nodes => {
            let nodes = answered(row)?.nodes.map(|nodes| plain(nodes as f64));
            nodes.ok_or_else(|| Missing::of_row(row))
        }
        Quantity::Score => {
            let score = answered(row)?.match_score();
            let share = score.as_ref().and_then(matches::share);
            let known = share.map(|(share, interval)| Known {
                interval: Some(interval),
                ..plain(share)
            });
            known.ok_or(Missing::bare("the row has no score"))
        }
    }
}

/// Returns a fact if it has the same value in all of the cases.
pub(crate) fn fact(index: &Index<'_>, name: &str, cases: &[&Case]) -> Figure {
    let facts = index.data.facts.iter().filter(|fact| fact.fact == name);
    // Ignores a fact whose case is unreadable.
    let own = facts.filter(|fact| {
        let about = Case::parse(&fact.case);
        about.is_some_and(|about| cases.iter().any(|case| case.agrees(&about)))
    });
    match distinct(own.map(|fact| fact.value))[..] {
        [value] => Ok(plain(value)),
        [_, ..] => {
            let why = "it differs along an axis that the table does not show";
            Err(Missing::new("ambiguous", why))
        }
        [] => Err(Missing::NOT_MEASURED),
    }
}

/// Returns a device resource of a technique. A cell has resources once it is prepared, even if it has no times.
fn resource(index: &Index<'_>, row: &MeasurementRow, name: &str) -> Figure {
    let mut resources = index.data.resources.iter();
    match resources.find(|own| own.resource == name && own.cell == row.cell) {
        Some(own) => Ok(plain(own.value as f64)),
        None if row.cell.device == HOST => Err(Missing::bare("no device")),
        None if row.status == Status::Ok => Err(Missing::bare("not reported")),
        None => Err(Missing::of_row(row)),
    }
}

/// Returns the opponent's time divided by the technique's time, in a match.
pub(crate) fn over_opponent(index: &Index<'_>, row: &MeasurementRow) -> Figure {
    let row = answered(row)?;
    let samples = index.samples(row).iter();
    let times = samples.map(|sample| (sample.opponent_ns, sample.total_ns));
    let (opponent, own): (Vec<u64>, Vec<u64>) = times.unzip();
    let why = "the raw samples of one side are not in the folder";
    let ratio = ratio_of_medians(&opponent, &own, index.data.experiment.seed);
    let ratio = ratio.ok_or_else(|| Missing::new("no samples", why))?;
    let (verdict, interval) = (ratio.verdict(), ratio.interval);
    if verdict == Verdict::Unclear {
        let few = || Missing::new("unclear", "too few samples for an interval");
        return Err(interval.map_or_else(few, too_wide));
    }
    Ok(Known {
        interval,
        verdict: Some(verdict),
        baseline_ns: row.opponent_ns,
        few: marked(interval.is_some(), 0, own.len()),
        ..plain(ratio.value)
    })
}

pub(crate) fn node_overhead(index: &Index<'_>, row: &MeasurementRow, baseline: &str) -> Figure {
    let row = answered(row)?;
    let base = baseline_row(index, row, baseline)?;
    same_work(index.data.experiment.task, row, base)?;
    match (row.nodes, base.nodes) {
        (Some(own), Some(other)) if own > 0 && other > 0 => Ok(Known {
            baseline_ns: base.median_ns,
            ..plain(own as f64 / other as f64)
        }),
        _ => Err(Missing::new("no nodes", "one side does not count nodes")),
    }
}

/// Applies `of` to all samples of a cell for the value, and to each pass for the interval.
fn sampled(
    index: &Index<'_>,
    row: &MeasurementRow,
    of: impl Fn(&[&Sample]) -> Option<f64>,
) -> Figure {
    let samples = index.samples(row);
    let by_pass = grouped(samples.iter().map(|sample| (sample.pass(), *sample)));
    let values: Option<Vec<f64>> = by_pass.iter().map(|(_, own)| of(own)).collect();
    let interval = values.and_then(|values| passes::interval(&values, None));
    timed(index, row, of(samples), interval.map(|(_, ends)| ends))
}

fn timed(
    index: &Index<'_>,
    row: &MeasurementRow,
    value: Option<f64>,
    interval: Option<(f64, f64)>,
) -> Figure {
    let (passes, samples) = (index.passes(row).len(), row.samples as usize);
    Ok(Known {
        interval,
        few: marked(interval.is_some(), passes, samples),
        ..plain(value.ok_or_else(|| Missing::of_row(row))?)
    })
}

fn times(index: &Index<'_>, row: &MeasurementRow, units: f64) -> Figure {
    let row = answered(row)?;
    let scaled = |ns: Option<u64>| ns.map(|ns| ns as f64 / units);
    let interval = scaled(row.low_ns).zip(scaled(row.high_ns));
    timed(index, row, scaled(row.median_ns), interval)
}

/// Returns counts per second: the median of the samples' rates.
fn rate(index: &Index<'_>, row: &MeasurementRow, count: fn(&Sample) -> u64) -> Figure {
    const FS_IN_S: f64 = 1e15;
    let rate = sampled(index, answered(row)?, |samples| {
        let costs = samples.iter().map(|own| cost_fs(own.total_ns, count(own)));
        let cost = stats::median(&costs.collect::<Option<Vec<u64>>>()?)?;
        (cost > 0).then(|| FS_IN_S / cost as f64)
    });
    rate.map_err(|_| Missing::bare("not counted"))
}

/// Splits the time of a device cell into [`Part::ALL`], in ns.
fn parts(row: &MeasurementRow) -> Result<[u64; 5], Missing> {
    if answered(row)?.cell.device == HOST {
        return Err(Missing::bare("on the host"));
    }
    let each = || {
        let [upload, queue, kernel] = [row.upload_ns?, row.queue_ns?, row.kernel_ns?];
        Some([upload, queue, kernel, row.download_ns?, row.host_ns?])
    };
    let parts = each().filter(|parts| parts.iter().sum::<u64>() > 0);
    let reason = "the device's timestamps cannot be trusted";
    parts.ok_or_else(|| Missing::new("not measured", reason))
}
