//! Checks that samples are complete and in measuring order, and that counters agree where they must.

use std::collections::{HashMap, HashSet};

use super::Data;
use super::finding::{Place, Problem};
use crate::config::Experiment;
use crate::results::{CellId, MeasurementRow, Run, Sample};
use crate::words::{Case, Catalogue, Counts, Reason, Status, Task};

/// Drops samples that no row accounts for, and returns the problems. In a killed run, the dropped samples come last.
/// A cell that it left without a complete row gets a warning instead of a problem.
pub fn drop_loose(run: &mut Run) -> Vec<Problem> {
    let rows = run.measurements.iter();
    let counts = rows.map(|row| (&row.cell, (row.status, row.samples)));
    let counts: HashMap<&CellId, (Status, u64)> = counts.collect();
    // A hand-edited file may list a cell's samples in any order.
    let mut seen: HashMap<&CellId, u64> = HashMap::new();
    let is_counted = run.samples.iter().map(|sample| {
        let number = seen.entry(&sample.cell).or_default();
        *number += 1;
        matches!(counts.get(&sample.cell), Some((Status::Ok, count)) if *number <= *count)
    });
    let is_counted: Vec<bool> = is_counted.collect();
    let last = is_counted.iter().rposition(|is_counted| *is_counted);
    let pending: HashSet<&CellId> = run.pending.iter().map(|row| &row.cell).collect();
    let mut named: HashSet<&CellId> = HashSet::new();
    let mut problems = Vec::new();
    for (place, Sample { cell, sample, .. }) in run.samples.iter().enumerate() {
        let (what, count) = match counts.get(cell) {
            // A cell that failed in a later pass leaves samples from earlier passes.
            Some((status, _)) if *status != Status::Ok => continue,
            Some((_, count)) => (format!("more samples than the {count} in its row"), *count),
            None => ("samples without a row in measurements.csv".to_owned(), 0),
        };
        if is_counted[place] || !named.insert(cell) {
            continue;
        }
        let is_at_end = *sample >= count && last.is_none_or(|last| place > last);
        if is_at_end || pending.contains(cell) {
            run.warnings.push(format!("{cell}: {what}"));
        } else {
            problems.push(Problem::beside(Place::Sample(cell.clone(), *sample), what));
        }
    }
    let mut is_counted = is_counted.into_iter();
    run.samples.retain(|_| is_counted.next() == Some(true));
    problems
}

pub fn check(data: &Data<'_>, problems: &mut Vec<Problem>) {
    for row in data.answered() {
        let samples = data.samples_of(row);
        let varies = may_vary(data.experiment, data.catalogue, &row.cell);
        for (number, sample) in (0..).zip(samples) {
            let own = sample.sample;
            if own != number {
                let what = format!("its number is {own}, but should be {number}");
                problems.push(Problem::sample(&row.cell, own, &what));
                break;
            }
            let why = "in sample 0; this technique counts the same each time";
            let differing = differing(counts(sample), counts(samples[0])).filter(|_| !varies);
            let differing = differing.map(|what| format!("{what} {why}"));
            problems.extend(differing.map(|what| Problem::sample(&row.cell, number, &what)));
        }
    }
    orders(data, problems);
    lost(data, problems);
    of_twins(data, problems);
}

/// Checks the samples of each invocation: order numbers must be unique, and passes must not decrease.
fn orders(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let mut samples: Vec<&Sample> = data.run.samples.iter().collect();
    samples.sort_by_key(|sample| (sample.invocation.as_str(), sample.order));
    let pairs = samples.iter().zip(samples.iter().skip(1));
    for (before, after) in pairs.filter(|(before, after)| before.invocation == after.invocation) {
        let (earlier, own) = (before.pass, after.pass);
        let what = if after.order == before.order {
            format!("order {} occurs twice", after.order)
        } else if own < earlier {
            format!("pass is {own}, but {earlier} in a sample that was taken earlier")
        } else {
            continue;
        };
        problems.push(Problem::sample(&after.cell, after.sample, &what));
    }
}

/// Finds gaps that removed cells leave in the order numbers. Skips runs whose gaps may have other causes, such as an
/// interruption.
fn lost(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let run = data.run;
    let is_whole = |row: &MeasurementRow| match (row.status, row.why()) {
        // An unfinished pass leaves gaps.
        (Status::Ok, why) => !matches!(why, Reason::Interrupted(_)),
        (Status::Unsupported, _) => true,
        (Status::Skipped, why) => matches!(
            why,
            Reason::OverBudget { .. }
                | Reason::LaunchOverLimit { .. }
                | Reason::CaseOverPass { .. }
                | Reason::BudgetSpent { .. }
        ),
        _ => false,
    };
    let is_alone = matches!(&run.environment.invocations[..], [only] if only.together.is_none());
    if !is_alone || !run.pending.is_empty() || !run.measurements.iter().all(is_whole) {
        return;
    }
    let mut orders = run.orders.clone();
    orders.sort_unstable();
    let mut due = 0;
    for order in orders {
        if order > due {
            let what = "samples of the run are missing";
            let what = format!("order is {order}, but no sample has {due}: {what}");
            problems.push(Problem::beside(Place::Order(order), what));
        }
        due = order.saturating_add(1);
    }
}

/// The names of a row's counters.
pub const COUNTERS: [&str; 4] = ["nodes", "leaves", "playouts", "plies"];
/// The values of the [`COUNTERS`].
pub type Counted = [Option<u64>; 4];

fn counts(sample: &Sample) -> Counted {
    [sample.nodes, sample.leaves, sample.playouts, sample.plies].map(Some)
}

/// Returns the counters of a row.
pub fn counted(row: &MeasurementRow) -> Counted {
    [row.nodes, row.leaves, row.playouts, row.plies]
}

/// Describes each counter that differs from `others`: `nodes is 3, and 4`.
pub fn differing(own: Counted, others: Counted) -> impl Iterator<Item = String> {
    let shown = |value: Option<u64>| value.map_or("nothing".to_owned(), |it| it.to_string());
    let pairs = COUNTERS.into_iter().zip(own.into_iter().zip(others));
    let differing = pairs.filter(|(_, (own, other))| own != other);
    differing
        .map(move |(what, (own, other))| format!("{what} is {}, and {}", shown(own), shown(other)))
}

/// Compares the counters of rows with those of their techniques' twins.
fn of_twins(data: &Data<'_>, problems: &mut Vec<Problem>) {
    let fixed = data.answered().filter(|row| {
        let is_case = Case::parse(&row.cell.case).is_some();
        is_case && !may_vary(data.experiment, data.catalogue, &row.cell)
    });
    let fixed: Vec<&MeasurementRow> = fixed.collect();
    problems.extend(fixed.iter().filter_map(|row| of_twin(data, row, &fixed)));
}

fn of_twin(data: &Data<'_>, row: &MeasurementRow, fixed: &[&MeasurementRow]) -> Option<Problem> {
    let (experiment, catalogue) = (data.experiment, data.catalogue);
    let choice = experiment.choice(&row.cell.technique)?;
    let entry = catalogue.technique(&experiment.game, &choice.technique)?;
    let Counts::As(name) = entry.counts_in(experiment.task) else {
        return None;
    };
    // A parameter that the twin also has, such as the number of trees, may change the counters.
    let mut params = catalogue.technique(&experiment.game, name)?.params.iter();
    if params.any(|own| choice.params.contains_key(own.name)) {
        return None;
    }
    let is_twin = |other: &&&MeasurementRow| {
        let choice = experiment.choice(&other.cell.technique);
        other.cell != row.cell
            && (&other.cell.case, other.units) == (&row.cell.case, row.units)
            && choice.is_some_and(|it| it.technique == name && it.params.is_empty())
    };
    let twin = fixed.iter().find(is_twin)?;
    // In perft, node counts are equal for all techniques, but leaf counts differ.
    let compared = |row| match experiment.task {
        Task::Perft => [counted(row)[0], None, None, None],
        _ => counted(row),
    };
    let what = differing(compared(row), compared(twin)).next()?;
    let what = format!("{what} of {}", twin.cell.technique);
    Some(Problem::row(&row.cell, what))
}

/// Returns true if the counters of a cell's samples may differ. Follows the chain of [`Counts::As`] from technique to
/// technique.
pub fn may_vary(experiment: &Experiment, catalogue: &Catalogue, cell: &CellId) -> bool {
    let is_clocked = Case::parse(&cell.case).is_some_and(|case| case.is_clocked());
    if experiment.task == Task::Match || is_clocked {
        return true;
    }
    let find = |name: &str| catalogue.technique(&experiment.game, name);
    let choice = experiment.choice(&cell.technique);
    let mut next = choice.and_then(|choice| find(&choice.technique));
    // A chain cannot be longer than the list of techniques.
    for _ in 0..=catalogue.techniques.len() {
        match next.map(|entry| (entry.name, entry.counts_in(experiment.task))) {
            // Perft counts are equal for all techniques.
            Some((own, Counts::As(name))) if name == own => return false,
            Some((_, Counts::As(name))) => next = find(name),
            end => return end.is_none_or(|(_, counts)| counts == Counts::Vary),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::MeasurementRow;

    fn sample(technique: &str, sample: u64) -> Sample {
        let technique = technique.to_owned();
        let cell = CellId {
            technique,
            ..CellId::default()
        };
        Sample {
            cell,
            sample,
            ..Sample::default()
        }
    }

    fn row(technique: &str, status: Status, samples: u64) -> MeasurementRow {
        let cell = sample(technique, 0).cell;
        MeasurementRow {
            cell,
            status,
            samples,
            ..MeasurementRow::default()
        }
    }

    /// Returns the numbers of problems, warnings and remaining samples.
    fn dropped(rows: Vec<MeasurementRow>, samples: Vec<Sample>) -> (usize, usize, usize) {
        let rows = rows.into_iter();
        let (pending, measurements) = rows.partition(|row| row.status == Status::Pending);
        let mut run = Run {
            measurements,
            pending,
            samples,
            ..Run::default()
        };
        let problems = drop_loose(&mut run);
        (problems.len(), run.warnings.len(), run.samples.len())
    }

    #[test]
    fn names_a_lost_row_once() {
        let samples = vec![sample("a", 0), sample("a", 1), sample("b", 0)];
        let rows = vec![row("b", Status::Ok, 1)];
        assert_eq!(dropped(rows, samples.clone()), (1, 0, 1));
        let rows = vec![row("a", Status::Ok, 1), row("b", Status::Ok, 1)];
        assert_eq!(dropped(rows, samples), (1, 0, 2));
    }

    #[test]
    fn tells_a_killed_run_from_a_lost_row() {
        let samples = vec![sample("a", 0), sample("b", 0)];
        let rows = vec![row("a", Status::Ok, 1)];
        assert_eq!(dropped(rows, samples.clone()), (0, 1, 1));
        let rows = vec![row("a", Status::Pending, 0), row("b", Status::Ok, 1)];
        assert_eq!(dropped(rows, samples), (0, 1, 1));
    }

    #[test]
    fn a_failed_cell_has_samples_of_earlier_passes() {
        let rows = vec![row("a", Status::Crashed, 0), row("b", Status::Ok, 1)];
        assert_eq!(
            dropped(rows, vec![sample("a", 0), sample("b", 0)]),
            (0, 0, 1)
        );
    }
}
