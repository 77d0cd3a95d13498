//! The samples of a run in the order in which they were taken.

use std::collections::{BTreeMap, HashMap};

use super::finding::{Finding, Lines};
use crate::report::RunData;
use crate::results::SampleRow;
use crate::words::{Counts, Status, Task};

/// Looks at the numbers, the order and the times of all samples, and at the counters within a cell.
pub fn check(data: &RunData, lines: &Lines, counts: impl Fn(&str) -> Counts) -> Vec<Finding> {
    let mut findings = Vec::new();
    loose(data, lines, &mut findings);
    let mut cells: HashMap<&str, Vec<&SampleRow>> = HashMap::new();
    let mut invocations: BTreeMap<&str, Vec<&SampleRow>> = BTreeMap::new();
    for sample in &data.samples {
        cells.entry(&sample.key).or_default().push(sample);
        let own = invocations.entry(&sample.invocation).or_default();
        own.push(sample);
    }
    for row in &data.measurements {
        let Some(samples) = cells
            .get(row.key.as_str())
            .filter(|_| row.status == Status::Ok)
        else {
            continue;
        };
        let varies = counts(&row.technique) == Counts::Vary
            || data.experiment.task == Task::Match
            || is_clocked(&row.case);
        of_cell(samples, varies, lines, &mut findings);
    }
    // Format 1 does not say which command took a sample, or when.
    if data.environment.invocations.is_empty() {
        return findings;
    }
    for samples in invocations.values_mut() {
        samples.sort_by_key(|sample| sample.order);
        of_invocation(samples, lines, &mut findings);
    }
    lost(data, lines, &mut findings);
    findings
}

fn is_clocked(case: &str) -> bool {
    crate::words::Case::parse(case).is_some_and(|case| case.is_clocked())
}

/// Samples that no row speaks of, and samples beyond those that their row has.
fn loose(data: &RunData, lines: &Lines, findings: &mut Vec<Finding>) {
    let rows: HashMap<&str, (u64, Status)> = data
        .measurements
        .iter()
        .map(|row| (row.key.as_str(), (row.samples, row.status)))
        .collect();
    let mut counted: HashMap<&str, u64> = HashMap::new();
    for line in &lines.every {
        let count = counted.entry(&line.key).or_default();
        *count += 1;
        match rows.get(line.key.as_str()) {
            None if *count == 1 => {
                let what = format!(
                    "a sample without a row in measurements.csv, key {}",
                    line.key
                );
                findings.push(lines.at_sample(Some(line.line), what));
            }
            Some((samples, Status::Ok)) if *count == samples + 1 => {
                let what = format!("one more sample than the {samples} of its row");
                findings.push(lines.at_sample(Some(line.line), what));
            }
            _ => {}
        }
    }
}

/// One cell: whose samples they are, their numbers, and the counters that its technique repeats.
fn of_cell(samples: &[&SampleRow], varies: bool, lines: &Lines, findings: &mut Vec<Finding>) {
    let Some(first) = samples.first() else { return };
    let counters = |it: &SampleRow| {
        [
            ("nodes", it.nodes),
            ("leaves", it.leaves),
            ("playouts", it.playouts),
            ("plies", it.plies),
        ]
    };
    for (number, sample) in (0..).zip(samples) {
        let mut say = |what: String| findings.push(lines.sample(&sample.key, sample.sample, what));
        if sample.sample != number {
            say(format!("sample {} where {number} is due", sample.sample));
            return;
        }
        for (what, own, theirs) in [
            ("case", &sample.case, &first.case),
            ("technique", &sample.technique, &first.technique),
            ("device", &sample.device, &first.device),
        ] {
            if own != theirs {
                say(format!("{what} {own}, and {theirs} in the samples before"));
            }
        }
        let (own, theirs) = (counters(sample), counters(first));
        for ((what, own), (_, theirs)) in own.into_iter().zip(theirs) {
            if !varies && own != theirs {
                say(format!(
                    "{what} is {own}, and {theirs} in sample 0; this technique counts the same each time"
                ));
            }
        }
    }
}

/// One invocation, in the order of its samples: each has a place of its own, passes follow each other, and a sample
/// begins after the one before has ended.
fn of_invocation(samples: &[&SampleRow], lines: &Lines, findings: &mut Vec<Finding>) {
    for pair in samples.windows(2) {
        let [before, after] = pair else { continue };
        let end = u128::from(before.at_ns) + u128::from(before.total_ns);
        let what = if after.order == before.order {
            format!("order {} is there twice", after.order)
        } else if after.pass < before.pass {
            let (own, earlier) = (after.pass, before.pass);
            format!("pass {own}, and {earlier} of a sample that was taken earlier")
        } else if u128::from(after.at_ns) < end {
            format!(
                "began at {} ns, before the sample of order {} ended at {end} ns",
                after.at_ns, before.order
            )
        } else {
            continue;
        };
        findings.push(lines.sample(&after.key, after.sample, what));
    }
}

/// Places in the order that no sample has: a cell and all its samples were taken out. A run that went on after a
/// crash or an interrupt has such places of itself.
fn lost(data: &RunData, lines: &Lines, findings: &mut Vec<Finding>) {
    let ended = [Status::Ok, Status::Skipped, Status::Unsupported];
    let whole = data.environment.invocations.len() == 1
        && data
            .measurements
            .iter()
            .all(|row| ended.contains(&row.status));
    if !whole {
        return;
    }
    let mut all: Vec<_> = lines.every.iter().collect();
    all.sort_by_key(|line| line.order);
    let mut due = 0;
    for line in all {
        if line.order > due {
            let what = format!(
                "order {}, and no sample has {due}: samples of the run are missing",
                line.order
            );
            findings.push(lines.at_sample(Some(line.line), what));
        }
        due = line.order.saturating_add(1);
    }
}
