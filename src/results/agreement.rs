//! Checks that rows, samples and invocations agree. A row that disagrees loses its numbers.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::statistics::{MEDIANS, PARTS, differs};
use super::{Environment, MEASUREMENTS, MeasurementRow, SampleRow, by_key};
use crate::stats::median;
use crate::words::Status;

/// Samples of a cell without a row: the row was lost, or the run was killed before it wrote the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loose {
    /// The cell's key.
    pub key: String,
    /// The number of the first sample.
    pub sample: u64,
    /// Case, technique and device of the samples.
    pub cell: String,
    /// The contradiction.
    pub what: String,
    /// True if only such samples follow in the file, as after a kill.
    pub is_at_end: bool,
}

impl fmt::Display for Loose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cell, self.what)
    }
}

/// Drops samples without a row, and returns the first of each cell.
pub(super) fn drop_loose(rows: &[MeasurementRow], samples: &mut Vec<SampleRow>) -> Vec<Loose> {
    let counts = rows.iter();
    let counts = counts.map(|row| (row.key.as_str(), (row.status, row.samples)));
    let counts: HashMap<&str, (Status, u64)> = counts.collect();
    // An edited file may have the numbers of a cell in any order.
    let mut seen: HashMap<String, u64> = HashMap::new();
    let is_told = samples.iter().map(|sample| {
        let number = seen.entry(sample.key.clone()).or_default();
        *number += 1;
        let count = counts.get(sample.key.as_str());
        count.is_some_and(|(_, count)| *number <= *count)
    });
    let is_told: Vec<bool> = is_told.collect();
    let last_told = is_told.iter().rposition(|is_told| *is_told);
    let (mut lost, mut named) = (Vec::new(), HashSet::new());
    for (place, sample) in samples.iter().enumerate() {
        let count = counts.get(sample.key.as_str()).copied();
        // A cell that failed in a later pass leaves samples of earlier ones.
        let is_failed = count.is_some_and(|(status, _)| status != Status::Ok);
        if is_told[place] || is_failed || !named.insert(&sample.key) {
            continue;
        }
        let (case, technique, device) = (&sample.case, &sample.technique, &sample.device);
        let is_last = count.is_none_or(|(_, count)| sample.sample >= count);
        lost.push(Loose {
            key: sample.key.clone(),
            sample: sample.sample,
            cell: format!("{case} {technique} on {device}"),
            what: match count {
                Some((_, count)) => format!("one more sample than the {count} of its row"),
                None => format!(
                    "samples without a row in {MEASUREMENTS}, key {}",
                    sample.key
                ),
            },
            is_at_end: is_last && last_told.is_none_or(|last| place > last),
        });
    }
    let mut is_told = is_told.into_iter();
    samples.retain(|_| is_told.next() == Some(true));
    lost
}

/// Makes every contradictory row [`Status::Damaged`], with the reason, and returns a line for each.
pub(super) fn check(
    environment: &Environment,
    rows: &mut [MeasurementRow],
    samples: &[SampleRow],
) -> Vec<String> {
    let by_key = by_key(samples);
    let mut lines = Vec::new();
    for row in rows.iter_mut().filter(|row| row.status == Status::Ok) {
        let own = by_key.get(row.key.as_str()).map_or(&[][..], Vec::as_slice);
        if let Some(why) = of_invocations(environment, row, own).or_else(|| of_row(row, own)) {
            lines.push(format!("{}: {why}", row.name()));
            row.damage(why);
        }
    }
    lines
}

fn of_invocations(
    environment: &Environment,
    row: &MeasurementRow,
    samples: &[&SampleRow],
) -> Option<String> {
    let ids = samples.iter().map(|sample| &sample.invocation);
    let mut ids: Vec<&String> = ids.chain([&row.invocation]).collect();
    ids.dedup();
    ids.into_iter()
        .find_map(|id| match environment.invocation(id) {
            None => Some(format!("environment.toml has no invocation {id:?}")),
            Some(invocation) if !invocation.is_intact() => Some(format!(
                "environment.toml: the entry of invocation {id} was changed after it was written"
            )),
            Some(_) => None,
        })
}

fn of_row(row: &MeasurementRow, samples: &[&SampleRow]) -> Option<String> {
    if samples.len() as u64 != row.samples {
        return Some(format!(
            "the row has {} samples, samples.csv {}",
            row.samples,
            samples.len()
        ));
    }
    let Some(first) = samples.first() else {
        return Some("the status is ok, and there are no samples".to_owned());
    };
    for (what, own, theirs) in [
        ("case", &row.case, &first.case),
        ("technique", &row.technique, &first.technique),
        ("device", &row.device, &first.device),
    ] {
        if own != theirs {
            return Some(format!("{what} {own} in the row, {theirs} in its samples"));
        }
    }
    for sample in samples {
        let parts = MEDIANS[PARTS].iter().map(|(.., part)| part(sample));
        let sum: u128 = parts.map(u128::from).sum();
        if sum != u128::from(sample.total_ns) {
            return Some(format!(
                "sample {}: the parts add up to {sum} ns, the whole is {} ns",
                sample.sample, sample.total_ns
            ));
        }
        let sum: u128 = sample.positions_ns.iter().map(|ns| u128::from(*ns)).sum();
        if sum > u128::from(sample.total_ns) {
            return Some(format!(
                "sample {}: its positions add up to {sum} ns, the whole is {} ns",
                sample.sample, sample.total_ns
            ));
        }
        let (positions, units) = (sample.positions_ns.len() as u64, row.units);
        if positions > 0 && positions != units {
            return Some(format!(
                "sample {} has the times of {positions} positions, the row has {units}",
                sample.sample
            ));
        }
    }
    medians(row, samples)
}

fn medians(row: &MeasurementRow, samples: &[&SampleRow]) -> Option<String> {
    let mut row = row.clone();
    for (at, (name, place, of)) in MEDIANS.into_iter().enumerate() {
        let written = *place(&mut row);
        let values: Vec<u64> = samples.iter().map(|sample| of(sample)).collect();
        let again = median(&values);
        // A device's times of its parts may be untrusted.
        let is_missing = written.is_none() && again.is_some() && !PARTS.contains(&at);
        if is_missing || written.is_some_and(|written| Some(written) != again) {
            return Some(differs(name, written, again));
        }
    }
    let parts = MEDIANS[PARTS].iter();
    let written = parts
        .filter(|(_, place, _)| place(&mut row).is_some())
        .count();
    if ![0, PARTS.count()].contains(&written) {
        return Some(format!("it has {written} of the times of its parts"));
    }
    let least = samples.iter().map(|sample| sample.total_ns).min();
    (row.min_ns != least).then(|| "min_ns is not the least of its samples".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Invocation;
    use super::super::tests::{measured, sample};
    use super::*;

    /// A row of three samples, 1, 2 and 4 µs, of an invocation; and what a change of them comes to.
    fn after(
        change: impl FnOnce(&mut MeasurementRow, &mut Vec<SampleRow>, &mut Invocation),
    ) -> (Status, Vec<String>) {
        let mut invocation = Invocation {
            command: "bench run x.toml".into(),
            ..Invocation::default()
        }
        .with_id();
        let mut samples: Vec<SampleRow> = [1_000, 2_000, 4_000]
            .into_iter()
            .zip(0..)
            .map(|(ns, number)| sample("k", number, ns))
            .collect();
        let mut row = measured("k", &samples);
        for sample in &mut samples {
            sample.invocation.clone_from(&invocation.id);
        }
        row.invocation.clone_from(&invocation.id);
        change(&mut row, &mut samples, &mut invocation);
        let environment = Environment::of(vec![invocation]);
        let mut rows = [row];
        let lines = check(&environment, &mut rows, &samples);
        (rows[0].status, lines)
    }

    #[test]
    fn each_disagreement_is_named() {
        type Change = fn(&mut MeasurementRow, &mut Vec<SampleRow>, &mut Invocation);
        let changes: [(Change, &str); 11] = [
            (
                |_, samples, _| samples[1].total_ns /= 1_000,
                "the parts add up to 2000 ns, the whole is 2 ns",
            ),
            (
                |_, samples, _| {
                    for sample in samples {
                        sample.total_ns /= 1_000;
                        sample.host_ns /= 1_000;
                    }
                },
                "median_ns is 2000 in the row, 2 by its samples",
            ),
            (
                |row, samples, _| {
                    row.units = 2;
                    samples[1].positions_ns = vec![1_200, 801];
                },
                "sample 1: its positions add up to 2001 ns, the whole is 2000 ns",
            ),
            (
                |row, samples, _| {
                    row.units = 3;
                    samples[2].positions_ns = vec![1_200, 800];
                },
                "sample 2 has the times of 2 positions, the row has 3",
            ),
            (
                |row, _, _| row.median_ns = Some(2_001),
                "median_ns is 2001 in the row, 2000",
            ),
            (|row, _, _| row.nodes = Some(6), "nodes is 6 in the row, 5"),
            (|row, _, _| row.min_ns = Some(999), "min_ns"),
            (
                |_, samples, _| drop(samples.pop()),
                "the row has 3 samples, samples.csv 2",
            ),
            (
                |row, _, _| row.case = "board=8x8 depth=2".into(),
                "case board=8x8 depth=2 in the row, board=8x8 depth=1",
            ),
            (
                |_, samples, _| samples[2].invocation = "other".into(),
                "no invocation \"other\"",
            ),
            (
                |_, _, invocation| invocation.host.memory_bytes = 1,
                "was changed after it was written",
            ),
        ];
        for (change, expected) in changes {
            let (status, lines) = after(change);
            assert_eq!(status, Status::Damaged, "{expected}");
            assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:?}");
        }
    }

    #[test]
    fn a_lost_row_is_named_by_its_samples() {
        let mut samples = vec![sample("k", 0, 10), sample("k", 1, 20)];
        let row = measured("k", &samples[..1]);
        let loose = drop_loose(&[row], &mut samples);
        assert_eq!((samples.len(), loose.len()), (1, 1));
        assert!(loose[0].what.contains("one more sample than the 1"));
        let loose = drop_loose(&[], &mut samples);
        assert_eq!((samples.len(), loose.len()), (0, 1));
        assert!(loose[0].what.contains("samples without a row"));
    }

    /// A killed run leaves samples of its last cell at the end of the file, and a lost row leaves them between others.
    #[test]
    fn tells_a_killed_run_from_a_lost_row() {
        let last = [sample("a", 0, 10), sample("b", 0, 20)];
        for (key, is_at_end) in [("a", true), ("b", false)] {
            let row = measured(key, &[sample(key, 0, 10)]);
            let loose = drop_loose(&[row], &mut last.to_vec());
            assert_eq!(loose.len(), 1);
            assert_eq!(loose[0].is_at_end, is_at_end, "the row of {key} is there");
        }
    }
}
