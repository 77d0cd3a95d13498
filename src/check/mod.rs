//! The only check of a run folder: rows, samples, invocations, facts and matches against each other and the experiment.
//! Every reader runs it before it uses a number. A row that fails is [`Status::Damaged`] and loses its numbers.

mod asked;
mod counts;
mod data;
mod facts;
mod finding;
mod matches;
mod order;
mod rows;

use crate::config::Experiment;
use crate::results::Run;
use crate::words::{Catalogue, Status};

pub use asked::{Asked, not_measured, selections};
pub use counts::{Counted, counted, counts_of};
use data::{Data, Place, Problem};
pub use data::{HOST, NO_DEVICE};
pub use finding::Finding;
use finding::Lines;

/// The findings of a check, in the order of files and lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// Contradictions.
    pub findings: Vec<Finding>,
    /// Missing samples of a run that ended before all its cells had rows; the end or a removed cell explains them.
    pub gaps: Vec<Finding>,
}

/// Checks a run. Damages the rows that fail.
pub fn check(run: &mut Run, experiment: &Experiment, catalogue: &Catalogue) -> Checked {
    let problems = problems(&Data::new(run, experiment, catalogue));
    if problems.is_empty() {
        return Checked::default();
    }
    let lines = Lines::of(&run.path);
    let (mut findings, mut gaps) = (Vec::new(), Vec::new());
    let mut damage: Vec<(usize, String)> = Vec::new();
    for problem in problems {
        damage.extend(problem.row().map(|at| (at, problem.what.clone())));
        let found = match problem.place {
            Place::Gap(_) => &mut gaps,
            _ => &mut findings,
        };
        found.push(lines.finding(run, problem));
    }
    for (at, what) in damage {
        let row = &mut run.measurements[at];
        if row.status != Status::Damaged {
            row.damage(what);
        }
    }
    for row in &mut run.measurements {
        if row.status == Status::Damaged {
            row.drop_numbers();
        }
    }
    for found in [&mut findings, &mut gaps] {
        found.sort();
        found.dedup();
    }
    Checked { findings, gaps }
}

fn problems(data: &Data<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    rows::check(data, &mut problems);
    matches::check(data, &mut problems);
    order::check(data, &mut problems);
    counts::check(data, &mut problems);
    facts::check(data, &mut problems);
    // Other problems are more precise than a seal's.
    let named: Vec<usize> = problems.iter().filter_map(Problem::row).collect();
    rows::seals(data, &named, &mut problems);
    problems
}
