//! Computes the ratios in a run.
//!
//! Within a pass of an invocation, the techniques of a case are sampled alternately. Each pass that both sides share
//! yields one ratio. A disturbance that affects both sides equally cancels out.

use std::collections::HashMap;

use serde::Serialize;

use super::data::{HOST, Index, RunData, grouped};
use super::format::Unit;
use super::known::{BEST_UNKNOWN, Few, Figure, Known, Missing, NO_BASELINE, answered, plain};
use crate::results::{CellId, MeasurementRow};
use crate::stats::passes::{self, Prior};
use crate::stats::{self, Verdict, median};
use crate::words::{Case, Kind, Reason, Status, Task};

/// The role of the host's fastest single-threaded technique with the same reference.
pub(crate) const BEST_ONE_CORE: &str = "best one core";
/// The role of the host's fastest technique with the same reference, for any number of threads.
pub(crate) const BEST_CPU: &str = "best CPU";
pub(crate) const ROLES: [&str; 2] = [BEST_ONE_CORE, BEST_CPU];

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Ratio {
    #[serde(flatten)]
    pub cell: CellId,
    /// The label of a technique, or one of [`ROLES`].
    pub over: String,
    /// The label of the baseline. Empty if no program has the role.
    pub baseline: String,
    pub threads: u64,
    /// The last invocation with samples of both sides. Empty if there is no ratio.
    pub invocation: String,
    pub passes: usize,
    /// Number of samples of the baseline and of the technique in these passes.
    pub samples: [usize; 2],
    pub result: Figure,
}

/// Makes the index of a run, including its ratios.
pub(crate) fn indexed(data: &RunData) -> Index<'_> {
    let mut index = Index::new(data);
    let drafts = drafts(&index);
    // Cells on one device have similar disturbances if their baselines are all single-threaded or all multi-threaded.
    let class = |ratio: &Ratio| (ratio.cell.device.clone(), ratio.threads > 1);
    let drafted = drafts.iter().map(|(_, own)| own);
    let classes = grouped(drafted.map(|(own, each)| (class(own), &each[..]))).into_iter();
    let priors: HashMap<_, _> = classes.map(|(own, all)| (own, Prior::of(all))).collect();
    for (place, (mut ratio, each)) in drafts {
        let prior = priors[&class(&ratio)].as_ref();
        let whole = ratio.result;
        ratio.result = whole.and_then(|whole| of_passes(&each, whole, prior, ratio.samples));
        index.ratio_places.insert(place, index.ratios.len());
        index.ratios.push(ratio);
    }
    index
}

/// A ratio whose value is based on all samples, and the ratio in each pass.
type Draft = (Ratio, Vec<f64>);

/// Drafts the ratios of each answered cell over the other techniques, and over the roles (except in a match).
fn drafts<'a>(index: &Index<'a>) -> Vec<((&'a CellId, &'a str), Draft)> {
    let experiment = &index.data.experiment;
    let named = experiment.baselines();
    let is_match = experiment.task == Task::Match;
    let mut drafts = Vec::new();
    for (case, own, row) in index.cells() {
        let Some(row) = row.filter(|row| row.status == Status::Ok) else {
            continue;
        };
        let choices = experiment.techniques.iter();
        let choices = choices.filter(|own| own.takes(case));
        let labels = choices.map(|own| own.label.as_str()).filter(|label| {
            let base = index.baseline(&row.cell.case, label, &row.cell.device);
            let is_shown = named.contains(label) || !is_match && base.is_some();
            *label != own.technique && is_shown
        });
        let overs = labels.chain(ROLES.into_iter().filter(|_| !is_match));
        drafts.extend(overs.map(|over| ((&row.cell, over), draft(index, row, over))));
    }
    drafts
}

/// Returns a cell's ratio over `over`, which is a label or one of [`ROLES`].
pub(crate) fn ratio(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Ratio {
    if let Some(at) = index.ratio_places.get(&(&row.cell, over)) {
        return index.ratios[*at].clone();
    }
    let (mut ratio, _) = draft(index, row, over);
    let own = &row.cell.technique;
    let why = format!("{own} is not compared with {over} in this run");
    ratio.result = ratio.result.and(Err(Missing::new(NO_BASELINE, why)));
    ratio
}

fn draft(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Draft {
    let mut ratio = Ratio {
        cell: row.cell.clone(),
        over: over.to_owned(),
        baseline: String::new(),
        threads: 0,
        invocation: String::new(),
        passes: 0,
        samples: [0; 2],
        result: Err(Missing::IS_BASELINE),
    };
    let each = fill(&mut ratio, index, row);
    let each = each.map_err(|why| ratio.result = Err(why));
    (ratio, each.unwrap_or_default())
}

/// Fills in a ratio that is based on all samples. Returns the ratio in each pass.
fn fill(ratio: &mut Ratio, index: &Index<'_>, row: &MeasurementRow) -> Result<Vec<f64>, Missing> {
    let choice = index.data.experiment.choice(&row.cell.technique);
    if choice.is_some_and(|choice| !choice.has_our_rules()) {
        let why = "its rules differ from ours, so only its rate is comparable";
        return Err(Missing::new("other rules", why));
    }
    if answered(row)?.cell.device != HOST && row.launches == Some(0) {
        return Err(Missing::new("no launch", "the host answered alone"));
    }
    let is_role = ROLES.contains(&ratio.over.as_str());
    let (base, passes) = match is_role {
        true => best(index, row, ratio.over == BEST_ONE_CORE)?,
        false => together(index, row, &ratio.over)?,
    };
    ratio.baseline.clone_from(&base.cell.technique);
    ratio.threads = base.threads;
    let (last, _) = passes.last().ok_or(Missing::IS_BASELINE)?;
    let scale = same_work(index.data.experiment.task, row, base)?;
    ratio.invocation = (*last).to_owned();
    ratio.passes = passes.len();
    let of = |[base, own]: &[Vec<u64>; 2]| {
        let (base, own) = (median(base)? as f64, median(own)? as f64);
        (base > 0.0 && own > 0.0).then(|| scale * (base / own))
    };
    let side = |side: usize| passes.iter().flat_map(move |(_, costs)| &costs[side]);
    let all: [Vec<u64>; 2] = [0, 1].map(|own| side(own).copied().collect());
    ratio.samples = all.each_ref().map(Vec::len);
    let each: Option<Vec<f64>> = passes.iter().map(|(_, costs)| of(costs)).collect();
    let found = each.zip(of(&all));
    let why = "a side has no samples in the folder, or its median is 0";
    let (each, whole) = found.ok_or_else(|| Missing::new("no samples", why))?;
    let holder = match base.threads {
        0 | 1 => base.cell.technique.clone(),
        threads => format!("{} on {threads} threads", base.cell.technique),
    };
    ratio.result = Ok(Known {
        baseline: is_role.then_some(holder),
        baseline_ns: base.median_ns,
        ..plain(whole)
    });
    Ok(each)
}

/// Adds the interval and the verdict to a ratio. With fewer than three passes, it has neither.
fn of_passes(each: &[f64], whole: Known, prior: Option<&Prior>, samples: [usize; 2]) -> Figure {
    let (value, interval) = passes::interval(each, prior).unzip();
    let value = value.unwrap_or(whole.value);
    let verdict = stats::Ratio { value, interval }.verdict();
    if let (Verdict::Unclear, Some(ends)) = (verdict, interval) {
        return Err(too_wide(ends));
    }
    Ok(Known {
        value,
        interval,
        verdict: interval.map(|_| verdict),
        few: marked(interval.is_some(), each.len(), samples[0].min(samples[1])),
        ..whole
    })
}

/// Minimum number of samples whose range is a 95 % interval of the median. For n samples, it errs in 2 of 2ⁿ cases.
const ENOUGH: usize = 6;

/// Returns the mark of a time, if it has too few passes for an interval or too few samples.
pub(super) fn marked(has_interval: bool, passes: usize, samples: usize) -> Option<Few> {
    match has_interval {
        false => Some(Few::Passes(passes)),
        true => (samples < ENOUGH).then_some(Few::Samples(samples)),
    }
}

/// Returns the mark on a cell's time, or an empty text if the time has no mark.
pub fn mark_of(row: &MeasurementRow) -> &'static str {
    marked(row.low_ns.is_some(), 0, row.samples as usize).map_or("", Few::mark)
}

pub(super) fn too_wide((low, high): (f64, f64)) -> Missing {
    let shown = Unit::Plain.show_interval(low, high);
    Missing {
        interval: Some((low, high)),
        ..Missing::new("unclear", format!("interval {shown} is too wide"))
    }
}

/// A pass that both sides share: its invocation, and the costs of the baseline and of the cell.
type Shared<'a> = (&'a str, [Vec<u64>; 2]);
type Pair<'a> = (&'a MeasurementRow, Vec<Shared<'a>>);

fn together<'a>(
    index: &Index<'a>,
    row: &MeasurementRow,
    baseline: &str,
) -> Result<Pair<'a>, Missing> {
    let base = baseline_row(index, row, baseline)?;
    let of_base = index.passes(base);
    let both = index.passes(row).into_iter().filter_map(|(pass, own)| {
        let (_, base) = of_base.iter().find(|(other, _)| *other == pass)?;
        Some((pass.0, [base.clone(), own]))
    });
    let both: Vec<Shared<'_>> = both.collect();
    match both.is_empty() {
        true => Err(apart(baseline, row)),
        false => Ok((base, both)),
    }
}

fn apart(who: &str, row: &MeasurementRow) -> Missing {
    let own = &row.cell.technique;
    let why = format!("{who} was sampled at another time than {own}");
    Missing::new("not measured together", why)
}

/// Finds the fastest technique on the host. Fails if a technique without an answer or a common pass may be faster.
fn best<'a>(index: &Index<'a>, row: &MeasurementRow, one_core: bool) -> Result<Pair<'a>, Missing> {
    let case = Case::parse(&row.cell.case).unwrap_or_default();
    let (data, task) = (index.data, index.data.experiment.task);
    // Each candidate with its cost and the passes that it shares with the cell.
    let mut bases = Vec::new();
    for choice in &data.experiment.techniques {
        let label = choice.label.as_str();
        let kind = data.kinds.get(label);
        let base = index.row(&row.cell.case, label, HOST);
        let own = base.filter(|base| base.status == Status::Ok);
        let is_serial = own.map_or(kind == Some(&Kind::Serial), |own| own.threads == 1);
        if !choice.takes(&case)
            || !choice.may_be_best()
            || kind == Some(&Kind::Device)
            || !data.asks_the_same(label, &row.cell.technique)
            || one_core && !is_serial
            || own.is_none() && base.is_some_and(is_slow)
            || base.is_none() && index.on_device(label) == Some(true)
        {
            continue;
        }
        let own = own.ok_or_else(|| {
            let how = base.map(|it| format!("is {}", it.status));
            let how = how.unwrap_or("was not measured".to_owned());
            let why = format!("{label} {how}, and may be faster");
            Missing::new(BEST_UNKNOWN, why)
        })?;
        let passes = match label == row.cell.technique && row.cell.device == HOST {
            true => Some(Vec::new()),
            false => together(index, row, label).ok().map(|(_, passes)| passes),
        };
        let passes = passes.filter(|_| scale(task, row, own).is_some());
        bases.push((cost(index, own), own, passes));
    }
    // If costs are equal, a program with common passes comes first.
    bases.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.2.is_some().cmp(&a.2.is_some())));
    let with_passes = bases.iter().find(|(.., passes)| passes.is_some());
    let slower = with_passes.map(|(_, base, _)| &base.cell.technique);
    match bases.into_iter().next() {
        Some((_, base, Some(passes))) => Ok((base, passes)),
        Some((_, base, None)) => {
            let faster = |slower| format!("{} is faster than {slower}, and", base.cell.technique);
            let who = slower.map_or_else(|| base.cell.technique.clone(), faster);
            Err(apart(&who, row))
        }
        None => {
            let which = ["of the host", "with one thread"][usize::from(one_core)];
            let why = format!("no technique {which} has an answer");
            Err(Missing::new(NO_BASELINE, why))
        }
    }
}

/// Returns the median cost by which the techniques in a case are ranked. For the task `playouts`, it is per playout.
pub(super) fn cost(index: &Index<'_>, row: &MeasurementRow) -> f64 {
    let own = median(&index.costs(row)).or(row.median_ns);
    let units = match index.data.experiment.task {
        Task::Playouts => row.units.max(1),
        _ => 1,
    };
    own.map_or(f64::INFINITY, |own| own as f64 / units as f64)
}

/// Returns true if a technique without an answer cannot be the fastest, because it is too slow or cannot run the case.
fn is_slow(row: &MeasurementRow) -> bool {
    match row.status {
        Status::Skipped => matches!(row.why(), Reason::OverBudget { .. }),
        Status::Timeout | Status::Unsupported | Status::Memory => true,
        _ => false,
    }
}

pub(super) fn no_row(index: &Index<'_>, case: &Case, technique: &str) -> Missing {
    let choice = index.data.experiment.choice(technique);
    match choice.is_none_or(|choice| choice.takes(case)) {
        false => Missing::NOT_ASKED,
        true if index.is_asked(&case.to_string(), technique) => Missing::NOT_MEASURED,
        true => Missing::NOT_IN_RUN,
    }
}

pub(super) fn baseline_row<'a>(
    index: &Index<'a>,
    row: &MeasurementRow,
    baseline: &str,
) -> Result<&'a MeasurementRow, Missing> {
    let why = match index.baseline(&row.cell.case, baseline, &row.cell.device) {
        Some(base) => match answered(base) {
            Ok(base) => return Ok(base),
            Err(missing) => format!("is {}", missing.text()),
        },
        None if row.cell.device == HOST && index.on_device(baseline) == Some(true) => {
            format!("runs on devices, {} on the host", row.cell.technique)
        }
        None => {
            let case = Case::parse(&row.cell.case).unwrap_or_default();
            format!("is {}", no_row(index, &case, baseline).text())
        }
    };
    Err(Missing::new(NO_BASELINE, format!("{baseline} {why}")))
}

/// Returns the factor that corrects a ratio for unequal numbers of playouts. `None` if the numbers of positions differ.
pub(super) fn scale(task: Task, row: &MeasurementRow, base: &MeasurementRow) -> Option<f64> {
    let is_scaled = row.units == base.units || task == Task::Playouts && base.units > 0;
    is_scaled.then(|| row.units.max(1) as f64 / base.units.max(1) as f64)
}

pub(super) fn same_work(
    task: Task,
    row: &MeasurementRow,
    base: &MeasurementRow,
) -> Result<f64, Missing> {
    scale(task, row, base).ok_or_else(|| {
        let why = format!("{} positions, its baseline {}", row.units, base.units);
        Missing::new("different work", why)
    })
}
