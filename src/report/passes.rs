//! Values and intervals over the passes of a run.

use super::known::{Few, Gap, Known, Missing, plain};
use super::number::Unit;
use crate::results::MeasurementRow;
use crate::stats::passes::{self, Prior};
use crate::stats::{Ratio, Verdict, median};

/// Ratio and verdict of passes' ratios; below three passes `whole`, without verdict. `samples` are each side's.
pub(super) fn of_passes(
    ratios: &[f64],
    whole: f64,
    prior: Option<&Prior>,
    samples: [usize; 2],
) -> Result<Known, Missing> {
    let (value, interval) = passes::interval(ratios, prior).unzip();
    let value = value.unwrap_or(whole);
    let verdict = Ratio { value, interval }.verdict();
    if let (Verdict::Unclear, Some((low, high))) = (verdict, interval) {
        return Err(Missing {
            interval,
            ..Missing::new(Gap::UNCLEAR, too_wide(low, high))
        });
    }
    Ok(Known {
        interval,
        verdict: interval.map(|_| verdict),
        few: marked(interval, ratios.len(), samples[0].min(samples[1])),
        ..plain(value)
    })
}

/// First cost over second: per pass, and by the medians of all; `None` if one is 0.
pub(super) fn of_costs(passes: &[[Vec<u64>; 2]]) -> Option<(Vec<f64>, f64)> {
    let of = |sides: &[Vec<u64>; 2]| {
        let [base, own] = sides.each_ref().map(|costs| median(costs));
        let (base, own) = (base? as f64, own? as f64);
        (base > 0.0 && own > 0.0).then(|| base / own)
    };
    let all = [0, 1].map(|side| passes.iter().flat_map(|pass| pass[side].clone()).collect());
    let each: Option<Vec<f64>> = passes.iter().map(of).collect();
    each.zip(of(&all))
}

/// The fewest samples whose range is a 95 % interval of the median: it misses with probability 2 ÷ 2ⁿ.
const ENOUGH: usize = 6;

/// Why a time is marked: too few passes for an interval, or few samples.
pub(super) fn marked(interval: Option<(f64, f64)>, passes: usize, samples: usize) -> Option<Few> {
    match interval {
        None => Some(Few::Passes(passes)),
        Some(_) => few_samples(samples),
    }
}

/// The mark of a cell's time; empty without a time.
pub fn mark_of(row: &MeasurementRow) -> &'static str {
    let interval = row.low_ns.map(|low| (low as f64, low as f64));
    marked(interval, 0, row.samples as usize).map_or("", Few::mark)
}

pub(super) fn few_samples(samples: usize) -> Option<Few> {
    (samples < ENOUGH).then_some(Few::Samples(samples))
}

pub(super) fn too_wide(low: f64, high: f64) -> String {
    let shown = Unit::Plain.show_interval(low, high);
    format!("interval {shown} is too wide")
}
