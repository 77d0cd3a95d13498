//! What a technique gets through in a second.

use super::data::Index;
use super::known::{Known, Missing, answered, plain};
use super::passes::{few, over_passes};
use crate::results::{MeasurementRow, SampleRow};
use crate::stats;
use crate::words::cost_fs;

/// Nodes a second.
pub(crate) fn of_nodes(index: &Index<'_>, row: &MeasurementRow) -> Result<Known, Missing> {
    rate(index, row, |sample| sample.nodes, row.nodes)
}

/// Leaves a second.
pub(crate) fn of_leaves(index: &Index<'_>, row: &MeasurementRow) -> Result<Known, Missing> {
    rate(index, row, |sample| sample.leaves, row.leaves)
}

/// Playouts a second.
pub(crate) fn of_playouts(index: &Index<'_>, row: &MeasurementRow) -> Result<Known, Missing> {
    rate(index, row, |sample| sample.playouts, row.playouts)
}

/// Plies of playouts a second.
pub(crate) fn of_plies(index: &Index<'_>, row: &MeasurementRow) -> Result<Known, Missing> {
    rate(index, row, |sample| sample.plies, row.plies)
}

/// Something counted in a sample, per second: the median of the samples' own rates, for where the clock
/// decides how much is done it is the count that varies. `median` is that of the counts, for a folder
/// without the samples; the slow end of the time is then the low end of the rate.
fn rate(
    index: &Index<'_>,
    row: &MeasurementRow,
    count: impl Fn(&SampleRow) -> u64,
    median: Option<u64>,
) -> Result<Known, Missing> {
    const FS_IN_S: f64 = 1e15;
    let row = answered(row)?;
    let not_counted = || Missing::new("not counted", "");
    let per_second = |cost: u64| FS_IN_S / cost as f64;
    let rate_of = |samples: &[&SampleRow]| -> Option<f64> {
        let costs = samples
            .iter()
            .map(|sample| cost_fs(sample.total_ns, count(sample)));
        let cost = stats::median(&costs.collect::<Option<Vec<u64>>>()?)?;
        (cost > 0).then(|| per_second(cost))
    };
    if let Some(rate) = rate_of(index.samples(row)) {
        let interval = over_passes(index, row, rate_of);
        return Ok(Known {
            interval,
            few: few(index, row, interval),
            ..plain(rate)
        });
    }
    let count = median.filter(|count| *count > 0).ok_or_else(not_counted)?;
    let per_second = |ns: Option<u64>| cost_fs(ns?, count).map(per_second);
    Ok(Known {
        interval: per_second(row.high_ns).zip(per_second(row.low_ns)),
        ..plain(per_second(row.median_ns.filter(|ns| *ns > 0)).ok_or_else(not_counted)?)
    })
}
