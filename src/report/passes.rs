//! What the passes of a run say together: values with their intervals.

use super::data::Index;
use super::known::{Known, Missing, plain};
use super::number::Unit;
use super::series::grouped;
use crate::results::{MeasurementRow, SampleRow};
use crate::stats::passes::{self, Prior};
use crate::stats::{Ratio, Verdict};

/// `1 pass`, `2 passes`.
pub(super) fn passes_text(count: usize) -> String {
    format!("{count} pass{}", if count == 1 { "" } else { "es" })
}

/// The ratio that passes' ratios make, and what it says. Of fewer than three passes there is no interval,
/// and nothing follows from it: then it is that of all samples, `whole`.
pub(super) fn of_passes(
    ratios: &[f64],
    whole: f64,
    prior: Option<&Prior>,
) -> Result<Known, Missing> {
    let (value, interval) = passes::interval(ratios, prior).unzip();
    let value = value.unwrap_or(whole);
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
    let samples = index.samples(row).iter();
    let passes = grouped(samples.map(|sample| (sample.pass(), *sample)));
    let values: Option<Vec<f64>> = passes.iter().map(|(_, own)| of(own)).collect();
    passes::interval(&values?, None).map(|(_, interval)| interval)
}

/// What marks a number of too few passes or samples, wherever it stands.
pub const DAGGER: &str = "†";
/// What the mark means, under a table or on a terminal.
pub const FEW: &str =
    "† Fewer than three passes, which allow no verdict, or fewer than six samples.";

/// The fewest samples whose range is a 95 % interval of the median: it fails to hold the median
/// with probability 2 ÷ 2ⁿ, so an interval of five samples reaches 94 % at best.
const ENOUGH: usize = 6;

/// Why something timed is marked: it has no interval for want of passes, or it is of few samples.
pub(super) fn few(
    index: &Index<'_>,
    row: &MeasurementRow,
    interval: Option<(f64, f64)>,
) -> Option<String> {
    match interval {
        None => Some(passes_text(index.passes(row).len())),
        Some(_) => few_samples(row.samples as usize),
    }
}

/// Whether a cell's time is marked.
pub fn is_few(row: &MeasurementRow) -> bool {
    row.low_ns.is_none() || few_samples(row.samples as usize).is_some()
}

/// `5 samples`, where they are too few.
pub(super) fn few_samples(samples: usize) -> Option<String> {
    (samples < ENOUGH).then(|| format!("{samples} samples"))
}

pub(super) fn too_wide(low: f64, high: f64) -> String {
    let shown = Unit::Plain.show_interval(low, high);
    format!("interval {shown} is too wide")
}
