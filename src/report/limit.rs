//! A cell's time beside the least time of its transfers and launches. Kernels state no operations, so no bound.

use super::ReportError;
use super::data::{Cell, Index, Place, is_device};
use super::grid::{Entry, Grid, Item, Section, section};
use super::names;
use super::number::{Unit, percent};
use super::series::grouped;
use super::table::{Csv, text};
use crate::results::{DeviceRecord, MeasurementRow, PeakRow, read_peaks};
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
    let launches = || {
        let others = row.launches?.checked_sub(1)? as f64;
        let (alone, each) = (value("launch")?, value("launch-chain")?);
        Some(others * each.min(alone) + alone)
    };
    let transfers = ways.into_iter().flatten().reduce(|up, down| up + down);
    [transfers, launches()].map(|bound| bound.filter(|ns| *ns > 0.0))
}

struct Line<'a> {
    case: &'a Case,
    place: Place<'a>,
    row: &'a MeasurementRow,
    median_ns: f64,
    bounds: [Option<f64>; 2],
    /// The longer bound: its name, its time in ns, and its share of the median.
    binding: Option<(&'static str, f64, f64)>,
}

impl<'a> Line<'a> {
    fn new((case, place, row): Cell<'a>, peaks: &[&PeakRow]) -> Option<Self> {
        let (row, median_ns) = (row?, row?.median_ns? as f64);
        let bounds = bounds(peaks, row);
        let known = ["transfers", "launch latency"].into_iter().zip(bounds);
        let known = known.filter_map(|(name, ns)| Some((name, ns?, ns? / median_ns)));
        Some(Line {
            binding: known.max_by(|one, other| one.1.total_cmp(&other.1)),
            case,
            place,
            row,
            median_ns,
            bounds,
        })
    }

    fn share(&self) -> f64 {
        self.binding.map_or(0.0, |(.., share)| share)
    }
}

/// The section and its CSV; `None` without a device's answer and in matches, whose counters cover both players.
pub(crate) fn limit(
    index: &Index<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<(Section, Vec<u8>)>, ReportError> {
    let environment = &index.data.environment;
    let read = read_peaks(&index.data.folder, warnings);
    let read = read.map_err(|error| warnings.push(error.to_string()));
    let file = read.ok().flatten();
    let rows = file.as_deref().unwrap_or_default();
    let of_device = |device: &DeviceRecord| -> Vec<&PeakRow> {
        let is_own = |row: &&PeakRow| row.is_of(&environment.host.cpu, device);
        rows.iter().filter(is_own).collect()
    };
    let is_timed = |row: &MeasurementRow| {
        row.status == Status::Ok && is_device(&row.cell.device) && row.median_ns > Some(0)
    };
    let cells = index.cells().filter(|(.., row)| row.is_some_and(is_timed));
    let cells: Vec<Cell<'_>> = cells.collect();
    if cells.is_empty() || index.data.experiment.task == Task::Match {
        return Ok(None);
    }
    let lines = cells.into_iter().filter_map(|cell| {
        let mut devices = environment.devices.iter();
        let device = devices.find(|device| device.label == cell.1.device);
        let peaks = device.map(of_device).filter(|own| !own.is_empty())?;
        Line::new(cell, &peaks)
    });
    let lines: Vec<Line<'_>> = lines.collect();
    let mut items = Vec::new();
    if !lines.is_empty() {
        let mut from = FROM.to_owned();
        if lines.iter().any(|line| line.share() > 1.0) {
            from += " A share above 100 % means that the least time was measured in a slower minute than the sample.";
        }
        items.push(Item::Text(MEANING.to_owned()));
        items.push(Item::Table(best(&lines)));
        items.push(Item::Text(from));
    }
    let without = environment.devices.iter();
    let without = without.filter(|device| of_device(device).is_empty());
    let why = match file.is_some() {
        true => "are not those of this device, driver and host",
        false => "were not measured",
    };
    items.extend(without.map(|device| {
        let label = &device.label;
        Item::Text(format!(
            "{label}: launch and transfer times {why}. `bench run` measures them for each run folder."
        ))
    }));
    let csv = table(index, &lines)?;
    Ok(Some((section(TABLE, "How close to the limit", items), csv)))
}

fn best(lines: &[Line<'_>]) -> Grid {
    let places = grouped(lines.iter().map(|line| (&line.place, line))).into_iter();
    let mut grid = Grid::new(["technique", "highest share", "limit", "at", "median"]);
    for (_, own) in places {
        let own = own.into_iter().rev();
        let Some(line) = own.max_by(|a, b| a.share().total_cmp(&b.share())) else {
            continue;
        };
        let (share, limit) = match line.binding {
            Some((name, ns, share)) => {
                let limit = Entry::word(name).small(Unit::Time.show(ns));
                (Entry::number(percent(share)), limit)
            }
            None => (Entry::missing("–"), Entry::missing("no bound is known")),
        };
        let at = Entry::word(names::case(line.case));
        let median = Entry::number(Unit::Time.show(line.median_ns));
        let technique = Entry::word(line.place.technique).small(line.place.device);
        grid.row(technique, [share, limit, at, median]);
    }
    grid
}

fn table(index: &Index<'_>, lines: &[Line<'_>]) -> Result<Vec<u8>, csv::Error> {
    const COLUMNS: &str = "technique,device,median_ns,share,limit,limit_ns,transfers_ns,launches_ns,launches,\
        bytes_up,bytes_down";
    let mut csv = Csv::new(&index.data.experiment.axes, COLUMNS)?;
    for line in lines {
        let (binding, row) = (line.binding, line.row);
        let Place { technique, device } = line.place;
        let mut record = vec![technique.to_owned(), device.to_owned()];
        record.push(line.median_ns.to_string());
        record.push(text(binding.map(|(.., share)| share)));
        record.push(text(binding.map(|(name, ..)| name)));
        record.push(text(binding.map(|(_, ns, _)| ns)));
        record.extend(line.bounds.map(text));
        record.extend([row.launches, row.bytes_up, row.bytes_down].map(text));
        csv.line(line.case, record)?;
    }
    csv.finish()
}
