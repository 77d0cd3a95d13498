//! Checks the samples of a run in measured order.

use std::collections::BTreeMap;

use super::counts::counts_of;
use super::data::{Data, Place, Problem};
use crate::results::Sample;
use crate::words::{Case, Counts, Reason, Status, Task};

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let experiment = data.experiment;
    for (at, row) in data.run.measurements.iter().enumerate() {
        if row.status != Status::Ok {
            continue;
        }
        let varies = counts_of(experiment, data.catalogue, &row.cell.technique) == Counts::Vary
            || experiment.task == Task::Match
            || Case::parse(&row.cell.case).is_some_and(|case| case.is_clocked());
        of_cell(at, data.samples_of(row), varies, problems);
    }
    let mut invocations: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    for sample in &data.run.samples {
        let own = invocations.entry(&sample.invocation).or_default();
        own.push(sample);
    }
    for samples in invocations.values_mut() {
        samples.sort_by_key(|sample| sample.order);
        of_invocation(data, samples, problems);
    }
    lost(data, problems);
}

fn of_cell(at: usize, samples: &[&Sample], varies: bool, problems: &mut Vec<Problem>) {
    let Some(first) = samples.first() else { return };
    for (number, sample) in (0..).zip(samples) {
        let mut say =
            |what: String| problems.push(Problem::new(Place::Sample(at, sample.sample), what));
        if sample.sample != number {
            say(format!("its number is {}, {number} is due", sample.sample));
            return;
        }
        for (what, own, theirs) in [
            ("nodes", sample.nodes, first.nodes),
            ("leaves", sample.leaves, first.leaves),
            ("playouts", sample.playouts, first.playouts),
            ("plies", sample.plies, first.plies),
        ] {
            if own != theirs && !varies {
                say(format!(
                    "{what} is {own}, and {theirs} in sample 0; this technique counts the same each time"
                ));
            }
        }
    }
}

/// One invocation: unique order numbers, and consecutive passes.
fn of_invocation(data: &Data<'_>, samples: &[&Sample], problems: &mut Vec<Problem>) {
    for pair in samples.windows(2) {
        let [before, after] = pair else { continue };
        let what = if after.order == before.order {
            format!("order {} is there twice", after.order)
        } else if after.pass < before.pass {
            let (own, earlier) = (after.pass, before.pass);
            format!("pass {own}, and {earlier} of a sample that was taken earlier")
        } else {
            continue;
        };
        if let Some(at) = data.rows.get(&after.cell) {
            problems.push(Problem::new(Place::Sample(*at, after.sample), what));
        }
    }
}

/// Missing order numbers of removed cells. A resumed run, lost cells, two programs, and an early end explain holes.
fn lost(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let [only] = &data.run.environment.invocations[..] else {
        return;
    };
    let is_whole = data.run.measurements.iter().all(|row| match row.status {
        // The pass under way left holes.
        Status::Ok => !matches!(row.why(), Reason::Interrupted(_)),
        Status::Unsupported => true,
        Status::Skipped => matches!(
            row.why(),
            Reason::OverBudget { .. }
                | Reason::LaunchOverLimit { .. }
                | Reason::CaseOverPass { .. }
                | Reason::BudgetSpent { .. }
        ),
        _ => false,
    });
    if !is_whole || !data.run.pending.is_empty() || only.together.is_some() {
        return;
    }
    let mut orders = data.run.orders.clone();
    orders.sort_unstable();
    let mut due = 0;
    for order in orders {
        if order > due {
            let what =
                format!("order {order}, and no sample has {due}: samples of the run are missing");
            problems.push(Problem::new(Place::Order(order), what));
        }
        due = order.saturating_add(1);
    }
}
