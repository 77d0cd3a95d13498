//! What a paper says, held against a run: a verdict for each claim and device, from the run's rows.

mod finding;
mod judge;
mod show;
#[cfg(test)]
mod tests;

pub(crate) use finding::Judged;
pub(crate) use show::{csv, place, reproduced, section_items, tally};

use std::path::Path;

use self::finding::Finding;
use self::judge::{Point, Reading, Scale};
use super::data::{HOST, Index, Place, RunData};
use super::figure::{self, Figure};
use super::known::Missing;
use super::published::{self, PublishedTable, Wanted};
use super::{matches, naming, series};
use crate::config::{Claim, ClaimTest, Claimed, Claims, Experiment, Quantity};
use crate::words::{Case, Status, Task};

/// The claims about a run's experiment. What is wrong with their file goes to `warnings`.
pub(crate) fn of_run(data: &RunData, warnings: &mut Vec<String>) -> Vec<Claim> {
    let name = Claims::file_of(&data.experiment.game);
    let Some((path, source)) = published::locate(&data.folder, &name) else {
        return Vec::new();
    };
    let text = match crate::words::read_text(&path) {
        Ok(text) => text,
        Err(error) => {
            warnings.push(format!("{source}: {error}"));
            return Vec::new();
        }
    };
    let claims = Claims::parse(&text, &source, None);
    warnings.extend(claims.mistakes.iter().map(ToString::to_string));
    let own = |claim: &Claim| claim.experiment == data.experiment.name;
    claims.claims.into_iter().filter(own).collect()
}

/// Every claim on every device that it is about.
pub(crate) fn judge(index: &Index<'_>, claims: &[Claim]) -> Vec<Judged> {
    let mut judged = Vec::new();
    for claim in claims {
        let places = match &claim.technique {
            Some(label) => index.places(label),
            // A fact of the cases is the same on every device.
            None => vec![Place {
                technique: "",
                device: HOST,
            }],
        };
        for place in places {
            judged.push(Judged {
                finding: finding(index, claim, &place),
                device: place.device.to_owned(),
                claim: claim.clone(),
            });
        }
    }
    judged
}

fn finding(index: &Index<'_>, claim: &Claim, place: &Place<'_>) -> Finding {
    let experiment = &index.data.experiment;
    if let Some(lacking) = lacking(experiment, claim) {
        return Finding::not_measured(0, lacking);
    }
    let mut points = match &claim.quantity {
        Claimed::Quantity(Quantity::Fact(name)) => facts(index, claim, name),
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
    let scale = match &claim.quantity {
        Claimed::Quantity(quantity) => Scale::Unit(naming::unit(quantity, None)),
        Claimed::Score => Scale::Percent,
    };
    let along = claim.test.along().unwrap_or_default();
    let order = series::values(&experiment.cases, along);
    judge::find(&claim.test, points, scale, &order)
}

/// What a claim names and the run's own experiment does not have: an older run's may lack it.
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

/// The cells of one technique in one place.
fn cells(index: &Index<'_>, claim: &Claim, place: &Place<'_>) -> Vec<Point> {
    let experiment = &index.data.experiment;
    let takes = |case: &&Case| {
        let choice = experiment.choice(place.technique);
        choice.is_some_and(|choice| choice.takes(case)) && claim.is_about(case)
    };
    let read = |case: &Case| Point {
        reading: reading(index, claim, case, place),
        case: case.clone(),
        paper: None,
    };
    experiment.cases.iter().filter(takes).map(read).collect()
}

fn reading(index: &Index<'_>, claim: &Claim, case: &Case, place: &Place<'_>) -> Reading {
    let row = || index.row(&case.to_string(), place.technique, place.device);
    let baseline = claim.baseline.as_deref();
    match &claim.quantity {
        Claimed::Score => match row().filter(|row| row.status == Status::Ok) {
            Some(row) => match row.match_score().as_ref().and_then(matches::share) {
                Some((share, (low, high))) => Reading::Told {
                    value: share,
                    low,
                    high,
                    few: false,
                },
                None => Reading::Nothing("the row has no score".to_owned()),
            },
            None => {
                let missing = row().map_or_else(Missing::not_measured, Missing::of_row);
                Reading::Nothing(missing.text())
            }
        },
        // In a match the baseline is whom it plays against, and has no row of its own.
        Claimed::Quantity(Quantity::Speedup)
            if index.data.experiment.task == Task::Match
                && baseline == Some(matches::opponent(index, place.technique)) =>
        {
            let ratio = match row() {
                Some(row) => figure::over_opponent(index, row),
                None => Err(Missing::not_measured()),
            };
            of_figure(ratio.map_or_else(Figure::Missing, Figure::Known))
        }
        Claimed::Quantity(quantity) => {
            of_figure(figure::measured(index, quantity, case, place, baseline))
        }
    }
}

fn of_figure(figure: Figure) -> Reading {
    match figure {
        // A timed number of too few passes: whatever it is, the next run may say otherwise.
        Figure::Known(known) if known.interval.is_none() && known.few.is_some() => {
            let few = known.few.unwrap_or_default();
            Reading::Wide(format!("{few}: no interval"))
        }
        Figure::Known(known) => {
            let (low, high) = known.interval.unwrap_or((known.value, known.value));
            Reading::Told {
                value: known.value,
                low,
                high,
                few: known.few.is_some(),
            }
        }
        Figure::Missing(missing) if missing.interval.is_some() => Reading::Wide(missing.text()),
        Figure::Missing(missing) => Reading::Nothing(missing.text()),
    }
}

/// The facts of that name, each once, by the axes that it depends on.
fn facts(index: &Index<'_>, claim: &Claim, name: &str) -> Vec<Point> {
    let data = index.data;
    let mut points: Vec<Point> = Vec::new();
    for case in data
        .experiment
        .cases
        .iter()
        .filter(|case| claim.is_about(case))
    {
        for fact in data.facts.iter().filter(|fact| fact.fact == name) {
            let about = Case::parse(&fact.case).unwrap_or_default();
            let known = points.iter().any(|point| point.case == about);
            if known || !super::data::agrees(case, &about) {
                continue;
            }
            points.push(Point {
                reading: Reading::Told {
                    value: fact.value,
                    low: fact.value,
                    high: fact.value,
                    few: false,
                },
                case: about,
                paper: None,
            });
        }
    }
    points
}

/// Gives each point the paper's number, and drops those that it has none for.
fn find_published(index: &Index<'_>, claim: &Claim, points: &mut Vec<Point>) -> Result<(), String> {
    let experiment = &index.data.experiment;
    let table = &claim.table;
    let Some((files, like)) = experiment.published_of(table) else {
        return Err(format!(
            "{table} of this run's experiment has no published numbers"
        ));
    };
    let Claimed::Quantity(quantity) = &claim.quantity else {
        return Err("a score has no published numbers".to_owned());
    };
    let baseline = claim.baseline.as_deref();
    if baseline.is_some() && like.is_some_and(|like| Some(like) != baseline) {
        let like = like.unwrap_or_default();
        return Err(format!(
            "the paper's numbers compare with ratios over {like}"
        ));
    }
    let folder: &Path = &index.data.folder;
    let tables: Result<Vec<_>, _> = files
        .iter()
        .map(|name| PublishedTable::find(folder, name))
        .collect();
    let tables = tables?;
    let choice = |label: Option<&str>| label.and_then(|label| experiment.choice(label));
    for point in points.iter_mut() {
        let wanted = Wanted {
            quantity,
            baseline: choice(baseline),
            technique: choice(claim.technique.as_deref()),
            case: &point.case,
        };
        point.paper = published::find(&tables, wanted)
            .map(|found| found.value)
            .filter(|value| *value > 0.0);
    }
    points.retain(|point| point.paper.is_some());
    match points.is_empty() {
        true => Err("the paper has no number for these cells".to_owned()),
        false => Ok(()),
    }
}
