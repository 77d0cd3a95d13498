//! The only check of a run folder: rows, samples, invocations, facts and matches against each other and the experiment.
//! Every reader runs it before it uses a number. A row that fails is [`Status::Damaged`] and loses its numbers.

mod counts;
mod data;
mod facts;
mod finding;
mod loose;
mod matches;
mod order;
mod rows;

use crate::config::Experiment;
use crate::results::Run;
use crate::words::{Catalogue, Status};

pub use counts::{Counted, counted, counts_of};
use data::{Data, Problem};
pub use finding::Finding;
use finding::Lines;

/// The outcome of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// Contradictions, in the order of files and lines.
    pub findings: Vec<Finding>,
    /// A line per cell whose samples a killed run left without a row.
    pub killed: Vec<String>,
}

/// Checks a run. Drops samples that no row counts, and damages the rows that fail.
pub fn check(run: &mut Run, experiment: &Experiment, catalogue: &Catalogue) -> Checked {
    let (mut all, killed) = loose::drop_from(run);
    problems(&Data::new(run, experiment, catalogue), &mut all);
    if all.is_empty() {
        return Checked {
            killed,
            ..Checked::default()
        };
    }
    let lines = Lines::of(&run.path);
    let damage = all
        .iter()
        .filter_map(|it| Some((it.row()?, it.what.clone())));
    for (at, what) in damage.collect::<Vec<_>>() {
        let row = &mut run.measurements[at];
        if row.status != Status::Damaged {
            row.damage(what);
        }
    }
    let found = all.into_iter().map(|problem| lines.finding(run, problem));
    let mut findings: Vec<Finding> = found.collect();
    for row in &mut run.measurements {
        if row.status == Status::Damaged {
            row.drop_numbers();
        }
    }
    findings.sort();
    findings.dedup();
    Checked { findings, killed }
}

fn problems(data: &Data<'_>, problems: &mut Vec<Problem>) {
    rows::check(data, problems);
    matches::check(data, problems);
    order::check(data, problems);
    counts::check(data, problems);
    facts::check(data, problems);
    // Other problems are more precise than a seal's.
    let named: Vec<usize> = problems.iter().filter_map(Problem::row).collect();
    rows::seals(data, &named, problems);
}
