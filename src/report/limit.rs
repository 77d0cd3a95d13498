//! A cell's time beside the least time of its transfers and launches. Kernels state no operations, so no bound.

use serde::Serialize;

use super::csv_table::{Csv, text};
use super::data::{Cell, Index, is_device};
use super::grid::{Entry, Grid, Item, Section, section};
use super::names;
use super::number::{Unit, percent};
use super::series::grouped;
use crate::results::{MeasurementRow, PeakRow, read_peaks};
use crate::words::{Case, Status, Task};

const MEANING: &str = "The device needs at least a certain time for the bytes between it and the host, and one for \
    the launches. A share is the longer of the two over the median. At 100 % the device does nothing else. Kernels are not \
    counted: a low share says only that neither transfers nor launches hold the technique back.";

const FROM: &str = "The least times are those of `peaks.csv`, of the same device, driver and host. \
    `tables/limit.csv` has every cell.";

pub(crate) const TABLE: &str = "limit";

/// The least times, ns: of the bytes between host and device, and of the launches with one wait.
fn bounds(peaks: &[&PeakRow], row: &MeasurementRow) -> [Option<f64>; 2] {
    const NS: f64 = 1e9;
    let value = |quantity: &str| {
        let mut rows = peaks.iter();
        let row = rows.find(|row| row.quantity == quantity && row.status == Status::Ok)?;
        row.value.filter(|value| *value > 0.0)
    };
    // A direction with unknown bytes or rate adds nothing; a lower bound stays valid.
    let time = |bytes: Option<u64>, rate| Some(bytes? as f64 * NS / value(rate)?);
    let ways = [
        time(row.bytes_up, "upload"),
        time(row.bytes_down, "download"),
    ];
    let transfers = ways.into_iter().flatten().reduce(|up, down| up + down);
    let others = row.launches.and_then(|launches| launches.checked_sub(1));
    let alone = others.zip(value("launch")).zip(value("launch-chain"));
    let launches = alone.map(|((others, alone), each)| others as f64 * each.min(alone) + alone);
    [transfers, launches].map(|bound| bound.filter(|ns| *ns > 0.0))
}

/// The least times of a run's device cells.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Limits {
    /// False in matches, whose counters cover both players, and without a device's answer.
    pub apply: bool,
    pub cells: Vec<CellLimit>,
    /// Devices without launch and transfer times; `true` if the run folder has those of others.
    pub unknown: Vec<(String, bool)>,
}

/// A cell's time and its least times, ns.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CellLimit {
    pub case: Case,
    pub technique: String,
    pub device: String,
    pub median_ns: f64,
    /// Of the transfers and of the launches.
    pub bounds: [Option<f64>; 2],
    /// The longer bound: its name, its time in ns, and its share of the median.
    pub binding: Option<(&'static str, f64, f64)>,
    /// Launches, bytes up, bytes down.
    pub counts: [Option<u64>; 3],
}

impl CellLimit {
    fn new((case, place, row): Cell<'_>, peaks: &[&PeakRow]) -> Option<Self> {
        let (row, median_ns) = (row?, row?.median_ns? as f64);
        let bounds = bounds(peaks, row);
        let known = ["transfers", "launch latency"].into_iter().zip(bounds);
        let known = known.filter_map(|(name, ns)| Some((name, ns?, ns? / median_ns)));
        Some(CellLimit {
            binding: known.max_by(|one, other| one.1.total_cmp(&other.1)),
            case: case.clone(),
            technique: place.technique.to_owned(),
            device: place.device.to_owned(),
            median_ns,
            bounds,
            counts: [row.launches, row.bytes_up, row.bytes_down],
        })
    }

    fn share(&self) -> f64 {
        self.binding.map_or(0.0, |(.., share)| share)
    }
}

pub(crate) fn limits(index: &Index<'_>, warnings: &mut Vec<String>) -> Limits {
    let environment = &index.data.environment;
    let read = read_peaks(&index.data.folder, warnings);
    let file = read.unwrap_or_else(|error| {
        warnings.push(error.to_string());
        None
    });
    let rows = file.as_deref().unwrap_or_default();
    let is_timed = |row: &MeasurementRow| {
        row.status == Status::Ok && is_device(&row.cell.device) && row.median_ns > Some(0)
    };
    let timed = index.cells().filter(|(.., row)| row.is_some_and(is_timed));
    let timed: Vec<Cell<'_>> = timed.collect();
    if timed.is_empty() || index.data.experiment.task == Task::Match {
        return Limits::default();
    }
    let peaks = environment.devices.iter().map(|device| {
        let own = rows
            .iter()
            .filter(|row| row.is_of(&environment.host.cpu, device));
        (&device.label, own.collect::<Vec<_>>())
    });
    let (known, unknown): (Vec<_>, Vec<_>) = peaks.partition(|(_, peaks)| !peaks.is_empty());
    let cells = timed.into_iter().filter_map(|cell| {
        let (_, peaks) = known.iter().find(|(label, _)| *label == cell.1.device)?;
        CellLimit::new(cell, peaks)
    });
    let unknown = unknown
        .into_iter()
        .map(|(label, _)| (label.clone(), file.is_some()));
    Limits {
        apply: true,
        cells: cells.collect(),
        unknown: unknown.collect(),
    }
}

/// The section; `None` if limits do not apply.
pub(crate) fn section_of(limits: &Limits) -> Option<Section> {
    let mut items = Vec::new();
    if !limits.cells.is_empty() {
        let mut from = FROM.to_owned();
        if limits.cells.iter().any(|cell| cell.share() > 1.0) {
            from += " A share above 100 % means that the least time was measured in a slower minute than the sample.";
        }
        items.push(Item::Text(MEANING.to_owned()));
        items.push(Item::Table(best(&limits.cells)));
        items.push(Item::Text(from));
    }
    items.extend(limits.unknown.iter().map(|(label, has_file)| {
        let why = if *has_file {
            "are not those of this device, driver and host"
        } else {
            "were not measured"
        };
        Item::Text(format!(
            "{label}: launch and transfer times {why}. `bench run` measures them for each run folder."
        ))
    }));
    let title = "How close to the limit";
    limits.apply.then(|| section(TABLE, title, items))
}

fn best(cells: &[CellLimit]) -> Grid {
    let places = grouped(cells.iter().map(|own| ((&own.technique, &own.device), own)));
    let mut grid = Grid::new(["technique", "highest share", "limit", "at", "median"]);
    for (_, own) in places {
        let by_share = |a: &&CellLimit, b: &&CellLimit| a.share().total_cmp(&b.share());
        let Some(line) = own.into_iter().rev().max_by(by_share) else {
            continue;
        };
        let (share, limit) = match line.binding {
            Some((name, ns, share)) => {
                let limit = Entry::word(name).small(Unit::Time.show(ns));
                (Entry::number(percent(share)), limit)
            }
            None => (Entry::missing("–"), Entry::missing("no bound is known")),
        };
        let at = Entry::word(names::case(&line.case));
        let median = Entry::number(Unit::Time.show(line.median_ns));
        let technique = Entry::word(&line.technique).small(&line.device);
        grid.row(technique, [share, limit, at, median]);
    }
    grid
}

/// Every cell as CSV.
pub(crate) fn csv(axes: &[String], limits: &Limits) -> Result<Vec<u8>, csv::Error> {
    const COLUMNS: &str = "technique,device,median_ns,share,limit,limit_ns,transfers_ns,launches_ns,launches,\
        bytes_up,bytes_down";
    let mut csv = Csv::new(axes, COLUMNS)?;
    for cell in &limits.cells {
        let (share, name, ns) = match cell.binding {
            Some((name, ns, share)) => (share.to_string(), name, ns.to_string()),
            None => Default::default(),
        };
        let (technique, device) = (cell.technique.clone(), cell.device.clone());
        let median = cell.median_ns.to_string();
        let mut record = vec![technique, device, median, share, name.to_owned(), ns];
        record.extend(cell.bounds.map(text));
        record.extend(cell.counts.map(text));
        csv.line(&cell.case, record)?;
    }
    csv.finish()
}
