//! The ladder: factors of a paper's speedup, in one case of an experiment.
//!
//! Its steps are [`STEPS`]. A file beside the papers' numbers names the case and the techniques.

use serde::Deserialize;

use super::block::BlockCell;
use super::claims::Judged;
use super::data::{HOST, Index, Origin, Place, RunData};
use super::figure;
use super::grid::{Entry, Grid, Item};
use super::headline::{Best, best_of, case_of};
use super::known::{Few, Figure, Gap, Known, Missing, STAND_IN, plain, undecided};
use super::number::Unit;
use super::pairs::{cost, no_row};
use super::paper::{comparison, shown};
use super::published::{self, AS_PUBLISHED};
use super::series::grouped;
use super::{names, naming};
use crate::config::{ClaimTest, Quantity};
use crate::stats::Verdict;
use crate::words::{Case, Task};

const FILE: &str = "questions.toml";

/// The steps, as charts and tables name them.
pub(crate) const STEPS: [&str; 5] = [
    "the paper's ratio",
    "as published, here",
    "our best over the published serial program",
    "our best over the best program of one core",
    "our best over the best program of the processor",
];

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
    /// Empty unless the experiment is a paper's.
    #[serde(default)]
    pub case: String,
    #[serde(default)]
    pub technique: String,
    #[serde(default)]
    pub baseline: String,
    /// True if we substituted our own program for the paper's baseline.
    #[serde(default)]
    pub stand_in: bool,
    /// Addition to the name that no axis shows.
    #[serde(default)]
    note: String,
    #[serde(default)]
    claim: Option<String>,
}

impl Question {
    /// The question of a run's experiment, the first whose case the run has. Faults of the file go to `warnings`.
    pub(crate) fn of(data: &RunData, warnings: &mut Vec<String>) -> Option<Question> {
        let parse = |text: &str, _: &str| {
            toml::from_str::<Questions>(text).map_err(|error| error.message().to_owned())
        };
        let all = published::read(&data.folder, FILE, warnings, parse)?;
        let own = all.question.into_iter();
        let mut own: Vec<_> = own
            .filter(|own| own.experiment == data.experiment.name)
            .collect();
        let cases = &data.experiment.cases;
        let is_here = |own: &Question| cases.iter().any(|case| case.to_string() == own.case);
        let at = own.iter().position(is_here).unwrap_or(0);
        (at < own.len()).then(|| own.swap_remove(at))
    }
}

/// The ladder of one device, or of a run's processor; for the latter only the last number is meaningful.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ladder {
    pub device: String,
    pub case: Case,
    /// A readable name of the case, with its number of positions if others have more.
    pub name: String,
    pub technique: String,
    /// True if the paper claims its ratio in words as a minimum.
    pub at_least: bool,
    /// The ratios of [`STEPS`], each with the labels of both sides; they are empty for the paper's.
    pub steps: [(Figure, [String; 2]); 5],
    pub rate: Entry,
    pub origin: Origin,
}

/// A technique's rate or time, with interval: `653 M games/s`, `1.23 ms a position`.
pub(crate) fn rate(index: &Index<'_>, case: &Case, technique: &str, device: &str) -> Option<Entry> {
    let (quantity, of) = match index.data.experiment.task {
        Task::Playouts | Task::Choose => (Quantity::PlayoutRate, "games"),
        Task::Game => (Quantity::TimePerUnit, "a position"),
        _ => (Quantity::TimePerUnit, "a search"),
    };
    let place = Place { technique, device };
    let known = figure::measured(index, &quantity, case, &place, None).ok()?;
    let unit = naming::unit(&quantity, None);
    let (shown, mark) = (unit.show(known.value), known.few.map_or("", Few::mark));
    let mut entry = comparison(unit, &known);
    entry.main = match shown.strip_suffix("/s") {
        Some(count) => format!("{count} {of}/s{mark}"),
        None => format!("{shown} {of}{mark}"),
    };
    let (case, quantity) = (case.to_string(), naming::column_name(&quantity));
    let parts = [&case, technique, device, &quantity, ""];
    Some(entry.small(technique).of(parts))
}

/// The ladder of each device of a run, then of its host. `cells` are the run's tables', `judged` the paper's claims.
pub(crate) fn ladders(
    index: &Index<'_>,
    question: &Question,
    cells: &[&BlockCell],
    judged: &[Judged],
) -> Vec<Ladder> {
    let text = &question.case;
    let mut cases = index.data.experiment.cases.iter();
    let Some(case) = cases.find(|own| !own.0.is_empty() && own.to_string() == *text) else {
        return Vec::new();
    };
    let (paper, at_least) = paper(cells, question, case, judged);
    let places = index.devices.iter().copied().chain([HOST]);
    let ladders = places.filter_map(|device| {
        let best = best_of(index, case, device)?;
        let over = |technique: &str, baseline| match index.row(text, technique, device) {
            Some(row) => figure::ratio(index, row, baseline).result,
            None => Err(no_row(index, case, technique)),
        };
        let (own, published) = (&best.row.cell.technique, &question.technique);
        let base = &question.baseline;
        let of = |technique: &String, baseline: &String| [technique.clone(), baseline.clone()];
        let over_published = match question.stand_in {
            true => Err(Missing::new(
                Gap::NOT_PUBLISHED,
                "the paper has no serial program",
            )),
            false => over(own, base),
        };
        let [one_core, whole] = &best.ratios;
        Some(Ladder {
            steps: [
                (paper.clone(), Default::default()),
                (over(published, base), of(published, base)),
                (over_published, of(own, base)),
                (one_core.result.clone(), of(own, &one_core.baseline)),
                (whole.result.clone(), of(own, &whole.baseline)),
            ],
            rate: rate(index, case, own, device)?,
            origin: index.origin(best.row),
            device: device.to_owned(),
            case: case.clone(),
            name: match question.note.as_str() {
                "" => case_of(index, best.row),
                note => format!("{}, {note}", case_of(index, best.row)),
            },
            at_least,
            technique: own.clone(),
        })
    });
    ladders.collect()
}

/// The paper's ratio, from its tables or else from a claim; and whether it is a minimum.
fn paper(
    cells: &[&BlockCell],
    question: &Question,
    case: &Case,
    judged: &[Judged],
) -> (Figure, bool) {
    // A run without the paper's program shows the paper's numbers beside our technique's.
    let technique = question.technique.as_str();
    let ours = technique.strip_suffix(AS_PUBLISHED).unwrap_or(technique);
    let printed = |technique: &str| {
        let mut cells = cells.iter();
        cells.find_map(|cell| {
            let is_it = cell.quantity == Quantity::Speedup
                && (&cell.case, cell.technique.as_str()) == (case, technique)
                && cell.baseline == question.baseline;
            cell.published.as_ref().filter(|_| is_it)
        })
    };
    if let Some(printed) = printed(technique).or_else(|| printed(ours)) {
        return (Ok(plain(printed.value)), false);
    }
    let mut claims = judged.iter().map(|one| &one.claim);
    let claim = claims.find(|claim| Some(&claim.id) == question.claim.as_ref());
    let none = Missing::new(Gap::NOT_PRINTED, "the paper has no ratio");
    match claim.map(|claim| &claim.test) {
        Some(ClaimTest::Above(value)) => (Ok(plain(*value)), true),
        Some(ClaimTest::About { value, .. }) => (Ok(plain(*value)), false),
        _ => (Err(none), false),
    }
}

impl Ladder {
    pub(crate) fn step(&self, at: usize) -> Entry {
        let (figure, [technique, baseline]) = &self.steps[at];
        match (figure, at) {
            (Ok(known), 0) => {
                let prefix = if self.at_least { "> " } else { "" };
                Entry::number(format!("{prefix}{}", Unit::Plain.show(known.value)))
            }
            (Err(_), _) => shown(Unit::Plain, figure),
            (Ok(known), at) => {
                let case = self.case.to_string();
                let speedup = naming::column_name(&Quantity::Speedup);
                let parts = [&case, technique, &self.device, &speedup, baseline];
                let mut entry = comparison(Unit::Plain, known);
                if at == 1 && self.stand_in().is_some() {
                    entry.main += STAND_IN;
                }
                entry.of(parts.map(String::as_str))
            }
        }
    }

    /// The programs of the published step, if one of them is our substitute.
    pub(crate) fn stand_in(&self) -> Option<String> {
        let is_ours = |label: &String| !label.ends_with(AS_PUBLISHED);
        let (_, both @ [technique, baseline]) = &self.steps[1];
        let is_any = both.iter().any(is_ours);
        is_any.then(|| format!("`{technique}` over `{baseline}`"))
    }
}

pub(crate) fn item(ladder: &Ladder) -> Item {
    let mut grid = Grid::new([
        "case",
        "paper",
        "as published",
        "best over published",
        "over best one core",
        "over best CPU",
        "rate or time",
    ]);
    let steps = (0..STEPS.len()).map(|at| ladder.step(at));
    let case = Entry::word(&ladder.name);
    grid.row(case, steps.chain([ladder.rate.clone()]));
    grid.is_cards = true;
    Item::Table(grid)
}

pub(crate) fn sentences(index: &Index<'_>, bests: &[(String, Option<Best<'_>>)]) -> Vec<String> {
    let (mut over_best, mut over_another) = (Vec::new(), Vec::new());
    for (family, best) in bests {
        let Some(best) = best else {
            over_best.push((names::text(family), None));
            continue;
        };
        let name = case_of(index, best.row);
        match over_measured(index, best) {
            Some((label, known, why)) => {
                let head =
                    format!("Over `{label}`, the fastest CPU program measured beside it ({why})");
                over_another.push((head, with_times(&name, &known)));
            }
            None => over_best.push((name, Some(&best.ratios[1].result))),
        }
    }
    let over_another = grouped(over_another).into_iter();
    let over_another = over_another.map(|(head, names)| (head, names::list(&names, MOST)));
    let told = told(over_best, MOST).into_iter().chain(over_another);
    told.map(|(head, names)| format!("{head}: {names}."))
        .collect()
}

/// Names in a sentence; the table below it has all.
const MOST: usize = 1;

/// The families in which a device is faster than the fastest CPU program measured beside it.
pub(crate) fn wins(index: &Index<'_>, bests: &[(String, Option<Best<'_>>)]) -> Vec<String> {
    let won = bests.iter().filter_map(|(_, best)| {
        let best = best.as_ref()?;
        let (over, known) = match over_measured(index, best) {
            Some((label, known, _)) => (format!(" over `{label}`"), known),
            None => (String::new(), best.ratios[1].result.clone().ok()?),
        };
        let is_faster = known.verdict == Some(Verdict::Faster);
        let times = comparison(Unit::Plain, &known).main;
        let (technique, case) = (&best.row.cell.technique, case_of(index, best.row));
        is_faster.then(|| format!("`{technique}`, {case} ({times} times{over})"))
    });
    won.collect()
}

/// Without a known best CPU program: the fastest measured one, the ratio, and why another may be faster.
fn over_measured(index: &Index<'_>, best: &Best<'_>) -> Option<(String, Known, String)> {
    let why = best.ratios[1].result.as_ref().err();
    let why = why.filter(|why| why.gap == Gap::BEST_UNKNOWN)?;
    let choices = index.data.experiment.techniques.iter();
    let own = &best.row.cell.technique;
    let choices = choices
        .filter(|choice| choice.may_be_best() && index.data.asks_the_same(&choice.label, own));
    let measured = choices.filter_map(|choice| {
        let base = index.row(&best.row.cell.case, &choice.label, HOST)?;
        let known = figure::ratio(index, best.row, &choice.label).result.ok()?;
        Some((cost(index, base), choice.label.clone(), known))
    });
    let fastest = measured.min_by(|a, b| a.0.total_cmp(&b.0));
    fastest.map(|(_, label, known)| (label, known, why.reason.clone()))
}

fn with_times(name: &str, known: &Known) -> String {
    format!("{name} ({} times)", comparison(Unit::Plain, known).main)
}

/// Ratios over the best CPU program in words, with at most `most` names.
pub(crate) fn told<'f>(
    ratios: impl IntoIterator<Item = (String, Option<&'f Figure>)>,
    most: usize,
) -> Vec<(String, String)> {
    const FASTER: &str = "Faster than the best CPU program";
    let ratios = ratios.into_iter().map(|(name, over)| {
        let known = over.and_then(|over| over.as_ref().ok());
        let name_with = known.map_or(String::new(), |own| with_times(&name, own));
        match known.and_then(|known| known.verdict) {
            Some(Verdict::Faster) => ((0, FASTER.to_owned()), name_with),
            Some(Verdict::Slower) => ((1, "Slower".to_owned()), name_with),
            Some(_) => ((2, "No difference shown".to_owned()), name),
            None => {
                let why = over.map_or("no answer".to_owned(), undecided);
                ((3, format!("No verdict ({why})")), name)
            }
        }
    });
    let mut groups = grouped(ratios);
    groups.sort_by_key(|((rank, _), _)| *rank);
    let groups = groups.into_iter();
    groups
        .map(|((_, head), names)| (head, names::list(&names, most)))
        .collect()
}
