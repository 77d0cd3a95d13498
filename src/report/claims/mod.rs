//! A verdict for each claim of a paper and each device, from the run's rows.

mod judge;
mod show;
#[cfg(test)]
mod tests;

pub(crate) use show::{HOW, csv, place, reproduced, section_items};

use serde::{Serialize, Serializer};

use self::judge::Point;
use super::block::Block;
use super::data::{HOST, Index, Place, RunData, agrees};
use super::known::{Figure, Gap, Known, Missing, plain};
use super::number::Unit;
use super::published::{self, PublishedTable};
use super::{figure, matches, naming, series};
use crate::config::{Claim, ClaimTest, Claims, Experiment, Quantity};
use crate::words::{Case, Status, Task, worded};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// Every measured cell agrees.
    Holds,
    /// At least three quarters agree.
    Mostly,
    /// Fewer agree, and an interval contradicts the claim.
    Fails,
    /// Fewer agree, and no interval contradicts it.
    Unclear,
    /// No cell of the claim has a number.
    #[default]
    NotMeasured,
    /// A claim about GPUs, measured on a processor.
    NotJudged,
}

worded! { Verdict {
    Holds "holds" Mostly "holds mostly" Fails "fails" Unclear "unclear" NotMeasured "not measured" NotJudged "not judged"
} }

/// A verdict and its counts, of cells or of rows of cells along an axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Finding {
    pub verdict: Verdict,
    pub held: usize,
    /// Further cells that agree by their value, but have no interval.
    pub leaning: usize,
    pub measured: usize,
    pub all: usize,
    /// Cells with an interval of few samples, which is only a hint.
    pub few: usize,
    /// Rows that compare cells of different numbers of positions.
    pub unequal: usize,
    /// The cell that most contradicts the claim, or comes nearest to it; empty if none has a number.
    pub worst: String,
    /// Why the first cell without a number has none; empty if all have numbers.
    pub reason: String,
}

impl Finding {
    fn not_measured(all: usize, reason: impl Into<String>) -> Self {
        Finding {
            all,
            reason: reason.into(),
            ..Finding::default()
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Judged {
    #[serde(serialize_with = "id")]
    pub claim: Claim,
    /// A device's label, or the host; empty if the run ended before it was known.
    pub device: String,
    pub finding: Finding,
}

fn id<S: Serializer>(claim: &Claim, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&claim.id)
}

pub(crate) fn of_run(data: &RunData, warnings: &mut Vec<String>) -> Vec<Claim> {
    let name = Claims::file_of(&data.experiment.game);
    let parse = |text: &str, source: &str| Ok(Claims::parse(text, source));
    let Some(claims) = published::read(&data.folder, &name, warnings, parse) else {
        return Vec::new();
    };
    warnings.extend(claims.mistakes.iter().map(ToString::to_string));
    let own = |claim: &Claim| claim.experiment == data.experiment.name;
    claims.claims.into_iter().filter(own).collect()
}

pub(crate) fn judge(index: &Index<'_>, claims: &[Claim]) -> Vec<Judged> {
    let mut judged = Vec::new();
    for claim in claims {
        let technique = claim.technique.as_deref();
        // A fact of the cases is equal on every device.
        let devices = technique.map_or(vec![HOST], |label| index.places(label));
        let technique = technique.unwrap_or_default();
        judged.extend(devices.into_iter().map(|device| {
            let mut finding = finding(index, claim, &Place { technique, device });
            let mut records = index.data.environment.devices.iter();
            // A processor shares its cores with the CPU programs: it says nothing about GPUs.
            if records.any(|record| record.label == device && record.kind == "cpu") {
                finding.verdict = Verdict::NotJudged;
            }
            Judged {
                finding,
                device: device.to_owned(),
                claim: claim.clone(),
            }
        }));
    }
    judged
}

/// Compares a block with the paper's numbers, as a claim of the test `published` does.
pub(crate) fn of_block(block: &Block, within: f64) -> Finding {
    let cells = block.cells.iter().flatten();
    let points = cells.filter_map(|cell| {
        let paper = cell.published.as_ref().map(|own| own.value);
        Some(Point {
            case: cell.case.clone(),
            figure: cell.figure.clone(),
            paper: Some(paper.filter(|value| *value > 0.0)?),
            positions: cell.positions,
        })
    });
    let test = ClaimTest::Published { within };
    judge::find(&test, points.collect(), Unit::Plain, &[])
}

fn finding(index: &Index<'_>, claim: &Claim, place: &Place<'_>) -> Finding {
    let experiment = &index.data.experiment;
    if let Some(lacking) = lacking(experiment, claim) {
        return Finding::not_measured(0, lacking);
    }
    let mut points = match &claim.quantity {
        Quantity::Fact(name) => facts(index, claim, name),
        _ => cells(index, claim, place),
    };
    if points.is_empty() {
        return Finding::not_measured(0, "no case of this run's experiment is meant");
    }
    if let ClaimTest::Published { .. } = claim.test
        && let Err(reason) = find_published(index, claim, &mut points)
    {
        return Finding::not_measured(points.len(), reason);
    }
    let unit = naming::unit(&claim.quantity, None);
    let along = claim.test.along().unwrap_or_default();
    let values = experiment.cases.iter();
    let order = series::in_order(values.filter_map(|case| case.get(along).cloned()));
    judge::find(&claim.test, points, unit, &order)
}

/// Names in a claim that the experiment of an older run may lack.
fn lacking(experiment: &Experiment, claim: &Claim) -> Option<String> {
    let labels = [&claim.technique, &claim.baseline];
    for label in labels.into_iter().flatten() {
        if experiment.choice(label).is_none() {
            return Some(format!("this run's experiment has no technique {label}"));
        }
    }
    let partial = claim.cases.iter().flat_map(|case| case.0.iter());
    let named = partial.map(|(axis, _)| axis.as_str());
    let mut axes = named.chain(claim.test.along());
    let missing = axes.find(|axis| !experiment.axes.iter().any(|own| own == axis))?;
    Some(format!("this run's experiment has no axis {missing}"))
}

fn cells(index: &Index<'_>, claim: &Claim, place: &Place<'_>) -> Vec<Point> {
    let experiment = &index.data.experiment;
    let choice = experiment.choice(place.technique);
    let takes = |case: &&Case| choice.is_some_and(|own| own.takes(case)) && claim.is_about(case);
    let cases = experiment.cases.iter().filter(takes);
    let is_game = experiment.task == Task::Game;
    let points = cases.map(|case| {
        let row = index.row(&case.to_string(), place.technique, place.device);
        Point {
            figure: figure_of(index, claim, case, place),
            case: case.clone(),
            paper: None,
            positions: row.filter(|_| is_game).map(|row| row.units),
        }
    });
    points.collect()
}

fn figure_of(index: &Index<'_>, claim: &Claim, case: &Case, place: &Place<'_>) -> Figure {
    let row = index.row(&case.to_string(), place.technique, place.device);
    let row = || row.ok_or(Missing::NOT_MEASURED);
    let baseline = claim.baseline.as_deref();
    match &claim.quantity {
        Quantity::Score => match row()? {
            row if row.status != Status::Ok => Err(Missing::of_row(row)),
            row => match row.match_score().as_ref().and_then(matches::share) {
                Some((share, interval)) => Ok(Known {
                    interval: Some(interval),
                    ..plain(share)
                }),
                None => Err(Missing::bare(Gap::NO_SCORE)),
            },
        },
        // In a match the baseline is the opponent, and has no row.
        Quantity::Speedup
            if index.data.experiment.task == Task::Match
                && baseline == Some(matches::opponent(index, place.technique)) =>
        {
            figure::over_opponent(index, row()?)
        }
        quantity => figure::measured(index, quantity, case, place, baseline),
    }
}

fn facts(index: &Index<'_>, claim: &Claim, name: &str) -> Vec<Point> {
    let data = index.data;
    let mut points: Vec<Point> = Vec::new();
    let cases = data.experiment.cases.iter();
    for case in cases.filter(|case| claim.is_about(case)) {
        for fact in data.facts.iter().filter(|fact| fact.fact == name) {
            let about = Case::parse(&fact.case).unwrap_or_default();
            if agrees(case, &about) && !points.iter().any(|point| point.case == about) {
                points.push(Point {
                    figure: Ok(plain(fact.value)),
                    case: about,
                    paper: None,
                    positions: None,
                });
            }
        }
    }
    points
}

/// Gives each point the paper's number and drops the points without one.
fn find_published(index: &Index<'_>, claim: &Claim, points: &mut Vec<Point>) -> Result<(), String> {
    let experiment = &index.data.experiment;
    let table = &claim.table;
    let Some((files, like)) = experiment.published_of(table) else {
        let why = "of this run's experiment has no published numbers";
        return Err(format!("{table} {why}"));
    };
    let quantity = &claim.quantity;
    let baseline = claim.baseline.as_deref();
    if let Some(like) = like.filter(|like| baseline.is_some_and(|own| own != *like)) {
        let why = "the paper's numbers compare with ratios over";
        return Err(format!("{why} {like}"));
    }
    let table = |name: &String| PublishedTable::find(&index.data.folder, name);
    let tables = files.iter().map(table).collect::<Result<Vec<_>, _>>()?;
    let labels = [claim.technique.as_deref(), baseline];
    points.retain_mut(|point| {
        let found = published::find(&tables, experiment, quantity, labels, &point.case);
        point.paper = found.map(|own| own.value).filter(|value| *value > 0.0);
        point.paper.is_some()
    });
    match points.is_empty() {
        true => Err("the paper has no number for these cells".to_owned()),
        false => Ok(()),
    }
}
