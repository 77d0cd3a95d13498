//! Every ratio of a run, made once and then looked up.
//!
//! A ratio is made of samples that were taken together: of one case in one pass of one invocation, where
//! its techniques were sampled in turns. Each such pass gives a ratio, and these its value and interval: a
//! state of the machine that both sides met cancels. Folders of format 1 know no invocations; there two
//! cells were measured together only if their places in the folder's order overlap and share no number,
//! and that is one pass.

use std::collections::{HashMap, HashSet};

use super::data::{HOST, Index};
use super::figure::{self, Known, Missing, passes_text, same_work};
use super::table::{fields, finish, place, writer};
use crate::results::MeasurementRow;
use crate::stats::median;
use crate::stats::passes::Prior;
use crate::words::{Case, Kind, Status, Task};

/// The role of the fastest technique of the host with one thread that answers the same question.
pub(crate) const BEST_ONE_CORE: &str = "best one core";
/// The role of the fastest technique of the host with any number of threads that answers the same question.
pub(crate) const BEST_CPU: &str = "best CPU";
/// Both roles, in the order of the ladder.
pub(crate) const ROLES: [&str; 2] = [BEST_ONE_CORE, BEST_CPU];

/// Whether a ratio over it is over whichever technique is the fastest, and not over one of that label.
pub(crate) fn is_role(over: &str) -> bool {
    ROLES.contains(&over)
}

/// The status of a ratio whose sides were not sampled together.
const APART: &str = "not measured together";

/// One ratio: how many times as fast a cell is as a baseline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub case: String,
    pub technique: String,
    pub device: String,
    /// What it is over: a technique's label, or a role of [`ROLES`].
    pub over: String,
    /// The label of the technique that it is over; empty where a role has none.
    pub baseline: String,
    /// How many threads of the host that technique used.
    pub threads: u64,
    /// The last invocation that took both sides; empty in folders of format 1, and where there is no ratio.
    pub invocation: String,
    /// Passes that both sides were sampled in.
    pub passes: usize,
    /// Samples of the baseline and of the technique in them.
    pub samples: [usize; 2],
    pub result: Result<Known, Missing>,
}

impl Ratio {
    /// A cell, named by case, technique and device, that has no ratio over a technique or a role.
    pub(super) fn without(cell: [String; 3], over: &str, why: Missing) -> Ratio {
        let [case, technique, device] = cell;
        Ratio {
            case,
            technique,
            device,
            over: over.to_owned(),
            baseline: String::new(),
            threads: 0,
            invocation: String::new(),
            passes: 0,
            samples: [0; 2],
            result: Err(why),
        }
    }

    /// The technique that it is over, in a reader's words: `rayon-shared on 16 threads`. `None` where a role
    /// has none.
    pub(crate) fn named(&self) -> Option<String> {
        match (self.baseline.as_str(), self.threads) {
            ("", _) => None,
            (label, 0 | 1) => Some(label.to_owned()),
            (label, threads) => Some(format!("{label} on {threads} threads")),
        }
    }

    /// What stands under [`names`].
    pub(crate) fn values(&self) -> [String; 5] {
        let [value, low, high, _, status, _] = fields(&self.result);
        [value, low, high, status, self.baseline.clone()]
    }

    /// What it is over as tables have it: `over`, `baseline`, `threads`.
    pub(crate) fn columns(&self) -> [String; 3] {
        let threads = match self.threads {
            0 => String::new(),
            threads => threads.to_string(),
        };
        [self.over.clone(), self.baseline.clone(), threads]
    }

    /// What it is over, with the technique's name: `over best CPU, rayon-shared on 16 threads`.
    pub(crate) fn title(&self) -> String {
        match self.named().filter(|_| is_role(&self.over)) {
            Some(name) => format!("over {}, {name}", self.over),
            None => format!("over {}", self.over),
        }
    }
}

/// The columns of a ratio over a role in tables that have a line a cell: `over_best_cpu`, its interval, its
/// status, and in `best_cpu` which technique it is over.
pub(crate) fn names(role: &str) -> [String; 5] {
    let name = role.to_lowercase().replace(' ', "_");
    let [ratio, low, high, status] =
        ["", "_low", "_high", "_status"].map(|end| format!("over_{name}{end}"));
    [ratio, low, high, status, name]
}

/// The ratios of a run.
#[derive(Default)]
pub(crate) struct Ratios {
    all: Vec<Ratio>,
    places: HashMap<[String; 4], usize>,
}

/// How many ratios a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// With a value.
    pub shown: usize,
    /// Without one because their sides were not measured together.
    pub apart: usize,
}

impl Ratios {
    /// Those of every answered cell over every technique of the host or the same device, over the baselines
    /// that a table or a chart names, and over the roles. The players of a match have no roles: each has its
    /// opponent.
    pub(super) fn new(index: &Index<'_>) -> Ratios {
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

    fn add(&mut self, ratio: Ratio) {
        let place = [&ratio.case, &ratio.technique, &ratio.device, &ratio.over];
        self.places.insert(place.map(Clone::clone), self.all.len());
        self.all.push(ratio);
    }

    /// The ratio of a cell over a technique or a role.
    pub(crate) fn of(&self, row: &MeasurementRow, over: &str) -> Option<&Ratio> {
        let [case, technique, device] = [&row.case, &row.technique, &row.device].map(Clone::clone);
        let place = [case, technique, device, over.to_owned()];
        self.places.get(&place).map(|at| &self.all[*at])
    }

    /// How many there are.
    pub(crate) fn count(&self) -> Count {
        let is_apart = |ratio: &&Ratio| matches!(&ratio.result, Err(why) if why.status == APART);
        Count {
            shown: self.all.iter().filter(|ratio| ratio.result.is_ok()).count(),
            apart: self.all.iter().filter(is_apart).count(),
        }
    }

    /// `tables/ratios.csv`: a line a ratio.
    pub(crate) fn csv(&self, index: &Index<'_>) -> Result<Vec<u8>, csv::Error> {
        let axes = &index.data.experiment.axes;
        let columns = [
            "technique",
            "device",
            "over",
            "baseline",
            "threads",
            "invocation",
            "passes",
            "baseline_samples",
            "samples",
            "speedup",
            "low",
            "high",
            "status",
            "reason",
        ];
        let mut csv = writer(axes, &columns)?;
        for ratio in &self.all {
            let case = Case::parse(&ratio.case).unwrap_or_default();
            let [value, low, high, _, status, reason] = fields(&ratio.result);
            let [baseline_samples, samples] = ratio.samples.map(|count| count.to_string());
            let mut record = place(axes, &case);
            record.extend([&ratio.technique, &ratio.device].map(Clone::clone));
            record.extend(ratio.columns());
            record.extend([ratio.invocation.clone(), ratio.passes.to_string()]);
            record.extend([baseline_samples, samples, value, low, high, status, reason]);
            csv.write_record(&record)?;
        }
        finish(csv)
    }
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
            let passes = figure::of_passes(&self.of_passes, self.whole, prior);
            self.ratio.result = passes.map(|known| Known {
                baseline: name,
                baseline_ns: self.baseline_ns,
                few: known
                    .interval
                    .is_none()
                    .then(|| passes_text(self.of_passes.len())),
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
    let row = figure::answered(row)?;
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
    let base = figure::baseline_row(index, row, baseline)?;
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
        match pair.filter(|(base, _)| figure::scale(task, row, base).is_some()) {
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
        Status::Skipped => row.reason.starts_with("budget "),
        Status::Timeout | Status::Unsupported | Status::Memory => true,
        _ => false,
    }
}
