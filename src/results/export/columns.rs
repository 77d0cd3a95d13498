use std::collections::HashMap;
use std::fs;
use std::path::Path;

use super::super::{DeviceRecord, Host, MeasurementRow, Program, Run, SampleRow};
use super::value::{Column, Kind, Value};
use crate::words::{Case, Status, Value as Axis};

/// What a value of a fixed column is made from.
struct Source<'a> {
    machine: &'a str,
    run: &'a str,
    row: &'a MeasurementRow,
    sample: &'a SampleRow,
    program: &'a Program,
    host: &'a Host,
    device: Option<&'a DeviceRecord>,
    utc: &'a str,
}

/// A column that every table has: its name, its kind and where its values are from.
type Fixed = (&'static str, Kind, for<'a> fn(&Source<'a>) -> Value<'a>);

/// A column with the name of the field that its values are from.
macro_rules! column {
    (text, $field:ident) => {
        (stringify!($field), Kind::Text, |it| Value::text(it.$field))
    };
    (text, $from:ident.$field:ident) => {
        (stringify!($field), Kind::Text, |it| {
            Value::text(it.$from.$field.as_str())
        })
    };
    (whole, $from:ident.$field:ident) => {
        (stringify!($field), Kind::Whole, |it| {
            Value::Whole(it.$from.$field)
        })
    };
    (of_device, $field:ident) => {
        (stringify!($field), Kind::Text, |it| {
            let own = it.device.map(|device| Value::text(device.$field.as_str()));
            own.unwrap_or(Value::Missing)
        })
    };
}

/// The columns before those of the axes.
const BEFORE: [Fixed; 5] = [
    column!(text, machine),
    column!(text, run),
    column!(text, row.experiment),
    column!(text, row.game),
    column!(text, row.task),
];

/// The columns after those of the axes.
const AFTER: [Fixed; 39] = [
    column!(text, row.technique),
    column!(text, row.kind),
    column!(text, row.device),
    column!(text, row.address),
    column!(of_device, platform),
    column!(of_device, driver),
    column!(text, host.cpu),
    column!(text, host.os),
    column!(whole, row.threads),
    column!(text, program.version),
    column!(text, program.revision),
    column!(text, program.source_hash),
    column!(text, program.kernel_hash),
    column!(text, program.profile),
    column!(text, sample.invocation),
    column!(text, utc),
    column!(text, row.cell),
    column!(text, row.key),
    column!(whole, row.units),
    column!(whole, sample.pass),
    column!(whole, sample.sample),
    column!(whole, sample.order),
    column!(whole, sample.at_ns),
    column!(whole, sample.total_ns),
    column!(whole, sample.upload_ns),
    column!(whole, sample.queue_ns),
    column!(whole, sample.kernel_ns),
    column!(whole, sample.download_ns),
    column!(whole, sample.host_ns),
    column!(whole, sample.opponent_ns),
    column!(whole, sample.launches),
    column!(whole, sample.bytes_up),
    column!(whole, sample.bytes_down),
    column!(whole, sample.nodes),
    column!(whole, sample.leaves),
    column!(whole, sample.playouts),
    column!(whole, sample.plies),
    ("positions_ns", Kind::Text, |it| {
        Value::text(it.sample.positions())
    }),
    column!(text, row.case),
];

/// The samples of runs as a table.
pub struct LongTable<'a> {
    runs: Vec<Named<'a>>,
    axes: Vec<(String, Column)>,
}

/// A run with its names, and the cases of its rows, read once.
struct Named<'a> {
    run: &'a Run,
    machine: String,
    name: String,
    rows: HashMap<&'a str, (&'a MeasurementRow, Case)>,
}

impl<'a> LongTable<'a> {
    /// The table of some runs, in their order.
    pub fn new(runs: &'a [Run]) -> LongTable<'a> {
        let runs: Vec<Named<'_>> = runs.iter().map(Named::new).collect();
        // The axes in the order in which the rows name them, not in that of a map.
        let mut axes: Vec<(String, Kind)> = Vec::new();
        for row in runs.iter().flat_map(|named| &named.run.measurements) {
            for (axis, value) in Case::parse(&row.case).unwrap_or_default().0 {
                let is_whole = matches!(value, Axis::Int(number) if number >= 0);
                let kind = if is_whole { Kind::Whole } else { Kind::Text };
                match axes.iter_mut().find(|(name, _)| *name == axis) {
                    None => axes.push((axis, kind)),
                    Some((_, known)) if kind == Kind::Text => *known = kind,
                    Some(_) => {}
                }
            }
        }
        let column = |(axis, kind): (String, Kind)| {
            let name = axis.replace('-', "_");
            let is_taken = BEFORE
                .iter()
                .chain(&AFTER)
                .any(|(fixed, ..)| *fixed == name);
            // Annexation's and checkers' axis `playouts` is what was asked, the counter what was done.
            let name = if is_taken {
                format!("case_{name}")
            } else {
                name
            };
            (axis, Column { name, kind })
        };
        LongTable {
            runs,
            axes: axes.into_iter().map(column).collect(),
        }
    }

    /// The columns, in order.
    pub(super) fn columns(&self) -> Vec<Column> {
        let fixed = |(name, kind, _): &Fixed| Column {
            name: (*name).to_owned(),
            kind: *kind,
        };
        let axes = self.axes.iter().map(|(_, column)| column.clone());
        let before = BEFORE.iter().map(fixed);
        before.chain(axes).chain(AFTER.iter().map(fixed)).collect()
    }

    /// The rows, in the order of the runs and of their files, a value a column.
    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<Value<'_>>> {
        self.runs.iter().flat_map(move |named| {
            let samples = named.run.samples.iter();
            samples.filter_map(move |sample| {
                let (row, case) = named.rows.get(sample.key.as_str())?;
                Some(self.row(&named.source(row, sample), case))
            })
        })
    }

    fn row<'s>(&'s self, source: &Source<'s>, case: &Case) -> Vec<Value<'s>> {
        let axes = self
            .axes
            .iter()
            .map(|(axis, column)| match (case.get(axis), column.kind) {
                (None, _) => Value::Missing,
                (Some(Axis::Int(number)), Kind::Whole) => {
                    u64::try_from(*number).map_or(Value::Missing, Value::Whole)
                }
                (Some(value), _) => Value::text(value.to_string()),
            });
        let fixed = |columns: &'static [Fixed]| columns.iter().map(|(.., of)| of(source));
        fixed(&BEFORE).chain(axes).chain(fixed(&AFTER)).collect()
    }
}

impl<'a> Named<'a> {
    fn new(run: &'a Run) -> Named<'a> {
        let ok = run
            .measurements
            .iter()
            .filter(|row| row.status == Status::Ok);
        let rows = ok.map(|row| {
            let case = Case::parse(&row.case).unwrap_or_default();
            (row.key.as_str(), (row, case))
        });
        Named {
            rows: rows.collect(),
            machine: machine_of(run),
            name: name_of(run),
            run,
        }
    }

    /// Where the values of a sample's row are from: of its own invocation, which in a resumed run need not be
    /// its row's. Format 1 knows its last program and host.
    fn source<'s>(&'s self, row: &'s MeasurementRow, sample: &'s SampleRow) -> Source<'s> {
        let environment = &self.run.environment;
        let invocation = environment.invocation(&sample.invocation);
        let devices = invocation.map_or(&environment.devices, |it| &it.devices);
        Source {
            machine: &self.machine,
            run: &self.name,
            row,
            sample,
            program: invocation.map_or(&environment.program, |it| &it.program),
            host: invocation.map_or(&environment.host, |it| &it.host),
            device: devices.iter().find(|device| device.label == row.device),
            utc: invocation.map_or("", |it| &it.utc),
        }
    }
}

/// The machine of a run: the name of the folder above the run's, as reports name it.
fn machine_of(run: &Run) -> String {
    let path = fs::canonicalize(&run.path).unwrap_or_else(|_| run.path.clone());
    let above = path.parent().and_then(Path::file_name);
    above.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// What a run folder is called.
fn name_of(run: &Run) -> String {
    let path = fs::canonicalize(&run.path).unwrap_or_else(|_| run.path.clone());
    let own = path.file_name();
    own.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
