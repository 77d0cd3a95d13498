//! How close to the limit: a cell's time beside the times that its device needs at best for its transfers
//! and its launches.
//!
//! From the run folder, and the peaks in it or in the folder `peaks` beside it. What kernels do is no bound
//! here, because no kernel states its operations.

use super::ReportError;
use super::data::{Index, Place, RunData, is_device};
use super::grid::{Entry, Grid, Item, Section};
use super::names;
use super::number::{Unit, percent};
use super::sections::section;
use super::table::{finish, place, text, writer};
use crate::results::{DeviceRecord, Host, MeasurementRow, PeakRow, read_peaks};
use crate::words::{Case, Status, Task};

const NS: f64 = 1e9;

/// The folder beside a run's that peaks are looked for in.
const BESIDE: &str = "peaks";

/// What a share means.
const MEANING: &str = "A share is the longer of two times that the device needs at best, over the median: one for \
    the bytes between host and device, one for the launches. At 100 % the device would have done nothing else \
    from the first moment to the last. What the kernels do is no part of it: a low share says only that \
    neither transfers nor launches hold the technique back.";

/// The file of the numbers, by name without ending.
pub(crate) const TABLE: &str = "limit";

/// The peaks that a report uses, and where they are from.
pub(crate) struct PeaksFile {
    rows: Vec<PeakRow>,
    /// From the run folder on.
    name: &'static str,
}

impl PeaksFile {
    /// Those in the run folder; else those in the folder beside it. A file that cannot be read is said in
    /// `warnings`, and counts as none.
    pub(crate) fn find(data: &RunData, warnings: &mut Vec<String>) -> Option<PeaksFile> {
        let beside = data.folder.parent().map(|parent| parent.join(BESIDE));
        let own = (data.folder.clone(), "peaks.csv");
        let folders = [
            Some(own),
            beside.map(|folder| (folder, "../peaks/peaks.csv")),
        ];
        for (folder, name) in folders.into_iter().flatten() {
            match read_peaks(&folder, warnings) {
                Ok(Some(rows)) => return Some(PeaksFile { rows, name }),
                Ok(None) => {}
                Err(error) => warnings.push(error.to_string()),
            }
        }
        None
    }
}

/// What binds, as tables and files name it: bytes between host and device, or launches, the last one waited for.
const BOUNDS: [&str; 2] = ["transfers", "launch latency"];

/// What a device can do at best.
struct Peaks<'a> {
    rows: Vec<&'a PeakRow>,
}

impl<'a> Peaks<'a> {
    /// Those of a device behind a host, of the same driver; `None` where there are none.
    fn of(rows: &'a [PeakRow], device: &DeviceRecord, host: &Host) -> Option<Self> {
        let same = |row: &&PeakRow| {
            row.host == host.cpu
                && row.platform == device.platform
                && row.name == device.name
                && row.driver == device.driver
        };
        let rows: Vec<&PeakRow> = rows.iter().filter(same).collect();
        (!rows.is_empty()).then_some(Peaks { rows })
    }

    /// A peak that was measured.
    fn value(&self, quantity: &str) -> Option<f64> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.quantity == quantity && row.status == Status::Ok)?;
        row.value.filter(|value| *value > 0.0)
    }

    /// The times that a sample cannot have been shorter than, ns, by [`BOUNDS`].
    fn bounds(&self, row: &MeasurementRow) -> [Option<f64>; 2] {
        // A way whose bytes or rate are not known adds nothing, which a lower bound may.
        let time = |bytes: Option<u64>, rate| Some(bytes? as f64 * NS / self.value(rate)?);
        let ways = [
            time(row.bytes_up, "upload"),
            time(row.bytes_down, "download"),
        ];
        let launches = || {
            let others = row.launches?.checked_sub(1)? as f64;
            let (alone, each) = (self.value("launch")?, self.value("launch-chain")?);
            Some(others * each.min(alone) + alone)
        };
        let transfers = ways.into_iter().flatten().reduce(|up, down| up + down);
        [transfers, launches()].map(|bound| bound.filter(|ns| *ns > 0.0))
    }
}

/// A cell and its bounds.
struct Line<'a> {
    case: &'a Case,
    place: Place<'a>,
    row: &'a MeasurementRow,
    median_ns: f64,
    bounds: [Option<f64>; 2],
}

impl Line<'_> {
    /// The name of the bound that binds, its time in ns, and its share.
    fn binding(&self) -> Option<(&'static str, f64, f64)> {
        let known = BOUNDS.into_iter().zip(self.bounds);
        let known = known.filter_map(|(name, ns)| Some((name, ns?)));
        let (name, ns) = known.max_by(|one, other| one.1.total_cmp(&other.1))?;
        Some((name, ns, ns / self.median_ns))
    }

    fn share(&self) -> f64 {
        self.binding().map_or(0.0, |(.., share)| share)
    }
}

/// The section, and the numbers as CSV; `None` where no device technique has an answer, and in matches,
/// whose times are one player's and whose counters both's.
pub(crate) fn limit(
    index: &Index<'_>,
    peaks: Option<&PeaksFile>,
) -> Result<Option<(Section, Vec<u8>)>, ReportError> {
    let environment = &index.data.environment;
    let rows = peaks.map_or(&[][..], |peaks| &peaks.rows);
    let (mut lines, mut has_cells) = (Vec::new(), false);
    for (case, place, row) in index.cells() {
        let Some(row) = row.filter(|row| row.status == Status::Ok && is_device(&row.device)) else {
            continue;
        };
        let Some(median_ns) = row.median_ns.filter(|ns| *ns > 0) else {
            continue;
        };
        has_cells = true;
        let mut devices = environment.devices.iter();
        let device = devices.find(|device| device.label == place.device);
        let peaks = device.and_then(|device| Peaks::of(rows, device, &environment.host));
        lines.extend(peaks.map(|peaks| Line {
            case,
            place,
            row,
            median_ns: median_ns as f64,
            bounds: peaks.bounds(row),
        }));
    }
    if !has_cells || index.data.experiment.task == Task::Match {
        return Ok(None);
    }
    let mut items = Vec::new();
    if let (Some(peaks), false) = (peaks, lines.is_empty()) {
        let mut from = format!(
            "The peaks are those of `{}`, of the same device, driver and host, as `bench peaks` measured them. \
             `tables/limit.csv` has every cell.",
            peaks.name
        );
        if lines.iter().any(|line| line.share() > 1.0) {
            from += " A share above 100 % means that the peak was measured in a slower minute than the sample.";
        }
        items.push(Item::Text(MEANING.to_owned()));
        items.push(Item::Table(best(&lines)));
        items.push(Item::Text(from));
    }
    for device in &environment.devices {
        if Peaks::of(rows, device, &environment.host).is_none() {
            items.extend(missing(device, peaks.is_some()));
        }
    }
    let csv = table(index, &lines)?;
    Ok(Some((section(TABLE, "How close to the limit", items), csv)))
}

/// Of each technique on each device, the cell with the highest share.
fn best(lines: &[Line<'_>]) -> Grid {
    let mut found: Vec<&Line<'_>> = Vec::new();
    for line in lines {
        match found.iter_mut().find(|other| other.place == line.place) {
            Some(other) if line.share() > other.share() => *other = line,
            Some(_) => {}
            None => found.push(line),
        }
    }
    let mut grid = Grid::new(["technique", "highest share", "limit", "at", "median"]);
    for line in found {
        let (share, limit) = match line.binding() {
            Some((name, ns, share)) => (
                Entry::number(percent(share)),
                Entry::word(name).small(Unit::Time.show(ns)),
            ),
            None => (Entry::missing("–"), Entry::missing("no bound is known")),
        };
        grid.rows.push(vec![
            Entry::word(line.place.technique).small(line.place.device),
            share,
            limit,
            Entry::word(names::case(line.case)),
            Entry::number(Unit::Time.show(line.median_ns)),
        ]);
    }
    grid
}

/// How to get the peaks of a device that has none.
fn missing(device: &DeviceRecord, others_are: bool) -> [Item; 2] {
    let why = if others_are {
        "The peaks that were found are not those of this device, driver and host"
    } else {
        "Nothing is known of what this device can do at best"
    };
    let text = format!(
        "{}: no peaks. {why}. These commands, in the folder that the run folder is in, make them and this \
         section:",
        device.label
    );
    let commands = vec![
        format!("bench peaks --device '{}' --out {BESIDE}", device.name),
        "bench report RUN".to_owned(),
    ];
    [Item::Text(text), Item::Commands(commands)]
}

/// Every cell with all its bounds, numbers unformatted.
fn table(index: &Index<'_>, lines: &[Line<'_>]) -> Result<Vec<u8>, csv::Error> {
    let axes = &index.data.experiment.axes;
    let columns = [
        "technique",
        "device",
        "median_ns",
        "share",
        "limit",
        "limit_ns",
        "transfers_ns",
        "launches_ns",
        "launches",
        "bytes_up",
        "bytes_down",
    ];
    let mut csv = writer(axes, &columns)?;
    for line in lines {
        let binding = line.binding();
        let mut record = place(axes, line.case);
        record.extend([line.place.technique, line.place.device].map(str::to_owned));
        record.push(line.median_ns.to_string());
        record.push(text(binding.map(|(.., share)| share)));
        record.push(text(binding.map(|(name, ..)| name)));
        record.push(text(binding.map(|(_, ns, _)| ns)));
        record.extend(line.bounds.map(text));
        record.extend([line.row.launches, line.row.bytes_up, line.row.bytes_down].map(text));
        csv.write_record(&record)?;
    }
    finish(csv)
}
