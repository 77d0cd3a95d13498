//! What every report has: where the time goes, and what is missing.

use super::block::slug;
use super::chart::DrawError;
use super::chart::shares::{self, Split};
use super::data::{HOST, Index, Place, is_device};
use super::figure;
use super::grid::{Chart, Entry, Grid, Item, Section, Tone, section};
use super::known::Missing;
use super::names;
use super::paper::one_line;
use super::series::grouped;
use crate::words::Status;

/// Upload, queue wait, kernels, download and the host's own work, as shares of the whole.
pub(crate) fn time(index: &Index<'_>) -> Result<Section, DrawError> {
    const HOW: &str = "Shares of the sum of the parts' medians, from the device's event timestamps. `queue`: \
        enqueued but not yet started. `host`: the rest, the host's part of the search included. \
        Cells whose timestamps are not reliable are left out; Environment says why. `measurements.csv` has the numbers.";
    const NONE: &str =
        "No device technique has an answer in this run; on the host all time is the host's.";
    let splits = index.cells().filter_map(|(case, place, row)| {
        let parts = figure::parts(row?)?;
        let sum = parts.iter().sum::<u64>() as f64;
        let split = Split {
            case: names::case(case),
            median_ns: row?.median_ns.unwrap_or_default(),
            shares: parts.map(|part| part as f64 / sum),
        };
        Some((place, split))
    });
    let groups = grouped(splits);
    let how = if groups.is_empty() { NONE } else { HOW };
    let mut items = Vec::new();
    for (Place { technique, device }, splits) in groups {
        let title = format!("Where the time of {technique} goes, on {device}");
        items.push(Item::Chart(Chart {
            id: slug(&format!("time-{technique}-{device}")),
            svg: shares::draw(&title, &splits)?,
            title,
        }));
    }
    items.push(Item::Text(how.to_owned()));
    Ok(section("time", "Where the time goes", items))
}

/// The cells without a number, by reason.
pub(crate) fn missing_cells(index: &Index<'_>) -> Section {
    const TITLE: &str = "Cells without a number";
    let cells = index.cells().filter_map(|(case, place, row)| {
        let reason = match row {
            Some(row) if row.status == Status::Ok => return None,
            Some(row) => Missing::of_row(row),
            None => Missing::NOT_MEASURED,
        };
        let fault = row.is_some_and(|row| is_fault(row.status));
        Some(((place, reason, fault), case))
    });
    let mut groups = grouped(cells);
    let total: usize = groups.iter().map(|(_, cases)| cases.len()).sum();
    if total == 0 {
        let text = "Every cell of the run has an answer.".to_owned();
        return section("missing", TITLE, [Item::Text(text)]);
    }
    // Faults first; within a kind, in the order of the run.
    groups.sort_by_key(|((_, reason, fault), _)| (!*fault, reason.status));
    let mut grid = Grid::new(["status", "technique", "device", "cases", "why"]);
    for ((place, reason, fault), cases) in &groups {
        let tone = if *fault { Tone::Bad } else { Tone::Missing };
        let cases: Vec<String> = cases.iter().map(|case| names::case(case)).collect();
        let is_known = place.device == HOST || is_device(place.device);
        let device = if is_known { place.device } else { "–" };
        let (cases, why) = (cases.join("; "), one_line(&reason.reason));
        let rest = [place.technique, device, &cases, &why].map(Entry::word);
        grid.row(Entry::word(reason.status).tone(tone), rest);
    }
    let text = format!("{total} cells have no number.");
    section("missing", TITLE, [Item::Text(text), Item::Table(grid)])
}

fn is_fault(status: Status) -> bool {
    !matches!(
        status,
        Status::Ok | Status::Skipped | Status::Unsupported | Status::Memory
    )
}
