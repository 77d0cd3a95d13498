//! Checks run folders. Compares rows, samples, invocations, facts and matches with one another and the experiment.
//! Every reader runs this check first. Rows that fail become [`Status::Damaged`] and lose their numbers.

mod finding;
mod matches;
mod rows;
mod samples;

use std::collections::{HashMap, HashSet};

use crate::config::Experiment;
use crate::results::{CellId, MeasurementRow, Run, Sample, by_cell};
use crate::words::{Case, Catalogue, Status};

pub use finding::Finding;
use finding::{Place, Problem};
pub use samples::{COUNTERS, Counted, counted, differing, may_vary};

/// The run to check, with its context.
struct Data<'a> {
    run: &'a Run,
    experiment: &'a Experiment,
    catalogue: &'a Catalogue,
    samples: HashMap<&'a CellId, Vec<&'a Sample>>,
    /// The experiment's cases.
    cases: HashSet<&'a Case>,
}

impl<'a> Data<'a> {
    fn samples_of(&self, row: &MeasurementRow) -> &[&'a Sample] {
        self.samples.get(&row.cell).map_or(&[], Vec::as_slice)
    }

    fn answered(&self) -> impl Iterator<Item = &'a MeasurementRow> {
        let rows = self.run.measurements.iter();
        rows.filter(|row| row.status == Status::Ok)
    }
}

/// Checks a run. Drops samples that no row accounts for, and marks rows that fail the check as damaged. Returns the
/// contradictions by file and line. Warns of each cell that a killed run left without a complete row.
pub fn check(run: &mut Run, experiment: &Experiment, catalogue: &Catalogue) -> Vec<Finding> {
    let mut problems = samples::drop_loose(run);
    let data = Data {
        run,
        experiment,
        catalogue,
        samples: by_cell(&run.samples),
        cases: experiment.cases.iter().collect(),
    };
    rows::check(&data, &mut problems);
    matches::check(&data, &mut problems);
    samples::check(&data, &mut problems);
    rows::facts(&data, &mut problems);
    // A row's seal is checked last, because any other problem is more specific than a broken seal.
    let broken = rows::seals(&data, &damaged(&problems));
    problems.extend(broken);
    let damaged = damaged(&problems);
    for row in &mut run.measurements {
        if let Some(what) = damaged.get(&row.cell) {
            if row.status != Status::Damaged {
                row.damage((*what).to_owned());
            }
            row.drop_numbers();
        }
    }
    finding::findings(&run.path, problems)
}

/// Returns the first problem of each row that must lose its numbers.
fn damaged(problems: &[Problem]) -> HashMap<&CellId, &str> {
    let mut first = HashMap::new();
    for problem in problems.iter().filter(|problem| problem.damages) {
        if let Place::Row(cell) | Place::Sample(cell, _) = &problem.place {
            first.entry(cell).or_insert(problem.what.as_str());
        }
    }
    first
}
