//! How close to the limit: a cell's time beside the times that its device needs at best for its launches,
//! its transfers, and what its kernels do.
//!
//! From the run folder, the peaks in it or in the folder `peaks` beside it, and the embedded counts of
//! operations.

mod bounds;
mod counts;

use super::ReportError;
use super::data::{Index, Place, RunData, is_device};
use super::grid::{Entry, Grid, Item, Section};
use super::number::{Unit, percent};
use super::peaks::unit_of;
use super::sections::section;
use crate::results::{DeviceRecord, MeasurementRow, OperationRow, PeakRow, operations, read_peaks};
use crate::words::{Case, Status, Task};
use bounds::{Bound, Limit, Peaks};
use counts::Count;

/// The folder beside a run's that peaks are looked for in.
const BESIDE: &str = "peaks";

/// What a share means.
const MEANING: &str = "A share is the longest of the times that the device needs at best, over the \
    median: for the operations that its kernels do, each at the peak rate of its class, \
    of which the one that takes longest counts; for their bytes of memory; for the bytes between host and device; for the launches. At 100 % \
    the device would have done nothing but that from the first moment to the last, every unit in every \
    cycle. A search cannot: a position waits for the one before it, lanes that share instructions wait \
    for each other's branches, groups wait for their last lane and the device for its last group, and the host \
    has its part. A low share says that it is none of these bounds that holds the technique back.";

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

/// A cell, its bounds and its count.
struct Line<'a> {
    case: &'a Case,
    place: Place<'a>,
    row: &'a MeasurementRow,
    median_ns: f64,
    /// Longest first; those that cannot be, because memory gave bytes back, left out.
    bounds: Vec<Bound>,
    count: Option<Count>,
    /// What the counted operations would have taken, ns, where that is more than the whole sample took.
    misfit: Option<f64>,
    /// The parameters that the experiment gives the technique.
    params: String,
}

impl Line<'_> {
    /// The bound that binds, and its share.
    fn share(&self) -> Option<(Limit, f64, f64)> {
        let bound = self.bounds.first()?;
        Some((bound.limit, bound.ns, bound.ns / self.median_ns))
    }

    /// Where its count is from.
    fn source(&self) -> String {
        match (&self.count, self.misfit) {
            (Some(count), None) => count.source(&self.params),
            (Some(count), Some(ns)) => format!(
                "the count does not fit: it would take {} ({})",
                Unit::Time.show(ns),
                count.source(&self.params)
            ),
            (None, _) => "no operation count".to_owned(),
        }
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
    let counts = operations()?;
    let mut lines = Vec::new();
    for (case, place, row, median_ns) in cells {
        let mut devices = environment.devices.iter();
        let device = devices.find(|device| device.label == place.device);
        let peaks = device.and_then(|device| Peaks::of(rows, device, &environment.host));
        if let Some(peaks) = peaks {
            lines.push(line(
                index,
                (case, place, row),
                median_ns as f64,
                &peaks,
                &counts,
            ));
        }
    }
    let mut items = Vec::new();
    if !lines.is_empty() {
        items.push(Item::Text(MEANING.to_owned()));
        items.push(Item::Table(best(&lines)));
        items.extend(provenance(index, peaks, &lines));
        items.push(Item::Folded(
            format!("Every cell ({})", lines.len()),
            vec![Item::Table(all(&lines))],
        ));
    }
    for device in &environment.devices {
        match Peaks::of(rows, device, &environment.host) {
            Some(peaks) => items.push(Item::Folded(
                format!("The peaks of {}", device.label),
                vec![Item::Table(used(&peaks))],
            )),
            None => items.extend(missing(device, peaks.is_some())),
        }
    }
    let csv = table(index, &lines)?;
    Ok(Some((section(TABLE, "How close to the limit", items), csv)))
}

fn line<'a>(
    index: &Index<'_>,
    (case, place, row): (&'a Case, Place<'a>, &'a MeasurementRow),
    median_ns: f64,
    peaks: &Peaks<'_>,
    counts: &[OperationRow],
) -> Line<'a> {
    let experiment = &index.data.experiment;
    let choice = experiment.choice(place.technique);
    let count = choice.and_then(|choice| Count::of(counts, &experiment.game, choice, case, row));
    let mut bounds = peaks.bounds(row, count.as_ref());
    let is_too_long = |bound: &&Bound| {
        let is_counted = matches!(bound.limit, Limit::Operations(_) | Limit::Atomics);
        is_counted && bound.ns > median_ns
    };
    let misfit = bounds.iter().find(is_too_long).map(|bound| bound.ns);
    if misfit.is_some() {
        // What was counted is not what ran: nothing of it says anything of this cell.
        bounds = peaks.bounds(row, None);
    }
    bounds.retain(|bound| bound.ns <= median_ns || !bound.limit.may_be_cached());
    let params = choice.map_or_else(String::new, |choice| {
        let words = choice
            .params
            .iter()
            .map(|(key, value)| format!("{key}={value}"));
        words.collect::<Vec<_>>().join(" ")
    });
    Line {
        case,
        place,
        row,
        median_ns,
        bounds,
        count,
        misfit,
        params,
    }
}

/// Of each technique on each device, the cell with the highest share.
fn best(lines: &[Line<'_>]) -> Grid {
    let mut found: Vec<&Line<'_>> = Vec::new();
    let share = |line: &Line<'_>| line.share().map_or(0.0, |(.., share)| share);
    for line in lines {
        match found.iter_mut().find(|other| other.place == line.place) {
            Some(other) if share(line) > share(other) => *other = line,
            Some(_) => {}
            None => found.push(line),
        }
    }
    let mut grid = Grid::new([
        "technique",
        "highest share",
        "limit",
        "at",
        "median",
        "operations",
    ]);
    for line in found {
        grid.rows.push(entries(line, true));
    }
    grid
}

fn all(lines: &[Line<'_>]) -> Grid {
    let mut grid = Grid::new([
        "case",
        "technique",
        "share",
        "limit",
        "median",
        "operations",
    ]);
    grid.rows
        .extend(lines.iter().map(|line| entries(line, false)));
    grid
}

fn entries(line: &Line<'_>, technique_first: bool) -> Vec<Entry> {
    let technique = Entry::word(line.place.technique).small(line.place.device);
    let case = Entry::word(line.case.to_string());
    let (share, limit) = match line.share() {
        Some((limit, ns, share)) => (
            Entry::number(percent(share)),
            Entry::word(limit.name()).small(Unit::Time.show(ns)),
        ),
        None => (Entry::missing("–"), Entry::missing("no bound is known")),
    };
    let median = Entry::number(Unit::Time.show(line.median_ns));
    let source = Entry::word(line.source());
    if technique_first {
        vec![technique, share, limit, case, median, source]
    } else {
        vec![case, technique, share, limit, median, source]
    }
}

/// Where the numbers are from, and what of them does not fit.
fn provenance(index: &Index<'_>, peaks: Option<&PeaksFile>, lines: &[Line<'_>]) -> Option<Item> {
    let file = peaks?.name;
    let mut text = format!(
        "The peaks are those of `{file}`, of the same device, driver and host, as `bench peaks` measured \
         them. Operations were counted on lanes of 32 bits in the simulator Oclgrind, in kernels that LLVM had optimised \
         (`cl/operations.csv`), and taken times the nodes, plies or playouts of a sample; of their classes the one \
         that takes longest binds, as if the others were done beside it. Bytes of memory that \
         would have taken longer than the sample came from a cache, and bind nothing."
    );
    let own = index.data.environment.program.kernel_hash.as_str();
    let mut counts = lines.iter().filter_map(|line| line.count.as_ref());
    if let Some(other) = counts.find(|count| count.row.kernel_hash != own) {
        text.push_str(&format!(
            " They were counted with other kernels (hash `{}`) than this run's (`{own}`): take shares of \
             operations as about right.",
            other.row.kernel_hash
        ));
    }
    if lines.iter().any(|line| line.misfit.is_some()) {
        text.push_str(
            " Where a count does not fit, its operations would have taken longer than the whole sample did, and \
             it is left out: the launch on this device is another than the simulator's, a deeper case has nodes \
             of another kind, playouts end earlier, or the peak of the class is not that of the instruction used: \
             `popcount` stands for leading zeros and reversed bits too, and an instruction for any logic of three \
             words, as GPUs have, may do more than the two operations that `logic-3` counts for it.",
        );
    }
    let is_over = |line: &Line<'_>| line.share().is_some_and(|(.., share)| share > 1.0);
    if lines.iter().any(is_over) {
        text.push_str(
            " A share above 100 % says that the peak was measured in a slower minute than the sample.",
        );
    }
    Some(Item::Text(text))
}

/// A device's peaks.
fn used(peaks: &Peaks<'_>) -> Grid {
    let mut grid = Grid::new(["quantity", "peak", "launch"]);
    for row in &peaks.rows {
        let unit = unit_of(row);
        let mut value = match row.value {
            Some(value) => Entry::number(unit.show(value)),
            None => Entry::missing(row.status.word()),
        };
        if let (Some(low), Some(high)) = (row.low, row.high) {
            value = value.small(unit.show_interval(low, high));
        }
        let launch = Entry::word(&row.launch).small(&row.method);
        grid.rows
            .push(vec![Entry::word(&row.quantity), value, launch]);
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
    let mut csv = csv::Writer::from_writer(Vec::new());
    let own = [
        "technique",
        "device",
        "median_ns",
        "share",
        "limit",
        "limit_ns",
        "operations_ns",
        "global_memory_ns",
        "local_memory_ns",
        "atomics_ns",
        "transfers_ns",
        "launches_ns",
        "launches",
        "bytes_up",
        "bytes_down",
        "units",
        "per",
        "counted",
        "counted_with_kernels",
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
        let of = |is: fn(Limit) -> bool| {
            let mut bounds = line.bounds.iter();
            number(bounds.find(|bound| is(bound.limit)).map(|bound| bound.ns))
        };
        let share = line.share();
        record.extend([
            line.place.technique.to_owned(),
            line.place.device.to_owned(),
            line.median_ns.to_string(),
            number(share.map(|(.., share)| share)),
            share.map_or(String::new(), |(limit, ..)| limit.name()),
            number(share.map(|(_, ns, _)| ns)),
            of(|limit| matches!(limit, Limit::Operations(_))),
            of(|limit| limit == Limit::Global),
            of(|limit| limit == Limit::Local),
            of(|limit| limit == Limit::Atomics),
            of(|limit| limit == Limit::Transfers),
            of(|limit| limit == Limit::Launches),
            whole(line.row.launches),
            whole(line.row.bytes_up),
            whole(line.row.bytes_down),
        ]);
        record.extend(match &line.count {
            Some(count) => [
                count.units.to_string(),
                count.row.per.clone(),
                line.source(),
                count.row.kernel_hash.clone(),
            ],
            None => [String::new(), String::new(), line.source(), String::new()],
        });
        csv.write_record(&record)?;
    }
    csv.into_inner().map_err(|error| error.into_error().into())
}
