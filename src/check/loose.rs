//! Samples that no row counts: the row was lost, or the run was killed before it wrote the row.

use std::collections::{HashMap, HashSet};

use super::data::{Place, Problem};
use crate::results::{CellId, Run, Sample};
use crate::words::Status;

/// The problems of a run with such samples, and the lines about a killed run.
pub type Loose = (Vec<Problem>, Vec<String>);

/// Drops the samples that no row counts. Such samples after all others are of a run that was killed.
pub fn drop_from(run: &mut Run) -> Loose {
    let rows = run.measurements.iter();
    let counts: HashMap<&CellId, (Status, u64)> = rows
        .map(|row| (&row.cell, (row.status, row.samples)))
        .collect();
    // An edited file may have the numbers of a cell in any order.
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
    let (mut problems, mut killed) = (Vec::new(), Vec::new());
    for (place, sample) in run.samples.iter().enumerate() {
        let Sample { cell, .. } = sample;
        let count = counts.get(cell).copied();
        // A cell that failed in a later pass leaves samples of earlier ones.
        let is_failed = count.is_some_and(|(status, _)| status != Status::Ok);
        if is_counted[place] || is_failed || !named.insert(cell) {
            continue;
        }
        let what = match count {
            Some((_, count)) => format!("one more sample than the {count} of its row"),
            None => "samples without a row in measurements.csv".to_owned(),
        };
        let is_last = count.is_none_or(|(_, count)| sample.sample >= count);
        let is_at_end = is_last && last.is_none_or(|last| place > last);
        let what = format!("{cell}: {what}");
        if is_at_end || pending.contains(cell) {
            killed.push(what);
        } else {
            let place = Place::Loose(cell.clone(), sample.sample);
            problems.push(Problem::new(place, what));
        }
    }
    let mut is_counted = is_counted.into_iter();
    run.samples.retain(|_| is_counted.next() == Some(true));
    (problems, killed)
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

    /// The problems and killed cells of rows and samples, and the number of samples left.
    fn dropped(rows: Vec<MeasurementRow>, samples: Vec<Sample>) -> (usize, usize, usize) {
        let rows = rows.into_iter();
        let (pending, measurements) = rows.partition(|row| row.status == Status::Pending);
        let mut run = Run {
            measurements,
            pending,
            samples,
            ..Run::default()
        };
        let (problems, killed) = drop_from(&mut run);
        (problems.len(), killed.len(), run.samples.len())
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
