//! Makes the ratios of a run.
//!
//! A ratio pairs samples of one case in one pass of one invocation, which samples techniques in turns. Each such pass
//! gives a ratio: a state of the machine that both sides met cancels.

use std::collections::HashMap;

use super::data::{HOST, Index, RunData};
use super::known::{Gap, Known, Missing, answered, plain};
use super::passes::{of_costs, of_passes};
use super::ratios::{BEST_CPU, BEST_ONE_CORE, ROLES, Ratio, Ratios};
use crate::results::MeasurementRow;
use crate::stats::median;
use crate::stats::passes::Prior;
use crate::words::{Case, Kind, Reason, Status, Task};

/// The index of a run, with its ratios.
pub(crate) fn indexed(data: &RunData) -> Index<'_> {
    let mut index = Index::new(data);
    index.ratios = all(&index);
    index
}

/// Ratios of every answered cell: over techniques of its place, a view's baselines, and the roles (not in a match).
fn all<'a>(index: &Index<'a>) -> Ratios<'a> {
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
    // Cells of one place over baselines of one kind meet the same disturbances.
    let class = |(ratio, _): &Draft| (ratio.device.clone(), ratio.threads > 1);
    let mut classes: HashMap<_, Vec<&[f64]>> = HashMap::new();
    for (_, draft) in &drafts {
        classes.entry(class(draft)).or_default().push(&draft.1);
    }
    let priors = classes.into_iter();
    let priors: HashMap<_, _> = priors.map(|(class, own)| (class, Prior::of(own))).collect();
    let mut ratios = Ratios::default();
    for (place, draft) in drafts {
        let prior = priors.get(&class(&draft)).copied().flatten();
        ratios.places.insert(place, ratios.all.len());
        ratios.all.push(finished(draft, prior.as_ref()));
    }
    ratios
}

/// A ratio with the value over all samples, and the ratio of each pass.
type Draft = (Ratio, Vec<f64>);

/// The ratio of a cell over a technique or a role outside the list.
pub(super) fn make(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Ratio {
    finished(draft(index, row, over), None)
}

fn draft(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Draft {
    let mut ratio = Ratio::new(row, over);
    let of_passes = fill(&mut ratio, index, row);
    let of_passes = of_passes.unwrap_or_else(|why| {
        ratio.result = Err(why);
        Vec::new()
    });
    (ratio, of_passes)
}

fn fill(ratio: &mut Ratio, index: &Index<'_>, row: &MeasurementRow) -> Result<Vec<f64>, Missing> {
    let choice = index.data.experiment.choice(&row.cell.technique);
    if choice.is_some_and(|choice| !choice.has_our_rules()) {
        let why = "its rules are not ours: a rate alone";
        return Err(Missing::new(Gap::OTHER_RULES, why));
    }
    if answered(row)?.cell.device != HOST && row.launches == Some(0) {
        return Err(Missing::new(Gap::NO_LAUNCH, "the host answered alone"));
    }
    let (base, passes) = match ratio.over.as_str() {
        BEST_ONE_CORE => best(index, row, true)?,
        BEST_CPU => best(index, row, false)?,
        label => together(index, row, label)?,
    };
    ratio.baseline.clone_from(&base.cell.technique);
    ratio.threads = base.threads;
    let (last, _) = passes.last().ok_or(Missing::IS_BASELINE)?;
    let scale = same_work(index.data.experiment.task, row, base)?;
    ratio.invocation = (*last).to_owned();
    ratio.passes = passes.len();
    let costs: Vec<[Vec<u64>; 2]> = passes.into_iter().map(|(_, costs)| costs).collect();
    ratio.samples = [0, 1].map(|side| costs.iter().map(|pass| pass[side].len()).sum());
    let why = "a side has no samples in the folder, or its median is 0";
    let found = of_costs(&costs).ok_or_else(|| Missing::new(Gap::NO_SAMPLES, why))?;
    ratio.result = Ok(Known {
        baseline: ratio.holder(),
        baseline_ns: base.median_ns,
        ..plain(scale * found.1)
    });
    Ok(found.0.iter().map(|ratio| scale * ratio).collect())
}

fn finished((mut ratio, passes): Draft, prior: Option<&Prior>) -> Ratio {
    ratio.result = ratio.result.and_then(|whole| {
        Ok(Known {
            baseline: whole.baseline,
            baseline_ns: whole.baseline_ns,
            ..of_passes(&passes, whole.value, prior, ratio.samples)?
        })
    });
    ratio
}

/// The invocation of a common pass, and the costs of baseline and cell.
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
    match both.is_empty() || row.cell.case != base.cell.case {
        true => Err(apart(baseline, row)),
        false => Ok((base, both)),
    }
}

fn apart(who: &str, row: &MeasurementRow) -> Missing {
    let own = &row.cell.technique;
    let why = format!("{who} was sampled at another time than {own}");
    Missing::new(Gap::APART, why)
}

/// The fastest host technique for the cell's question. Missing if a faster one may lack an answer or a common pass.
fn best<'a>(index: &Index<'a>, row: &MeasurementRow, one_core: bool) -> Result<Pair<'a>, Missing> {
    let case = Case::parse(&row.cell.case).unwrap_or_default();
    let (data, task) = (index.data, index.data.experiment.task);
    // Each candidate with its cost, and with the passes that it shares with the cell.
    let mut bases = Vec::new();
    for choice in &data.experiment.techniques {
        let label = choice.label.as_str();
        let (kind, base) = (
            data.kinds.get(label),
            index.row(&row.cell.case, label, HOST),
        );
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
            let how = base.map_or("was not measured".to_owned(), |it| {
                format!("is {}", it.status)
            });
            let why = format!("{label} {how}, and may be faster");
            Missing::new(Gap::BEST_UNKNOWN, why)
        })?;
        let passes = match label == row.cell.technique && row.cell.device == HOST {
            true => Some(Vec::new()),
            false => together(index, row, label).ok().map(|(_, passes)| passes),
        };
        let passes = passes.filter(|_| scale(task, row, own).is_some());
        bases.push((cost(index, own), own, passes));
    }
    bases.sort_by(|one, other| one.0.total_cmp(&other.0));
    let missed = bases.iter().find(|(.., passes)| passes.is_none());
    let missed = missed.map(|(cost, base, _)| (*cost, *base));
    let mut pairs = bases.into_iter();
    let fastest = pairs.find_map(|(cost, base, passes)| Some((cost, (base, passes?))));
    match (fastest, missed) {
        (Some((own, (base, _))), Some((less, other))) if less < own => {
            let (other, base) = (&other.cell.technique, &base.cell.technique);
            Err(apart(&format!("{other} is faster than {base}, and"), row))
        }
        (Some((_, pair)), _) => Ok(pair),
        (None, Some((_, other))) => Err(apart(&other.cell.technique, row)),
        (None, None) => {
            let which = if one_core {
                "with one thread"
            } else {
                "of the host"
            };
            let why = format!("no technique {which} has an answer");
            Err(Missing::new(Gap::NO_BASELINE, why))
        }
    }
}

/// Rank of a case's techniques: the median cost, per playout if playouts are counted.
pub(super) fn cost(index: &Index<'_>, row: &MeasurementRow) -> f64 {
    let own = median(&index.costs(row)).or(row.median_ns);
    let units = match index.data.experiment.task {
        Task::Playouts => row.units.max(1),
        _ => 1,
    };
    own.map_or(f64::INFINITY, |own| own as f64 / units as f64)
}

/// True if a cell without an answer is slower than answered ones, or cannot run this case.
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
    Err(Missing::new(Gap::NO_BASELINE, format!("{baseline} {why}")))
}

/// The factor for a ratio of whole times if playouts differ in number; `None` if positions do.
pub(super) fn scale(task: Task, row: &MeasurementRow, base: &MeasurementRow) -> Option<f64> {
    match row.units == base.units {
        true => Some(1.0),
        false => {
            (task == Task::Playouts && base.units > 0).then(|| row.units as f64 / base.units as f64)
        }
    }
}

pub(super) fn same_work(
    task: Task,
    row: &MeasurementRow,
    base: &MeasurementRow,
) -> Result<f64, Missing> {
    scale(task, row, base).ok_or_else(|| {
        let why = format!("{} positions, its baseline {}", row.units, base.units);
        Missing::new(Gap::DIFFERENT_WORK, why)
    })
}
