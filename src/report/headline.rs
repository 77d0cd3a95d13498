//! Finds the fastest technique of each device in each case, and compares it with the best CPU program. For one case of
//! an experiment, the ladder splits the paper's speedup into factors.
//!
//! The file `questions.toml`, next to the papers' numbers, names this case and the techniques.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::block::BlockCell;
use super::claims::Judged;
use super::data::{HOST, Index, Place, RunData, SERIAL};
use super::figure;
use super::format::{self, PLIES, Unit};
use super::known::{BEST_UNKNOWN, Few, Figure, Known, Missing, plain};
use super::published::{self, AS_PUBLISHED};
use super::ratios::{ROLES, Ratio, cost, no_row, ratio};
use crate::config::{BASELINES, Claim, ClaimTest, Quantity};
use crate::results::MeasurementRow;
use crate::stats::Verdict;
use crate::words::{Case, Status, Task, counted};

/// The fastest technique of a device in one case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Best {
    pub case: Case,
    pub row: MeasurementRow,
    /// The row's playout rate if its task has playouts, otherwise its time per unit.
    pub rate: Option<(Quantity, Known)>,
    /// Ratios over the best single-core program and over the best CPU program, in the order of [`ROLES`].
    pub ratios: [Ratio; 2],
    /// The ratio over the fastest measured CPU program, if the best CPU program is unknown.
    pub over_measured: Option<Known>,
}

/// The fastest technique in each case of a run, on one device or on the host.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Headline {
    pub device: String,
    /// The last axis except the plies, for example the depth. Cases that differ only on this axis are a family.
    #[serde(skip)]
    axis: String,
    /// Every case with a row, in the order of the experiment. A case has `None` if the device did not answer it.
    pub cases: Vec<(Case, Option<Best>)>,
}

/// Returns the headline of each device, then of the host.
pub(crate) fn headlines(index: &Index<'_>) -> Vec<Headline> {
    if index.data.experiment.task == Task::Match {
        return Vec::new();
    }
    let rows = index.data.measurements.iter();
    let begun: HashSet<&str> = rows.map(|row| row.cell.case.as_str()).collect();
    let mut cases = index.data.experiment.cases.clone();
    cases.retain(|case| begun.contains(case.to_string().as_str()));
    let mut axes = index.data.experiment.axes.iter().rev();
    let axis = axes.find(|axis| *axis != PLIES);
    let places = index.devices.iter().copied().chain([HOST]);
    let headline = |device: &str| {
        let bests = cases.iter().map(|case| best_of(index, case, device));
        Headline {
            device: device.to_owned(),
            axis: axis.cloned().unwrap_or_default(),
            cases: cases.iter().cloned().zip(bests).collect(),
        }
    };
    places.map(headline).collect()
}

fn best_of(index: &Index<'_>, case: &Case, device: &str) -> Option<Best> {
    let text = case.to_string();
    let choices = index.data.experiment.techniques.iter();
    let mut candidates: Vec<_> = choices
        .filter(|choice| choice.has_our_rules())
        .filter_map(|choice| Some((choice.is_hybrid(), index.row(&text, &choice.label, device)?)))
        .collect();
    // A technique that answers a different question from serial counts only if the device has no other technique.
    let is_same = |row: &MeasurementRow| index.data.asks_the_same(&row.cell.technique, SERIAL);
    if device == HOST || candidates.iter().any(|(_, row)| is_same(row)) {
        candidates.retain(|(_, row)| is_same(row));
    }
    // Hybrid techniques never lose to the host, so they count only if all techniques are hybrid.
    let are_all_hybrid = candidates.iter().all(|(is_hybrid, _)| *is_hybrid);
    candidates.retain(|(is_hybrid, row)| {
        // Answers without a launch say nothing about the device.
        let launched = device == HOST || row.launches != Some(0);
        launched && row.status == Status::Ok && (are_all_hybrid || !is_hybrid)
    });
    let rows = candidates.into_iter().map(|(_, row)| row);
    let row = rows.min_by(|a, b| cost(index, a).total_cmp(&cost(index, b)))?;
    row.median_ns?;
    let ratios = ROLES.map(|role| ratio(index, row, role));
    // The quantity that summaries quote for a technique.
    let quantity = match index.data.experiment.task {
        Task::Playouts | Task::Choose => Quantity::PlayoutRate,
        _ => Quantity::TimePerUnit,
    };
    let technique = &row.cell.technique;
    let rate = figure::measured(index, (&quantity, None), case, &Place { technique, device });
    Some(Best {
        over_measured: over_measured(index, row, &ratios[1].result),
        rate: rate.ok().map(|known| (quantity, known)),
        case: case.clone(),
        row: row.clone(),
        ratios,
    })
}

/// Returns the speedup over the fastest measured CPU program if the best CPU program is unknown ([`BEST_UNKNOWN`]).
fn over_measured(index: &Index<'_>, row: &MeasurementRow, over: &Figure) -> Option<Known> {
    over.as_ref().err().filter(|why| why.gap == BEST_UNKNOWN)?;
    let choices = index.data.experiment.techniques.iter();
    let measured = choices.filter_map(|choice| {
        let label = &choice.label;
        let is_asked = index.data.asks_the_same(label, &row.cell.technique);
        let base = index.row(&row.cell.case, label, HOST)?;
        let known = ratio(index, row, label).result.ok()?;
        (choice.may_be_best() && is_asked).then(|| (cost(index, base), known))
    });
    let fastest = measured.min_by(|a, b| a.0.total_cmp(&b.0));
    fastest.map(|(_, known)| known)
}

/// Formats a rate or a time: `653 M games/s`, `1.23 ms per position`.
pub(crate) fn rate_text(task: Task, (quantity, known): &(Quantity, Known)) -> String {
    let shown = format::unit(quantity, None).show(known.value);
    let mark = known.few.map_or("", Few::mark);
    match (shown.strip_suffix("/s"), task) {
        (Some(count), _) => format!("{count} games/s{mark}"),
        (None, Task::Game) => format!("{shown} per position{mark}"),
        (None, _) => format!("{shown} per search{mark}"),
    }
}

/// Formats a factor: `4.63x`.
pub(crate) fn times(value: f64) -> String {
    format!("{}x", Unit::Plain.show(value))
}

/// Describes a speedup: `1.45x faster`, `3.6x slower`, `as fast`.
pub(crate) fn in_words(known: &Known) -> String {
    match known.verdict {
        Some(Verdict::Tie) => "as fast".to_owned(),
        _ if known.value >= 1.0 => format!("{} faster", times(known.value)),
        _ => format!("{} slower", times(1.0 / known.value)),
    }
}

/// Describes a speedup over a program: `3.6x slower than serial`, `as fast as serial`.
pub(crate) fn in_words_over(known: &Known, program: &str) -> String {
    let than = ["than", "as"][usize::from(known.verdict == Some(Verdict::Tie))];
    format!("{} {than} {program}", in_words(known))
}

impl Best {
    /// Returns the ratio over the best CPU program or, if that program is unknown, over the fastest measured one.
    fn over_cpu(&self) -> Option<&Known> {
        let best = self.ratios[1].result.as_ref().ok();
        best.or(self.over_measured.as_ref())
    }

    fn verdict(&self) -> Option<Verdict> {
        self.over_cpu()?.verdict
    }

    /// Returns the ratio or its inverse, whichever is at least 1.
    fn distance(&self) -> f64 {
        let value = self.over_cpu().map_or(1.0, |known| known.value);
        value.max(1.0 / value)
    }
}

impl Headline {
    pub(crate) fn bests(&self) -> impl Iterator<Item = &Best> {
        self.cases.iter().filter_map(|(_, best)| best.as_ref())
    }

    /// Returns the cases with this verdict against the best CPU program, the largest factor first.
    pub(crate) fn with(&self, verdict: Verdict) -> Vec<&Best> {
        let found = self.bests().filter(|best| best.verdict() == Some(verdict));
        let mut found: Vec<&Best> = found.collect();
        found.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
        found
    }

    /// Counts the verdicts: `faster than the best CPU program in 3 of 36 cases (largest: 1.82x, 8x8, depth 12), …`.
    pub(crate) fn counts(&self) -> String {
        let all = self.cases.len();
        let verdicts = [Verdict::Faster, Verdict::Slower, Verdict::Tie];
        let [faster, slower, ties] = verdicts.map(|verdict| self.with(verdict));
        let open = all - faster.len() - slower.len() - ties.len();
        let largest = |found: &[&Best]| {
            found.first().map_or(String::new(), |best| {
                let case = format::case(&best.case.without(PLIES));
                format!(" (largest: {}, {case})", times(best.distance()))
            })
        };
        let (count, fastest) = (faster.len(), largest(&faster));
        let mut text =
            format!("faster than the best CPU program in {count} of {all} cases{fastest}");
        let others = [
            (slower.len(), "slower in", largest(&slower)),
            (ties.len(), "as fast in", String::new()),
            (open, "without a verdict in", String::new()),
        ];
        for (count, what, largest) in others.into_iter().filter(|(count, ..)| *count > 0) {
            text += &format!(", {what} {count}{largest}");
        }
        let measured = self.bests().filter(|best| best.over_measured.is_some());
        match measured.count() {
            0 => text,
            count => format!(
                "{text}. In {}, a CPU program without an answer may be faster than the baseline",
                counted(count, "case")
            ),
        }
    }

    fn common(&self, case: &Case) -> Case {
        case.without(&self.axis).without(PLIES)
    }

    /// Returns the family of a case, split into cases with a verdict and those without.
    fn family(&self, case: &Case) -> [Vec<&Best>; 2] {
        let common = self.common(case);
        let family = self
            .bests()
            .filter(|best| self.common(&best.case) == common);
        family
            .partition::<Vec<_>, _>(|best| best.verdict().is_some())
            .into()
    }

    /// Returns true if the family of a case has different verdicts.
    pub(crate) fn turns(&self, case: &Case) -> bool {
        let [family, _] = self.family(case);
        let mut pairs = family.windows(2);
        pairs.any(|pair| pair[0].verdict() != pair[1].verdict())
    }

    /// Describes the family of a case: `3.6x slower at depth 2, 1.21x faster at depth 4`.
    pub(crate) fn told(&self, case: &Case) -> String {
        let [family, open] = self.family(case);
        let value = |best: &Best| {
            let axes = best.case.0.iter().filter(|(own, _)| *own == self.axis);
            format::case(&Case(axes.cloned().collect()))
        };
        let told = family.iter().map(|best| {
            let words = best.over_cpu().map_or(String::new(), in_words);
            format!("{words} at {}", value(best))
        });
        let told = told.collect::<Vec<_>>().join(", ");
        match format::list(&open.into_iter().map(value).collect::<Vec<_>>(), 3) {
            none if none.is_empty() || told.is_empty() => told,
            open => format!("{told}, without a verdict at {open}"),
        }
    }

    /// Describes the family of a case: `3.6x slower at depth 2, 1.21x faster at depth 4 (15x15)`.
    pub(crate) fn told_in_full(&self, case: &Case) -> String {
        let (told, common) = (self.told(case), self.common(case));
        match common.0.is_empty() || told.is_empty() {
            true => told,
            false => format!("{told} ({})", format::case(&common)),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Questions {
    question: Vec<Question>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub experiment: String,
    pub question: String,
    #[serde(default)]
    pub game: String,
    /// Empty unless the experiment reproduces a paper.
    #[serde(default)]
    pub case: String,
    #[serde(default)]
    pub technique: String,
    #[serde(default)]
    pub baseline: String,
    /// The paper's hardware, as printed after its ratio.
    #[serde(default)]
    pub theirs: String,
    #[serde(default)]
    claim: Option<String>,
}

impl Question {
    /// Returns the experiment's first question, preferably about one of its cases. Adds faults to `warnings`.
    pub(crate) fn of(data: &RunData, warnings: &mut Vec<String>) -> Option<Question> {
        let parse = |text: &str, _: &str| {
            toml::from_str::<Questions>(text).map_err(|error| error.message().to_owned())
        };
        let mut own = published::read(&data.folder, "questions.toml", warnings, parse)?.question;
        own.retain(|own| own.experiment == data.experiment.name);
        let cases = &data.experiment.cases;
        // The sort is stable, so the first question of each kind stays first.
        own.sort_by_key(|own| !cases.iter().any(|case| case.to_string() == own.case));
        own.into_iter().next()
    }

    /// Returns true if the experiment reproduces a paper.
    pub(crate) fn is_papers(&self) -> bool {
        !self.case.is_empty()
    }

    /// Returns true if a claim goes beyond the paper, because it is a speedup over a better baseline than the paper's.
    pub(crate) fn is_ours(&self, claim: &Claim) -> bool {
        let baseline = claim.baseline.as_deref().unwrap_or_default();
        let is_speedup = claim.quantity == Quantity::Speedup;
        let is_better = BASELINES.contains(&baseline) && baseline != self.baseline;
        is_speedup && is_better && claim.technique.as_ref() != Some(&self.baseline)
    }
}

/// The ladder for one device or for the host. For the host, only the last ratio is meaningful.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Ladder {
    pub device: String,
    pub case: Case,
    /// A readable name for the case, with its number of positions if other cases have more.
    pub name: String,
    /// True if the paper states its ratio in words, as a minimum.
    pub at_least: bool,
    /// First the paper's ratio, then the ratio of the paper's reimplemented program. The other three compare our best
    /// technique with the same serial program, with the best single-core program, and with the best CPU program.
    pub steps: [Step; 5],
    pub rate: (Quantity, Known),
}

/// A ratio with the labels of the technique and the baseline. Both labels are empty for the paper's ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Step {
    pub figure: Figure,
    pub technique: String,
    pub baseline: String,
}

/// Builds the ladder of each headline. `cells` are the cells of the run's tables, and `judged` the paper's claims.
pub(crate) fn ladders(
    index: &Index<'_>,
    question: &Question,
    headlines: &[Headline],
    cells: &[&BlockCell],
    judged: &[Judged],
) -> Vec<Ladder> {
    let base = question.baseline.as_str();
    let (paper, at_least) = paper(cells, question, judged);
    let step = |figure, technique: &str, baseline: &str| Step {
        figure,
        technique: technique.to_owned(),
        baseline: baseline.to_owned(),
    };
    let ladders = headlines.iter().filter_map(|headline| {
        let device = headline.device.as_str();
        let mut cases = headline.cases.iter();
        let (case, best) = cases.find(|(case, _)| case.to_string() == question.case)?;
        let best = best.as_ref()?;
        let ours = &best.row.cell.technique;
        let over_serial = |technique: &str| {
            let row = index.row(&question.case, technique, device);
            let row = row.ok_or_else(|| no_row(index, case, technique));
            let figure = row.and_then(|row| ratio(index, row, base).result);
            step(figure, technique, base)
        };
        let over = |own: &Ratio| step(own.result.clone(), ours, &own.baseline);
        let [over_core, over_cpu] = best.ratios.each_ref().map(over);
        let of_paper = step(paper.clone(), "", "");
        let [theirs, own] = [&question.technique, ours].map(|own| over_serial(own));
        Some(Ladder {
            steps: [of_paper, theirs, own, over_core, over_cpu],
            rate: best.rate.clone()?,
            device: device.to_owned(),
            case: case.clone(),
            name: case_name(index, best),
            at_least,
        })
    });
    ladders.collect()
}

/// Returns a readable name for a case, with its number of positions if a case that differs on the last axis has more.
fn case_name(index: &Index<'_>, Best { case, row, .. }: &Best) -> String {
    let name = format::case(&case.without(PLIES));
    let last = index.data.experiment.axes.last().map_or("", String::as_str);
    let family = |text: &str| Case::parse(text).map(|case| case.without(last));
    let own = family(&row.cell.case);
    let mut others = index.data.measurements.iter();
    let has_more = others.any(|other| other.units > row.units && family(&other.cell.case) == own);
    match index.data.experiment.task {
        Task::Game if has_more => format!("{name}, {}", counted(row.units as usize, "position")),
        _ => name,
    }
}

/// Returns the paper's ratio, from its tables or else from a claim, and whether the ratio is a minimum.
fn paper(cells: &[&BlockCell], question: &Question, judged: &[Judged]) -> (Figure, bool) {
    let mut printed = cells.iter().filter(|cell| {
        cell.quantity == Quantity::Speedup
            && cell.case.to_string() == question.case
            && (&cell.technique, &cell.baseline) == (&question.technique, &question.baseline)
    });
    if let Some(printed) = printed.find_map(|cell| cell.published.as_ref()) {
        return (Ok(plain(printed.value)), false);
    }
    let mut claims = judged.iter().map(|one| &one.claim);
    let claim = claims.find(|claim| Some(&claim.id) == question.claim.as_ref());
    let (value, at_least) = match claim.map(|claim| &claim.test) {
        Some(ClaimTest::Above(value)) => (Some(*value), true),
        Some(ClaimTest::About { value, .. }) => (Some(*value), false),
        _ => (None, false),
    };
    let none = || Missing::new("not printed", "the paper has no ratio");
    (value.map(plain).ok_or_else(none), at_least)
}

impl Ladder {
    pub(crate) fn known(&self, step: usize) -> Option<&Known> {
        self.steps[step].figure.as_ref().ok()
    }

    /// Returns true if one of our programs replaces one of the paper's in the second step.
    pub(crate) fn stand_in(&self) -> bool {
        let labels = [&self.steps[1].technique, &self.steps[1].baseline];
        labels.iter().any(|own| !own.ends_with(AS_PUBLISHED))
    }
}
