//! The rows of a run against its experiment, its invocations and their samples. What every reader of a run folder
//! checks (keys, counts, medians, parts) is marked in the rows already.

use std::collections::{HashMap, HashSet};

use super::finding::{Finding, Lines};
use crate::harness::{HOST, NO_DEVICE};
use crate::report::RunData;
use crate::results::{MeasurementRow, SampleRow, unlike_its_samples};
use crate::words::{Case, Catalogue, Kind, Reason, Status};

/// Looks at each row.
pub fn check(data: &RunData, catalogue: &Catalogue, lines: &Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut samples: HashMap<&str, Vec<&SampleRow>> = HashMap::new();
    for sample in &data.samples {
        samples.entry(&sample.key).or_default().push(sample);
    }
    let cases: HashSet<&Case> = data.experiment.cases.iter().collect();
    for row in &data.measurements {
        if row.status == Status::Damaged {
            findings.push(lines.row(row, &row.reason));
            continue;
        }
        let own = samples.get(row.key.as_str()).map_or(&[][..], Vec::as_slice);
        let checks = [
            of_experiment(data, &cases, catalogue, row),
            of_invocation(data, row),
            of_sentences(row),
            of_facts(data, row),
            unlike_its_samples(row, own, &data.environment, data.experiment.seed),
        ];
        findings.extend(
            checks
                .into_iter()
                .flatten()
                .map(|what| lines.row(row, what)),
        );
    }
    let file = data.folder.join("facts.csv");
    for fact in data.facts.iter().filter(|fact| !fact.value.is_finite()) {
        let begin = format!("{},{},", fact.case, fact.fact);
        let text = crate::words::read_text(&file).unwrap_or_default();
        let place = text.lines().position(|line| line.starts_with(&begin));
        findings.push(Finding {
            file: file.clone(),
            line: place.map(|place| place as u64 + 1),
            what: format!("{} {}: {} is no number", fact.case, fact.fact, fact.value),
        });
    }
    findings
}

/// Whether the experiment asks for such a cell.
fn of_experiment(
    data: &RunData,
    cases: &HashSet<&Case>,
    catalogue: &Catalogue,
    row: &MeasurementRow,
) -> Option<String> {
    let experiment = &data.experiment;
    for (what, own, theirs) in [
        (
            "experiment",
            row.experiment.as_str(),
            experiment.name.as_str(),
        ),
        ("game", &row.game, &experiment.game),
        ("task", &row.task, experiment.task.word()),
    ] {
        if own != theirs {
            return Some(format!("{what} {own:?}, and {theirs:?} in experiment.toml"));
        }
    }
    let case = Case::parse(&row.case).filter(|case| case.to_string() == row.case);
    let Some(case) = case.and_then(|case| cases.get(&case).copied()) else {
        return Some(format!("experiment.toml has no case {:?}", row.case));
    };
    let Some(choice) = experiment
        .choice(&row.technique)
        .filter(|choice| choice.takes(case))
    else {
        let label = &row.technique;
        return Some(format!(
            "experiment.toml asks for no {label:?} in that case"
        ));
    };
    let entry = catalogue.technique(&experiment.game, &choice.technique)?;
    if row.kind != entry.kind.word() {
        let (own, kind) = (&row.kind, entry.kind.word());
        return Some(format!("kind {own:?}; {} is {kind:?}", entry.name));
    }
    if (entry.kind == Kind::Device) == (row.device == HOST) {
        return Some(format!(
            "a technique of kind {:?} on {}",
            row.kind, row.device
        ));
    }
    None
}

/// Whether its invocation is there, with its device and its threads.
fn of_invocation(data: &RunData, row: &MeasurementRow) -> Option<String> {
    if data.environment.invocations.is_empty() {
        return None; // Format 1 knows none.
    }
    let Some(invocation) = data.environment.invocation(&row.invocation) else {
        return Some(format!(
            "environment.toml has no invocation {:?}",
            row.invocation
        ));
    };
    let is_own = |label: &str| {
        invocation
            .devices
            .iter()
            .any(|device| device.label == label)
    };
    if ![HOST, NO_DEVICE].contains(&row.device.as_str()) && !is_own(&row.device) {
        return Some(format!("its invocation used no device {:?}", row.device));
    }
    let threads = match row.kind == Kind::Threads.word() {
        true => invocation.host.threads as u64,
        false => 1,
    };
    let own = row.threads;
    (own != threads).then(|| format!("threads is {own}, and {threads} in its invocation"))
}

/// Whether its sentences say what their codes do.
fn of_sentences(row: &MeasurementRow) -> Option<String> {
    let reason = row.reason_code.as_ref();
    // The text of these is in the sentence alone.
    let told = |reason: &&Reason| !matches!(reason, Reason::Told(_) | Reason::NoReference(_));
    if let Some(code) = reason.filter(told)
        && code.to_string() != row.reason
    {
        return Some(format!("reason {:?}, and {code} by its code", row.reason));
    }
    let codes = row.warning_codes.as_ref()?;
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    let codes = codes.join("; ");
    (codes != row.warnings)
        .then(|| format!("warnings {:?}, and {codes:?} by their codes", row.warnings))
}

/// Whether the facts that it tells of its case are there.
fn of_facts(data: &RunData, row: &MeasurementRow) -> Option<String> {
    let case = Case::parse(&row.case)?;
    let is_of = |fact: &str| {
        let axes = Case::parse(fact).unwrap_or_default().0;
        axes.iter()
            .all(|(axis, value)| case.get(axis) == Some(value))
    };
    let has = |name: &str| {
        let mut facts = data.facts.iter();
        facts.any(|fact| fact.fact == name && is_of(&fact.case))
    };
    let lost = row.facts.split_whitespace().find(|name| !has(name))?;
    Some(format!("facts.csv has no {lost} of its case"))
}
