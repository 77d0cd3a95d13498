//! Splits a paper's speedup into factors, for one case of its experiment. This is the ladder.
//!
//! The file `questions.toml`, next to the papers' numbers, names the case and the techniques.

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
        let all = published::read(&data.folder, "questions.toml", warnings, parse)?.question;
        let own = all.into_iter();
        let own = own.filter(|own| own.experiment == data.experiment.name);
        let cases = &data.experiment.cases;
        own.min_by_key(|own| !cases.iter().any(|case| case.to_string() == own.case))
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
        let mut bests = headline.bests();
        let best = bests.find(|best| best.case.to_string() == question.case)?;
        let ours = &best.row.cell.technique;
        let over_serial = |technique: &str| {
            let row = index.row(&question.case, technique, device);
            let row = row.ok_or_else(|| no_row(index, &best.case, technique));
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
            case: best.case.clone(),
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
