//! Compares the counters of techniques that must count equally.

use std::collections::HashMap;

use super::data::{Data, Place, Problem};
use crate::config::Experiment;
use crate::results::MeasurementRow;
use crate::words::{Case, Catalogue, Counts, Status, Task};

/// Names and values of counters.
pub type Counted = [(&'static str, Option<u64>); 4];

/// The counters of a row by name.
pub fn counted(row: &MeasurementRow) -> Counted {
    [
        ("nodes", row.nodes),
        ("leaves", row.leaves),
        ("playouts", row.playouts),
        ("plies", row.plies),
    ]
}

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let (experiment, catalogue) = (data.experiment, data.catalogue);
    let is_fixed = |row: &MeasurementRow| {
        let case = Case::parse(&row.cell.case);
        row.status == Status::Ok
            && experiment.task != Task::Match
            && case.is_some_and(|case| !case.is_clocked())
            && counts_of(experiment, catalogue, &row.cell.technique) != Counts::Vary
    };
    let rows = data.run.measurements.iter();
    let fixed: Vec<_> = rows.enumerate().filter(|(_, row)| is_fixed(row)).collect();
    let mut of_case: HashMap<&str, Vec<&MeasurementRow>> = HashMap::new();
    for (_, row) in &fixed {
        of_case.entry(&row.cell.case).or_default().push(row);
    }
    for (at, row) in fixed {
        let choice = experiment.choice(&row.cell.technique);
        let entry =
            choice.and_then(|choice| catalogue.technique(&experiment.game, &choice.technique));
        let Some(Counts::As(name)) = entry.map(|entry| entry.counts_in(experiment.task)) else {
            continue;
        };
        // A parameter that the twin has too, such as the number of trees, changes the counters.
        let twin = catalogue.technique(&experiment.game, name);
        let has =
            |param: &String| twin.is_some_and(|it| it.params.iter().any(|own| own.name == param));
        if choice.is_some_and(|it| it.params.keys().any(has)) {
            continue;
        }
        let is_twin = |other: &&MeasurementRow| {
            let choice = experiment.choice(&other.cell.technique);
            other.cell != row.cell
                && other.units == row.units
                && choice.is_some_and(|it| it.technique == name && it.params.is_empty())
        };
        let mut others = of_case[row.cell.case.as_str()].iter().copied();
        let Some(twin) = others.find(is_twin) else {
            continue;
        };
        // In perft, nodes are equal for all techniques; leaves differ.
        let compared = if experiment.task == Task::Perft { 1 } else { 4 };
        let (own, theirs) = (counted(row), counted(twin));
        let mut pairs = own.iter().zip(&theirs).take(compared);
        if let Some(((what, own), (_, theirs))) =
            pairs.find(|((_, own), (_, theirs))| own != theirs)
        {
            let [own, theirs] =
                [own, theirs].map(|value| value.map_or("nothing".to_owned(), |it| it.to_string()));
            let what = format!("{what} is {own}, and {theirs} of {}", twin.cell.technique);
            problems.push(Problem::new(Place::Row(at), what));
        }
    }
}

/// The basis of a technique's counters, also through a chain: another's search, its rule, or the order of threads.
pub fn counts_of(experiment: &Experiment, catalogue: &Catalogue, label: &str) -> Counts {
    let entry = experiment
        .choice(label)
        .and_then(|choice| catalogue.technique(&experiment.game, &choice.technique));
    let Some(mut entry) = entry else {
        return Counts::Vary;
    };
    // A chain has at most all techniques.
    for _ in &catalogue.techniques {
        match entry.counts_in(experiment.task) {
            Counts::As(name) if name != entry.name => {
                match catalogue.technique(&experiment.game, name) {
                    Some(next) => entry = next,
                    None => return Counts::Vary,
                }
            }
            // Perft counts are equal for all techniques.
            Counts::As(_) => return Counts::Own,
            counts => return counts,
        }
    }
    Counts::Vary
}
