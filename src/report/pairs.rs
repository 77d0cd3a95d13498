//! Makes the ratios of a run.
//!
//! A ratio is made of samples that were taken together: of one case in one pass of one invocation, where
//! its techniques were sampled in turns. Each such pass gives a ratio, and these its value and interval: a
//! state of the machine that both sides met cancels. Folders of format 1 know no invocations; there two
//! cells were measured together only if their places in the folder's order overlap and share no number,
//! and that is one pass.

use std::collections::{HashMap, HashSet};

use super::data::{HOST, Index};
use super::known::{Known, Missing, answered};
use super::passes::{few_samples, of_passes, passes_text};
use super::ratios::{APART, BEST_CPU, BEST_ONE_CORE, ROLES, Ratio, Ratios, is_role};
use crate::results::MeasurementRow;
use crate::stats::median;
use crate::stats::passes::Prior;
use crate::words::{Case, Kind, Reason, Status, Task};

/// Every ratio of a run, made when the first is asked for.
pub(crate) fn ratios<'i>(index: &'i Index<'_>) -> &'i Ratios {
    index.ratios.get_or_init(|| all(index))
}

/// Those of every answered cell over every technique of the host or the same device, over the baselines
/// that a table or a chart names, and over the roles. The players of a match have no roles: each has its
/// opponent.
fn all(index: &Index<'_>) -> Ratios {
    let experiment = &index.data.experiment;
    let named = experiment.baselines();
    let mut drafts = Vec::new();
    for (case, own, row) in index.cells() {
        let Some(row) = row.filter(|row| row.status == Status::Ok) else {
            continue;
        };
        let others = experiment.techniques.iter().filter(|choice| {
            let label = choice.label.as_str();
            let is_there = index.baseline(&row.case, label, &row.device).is_some();
            label != own.technique
                && choice.takes(case)
                && (named.contains(label) || is_there && experiment.task != Task::Match)
        });
        let mut overs: Vec<&str> = others.map(|choice| choice.label.as_str()).collect();
        if experiment.task != Task::Match {
            overs.extend(ROLES);
        }
        for over in overs {
            drafts.push(draft(index, row, over));
        }
    }
    // Cells of one place over baselines of one kind meet the same disturbances.
    let class = |draft: &Draft| (draft.ratio.device.clone(), draft.ratio.threads > 1);
    let mut classes: HashMap<(String, bool), Vec<&[f64]>> = HashMap::new();
    for draft in &drafts {
        classes
            .entry(class(draft))
            .or_default()
            .push(&draft.of_passes);
    }
    let priors: HashMap<_, _> = classes
        .into_iter()
        .map(|(class, own)| (class, Prior::of(own)))
        .collect();
    let mut ratios = Ratios::default();
    for draft in drafts {
        let prior = priors.get(&class(&draft)).copied().flatten();
        ratios.add(draft.finished(prior.as_ref()));
    }
    ratios
}

/// A ratio whose interval is still to be made.
struct Draft {
    ratio: Ratio,
    /// The ratio of each pass, in the order of the passes; empty where there is none.
    of_passes: Vec<f64>,
    /// The ratio of the medians of all samples.
    whole: f64,
    baseline_ns: Option<u64>,
}

impl Draft {
    fn finished(mut self, prior: Option<&Prior>) -> Ratio {
        if !self.of_passes.is_empty() {
            let name = self.ratio.named().filter(|_| is_role(&self.ratio.over));
            let passes = of_passes(&self.of_passes, self.whole, prior);
            let samples = self.ratio.samples[0].min(self.ratio.samples[1]);
            self.ratio.result = passes.map(|known| Known {
                baseline: name,
                baseline_ns: self.baseline_ns,
                few: match known.interval {
                    None => Some(passes_text(self.of_passes.len())),
                    Some(_) => few_samples(samples),
                },
                ..known
            });
        }
        self.ratio
    }
}

/// The ratio of a cell over a technique or a role that is not in the list.
pub(super) fn make(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Ratio {
    draft(index, row, over).finished(None)
}

/// The ratio of a cell over a technique or a role, from the samples.
fn draft(index: &Index<'_>, row: &MeasurementRow, over: &str) -> Draft {
    let own = [&row.case, &row.technique, &row.device];
    let mut draft = Draft {
        ratio: Ratio::without(own.map(Clone::clone), over, Missing::is_baseline()),
        of_passes: Vec::new(),
        whole: 0.0,
        baseline_ns: None,
    };
    let ratio = &mut draft.ratio;
    let choice = index.data.experiment.choice(&row.technique);
    if choice.is_some_and(|choice| !choice.has_our_rules()) {
        ratio.result = Err(Missing::new(
            "other rules",
            "its rules are not ours: a rate alone",
        ));
        return draft;
    }
    let pair = launched(row).and_then(|row| match over {
        BEST_ONE_CORE => best(index, row, true),
        BEST_CPU => best(index, row, false),
        label => together(index, row, label),
    });
    let (base, passes) = match pair {
        Ok(found) => found,
        Err(why) => {
            ratio.result = Err(why);
            return draft;
        }
    };
    ratio.baseline.clone_from(&base.technique);
    ratio.threads = base.threads;
    if passes.is_empty() {
        return draft; // Beside itself.
    }
    let scale = match same_work(index.data.experiment.task, row, base) {
        Ok(scale) => scale,
        Err(why) => {
            ratio.result = Err(why);
            return draft;
        }
    };
    ratio.invocation = passes
        .last()
        .map_or(String::new(), |pass| pass.invocation.clone());
    ratio.passes = passes.len();
    let all = |side: fn(&Shared) -> &Vec<u64>| -> Vec<u64> {
        passes
            .iter()
            .flat_map(|pass| side(pass).iter().copied())
            .collect()
    };
    let (bases, owns) = (all(|pass| &pass.base), all(|pass| &pass.own));
    ratio.samples = [bases.len(), owns.len()];
    let of = |base: &[u64], own: &[u64]| {
        let (base, own) = (median(base)?, median(own)?);
        (base > 0 && own > 0).then(|| scale * base as f64 / own as f64)
    };
    let each = passes.iter().map(|pass| of(&pass.base, &pass.own));
    match (each.collect::<Option<Vec<f64>>>(), of(&bases, &owns)) {
        (Some(each), Some(whole)) => {
            draft.baseline_ns = base.median_ns;
            (draft.of_passes, draft.whole) = (each, whole);
        }
        _ => {
            let why = "a side has no samples in the folder, or its median is 0";
            ratio.result = Err(Missing::new("no samples", why));
        }
    }
    draft
}

/// A cell that says something of its device.
fn launched(row: &MeasurementRow) -> Result<&MeasurementRow, Missing> {
    let row = answered(row)?;
    match row.device != HOST && row.launches == Some(0) {
        true => Err(Missing::new("no launch", "the host answered alone")),
        false => Ok(row),
    }
}

/// What two cells cost in a pass that both were sampled in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shared {
    invocation: String,
    pub own: Vec<u64>,
    pub base: Vec<u64>,
}

/// A baseline's row and the passes in which a cell was measured together with it, one at the least.
pub(super) fn together<'a>(
    index: &Index<'a>,
    row: &MeasurementRow,
    baseline: &str,
) -> Result<(&'a MeasurementRow, Vec<Shared>), Missing> {
    let base = baseline_row(index, row, baseline)?;
    let passes = shared(index, row, base);
    if passes.is_empty() {
        return Err(Missing::new(
            APART,
            format!(
                "{baseline} was sampled at another time than {}",
                row.technique
            ),
        ));
    }
    Ok((base, passes))
}

/// The passes that two cells of a case were sampled in.
fn shared(index: &Index<'_>, row: &MeasurementRow, base: &MeasurementRow) -> Vec<Shared> {
    if row.case != base.case {
        return Vec::new();
    }
    let (own, of_base) = (index.passes(row), index.passes(base));
    let both = own.into_iter().filter_map(|(pass, own)| {
        let (_, base) = of_base.iter().find(|(other, _)| *other == pass)?;
        Some(Shared {
            invocation: pass.0.to_owned(),
            own,
            base: base.clone(),
        })
    });
    let passes: Vec<Shared> = both.collect();
    let is_old = |pass: &Shared| pass.invocation.is_empty();
    match passes.iter().any(is_old) && !are_in_turns(index, row, base) {
        true => Vec::new(),
        false => passes,
    }
}

/// Whether the samples of two cells of a folder of format 1 were taken in turns.
fn are_in_turns(index: &Index<'_>, one: &MeasurementRow, other: &MeasurementRow) -> bool {
    let orders = |row| index.samples(row).iter().map(|sample| sample.order);
    let ends = |row| orders(row).min().zip(orders(row).max());
    let (Some(one_ends), Some(other_ends)) = (ends(one), ends(other)) else {
        return false;
    };
    let overlap = one_ends.0 <= other_ends.1 && other_ends.0 <= one_ends.1;
    let numbers: HashSet<u64> = orders(one).collect();
    overlap && !orders(other).any(|number| numbers.contains(&number))
}

/// The row of the fastest technique of the host that answers the same question as a cell, and the passes in
/// which they were measured together; none where the cell is that itself. Nobody knows the fastest where a technique that may be it has no answer; and none is taken
/// where a faster one was measured at another time.
fn best<'a>(
    index: &Index<'a>,
    row: &MeasurementRow,
    one_core: bool,
) -> Result<(&'a MeasurementRow, Vec<Shared>), Missing> {
    let case = Case::parse(&row.case).unwrap_or_default();
    let task = index.data.experiment.task;
    let cost = |base: &MeasurementRow| cost(index, base);
    let mut fastest: Option<(&MeasurementRow, Vec<Shared>)> = None;
    let mut apart: Option<&MeasurementRow> = None;
    let choices = index.data.experiment.techniques.iter();
    for choice in choices.filter(|choice| choice.takes(&case)) {
        let label = choice.label.as_str();
        if !choice.may_be_best() {
            continue;
        }
        let is_host = index
            .data
            .kinds
            .get(label)
            .is_none_or(|kind| *kind != Kind::Device);
        if !is_host || !index.data.asks_the_same(label, &row.technique) {
            continue;
        }
        let base = index.row(&row.case, label, HOST);
        let is_serial = match base {
            Some(base) if base.status == Status::Ok => base.threads == 1,
            _ => index.data.kinds.get(label) == Some(&Kind::Serial),
        };
        if one_core && !is_serial {
            continue;
        }
        let Some(base) = base else {
            if index.on_device(label) == Some(true) {
                continue;
            }
            let reason = format!("{label} was not measured, and may be faster");
            return Err(Missing::new("best unknown", reason));
        };
        if base.status != Status::Ok {
            if is_slow(base) {
                continue;
            }
            let reason = format!("{label} is {}, and may be faster", base.status);
            return Err(Missing::new("best unknown", reason));
        }
        let pair = match label == row.technique && row.device == HOST {
            true => Some((base, Vec::new())),
            false => together(index, row, label).ok(),
        };
        let is_faster = |base, known: Option<&MeasurementRow>| {
            known.is_none_or(|known| cost(base) < cost(known))
        };
        match pair.filter(|(base, _)| scale(task, row, base).is_some()) {
            Some(pair) if is_faster(pair.0, fastest.as_ref().map(|(known, _)| *known)) => {
                fastest = Some(pair);
            }
            Some(_) => {}
            None if is_faster(base, apart) => apart = Some(base),
            None => {}
        }
    }
    match (fastest, apart) {
        (Some((base, _)), Some(other)) if cost(other) < cost(base) => Err(Missing::new(
            APART,
            format!(
                "{} is faster than {}, and was sampled at another time than {}",
                other.technique, base.technique, row.technique
            ),
        )),
        (Some(pair), _) => Ok(pair),
        (None, Some(other)) => Err(Missing::new(
            APART,
            format!(
                "{} was sampled at another time than {}",
                other.technique, row.technique
            ),
        )),
        (None, None) => {
            let wanted = if one_core {
                "with one thread"
            } else {
                "of the host"
            };
            Err(Missing::new(
                "no baseline",
                format!("no technique {wanted} has an answer"),
            ))
        }
    }
}

/// By what techniques of a case are ranked: the median of [`Index::costs`], of one playout where those are
/// what is counted, so that rows of different lengths can be compared.
pub(super) fn cost(index: &Index<'_>, row: &MeasurementRow) -> f64 {
    let own = median(&index.costs(row)).or(row.median_ns);
    let units = match index.data.experiment.task {
        Task::Playouts => row.units.max(1),
        _ => 1,
    };
    own.map_or(f64::INFINITY, |own| own as f64 / units as f64)
}

/// Whether a cell without an answer is known to be slower than one with: its budget or deadline was too
/// short, or its case is not for it.
fn is_slow(row: &MeasurementRow) -> bool {
    match row.status {
        Status::Skipped => matches!(row.why(), Reason::OverBudget { .. }),
        Status::Timeout | Status::Unsupported | Status::Memory => true,
        _ => false,
    }
}

/// Why a cell has no row.
pub(super) fn no_row(index: &Index<'_>, case: &Case, technique: &str) -> Missing {
    let choice = index.data.experiment.choice(technique);
    if choice.is_some_and(|choice| !choice.takes(case)) {
        Missing::not_asked()
    } else if index.is_asked(&case.to_string(), technique) {
        Missing::not_measured()
    } else {
        Missing::not_in_run()
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
