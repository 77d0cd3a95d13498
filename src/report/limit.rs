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

/// What binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// Bytes between host and device.
    Transfers,
    /// Launches, the last of them waited for.
    Launches,
}

impl Limit {
    /// Its name in tables and files.
    fn name(self) -> &'static str {
        match self {
            Limit::Transfers => "transfers",
            Limit::Launches => "launch latency",
        }
    }
}

/// A time that the sample cannot have been shorter than.
struct Bound {
    limit: Limit,
    ns: f64,
}

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

    /// Every bound of a cell that can be told, longest first.
    fn bounds(&self, row: &MeasurementRow) -> Vec<Bound> {
        let bounds = [
            (Limit::Transfers, self.transfers(row)),
            (Limit::Launches, self.launches(row)),
        ];
        let mut bounds: Vec<Bound> = bounds
            .into_iter()
            .filter_map(|(limit, ns)| Some(Bound { limit, ns: ns? }))
            .filter(|bound| bound.ns > 0.0)
            .collect();
        bounds.sort_by(|one, other| other.ns.total_cmp(&one.ns));
        bounds
    }

    /// The bytes of both ways, ns. A way whose bytes or rate are not known adds nothing, which a lower bound may.
    fn transfers(&self, row: &MeasurementRow) -> Option<f64> {
        let time = |bytes: Option<u64>, rate| Some(bytes? as f64 * NS / self.value(rate)?);
        let ways = [
            time(row.bytes_up, "upload"),
            time(row.bytes_down, "download"),
        ];
        ways.into_iter().flatten().reduce(|up, down| up + down)
    }

    /// Launches in a row, of which the last is waited for, ns.
    fn launches(&self, row: &MeasurementRow) -> Option<f64> {
        let others = row.launches?.checked_sub(1)? as f64;
        let (alone, each) = (self.value("launch")?, self.value("launch-chain")?);
        Some(others * each.min(alone) + alone)
    }
}

/// A cell and its bounds.
struct Line<'a> {
    case: &'a Case,
    place: Place<'a>,
    row: &'a MeasurementRow,
    median_ns: f64,
    /// Longest first.
    bounds: Vec<Bound>,
}

impl Line<'_> {
    /// The bound that binds, and its share.
    fn share(&self) -> Option<(&Bound, f64)> {
        let bound = self.bounds.first()?;
        Some((bound, bound.ns / self.median_ns))
    }
}

/// The section, and the numbers as CSV; `None` where no device technique has an answer, and in matches,
/// whose times are one player's and whose counters both's.
pub(crate) fn limit(
    index: &Index<'_>,
    peaks: Option<&PeaksFile>,
) -> Result<Option<(Section, Vec<u8>)>, ReportError> {
    let cells: Vec<_> = index
        .cells()
        .filter_map(|(case, place, row)| {
            let row = row.filter(|row| row.status == Status::Ok && is_device(&row.device))?;
            Some((case, place, row, row.median_ns.filter(|ns| *ns > 0)?))
        })
        .collect();
    if cells.is_empty() || index.data.experiment.task == Task::Match {
        return Ok(None);
    }
    let environment = &index.data.environment;
    let rows = peaks.map_or(&[][..], |peaks| &peaks.rows);
    let mut lines = Vec::new();
    for (case, place, row, median_ns) in cells {
        let mut devices = environment.devices.iter();
        let device = devices.find(|device| device.label == place.device);
        let peaks = device.and_then(|device| Peaks::of(rows, device, &environment.host));
        if let Some(peaks) = peaks {
            lines.push(Line {
                case,
                place,
                row,
                median_ns: median_ns as f64,
                bounds: peaks.bounds(row),
            });
        }
    }
    let mut items = Vec::new();
    if !lines.is_empty() {
        items.push(Item::Text(MEANING.to_owned()));
        items.push(Item::Table(best(&lines)));
        items.extend(provenance(peaks, &lines));
        items.push(Item::Text("`tables/limit.csv` has every cell.".to_owned()));
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
    let share = |line: &Line<'_>| line.share().map_or(0.0, |(_, share)| share);
    for line in lines {
        match found.iter_mut().find(|other| other.place == line.place) {
            Some(other) if share(line) > share(other) => *other = line,
            Some(_) => {}
            None => found.push(line),
        }
    }
    let mut grid = Grid::new(["technique", "highest share", "limit", "at", "median"]);
    for line in found {
        grid.rows.push(entries(line));
    }
    grid
}

fn entries(line: &Line<'_>) -> Vec<Entry> {
    let technique = Entry::word(line.place.technique).small(line.place.device);
    let case = Entry::word(names::case(line.case));
    let (share, limit) = match line.share() {
        Some((bound, share)) => (
            Entry::number(percent(share)),
            Entry::word(bound.limit.name()).small(Unit::Time.show(bound.ns)),
        ),
        None => (Entry::missing("–"), Entry::missing("no bound is known")),
    };
    let median = Entry::number(Unit::Time.show(line.median_ns));
    vec![technique, share, limit, case, median]
}

/// Where the peaks are from.
fn provenance(peaks: Option<&PeaksFile>, lines: &[Line<'_>]) -> Option<Item> {
    let mut text = format!(
        "The peaks are those of `{}`, of the same device, driver and host, as `bench peaks` measured them.",
        peaks?.name
    );
    let is_over = |line: &Line<'_>| line.share().is_some_and(|(_, share)| share > 1.0);
    if lines.iter().any(is_over) {
        text.push_str(
            " A share above 100 % says that the peak was measured in a slower minute than the sample.",
        );
    }
    Some(Item::Text(text))
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
    let mut csv = csv::Writer::from_writer(Vec::new());
    let own = [
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
    csv.write_record(axes.iter().map(String::as_str).chain(own))?;
    for line in lines {
        let mut record: Vec<String> = axes
            .iter()
            .map(|axis| {
                line.case
                    .get(axis)
                    .map_or(String::new(), ToString::to_string)
            })
            .collect();
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let whole = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let of = |limit: Limit| {
            let mut bounds = line.bounds.iter();
            number(
                bounds
                    .find(|bound| bound.limit == limit)
                    .map(|bound| bound.ns),
            )
        };
        let share = line.share();
        record.extend([
            line.place.technique.to_owned(),
            line.place.device.to_owned(),
            line.median_ns.to_string(),
            number(share.map(|(_, share)| share)),
            share.map_or(String::new(), |(bound, _)| bound.limit.name().to_owned()),
            number(share.map(|(bound, _)| bound.ns)),
            of(Limit::Transfers),
            of(Limit::Launches),
            whole(line.row.launches),
            whole(line.row.bytes_up),
            whole(line.row.bytes_down),
        ]);
        csv.write_record(&record)?;
    }
    csv.into_inner().map_err(|error| error.into_error().into())
}
