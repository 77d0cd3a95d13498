//! Makes the ratios of a run.
//!
//! A ratio pairs samples of one case in one pass of one invocation, which samples techniques in turns. Each such pass
//! gives a ratio: a state of the machine that both sides met cancels.

use std::collections::HashMap;

use super::data::{HOST, Index};
use super::known::{Gap, Known, Missing, answered};
use super::passes::{of_costs, of_passes};
use super::ratios::{BEST_CPU, BEST_ONE_CORE, ROLES, Ratio, Ratios};
use crate::results::MeasurementRow;
use crate::stats::median;
use crate::stats::passes::Prior;
use crate::words::{Case, Kind, Reason, Status, Task};

pub(crate) fn ratios<'i>(index: &'i Index<'_>) -> &'i Ratios {
    index.ratios.get_or_init(|| all(index))
}

/// Ratios of every answered cell: over techniques of its place, a view's baselines, and the roles (not in a match).
fn all(index: &Index<'_>) -> Ratios {
    let experiment = &index.data.experiment;
    let named = experiment.baselines();
    let is_match = experiment.task == Task::Match;
    let mut drafts = Vec::new();
    for (case, own, row) in index.cells() {
        let Some(row) = row.filter(|row| row.status == Status::Ok) else {
            continue;
        };
        for choice in experiment.techniques.iter().filter(|own| own.takes(case)) {
            let label = choice.label.as_str();
            let is_there = || {
                index
                    .baseline(&row.cell.case, label, &row.cell.device)
                    .is_some()
            };
            if label != own.technique && (named.contains(label) || !is_match && is_there()) {
                drafts.push(draft(index, row, label));
            }
        }
        let roles = ROLES.iter().filter(|_| !is_match);
        drafts.extend(roles.map(|role| draft(index, row, role)));
    }
    // Cells of one place over baselines of one kind meet the same disturbances.
    let class = |own: &Draft| (own.ratio.device.clone(), own.ratio.threads > 1);
    let mut classes: HashMap<(String, bool), Vec<&[f64]>> = HashMap::new();
    for draft in &drafts {
        let own = classes.entry(class(draft)).or_default();
        own.push(&draft.of_passes);
    }
    let priors = classes.into_iter();
    let priors: HashMap<_, _> = priors.map(|(class, own)| (class, Prior::of(own))).collect();
    let mut ratios = Ratios::default();
    for draft in drafts {
        let prior = priors.get(&class(&draft)).copied().flatten();
        ratios.add(draft.finished(prior.as_ref()));
    }
    ratios
}

struct Draft {
    ratio: Ratio,
    of_passes: Vec<f64>,
    whole: f64,
    baseline_ns: Option<u64>,
}

/// The ratio of a cell over a technique or a role outside the list.
pub(super) fn make(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Ratio {
    draft(index, row, over).finished(None)
}

fn draft(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Draft {
    let mut draft = Draft {
        ratio: Ratio::new(row, over),
        of_passes: Vec::new(),
        whole: 0.0,
        baseline_ns: None,
    };
    if let Err(why) = draft.fill(index, row) {
        draft.ratio.result = Err(why);
    }
    draft
}

impl Draft {
    fn fill(&mut self, index: &Index<'_>, row: &MeasurementRow) -> Result<(), Missing> {
        let choice = index.data.experiment.choice(&row.cell.technique);
        if choice.is_some_and(|choice| !choice.has_our_rules()) {
            let why = "its rules are not ours: a rate alone";
            return Err(Missing::new(Gap::OTHER_RULES, why));
        }
        if answered(row)?.cell.device != HOST && row.launches == Some(0) {
            return Err(Missing::new(Gap::NO_LAUNCH, "the host answered alone"));
        }
        let ratio = &mut self.ratio;
        let (base, passes) = match ratio.over.as_str() {
            BEST_ONE_CORE => best(index, row, true)?,
            BEST_CPU => best(index, row, false)?,
            label => together(index, row, label)?,
        };
        ratio.baseline.clone_from(&base.cell.technique);
        ratio.threads = base.threads;
        let Some((last, _)) = passes.last() else {
            return Err(Missing::IS_BASELINE);
        };
        let scale = same_work(index.data.experiment.task, row, base)?;
        ratio.invocation = (*last).to_owned();
        ratio.passes = passes.len();
        let costs: Vec<[Vec<u64>; 2]> = passes.into_iter().map(|(_, costs)| costs).collect();
        ratio.samples = [0, 1].map(|side| costs.iter().map(|pass| pass[side].len()).sum());
        let why = "a side has no samples in the folder, or its median is 0";
        let found = of_costs(&costs).ok_or_else(|| Missing::new(Gap::NO_SAMPLES, why))?;
        self.of_passes = found.0.iter().map(|ratio| scale * ratio).collect();
        self.whole = scale * found.1;
        self.baseline_ns = base.median_ns;
        Ok(())
    }

    fn finished(mut self, prior: Option<&Prior>) -> Ratio {
        if !self.of_passes.is_empty() {
            let passes = of_passes(&self.of_passes, self.whole, prior, self.ratio.samples);
            self.ratio.result = passes.map(|known| Known {
                baseline: self.ratio.holder(),
                baseline_ns: self.baseline_ns,
                ..known
            });
        }
        self.ratio
    }
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
    let passes = shared(index, row, base);
    match passes.is_empty() {
        true => Err(apart(baseline, row)),
        false => Ok((base, passes)),
    }
}

fn apart(who: &str, row: &MeasurementRow) -> Missing {
    let why = format!(
        "{who} was sampled at another time than {}",
        row.cell.technique
    );
    Missing::new(Gap::APART, why)
}

fn shared<'a>(index: &Index<'a>, row: &MeasurementRow, base: &MeasurementRow) -> Vec<Shared<'a>> {
    if row.cell.case != base.cell.case {
        return Vec::new();
    }
    let of_base = index.passes(base);
    let both = index.passes(row).into_iter().filter_map(|(pass, own)| {
        let (_, base) = of_base.iter().find(|(other, _)| *other == pass)?;
        Some((pass.0, [base.clone(), own]))
    });
    both.collect()
}

/// The fastest host technique for the cell's question. Missing if a faster one may lack an answer or a common pass.
fn best<'a>(index: &Index<'a>, row: &MeasurementRow, one_core: bool) -> Result<Pair<'a>, Missing> {
    let case = Case::parse(&row.cell.case).unwrap_or_default();
    let (data, task) = (index.data, index.data.experiment.task);
    // Each candidate with its cost, and with the passes that it shares with the cell.
    let mut bases: Vec<(f64, &MeasurementRow, Option<Vec<Shared<'_>>>)> = Vec::new();
    for choice in data.experiment.techniques.iter() {
        let label = choice.label.as_str();
        let kind = data.kinds.get(label);
        let is_one = choice.takes(&case)
            && choice.may_be_best()
            && kind != Some(&Kind::Device)
            && data.asks_the_same(label, &row.cell.technique);
        let base = index.row(&row.cell.case, label, HOST);
        let is_serial = match base {
            Some(base) if base.status == Status::Ok => base.threads == 1,
            _ => kind == Some(&Kind::Serial),
        };
        if !is_one || one_core && !is_serial {
            continue;
        }
        let base = match base {
            Some(base) if base.status == Status::Ok => base,
            Some(base) if is_slow(base) => continue,
            None if index.on_device(label) == Some(true) => continue,
            other => {
                let how = other.map(|it| format!("is {}", it.status));
                let how = how.unwrap_or("was not measured".to_owned());
                let why = format!("{label} {how}, and may be faster");
                return Err(Missing::new(Gap::BEST_UNKNOWN, why));
            }
        };
        let passes = match label == row.cell.technique && row.cell.device == HOST {
            true => Some(Vec::new()),
            false => together(index, row, label).ok().map(|(_, passes)| passes),
        };
        let passes = passes.filter(|_| scale(task, row, base).is_some());
        bases.push((cost(index, base), base, passes));
    }
    bases.sort_by(|one, other| one.0.total_cmp(&other.0));
    let missed = bases.iter().find(|(.., passes)| passes.is_none());
    let missed = missed.map(|(cost, base, _)| (*cost, *base));
    let mut pairs = bases.into_iter();
    let fastest = pairs.find_map(|(cost, base, passes)| Some((cost, (base, passes?))));
    match (fastest, missed) {
        (Some((own, (base, _))), Some((less, other))) if less < own => {
            let who = format!(
                "{} is faster than {}, and",
                other.cell.technique, base.cell.technique
            );
            Err(apart(&who, row))
        }
        (Some((_, pair)), _) => Ok(pair),
        (None, Some((_, other))) => Err(apart(&other.cell.technique, row)),
        (None, None) => {
            let which = match one_core {
                true => "with one thread",
                false => "of the host",
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
    let alike = task == Task::Playouts && base.units > 0;
    match row.units == base.units {
        true => Some(1.0),
        false => alike.then(|| row.units as f64 / base.units as f64),
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
