//! The ladder: what a paper's speed-up is made of, in one case of an experiment.
//!
//! Its steps are the paper's ratio; the published technique over the published serial program, both of ours;
//! our best technique over the same; and that over the best program of one core and over the best of the whole
//! processor. Which case and which techniques is said by a file beside the papers' numbers.

use serde::Deserialize;

use super::block::BlockCell;
use super::claims::Judged;
use super::data::{HOST, Index, Origin, Place, RunData};
use super::figure::{self, Figure};
use super::grid::{Entry, Grid, Item};
use super::headline::{Best, best_of};
use super::known::{Known, Missing};
use super::number::Unit;
use super::paper::{comparison, missing};
use super::published;
use super::ratios::{BEST_CPU, BEST_ONE_CORE};
use super::{names, naming};
use crate::config::{ClaimTest, Quantity};
use crate::words::{Case, Task};

/// The file, by name among the papers' numbers.
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

/// What an experiment asks, and the case that stands for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The experiment's name.
    pub experiment: String,
    /// The question, a sentence.
    pub question: String,
    /// The game's name in tables of several.
    #[serde(default)]
    pub game: String,
    /// `board=8x8 depth=10`; empty where no case stands for it.
    #[serde(default)]
    case: String,
    /// The label of the technique that is the paper's.
    #[serde(default)]
    pub technique: String,
    /// The label of the program that is the paper's baseline.
    #[serde(default)]
    pub baseline: String,
    /// The claim that has the paper's ratio in words, where no table prints it.
    #[serde(default)]
    claim: Option<String>,
}

impl Question {
    /// Whether a case of its experiment stands for a paper.
    pub(crate) fn is_of_paper(&self) -> bool {
        !self.case.is_empty()
    }

    /// That of a run's experiment. What is wrong with the file goes to `warnings`.
    pub(crate) fn of(data: &RunData, warnings: &mut Vec<String>) -> Option<Question> {
        let (path, source) = published::locate(&data.folder, FILE)?;
        let read = || -> Result<Questions, String> {
            let text = crate::words::read_text(&path).map_err(|error| error.to_string())?;
            toml::from_str(&text).map_err(|error| error.message().to_owned())
        };
        match read() {
            Ok(all) => {
                let mut all = all.question.into_iter();
                all.find(|own| own.experiment == data.experiment.name)
            }
            Err(error) => {
                warnings.push(format!("{source}: {error}"));
                None
            }
        }
    }
}

/// The ladder of one device, or of a run's processor, where only the last number means something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ladder {
    pub device: String,
    pub case: Case,
    /// The label of the fastest technique there.
    pub technique: String,
    /// Whether the paper's ratio is the least that it claims, in words.
    pub at_least: bool,
    /// By [`STEPS`].
    pub steps: [Result<Known, Missing>; 5],
    /// What the ratios are of and over, by [`STEPS`]; empty for the paper's.
    of: [[String; 2]; 5],
    /// How much the fastest technique gets through.
    pub rate: Absolute,
    /// Where that number is from.
    pub origin: Origin,
}

/// A rate or a time, with its unit in words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Absolute {
    known: Known,
    quantity: Quantity,
    unit: Unit,
    /// Of what.
    of: &'static str,
}

impl Absolute {
    fn of(index: &Index<'_>, case: &Case, technique: &str, device: &str) -> Option<Absolute> {
        let (quantity, unit, of) = match index.data.experiment.task {
            Task::Playouts => (Quantity::PlayoutRate, Unit::Rate, "games"),
            Task::Choose => (Quantity::PlayoutRate, Unit::Rate, "games"),
            Task::Game => (Quantity::TimePerUnit, Unit::Time, "a position"),
            _ => (Quantity::TimePerUnit, Unit::Time, "a search"),
        };
        let place = Place { technique, device };
        match figure::measured(index, &quantity, case, &place, None) {
            Figure::Known(known) => Some(Absolute {
                known,
                quantity,
                unit,
                of,
            }),
            Figure::Missing(_) => None,
        }
    }

    /// `653 M games/s`, `1.23 ms a position`.
    pub(crate) fn text(&self) -> String {
        let shown = self.unit.show(self.known.value);
        match shown.strip_suffix("/s") {
            Some(count) => format!("{count} {}/s", self.of),
            None => format!("{shown} {}", self.of),
        }
    }

    fn entry(&self) -> Entry {
        let mut entry = comparison(self.unit, &self.known);
        entry.main = self.text();
        entry
    }
}

/// The ladder of each device of a run, then of its host.
/// `cells` are those of the run's tables, `judged` the paper's claims about it.
pub(crate) fn ladders(
    index: &Index<'_>,
    question: &Question,
    cells: &[&BlockCell],
    judged: &[Judged],
) -> Vec<Ladder> {
    let Some(case) = Case::parse(&question.case).filter(|case| !case.0.is_empty()) else {
        return Vec::new();
    };
    let experiment = &index.data.experiment;
    let Some(case) = experiment.cases.iter().find(|own| **own == case) else {
        return Vec::new();
    };
    let places = index.devices().iter().copied().chain([HOST]);
    let ladders = places.filter_map(|device| {
        let best = best_of(index, case, device)?;
        let place = |technique| Place { technique, device };
        let over =
            |technique, baseline| figure::ratio_at(index, case, &place(technique), baseline).result;
        let (paper, at_least) = paper(cells, question, case, judged);
        let role = |role| match best.over(role) {
            Some(ratio) => ratio.result.clone(),
            None => Err(Missing::not_asked()),
        };
        let (own, published) = (&best.technique, &question.technique);
        let named = |role| {
            best.over(role)
                .map_or(String::new(), |it| it.baseline.clone())
        };
        Some(Ladder {
            steps: [
                paper,
                over(published, &question.baseline),
                over(own, &question.baseline),
                role(BEST_ONE_CORE),
                role(BEST_CPU),
            ],
            of: [
                Default::default(),
                [published.clone(), question.baseline.clone()],
                [own.clone(), question.baseline.clone()],
                [own.clone(), named(BEST_ONE_CORE)],
                [own.clone(), named(BEST_CPU)],
            ],
            rate: Absolute::of(index, case, &best.technique, device)?,
            origin: index
                .row(&case.to_string(), &best.technique, device)
                .map_or_else(Origin::default, |row| index.origin(row)),
            device: device.to_owned(),
            case: case.clone(),
            at_least,
            technique: best.technique,
        })
    });
    ladders.collect()
}

/// The paper's ratio: as its tables print it, or else as a claim has it in words; and whether that is the least.
fn paper(
    cells: &[&BlockCell],
    question: &Question,
    case: &Case,
    judged: &[Judged],
) -> (Result<Known, Missing>, bool) {
    // A run from before there was the paper's own program shows the paper's numbers beside ours.
    let technique = question.technique.as_str();
    let ours = technique.strip_suffix("-as-published").unwrap_or(technique);
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
        return (Ok(super::known::plain(printed.value)), false);
    }
    let claim = judged
        .iter()
        .find(|one| Some(&one.claim.id) == question.claim.as_ref());
    match claim.map(|one| &one.claim.test) {
        Some(ClaimTest::Above(value)) => (Ok(super::known::plain(*value)), true),
        Some(ClaimTest::About { value, .. }) => (Ok(super::known::plain(*value)), false),
        _ => (
            Err(Missing::new("not printed", "the paper has no ratio")),
            false,
        ),
    }
}

impl Ladder {
    /// One step as an entry; the paper's own has no interval.
    pub(crate) fn step(&self, at: usize) -> Entry {
        match (&self.steps[at], at) {
            (Ok(known), 0) => {
                let prefix = if self.at_least { "> " } else { "" };
                Entry::number(format!("{prefix}{}", Unit::Plain.show(known.value)))
            }
            (Ok(known), at) => {
                let [technique, baseline] = &self.of[at];
                let case = self.case.to_string();
                let speedup = naming::column_name(&Quantity::Speedup);
                let parts = [&case, technique, &self.device, &speedup, baseline];
                comparison(Unit::Plain, known).of(parts.map(String::as_str))
            }
            (Err(why), _) => missing(why),
        }
    }

    /// What it gets through, with its interval and the technique that does.
    pub(crate) fn rate(&self) -> Entry {
        let case = self.case.to_string();
        let quantity = naming::column_name(&self.rate.quantity);
        let parts = [&case, &self.technique, &self.device, &quantity, ""];
        self.rate.entry().small(&self.technique).of(parts)
    }

    /// Its ratio over the best program of the processor.
    pub(crate) fn over_best(&self) -> Option<&Known> {
        self.steps[4].as_ref().ok()
    }
}

/// The ladder as a table for the page of its run.
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
    let mut row = vec![Entry::word(names::case(&ladder.case))];
    row.extend(steps);
    row.push(ladder.rate());
    grid.rows.push(row);
    grid.is_cards = true;
    Item::Table(grid)
}

/// What a run's families say of a device, in a sentence each: faster, slower, even, not decided.
pub(crate) fn sentences(bests: &[(String, Option<&Best>)]) -> Vec<String> {
    use crate::stats::Verdict;
    const LISTED: usize = 4;
    let mut lists: [Vec<String>; 4] = Default::default();
    for (family, best) in bests {
        let name = names::text(family);
        let known = best.and_then(|best| best.over(BEST_CPU)?.result.as_ref().ok());
        let (list, text) = match known.and_then(|known| Some((known, known.verdict?))) {
            Some((known, Verdict::Faster)) => {
                (0, format!("{name} ({})", names::times(known.value)))
            }
            Some((known, Verdict::Slower)) => {
                (1, format!("{name} ({})", names::times(known.value)))
            }
            Some(_) => (2, name),
            None => (3, name),
        };
        lists[list].push(text);
    }
    let [faster, slower, even, open] = lists;
    let told = [
        ("Faster than the best CPU program", faster),
        ("Slower", slower),
        ("No difference shown", even),
        ("Too few samples or none", open),
    ];
    let said = told.iter().filter(|(_, names)| !names.is_empty());
    said.map(|(what, all)| format!("{what}: {}.", names::list(all, LISTED)))
        .collect()
}
