//! The ladder: factors of a paper's speedup, in one case of an experiment.
//!
//! Its steps are [`STEPS`]. A file beside the papers' numbers names the case and the techniques.

use serde::{Deserialize, Serialize};

use super::block::BlockCell;
use super::claims::Judged;
use super::data::{HOST, Index, RunData};
use super::figure;
use super::headline::best_of;
use super::known::{Figure, Gap, Known, Missing, plain};
use super::names::{self, PLIES};
use super::pairs::no_row;
use super::published::{self, AS_PUBLISHED};
use crate::config::{BASELINES, Claim, ClaimTest, Quantity};
use crate::results::MeasurementRow;
use crate::words::{Case, Task};

const FILE: &str = "questions.toml";

/// The steps, as charts and tables name them.
pub(crate) const STEPS: [&str; 5] = [
    "the paper",
    "the paper's program here",
    "our best over the same serial program",
    "our best over the best program of one core",
    "our best over the best CPU program",
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
    /// What the paper measured with, as it follows its ratio.
    #[serde(default)]
    pub theirs: String,
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
        let mut own = published::read(&data.folder, FILE, warnings, parse)?.question;
        own.retain(|own| own.experiment == data.experiment.name);
        let cases = &data.experiment.cases;
        // A stable sort: the first of each kind stays first.
        own.sort_by_key(|own| !cases.iter().any(|case| case.to_string() == own.case));
        own.into_iter().next()
    }
}

/// The ladder of one device, or of a run's processor; for the latter only the last number is meaningful.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Ladder {
    pub device: String,
    pub case: Case,
    /// A readable name of the case, with its number of positions if others have more.
    pub name: String,
    pub technique: String,
    /// True if the paper claims its ratio in words as a minimum.
    pub at_least: bool,
    /// The ratios of [`STEPS`].
    pub steps: [Step; 5],
    pub rate: (Quantity, Known),
}

/// A ratio with the labels of both sides; they are empty for the paper's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Step {
    pub figure: Figure,
    pub technique: String,
    pub baseline: String,
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
    let Some(case) = cases.find(|case| !case.0.is_empty() && case.to_string() == *text) else {
        return Vec::new();
    };
    let (paper, at_least) = paper(cells, question, case, judged);
    let step = |figure, technique: &str, baseline: &str| Step {
        figure,
        technique: technique.to_owned(),
        baseline: baseline.to_owned(),
    };
    let places = index.devices.iter().copied().chain([HOST]);
    let ladders = places.filter_map(|device| {
        let best = best_of(index, case, device)?;
        let over = |technique: &str, baseline: &str| {
            let row = index.row(text, technique, device);
            let row = row.ok_or_else(|| no_row(index, case, technique));
            let figure = row.and_then(|row| figure::ratio(index, row, baseline).result);
            step(figure, technique, baseline)
        };
        let (ours, base) = (&best.row.cell.technique, &question.baseline);
        let [one_core, whole] = &best.ratios;
        let mut name = case_name(index, &best.row);
        if !question.note.is_empty() {
            name += &format!(", {}", question.note);
        }
        Some(Ladder {
            steps: [
                step(paper.clone(), "", ""),
                over(&question.technique, base),
                over(ours, base),
                step(one_core.result.clone(), ours, &one_core.baseline),
                step(whole.result.clone(), ours, &whole.baseline),
            ],
            rate: best.rate.clone()?,
            device: device.to_owned(),
            case: case.clone(),
            name,
            at_least,
            technique: ours.clone(),
        })
    });
    ladders.collect()
}

/// A readable name of a case, with its number of positions if others of its family have more.
fn case_name(index: &Index<'_>, row: &MeasurementRow) -> String {
    let case = Case::parse(&row.cell.case).unwrap_or_default();
    let name = names::case(&case.without(PLIES));
    let last = index.data.experiment.axes.last().map_or("", String::as_str);
    let family = |text: &str| Case::parse(text).map(|case| case.without(last));
    let own = family(&row.cell.case);
    let mut others = index.data.measurements.iter();
    let has_more = others.any(|other| other.units > row.units && family(&other.cell.case) == own);
    match (index.data.experiment.task, has_more, row.units) {
        (Task::Game, true, 1) => format!("{name}, 1 position"),
        (Task::Game, true, units) => format!("{name}, {units} positions"),
        _ => name,
    }
}

/// The paper's ratio, from its tables or else from a claim; and whether it is a minimum.
fn paper(
    cells: &[&BlockCell],
    question: &Question,
    case: &Case,
    judged: &[Judged],
) -> (Figure, bool) {
    let printed = |technique: &str| {
        let own = cells.iter().filter(|cell| {
            cell.quantity == Quantity::Speedup
                && (&cell.case, cell.technique.as_str()) == (case, technique)
                && cell.baseline == question.baseline
        });
        own.filter_map(|cell| cell.published.as_ref()).next()
    };
    if let Some(printed) = printed(&question.technique) {
        return (Ok(plain(printed.value)), false);
    }
    let mut claims = judged.iter().map(|one| &one.claim);
    let claim = claims.find(|claim| Some(&claim.id) == question.claim.as_ref());
    match claim.map(|claim| &claim.test) {
        Some(ClaimTest::Above(value)) => (Ok(plain(*value)), true),
        Some(ClaimTest::About { value, .. }) => (Ok(plain(*value)), false),
        _ => (
            Err(Missing::new(Gap::NOT_PRINTED, "the paper has no ratio")),
            false,
        ),
    }
}

impl Ladder {
    /// A step's number; `None` if it has none.
    pub(crate) fn known(&self, step: usize) -> Option<&Known> {
        self.steps[step].figure.as_ref().ok()
    }

    /// The programs of the published step, if one of them is our substitute.
    pub(crate) fn stand_in(&self) -> Option<String> {
        let Step {
            technique,
            baseline,
            ..
        } = &self.steps[1];
        let is_ours = |label: &&String| !label.ends_with(AS_PUBLISHED);
        let is_any = [technique, baseline].iter().any(is_ours);
        is_any.then(|| format!("`{technique}` over `{baseline}`"))
    }
}

impl Question {
    /// True if a claim asks more than the paper: a speedup over a better baseline than the paper's.
    pub(crate) fn is_ours(&self, claim: &Claim) -> bool {
        let baseline = claim.baseline.as_deref().unwrap_or_default();
        let is_speedup = claim.quantity == Quantity::Speedup;
        let is_better = BASELINES.contains(&baseline) && baseline != self.baseline;
        is_speedup && is_better && claim.technique.as_ref() != Some(&self.baseline)
    }
}
