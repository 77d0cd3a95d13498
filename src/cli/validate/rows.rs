//! The rows of a run against its experiment, its invocations and their samples. What every reader of a run folder
//! checks (keys, counts, medians, parts) is marked in the rows already.

use std::collections::{BTreeMap, HashMap};

use super::finding::{Finding, Lines};
use crate::harness::{HOST, NO_DEVICE};
use crate::report::RunData;
use crate::results::{MeasurementRow, SampleRow};
use crate::stats::{self, Summary};
use crate::words::{Case, Catalogue, Kind, Reason, Status};

/// Looks at each row.
pub fn check(data: &RunData, catalogue: &Catalogue, lines: &Lines) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut samples: HashMap<&str, Vec<&SampleRow>> = HashMap::new();
    for sample in &data.samples {
        samples.entry(&sample.key).or_default().push(sample);
    }
    for row in &data.measurements {
        if row.status == Status::Damaged {
            findings.push(lines.row(row, &row.reason));
            continue;
        }
        let own = samples.get(row.key.as_str()).map_or(&[][..], Vec::as_slice);
        let checks = [
            of_experiment(data, catalogue, row),
            of_invocation(data, row),
            of_sentences(row),
            of_facts(data, row),
            of_samples(data, row, own),
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
fn of_experiment(data: &RunData, catalogue: &Catalogue, row: &MeasurementRow) -> Option<String> {
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
    let Some(case) = experiment
        .cases
        .iter()
        .find(|case| case.to_string() == row.case)
    else {
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

/// Whether the statistics that readers do not check already are those of its samples.
fn of_samples(data: &RunData, row: &MeasurementRow, samples: &[&SampleRow]) -> Option<String> {
    if row.status != Status::Ok {
        let numbers = [
            row.median_ns,
            row.mean_ns,
            row.min_ns,
            row.nodes,
            row.playouts,
        ];
        let has_some = row.samples > 0 || numbers.iter().any(Option::is_some);
        let status = row.status.word();
        return has_some.then(|| format!("the status is {status}, and there are numbers"));
    }
    let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
    let summary = Summary::of(&times, data.experiment.seed)?;
    let opponents: Vec<u64> = samples.iter().map(|sample| sample.opponent_ns).collect();
    let opponent = stats::median(&opponents).filter(|ns| *ns > 0);
    for (name, own, again) in [
        ("mean_ns", row.mean_ns, Some(summary.mean)),
        ("q1_ns", row.q1_ns, Some(summary.q1)),
        ("q3_ns", row.q3_ns, Some(summary.q3)),
        ("opponent_ns", row.opponent_ns, opponent),
    ] {
        if own != again {
            return Some(differs(name, own, again));
        }
    }
    if data.environment.invocations.is_empty() {
        return None; // Format 1 made its intervals otherwise.
    }
    let mut passes: BTreeMap<(&str, u64), Vec<u64>> = BTreeMap::new();
    for sample in samples {
        passes
            .entry(sample.pass())
            .or_default()
            .push(sample.total_ns);
    }
    let passes: Vec<Vec<u64>> = passes.into_values().collect();
    let interval = stats::passes::interval(&stats::passes::medians(&passes), None);
    let again = interval.map(|(_, (low, high))| (low as u64, high.ceil() as u64));
    for (name, own, again) in [
        ("low_ns", row.low_ns, again.map(|(low, _)| low)),
        ("high_ns", row.high_ns, again.map(|(_, high)| high)),
    ] {
        if !is_near(own, again) {
            return Some(differs(name, own, again));
        }
    }
    None
}

/// Whether two ends of an interval are equal but for what another system's logarithm makes of them.
fn is_near(own: Option<u64>, again: Option<u64>) -> bool {
    match (own, again) {
        (Some(own), Some(again)) => own.abs_diff(again) <= 1 + again / 1_000_000_000,
        (own, again) => own == again,
    }
}

fn differs(name: &str, own: Option<u64>, again: Option<u64>) -> String {
    let shown = |value: Option<u64>| value.map_or("nothing".to_owned(), |value| value.to_string());
    format!(
        "{name} is {} in the row, {} by its samples",
        shown(own),
        shown(again)
    )
}
