//! Converts a measured cell into rows.

use std::collections::HashSet;

use super::cell::CellState;
use super::plan::{Cell, CellNames};
use crate::config::Experiment;
use crate::results::{MeasurementRow, ResourceRow, Sample};
use crate::words::{Answer, Kind, MatchScore, Reason, Status, Timer, Warning, resource};

/// Maximum clock step for which no warning is given, ns.
const FINE_NS: u64 = 1_000;

/// Creates a cell's row before the cell is measured.
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

pub fn resource_row(cell: &Cell, name: &str, value: u64) -> ResourceRow {
    ResourceRow {
        cell: cell.id(),
        resource: name.to_owned(),
        value,
    }
}

/// Returns the resources that a cell used, according to its samples.
pub fn resources(state: &CellState<'_>) -> impl Iterator<Item = ResourceRow> {
    let deepest = match &state.answers.last {
        Some(Answer::Chosen(choices)) => choices.iter().map(|choice| choice.tree_depth).max(),
        _ => None,
    };
    let all = [
        (resource::LONGEST_LAUNCH, state.launches.longest_ns),
        (resource::WORKERS_LEFT, state.launches.workers_left),
        (resource::TREE_DEPTH, deepest.unwrap_or(0)),
    ];
    let some = all.into_iter().filter(|(_, value)| *value > 0);
    some.map(|(name, value)| resource_row(state.cell, name, value))
}

pub fn measurement(
    state: &CellState<'_>,
    (status, reason): (Status, &Reason),
    experiment: &Experiment,
    by: (&str, usize),
) -> MeasurementRow {
    let samples = state.samples.iter().filter(|_| status == Status::Ok);
    let samples: Vec<&Sample> = samples.collect();
    let trusted = !state.launches.untrusted;
    let on_device = state.cell.entry.kind == Kind::Device;
    let mut warnings = state.warnings.clone();
    let step_ns = state.opened.clock_step_ns;
    warnings.extend((step_ns > FINE_NS).then_some(Warning::Coarse(step_ns)));
    let mut known = HashSet::new();
    let facts = state.prepared.facts.iter().map(|it| it.1.as_str());
    let facts: Vec<&str> = facts.filter(|name| known.insert(*name)).collect();
    if on_device && !samples.is_empty() && !trusted {
        warnings.push(match Timer::from(state.opened.timer.clone()) {
            Timer::Stepped(step) => Warning::Steps(step),
            _ => Warning::Timer,
        });
    }
    let mut notes = state.prepared.notes.clone();
    if let (count @ 1.., [host, device]) = state.launches.answered {
        notes += &format!(", {host} positions by host and {device} by device in {count} samples");
    }
    let mut whole = MatchScore::default();
    state.games.values().for_each(|score| whole.add(score));
    let mut row = MeasurementRow {
        status,
        reason: reason.to_string(),
        units: state.units,
        score: match (samples.len(), state.games.len()) {
            (0, _) | (_, 0) => String::new(),
            _ => whole.to_string(),
        },
        build_ns: Some(state.prepared.build_ns).filter(|_| on_device && state.worker.is_some()),
        setup_ns: Some(state.prepared.setup_ns).filter(|_| state.worker.is_some()),
        predicted_ns: state.predicted_ns,
        timer: state.opened.timer.clone(),
        notes,
        facts: facts.join(" "),
        reason_code: Some(reason.clone()),
        ..pending(state.cell, state.names.clone(), experiment, by)
    };
    row.warn(warnings);
    if status == Status::Ok {
        row.sum_up(&samples, trusted);
    }
    row
}
