//! The fastest technique of a device in each case, compared with the best CPU program. Also the ladder, which splits
//! the paper's speedup into factors, for one case in an experiment.
//!
//! A file next to the papers' numbers names the case and the techniques.

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
    /// The row's rate for random games, else its time.
    pub rate: Option<(Quantity, Known)>,
    /// Ratios over the best on one core and the best on the CPU, in the order of [`ROLES`].
    pub ratios: [Ratio; 2],
    /// The fastest measured program, and the ratio over it, if the best CPU program is unknown.
    pub over_measured: Option<(String, Known)>,
}

/// A run's cases on one device, or on the host.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Headline {
    pub device: String,
    /// Every case with a row, in the order of the experiment. `None` if the device has no answer.
    pub cases: Vec<(Case, Option<Best>)>,
}

/// The headline for each device, then for the host.
pub(crate) fn headlines(index: &Index<'_>) -> Vec<Headline> {
    if index.data.experiment.task == Task::Match {
        return Vec::new();
    }
    let rows = index.data.measurements.iter();
    let begun: HashSet<&str> = rows.map(|row| row.cell.case.as_str()).collect();
    let mut cases = index.data.experiment.cases.clone();
    cases.retain(|case| begun.contains(case.to_string().as_str()));
    let places = index.devices.iter().copied().chain([HOST]);
    let headline = |device: &str| {
        let bests = cases.iter().map(|case| best_of(index, case, device));
        Headline {
            device: device.to_owned(),
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
    // A player of another kind answers a different question from serial. It is shown if the device has no other player.
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
    // The quantity by which a technique is known.
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

/// The fastest measured program, and the ratio over it, if a CPU program without an answer may be the best.
fn over_measured(
    index: &Index<'_>,
    row: &MeasurementRow,
    over: &Figure,
) -> Option<(String, Known)> {
    let why = over.as_ref().err();
    why.filter(|why| why.gap == BEST_UNKNOWN)?;
    let choices = index.data.experiment.techniques.iter();
    let measured = choices.filter_map(|choice| {
        let label = &choice.label;
        let is_asked = index.data.asks_the_same(label, &row.cell.technique);
        let base = index.row(&row.cell.case, label, HOST)?;
        let known = ratio(index, row, label).result.ok()?;
        (choice.may_be_best() && is_asked).then(|| (cost(index, base), label.clone(), known))
    });
    let fastest = measured.min_by(|a, b| a.0.total_cmp(&b.0));
    fastest.map(|(_, label, known)| (label, known))
}

/// `653 M games/s`, `1.23 ms a position`.
pub(crate) fn rate_text(task: Task, (quantity, known): &(Quantity, Known)) -> String {
    let shown = format::unit(quantity, None).show(known.value);
    let mark = known.few.map_or("", Few::mark);
    match (shown.strip_suffix("/s"), task) {
        (Some(count), _) => format!("{count} games/s{mark}"),
        (None, Task::Game) => format!("{shown} a position{mark}"),
        (None, _) => format!("{shown} a search{mark}"),
    }
}

/// `4.63x`.
pub(crate) fn times(value: f64) -> String {
    format!("{}x", Unit::Plain.show(value))
}

/// A speedup in words: `1.45x faster`, `3.6x slower`, `as fast`.
pub(crate) fn in_words(known: &Known) -> String {
    match known.verdict {
        Some(Verdict::Tie) => "as fast".to_owned(),
        _ if known.value >= 1.0 => format!("{} faster", times(known.value)),
        _ => format!("{} slower", times(1.0 / known.value)),
    }
}

impl Best {
    /// The ratio over the best CPU program, or over the fastest measured program.
    fn over_cpu(&self) -> Option<&Known> {
        let measured = self.over_measured.as_ref().map(|(_, known)| known);
        self.ratios[1].result.as_ref().ok().or(measured)
    }

    fn verdict(&self) -> Option<Verdict> {
        self.over_cpu()?.verdict
    }

    /// The ratio or its inverse, whichever is at least 1.
    fn distance(&self) -> f64 {
        let value = self.over_cpu().map_or(1.0, |known| known.value);
        value.max(1.0 / value)
    }
}

impl Headline {
    fn bests(&self) -> impl Iterator<Item = &Best> {
        self.cases.iter().filter_map(|(_, best)| best.as_ref())
    }

    /// The cases with a verdict against the best CPU program, sorted by distance from 1.
    pub(crate) fn with(&self, verdict: Verdict) -> Vec<&Best> {
        let found = self.bests().filter(|best| best.verdict() == Some(verdict));
        let mut found: Vec<&Best> = found.collect();
        found.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
        found
    }

    /// `faster than the best CPU program in 3 of 36 cases (largest: 1.82x, 8x8, depth 12), slower in 30 (largest: …)`.
    pub(crate) fn counts(&self) -> String {
        let all = self.cases.len();
        let verdicts = [Verdict::Faster, Verdict::Slower, Verdict::Tie];
        let found = verdicts.map(|verdict| self.with(verdict));
        let [faster, slower, ties] = found.each_ref().map(Vec::len);
        let open = all - faster - slower - ties;
        if open == all {
            let cases = counted(all, "case");
            return format!("neither shown faster nor slower than the best CPU program in {cases}");
        }
        let [fastest, slowest, _] = found.map(|found| {
            found.first().map_or(String::new(), |best| {
                let case = format::case(&best.case.without(PLIES));
                format!(" (largest: {}, {case})", times(best.distance()))
            })
        });
        let mut text =
            format!("faster than the best CPU program in {faster} of {all} cases{fastest}");
        let others = [
            (slower, "slower in", slowest.as_str()),
            (ties, "as fast in", ""),
            (open, "without a verdict in", ""),
        ];
        for (count, what, largest) in others.into_iter().filter(|(count, ..)| *count > 0) {
            text += &format!(", {what} {count}{largest}");
        }
        let measured = self.bests().filter(|best| best.over_measured.is_some());
        match measured.count() {
            0 => text,
            count => format!(
                "{text}. In {} another CPU program, without an answer, may be faster than the one compared with",
                counted(count, "case")
            ),
        }
    }

    /// The cases that differ from `case` only in the last axis, first with a verdict, then without.
    fn family(&self, case: &Case, axis: &str) -> [Vec<&Best>; 2] {
        let common = |case: &Case| case.without(axis).without(PLIES);
        let own = common(case);
        let family = self.bests().filter(|best| common(&best.case) == own);
        family
            .partition::<Vec<_>, _>(|best| best.verdict().is_some())
            .into()
    }

    /// True if the verdict differs between the cases in a family.
    pub(crate) fn turns(&self, case: &Case, axis: &str) -> bool {
        let [family, _] = self.family(case, axis);
        let mut pairs = family.windows(2);
        pairs.any(|pair| pair[0].verdict() != pair[1].verdict())
    }

    /// A family in words: `3.6x slower at depth 2, 1.21x faster at depth 4`.
    pub(crate) fn told(&self, case: &Case, axis: &str) -> String {
        let [family, open] = self.family(case, axis);
        let value = |best: &Best| {
            let axes = best.case.0.iter().filter(|(own, _)| own == axis);
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
}

const FILE: &str = "questions.toml";

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
    /// The first question for the experiment whose case is in the run. Faults in the file go to `warnings`.
    pub(crate) fn of(data: &RunData, warnings: &mut Vec<String>) -> Option<Question> {
        let parse = |text: &str, _: &str| {
            toml::from_str::<Questions>(text).map_err(|error| error.message().to_owned())
        };
        let mut own = published::read(&data.folder, FILE, warnings, parse)?.question;
        own.retain(|own| own.experiment == data.experiment.name);
        let cases = &data.experiment.cases;
        // The sort is stable, so the first question of each kind stays first.
        own.sort_by_key(|own| !cases.iter().any(|case| case.to_string() == own.case));
        own.into_iter().next()
    }

    /// True if the experiment reproduces a paper.
    pub(crate) fn is_papers(&self) -> bool {
        !self.case.is_empty()
    }

    /// True if a claim is about more than the paper, which is a speedup over a better baseline than the paper has.
    pub(crate) fn is_ours(&self, claim: &Claim) -> bool {
        let baseline = claim.baseline.as_deref().unwrap_or_default();
        let is_speedup = claim.quantity == Quantity::Speedup;
        let is_better = BASELINES.contains(&baseline) && baseline != self.baseline;
        is_speedup && is_better && claim.technique.as_ref() != Some(&self.baseline)
    }
}

/// The ladder for one device, or for the CPU. For the latter, only the last number is meaningful.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Ladder {
    pub device: String,
    pub case: Case,
    /// A readable name for the case, with its number of positions if others have more.
    pub name: String,
    pub technique: String,
    /// True if the paper states its ratio in words, as a minimum.
    pub at_least: bool,
    /// The ratios: the paper's, its program's here, and our best's over the same serial program, over the best program of
    /// one core, and over the best CPU program.
    pub steps: [Step; 5],
    pub rate: (Quantity, Known),
}

/// A ratio with the labels of both sides. They are empty for the paper's ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Step {
    pub figure: Figure,
    pub technique: String,
    pub baseline: String,
}

/// The ladder for each headline. `cells` are the cells in the run's tables, `judged` the paper's claims.
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
    let ladders = headlines.iter().filter_map(|Headline { device, cases }| {
        let mut cases = cases.iter();
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
            device: device.clone(),
            case: case.clone(),
            name: case_name(index, best),
            at_least,
            technique: ours.clone(),
        })
    });
    ladders.collect()
}

/// A readable name for a case, with its number of positions if others in its family have more.
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

/// The paper's ratio, from its tables or else from a claim, and true if it is a minimum.
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
    /// The number for a step, if any.
    pub(crate) fn known(&self, step: usize) -> Option<&Known> {
        self.steps[step].figure.as_ref().ok()
    }

    /// True if a program in the published step is our substitute.
    pub(crate) fn stand_in(&self) -> bool {
        let labels = [&self.steps[1].technique, &self.steps[1].baseline];
        labels.iter().any(|own| !own.ends_with(AS_PUBLISHED))
    }
}
