use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::data::{Place, Problem};
use crate::results::{CellId, Run, read_table};

/// A contradiction and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file or folder.
    pub file: PathBuf,
    /// The line, counted from 1; `None` if it is about the whole file.
    pub line: Option<u64>,
    /// The contradiction.
    pub what: String,
}

impl Finding {
    /// A finding about a whole file or folder.
    pub fn of(file: impl Into<PathBuf>, what: impl Into<String>) -> Finding {
        let (file, what) = (file.into(), what.into());
        let line = None;
        Finding { file, line, what }
    }

    /// With the bare file name, for pages that must not depend on the folder's place.
    pub fn within(&self) -> Finding {
        Finding {
            file: self.file.file_name().map_or_else(PathBuf::new, Into::into),
            ..self.clone()
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.what)
    }
}

pub struct Lines {
    folder: PathBuf,
    rows: HashMap<CellId, u64>,
    samples: HashMap<(CellId, u64), u64>,
    orders: HashMap<u64, u64>,
}

impl Lines {
    /// Reads as much of both files as is readable.
    pub fn of(folder: &Path) -> Lines {
        let mut lines = Lines {
            folder: folder.to_owned(),
            rows: HashMap::new(),
            samples: HashMap::new(),
            orders: HashMap::new(),
        };
        let names = ["case", "technique", "device", "sample", "order"];
        let cell = |[case, technique, device, ..]: [String; 5]| CellId {
            case,
            technique,
            device,
        };
        for (line, names) in records(&folder.join("measurements.csv"), names) {
            lines.rows.insert(cell(names), line);
        }
        for (line, names) in records(&folder.join("samples.csv"), names) {
            if let Ok(order) = names[4].parse() {
                lines.orders.insert(order, line);
            }
            if let Ok(number) = names[3].parse() {
                lines.samples.insert((cell(names), number), line);
            }
        }
        lines
    }

    /// The finding about a problem of the run.
    pub fn finding(&self, run: &Run, Problem { place, what }: Problem) -> Finding {
        let sample = |cell: &CellId, number| self.samples.get(&(cell.clone(), number)).copied();
        let of_row = |cell: &CellId| {
            let line = self.rows.get(cell).copied();
            ("measurements.csv", line, format!("{cell}: {what}"))
        };
        let (file, line, what) = match place {
            Place::Row(at) | Place::Beside(at) => of_row(&run.measurements[at].cell),
            Place::Pending(at) => of_row(&run.pending[at].cell),
            Place::Sample(at, number) => {
                let cell = &run.measurements[at].cell;
                let line = sample(cell, number);
                ("samples.csv", line, format!("{cell}: {what}"))
            }
            Place::Loose(cell, number) => ("samples.csv", sample(&cell, number), what),
            Place::Order(order) => ("samples.csv", self.orders.get(&order).copied(), what),
            Place::Fact(line) => ("facts.csv", Some(line), what),
        };
        let file = self.folder.join(file);
        Finding { file, line, what }
    }
}

/// The records of a CSV file with their lines, restricted to some columns; a missing column is empty.
pub fn records<const N: usize>(path: &Path, names: [&str; N]) -> Vec<(u64, [String; N])> {
    let bytes = read_table(path).ok().flatten().unwrap_or_default();
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(&bytes[..]);
    let Ok(header) = reader.headers().cloned() else {
        return Vec::new();
    };
    let places = names.map(|name| header.iter().position(|column| column == name));
    let records = reader.into_records().filter_map(Result::ok);
    records
        .map(|record| {
            let line = record.position().map_or(0, csv::Position::line);
            let field = |place: Option<usize>| place.and_then(|at| record.get(at));
            let texts = places.map(|place| field(place).unwrap_or_default().to_owned());
            (line, texts)
        })
        .collect()
}
