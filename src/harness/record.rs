//! Converts a measured cell into rows.

use super::host;
use super::live::Live;
use super::plan::Cell;
use super::protocol::Sampled;
use crate::config::Experiment;
use crate::results::{MeasurementRow, ResourceRow, SampleRow};
use crate::stats;
use crate::words::{Answer, Kind, MatchScore, Parts, Reason, Status, Warning, resource};

/// Everything that a row needs besides its cell.
pub struct RowContext<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Threads of the parallel baselines.
    pub threads: usize,
    /// Id of the current invocation.
    pub invocation: &'a str,
    /// Whether intervals are computed from the samples of one pass: for a decision within the run, as in
    /// tuning.
    pub within: bool,
    /// Warnings about the host.
    pub warnings: &'a [Warning],
}

/// A sample's time parts, if they are plausible: their sum must not exceed the whole.
fn believable(sample: &Sampled) -> Option<&Parts> {
    (!sample.parts.untrusted && sample.parts.sum_ns() <= sample.total_ns).then_some(&sample.parts)
}

/// One row for each sample of a cell that is not in the folder.
pub fn sample_rows(live: &Live<'_>) -> Vec<SampleRow> {
    live.samples
        .iter()
        .enumerate()
        .skip(live.stored)
        .map(|(number, taken)| {
            let sample = &taken.sampled;
            let parts = believable(sample).copied().unwrap_or_default();
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

/// The 95 % interval of a cell's time, ns, from its passes; `None` if there are too few.
fn of_passes(live: &Live<'_>, status: Status) -> Option<(f64, f64)> {
    let samples = live.samples.iter().filter(|_| status == Status::Ok);
    let times = samples.map(|taken| (taken.pass(), taken.sampled.total_ns));
    let (_, interval) = stats::passes::interval(&stats::passes::medians_of(times), None)?;
    Some(interval)
}

/// The row of a cell that has ended.
pub fn measurement(
    live: &Live<'_>,
    (status, reason): (Status, &Reason),
    context: &RowContext<'_>,
) -> MeasurementRow {
    let samples: Vec<&Sampled> = match status {
        Status::Ok => live.samples.iter().map(|taken| &taken.sampled).collect(),
        _ => Vec::new(),
    };
    let column = |of: &dyn Fn(&Sampled) -> u64| -> Option<u64> {
        let values: Vec<u64> = samples.iter().map(|sample| of(sample)).collect();
        stats::median(&values)
    };
    let trusted = samples.iter().all(|sample| believable(sample).is_some());
    let part = |of: &dyn Fn(&Parts) -> u64| {
        if trusted {
            column(&|sample| of(&sample.parts))
        } else {
            None
        }
    };
    let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
    let summary = stats::Summary::of(&times, context.experiment.seed);
    let interval = match (context.within, &summary) {
        (true, Some(summary)) => summary.interval.map(|it| (it.low as f64, it.high as f64)),
        _ => of_passes(live, status),
    };
    let on_device = live.cell.entry.kind == Kind::Device;
    let mut warnings = context.warnings.to_vec();
    warnings.extend(host::coarse(live.clock_step_ns));
    if on_device && !samples.is_empty() && !trusted {
        warnings.push(Warning::Timer);
    }
    let sentences: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    MeasurementRow {
        key: live.names.key.clone(),
        experiment: context.experiment.name.clone(),
        game: context.experiment.game.clone(),
        task: context.experiment.task.to_string(),
        case: live.cell.case.to_string(),
        technique: live.cell.choice.label.clone(),
        kind: live.cell.entry.kind.word().to_owned(),
        device: live.cell.device_label.clone(),
        threads: match live.cell.entry.kind {
            Kind::Threads => context.threads as u64,
            Kind::Serial | Kind::Device => 1,
        },
        status,
        reason: reason.to_string(),
        samples: samples.len() as u64,
        units: live.units,
        median_ns: summary.as_ref().map(|s| s.median),
        low_ns: interval.map(|(low, _)| low as u64),
        high_ns: interval.map(|(_, high)| high.ceil() as u64),
        mean_ns: summary.as_ref().map(|s| s.mean),
        q1_ns: summary.as_ref().map(|s| s.q1),
        q3_ns: summary.as_ref().map(|s| s.q3),
        min_ns: summary.as_ref().map(|s| s.min),
        upload_ns: part(&|p| p.upload_ns),
        queue_ns: part(&|p| p.queue_ns),
        kernel_ns: part(&|p| p.kernel_ns),
        download_ns: part(&|p| p.download_ns),
        host_ns: if trusted {
            column(&|s| s.total_ns - s.parts.sum_ns())
        } else {
            None
        },
        launches: column(&|s| s.parts.launches),
        bytes_up: column(&|s| s.parts.bytes_up),
        bytes_down: column(&|s| s.parts.bytes_down),
        nodes: column(&|s| s.counters.nodes),
        leaves: column(&|s| s.counters.leaves),
        playouts: column(&|s| s.counters.playouts),
        plies: column(&|s| s.counters.plies),
        opponent_ns: column(&|s| s.opponent_ns).filter(|ns| *ns > 0),
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
        timer: live.timer.clone(),
        notes: notes(live, &samples),
        warnings: sentences.join("; "),
        cell: live.names.id.clone(),
        invocation: context.invocation.to_owned(),
        address: live.names.address.clone(),
        facts: fact_names(live),
        reason_code: Some(reason.clone()),
        warning_codes: Some(warnings).filter(|all| !all.is_empty()),
    }
}
