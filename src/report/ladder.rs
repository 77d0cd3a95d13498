//! The ladder: factors of a paper's speedup, in one case of an experiment.
//!
//! Its steps are [`STEPS`]. A file beside the papers' numbers names the case and the techniques.

use serde::{Deserialize, Serialize};

use super::block::BlockCell;
use super::claims::Judged;
use super::data::{Index, RunData};
use super::format::{self, PLIES};
use super::headline::{Best, Headline};
use super::known::{Figure, Known, Missing, plain};
use super::published::{self, AS_PUBLISHED};
use super::ratios::{Ratio, no_row, ratio};
use crate::config::{BASELINES, Claim, ClaimTest, Quantity};
use crate::words::{Case, Task, counted};

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

    /// True if the experiment is a paper's.
    pub(crate) fn is_papers(&self) -> bool {
        !self.case.is_empty()
    }

    fn note(&self) -> String {
        match self.note.as_str() {
            "" => String::new(),
            note => format!(", {note}"),
        }
    }

    /// True if a claim asks more than the paper: a speedup over a better baseline than the paper's.
    pub(crate) fn is_ours(&self, claim: &Claim) -> bool {
        let baseline = claim.baseline.as_deref().unwrap_or_default();
        let is_speedup = claim.quantity == Quantity::Speedup;
        let is_better = BASELINES.contains(&baseline) && baseline != self.baseline;
        is_speedup && is_better && claim.technique.as_ref() != Some(&self.baseline)
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

/// The ladder of each headline. `cells` are the run's tables', `judged` the paper's claims.
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
            name: case_name(index, best) + &question.note(),
            at_least,
            technique: ours.clone(),
        })
    });
    ladders.collect()
}

/// A readable name of a case, with its number of positions if others of its family have more.
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

/// The paper's ratio, from its tables or else from a claim; and whether it is a minimum.
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
    /// A step's number; `None` if it has none.
    pub(crate) fn known(&self, step: usize) -> Option<&Known> {
        self.steps[step].figure.as_ref().ok()
    }

    /// The programs of the published step, if one of them is our substitute.
    pub(crate) fn stand_in(&self) -> bool {
        let Step {
            technique,
            baseline,
            ..
        } = &self.steps[1];
        ![technique, baseline]
            .iter()
            .all(|own| own.ends_with(AS_PUBLISHED))
    }
}
