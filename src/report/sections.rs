//! What every report has: where the time goes, and what is missing.

use super::block::slug;
use super::chart::DrawError;
use super::chart::shares::{self, Split};
use super::data::{HOST, Index, Place, is_device};
use super::figure;
use super::grid::{Chart, Entry, Grid, Item, Section, Tone};
use super::known::Missing;
use super::names;
use super::paper::one_line;
use crate::results::MeasurementRow;
use crate::words::{Case, Status};

/// Upload, queue wait, kernels, download and the host's own work, as shares of the whole.
pub(crate) fn time(index: &Index<'_>) -> Result<Section, DrawError> {
    let mut items = Vec::new();
    let mut groups: Vec<(Place<'_>, Vec<Split>)> = Vec::new();
    for (case, place, row) in index.cells() {
        let Some((row, shares)) = row.and_then(|row| Some((row, split(row)?))) else {
            continue;
        };
        let median_ns = row.median_ns.unwrap_or_default();
        let split = Split {
            case: names::case(case),
            median_ns,
            shares,
        };
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, splits)) => splits.push(split),
            None => groups.push((place, vec![split])),
        }
    }
    if groups.is_empty() {
        let text =
            "No device technique has an answer in this run; on the host all time is the host's.";
        return Ok(section(
            "time",
            "Where the time goes",
            vec![Item::Text(text.to_owned())],
        ));
    }
    for (place, splits) in groups {
        let title = format!(
            "Where the time of {} goes, on {}",
            place.technique, place.device
        );
        items.push(Item::Chart(Chart {
            id: format!(
                "time-{}",
                slug(&format!("{}-{}", place.technique, place.device))
            ),
            svg: shares::draw(&title, &splits)?,
            title,
        }));
    }
    items.push(Item::Text(
        "Shares of the sum of the parts' medians, from the device's event timestamps. `queue`: \
         enqueued but not yet started. `host`: the rest, the host's part of the search included. \
         Cells whose timestamps are not reliable are left out; Environment says why. `measurements.csv` has the numbers."
            .to_owned(),
    ));
    Ok(section("time", "Where the time goes", items))
}

/// The shares of a device cell; `None` for the host's cells, and where parts are missing.
fn split(row: &MeasurementRow) -> Option<[f64; 5]> {
    let parts = figure::parts(row)?.map(|ns| ns as f64);
    let sum: f64 = parts.iter().sum();
    Some(parts.map(|part| part / sum))
}

/// The cells without a number, by reason.
pub(crate) fn missing_cells(index: &Index<'_>) -> Section {
    let mut groups: Vec<(Place<'_>, Missing, bool, Vec<&Case>)> = Vec::new();
    let mut total = 0;
    for (case, place, row) in index.cells() {
        let reason = match row {
            Some(row) if row.status == Status::Ok => continue,
            Some(row) => Missing::of_row(row),
            None => Missing::not_measured(),
        };
        total += 1;
        let fault = row.is_some_and(|row| is_fault(row.status));
        match groups
            .iter_mut()
            .find(|(at, known, ..)| *at == place && *known == reason)
        {
            Some((.., cases)) => cases.push(case),
            None => groups.push((place, reason, fault, vec![case])),
        }
    }
    if groups.is_empty() {
        let text = "Every cell of the run has an answer.".to_owned();
        return section("missing", "Cells without a number", vec![Item::Text(text)]);
    }
    // Faults first; within a kind, in the order of the run.
    groups.sort_by_key(|(_, reason, fault, _)| (!*fault, reason.status));
    let mut grid = Grid::new(["status", "technique", "device", "cases", "why"]);
    for (place, reason, fault, cases) in &groups {
        let tone = if *fault { Tone::Bad } else { Tone::Missing };
        let cases: Vec<String> = cases.iter().map(|case| names::case(case)).collect();
        grid.rows.push(vec![
            Entry::word(reason.status).tone(tone),
            Entry::word(place.technique),
            Entry::word(match place.device {
                device if device == HOST || is_device(device) => device,
                _ => "–",
            }),
            Entry::word(cases.join("; ")),
            Entry::word(one_line(&reason.reason)),
        ]);
    }
    let text = format!("{total} cells have no number.");
    section(
        "missing",
        "Cells without a number",
        vec![Item::Text(text), Item::Table(grid)],
    )
}

fn is_fault(status: Status) -> bool {
    matches!(
        status,
        Status::Mismatch
            | Status::BuildFailed
            | Status::Timeout
            | Status::Crashed
            | Status::Failed
            | Status::Damaged
    )
}

pub(crate) fn section(id: &str, title: &str, items: Vec<Item>) -> Section {
    Section {
        id: id.to_owned(),
        title: title.to_owned(),
        items,
        folded: false,
    }
}
