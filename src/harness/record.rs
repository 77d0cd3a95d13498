//! Converts a measured cell into rows.

use super::host;
use super::live::Live;
use super::plan::{Cell, CellNames};
use crate::config::Experiment;
use crate::results::{MeasurementRow, ResourceRow, Sample};
use crate::words::{Answer, Kind, MatchScore, Reason, Status, Timer, Warning, resource};

/// The row of a cell before it is measured.
pub fn pending(
    cell: &Cell,
    names: CellNames,
    experiment: &Experiment,
    (invocation, threads): (&str, usize),
) -> MeasurementRow {
    MeasurementRow {
        cell: cell.id(),
        status: Status::Pending,
        kind: cell.entry.kind.word().to_owned(),
        threads: match cell.entry.kind {
            Kind::Threads => threads as u64,
            Kind::Serial | Kind::Device => 1,
        },
        experiment: experiment.name.clone(),
        game: experiment.game.clone(),
        task: experiment.task.to_string(),
        key: names.key,
        invocation: invocation.to_owned(),
        address: names.address,
        ..MeasurementRow::default()
    }
}

/// A row for a resource of a cell.
pub fn resource_row(cell: &Cell, name: &str, value: u64) -> ResourceRow {
    ResourceRow {
        cell: cell.id(),
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
    let all = [
        (resource::LONGEST_LAUNCH, live.launches.longest_ns),
        (resource::WORKERS_LEFT, live.launches.workers_left),
    ];
    let some = all.into_iter().filter(|(_, value)| *value > 0);
    some.map(|(name, value)| resource_row(live.cell, name, value))
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

/// The technique's choices, and who answered the positions of this run's samples that tell.
fn notes(live: &Live<'_>) -> String {
    let notes = &live.prepared.notes;
    match live.launches.answered {
        (0, _) => notes.clone(),
        (count, [host, device]) => format!(
            "{notes}, in {count} samples {host} positions by the host, {device} by the device"
        ),
    }
}

/// The row of a cell that has ended.
pub fn measurement(
    live: &Live<'_>,
    (status, reason): (Status, &Reason),
    experiment: &Experiment,
    by: (&str, usize),
) -> MeasurementRow {
    let samples: Vec<&Sample> = match status {
        Status::Ok => live.samples.iter().collect(),
        _ => Vec::new(),
    };
    let trusted = !live.launches.untrusted;
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
        notes: match samples.is_empty() {
            true => live.prepared.notes.clone(),
            false => notes(live),
        },
        warnings: sentences.join("; "),
        facts: fact_names(live),
        reason_code: Some(reason.clone()),
        warning_codes: Some(warnings).filter(|all| !all.is_empty()),
        ..pending(live.cell, live.names.clone(), experiment, by)
    };
    if status == Status::Ok {
        row.sum_up(&samples, trusted);
    }
    row
}
