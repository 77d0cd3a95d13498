//! Converts a measured cell into rows.

use super::host;
use super::live::Live;
use super::plan::Cell;
use super::protocol::Sampled;
use crate::config::Experiment;
use crate::results::{MeasurementRow, ResourceRow, SampleRow};
use crate::words::{Answer, Kind, MatchScore, Parts, Reason, Status, Timer, Warning, resource};

/// A sample's time parts, if they are plausible: their sum must not exceed the whole.
fn believable(sample: &Sampled) -> Option<&Parts> {
    (!sample.parts.untrusted && sample.parts.sum_ns() <= sample.total_ns).then_some(&sample.parts)
}

/// One row for each sample of a cell from this number on.
pub fn sample_rows(live: &Live<'_>, from: usize) -> Vec<SampleRow> {
    live.samples
        .iter()
        .enumerate()
        .skip(from)
        .map(|(number, taken)| {
            let sample = &taken.sampled;
            // Work is counted, whatever a timer says.
            let parts = believable(sample).copied().unwrap_or(Parts {
                launches: sample.parts.launches,
                longest_launch_ns: sample.parts.longest_launch_ns,
                bytes_up: sample.parts.bytes_up,
                bytes_down: sample.parts.bytes_down,
                ..Parts::default()
            });
            SampleRow {
                key: live.names.key.clone(),
                case: live.cell.case.to_string(),
                technique: live.cell.choice.label.clone(),
                device: live.cell.device_label.clone(),
                sample: number as u64,
                order: taken.order,
                total_ns: sample.total_ns,
                upload_ns: parts.upload_ns,
                queue_ns: parts.queue_ns,
                kernel_ns: parts.kernel_ns,
                download_ns: parts.download_ns,
                host_ns: sample.total_ns - parts.sum_ns(),
                launches: sample.parts.launches,
                bytes_up: sample.parts.bytes_up,
                bytes_down: sample.parts.bytes_down,
                nodes: sample.counters.nodes,
                leaves: sample.counters.leaves,
                playouts: sample.counters.playouts,
                plies: sample.counters.plies,
                opponent_ns: sample.opponent_ns,
                invocation: taken.invocation.clone(),
                pass: taken.pass,
                at_ns: u64::try_from(taken.at.as_nanos()).unwrap_or(u64::MAX),
                positions_ns: sample.positions_ns.clone(),
            }
        })
        .collect()
}

/// A row for a resource of a cell.
pub fn resource_row(cell: &Cell, name: &str, value: u64) -> ResourceRow {
    ResourceRow {
        case: cell.case.to_string(),
        technique: cell.choice.label.clone(),
        device: cell.device_label.clone(),
        resource: name.to_owned(),
        value,
    }
}

/// The maximum depth of the trees in the cell's last answer; `None` without a tree.
pub fn tree_depth(live: &Live<'_>) -> Option<ResourceRow> {
    let Answer::Chosen(choices) = live.last_answer.as_ref()? else {
        return None;
    };
    let deepest = choices.iter().map(|choice| choice.tree_depth).max()?;
    (deepest > 0).then(|| resource_row(live.cell, resource::TREE_DEPTH, deepest))
}

/// What a cell's samples say of its launches: the longest one, and how many idle workers left at most.
pub fn launches(live: &Live<'_>) -> impl Iterator<Item = ResourceRow> {
    let most = |of: fn(&Parts) -> u64| {
        let samples = live.samples.iter();
        samples.map(|taken| of(&taken.sampled.parts)).max()
    };
    let all = [
        (
            resource::LONGEST_LAUNCH,
            most(|parts| parts.longest_launch_ns),
        ),
        (resource::WORKERS_LEFT, most(|parts| parts.workers_left)),
    ];
    let rows = all.map(|(name, value)| {
        let value = value.filter(|value| *value > 0)?;
        Some(resource_row(live.cell, name, value))
    });
    rows.into_iter().flatten()
}

/// The names of the facts from its preparation, without duplicates.
fn fact_names(live: &Live<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (_, name, _) in &live.prepared.facts {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.join(" ")
}

/// The technique's choices, and who answered the positions of those samples that tell: none of an earlier invocation.
fn notes(live: &Live<'_>, samples: &[&Sampled]) -> String {
    let told: Vec<[u64; 2]> = samples.iter().filter_map(|it| it.answered).collect();
    let [host, device] = [0, 1].map(|by: usize| told.iter().map(|it| it[by]).sum::<u64>());
    let notes = &live.prepared.notes;
    match told.len() {
        0 => notes.clone(),
        count => format!(
            "{notes}, in {count} samples {host} positions by the host, {device} by the device"
        ),
    }
}

/// The row of a cell that has ended.
pub fn measurement(
    live: &Live<'_>,
    (status, reason): (Status, &Reason),
    experiment: &Experiment,
    (invocation, threads): (&str, usize),
) -> MeasurementRow {
    let samples: Vec<&Sampled> = match status {
        Status::Ok => live.samples.iter().map(|taken| &taken.sampled).collect(),
        _ => Vec::new(),
    };
    let trusted = samples.iter().all(|sample| believable(sample).is_some());
    let on_device = live.cell.entry.kind == Kind::Device;
    let mut warnings = live.warnings.clone();
    warnings.extend(host::coarse(live.opened.clock_step_ns));
    if on_device && !samples.is_empty() && !trusted {
        warnings.push(match Timer::from(live.opened.timer.clone()) {
            Timer::Stepped(step) => Warning::Steps(step),
            _ => Warning::Timer,
        });
    }
    let sentences: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    let mut row = MeasurementRow {
        key: live.names.key.clone(),
        experiment: experiment.name.clone(),
        game: experiment.game.clone(),
        task: experiment.task.to_string(),
        case: live.cell.case.to_string(),
        technique: live.cell.choice.label.clone(),
        kind: live.cell.entry.kind.word().to_owned(),
        device: live.cell.device_label.clone(),
        threads: match live.cell.entry.kind {
            Kind::Threads => threads as u64,
            Kind::Serial | Kind::Device => 1,
        },
        status,
        reason: reason.to_string(),
        units: live.units,
        score: if samples.is_empty() || live.games.is_empty() {
            String::new()
        } else {
            let mut whole = MatchScore::default();
            live.games.values().for_each(|score| whole.add(score));
            whole.to_string()
        },
        build_ns: Some(live.prepared.build_ns).filter(|_| on_device && live.generation.is_some()),
        setup_ns: Some(live.prepared.setup_ns).filter(|_| live.generation.is_some()),
        predicted_ns: live.predicted_ns,
        timer: live.opened.timer.clone(),
        notes: notes(live, &samples),
        warnings: sentences.join("; "),
        cell: live.names.id.clone(),
        invocation: invocation.to_owned(),
        address: live.names.address.clone(),
        facts: fact_names(live),
        reason_code: Some(reason.clone()),
        warning_codes: Some(warnings).filter(|all| !all.is_empty()),
        ..MeasurementRow::default()
    };
    if status == Status::Ok {
        let rows = sample_rows(live, 0);
        row.sum_up(&rows.iter().collect::<Vec<_>>(), trusted);
    }
    row
}
