use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::data::{Place, Problem};
use crate::results::Run;

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
    rows: HashMap<[String; 3], u64>,
    samples: HashMap<(String, u64), u64>,
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
        let names = ["case", "technique", "device"];
        for (line, cell) in records(&folder.join("measurements.csv"), names) {
            lines.rows.insert(cell, line);
        }
        let names = ["key", "sample", "order"];
        for (line, [key, sample, order]) in records(&folder.join("samples.csv"), names) {
            if let Ok(number) = sample.parse() {
                lines.samples.insert((key, number), line);
            }
            if let Ok(order) = order.parse() {
                lines.orders.insert(order, line);
            }
        }
        lines
    }

    /// The finding about a problem of the run.
    pub fn finding(&self, run: &Run, Problem { place, what }: Problem) -> Finding {
        let rows = &run.measurements;
        let sample = |key: &str, number| self.samples.get(&(key.to_owned(), number)).copied();
        let (file, line, what) = match place {
            Place::Row(at) | Place::Beside(at) => {
                let row = &rows[at];
                let cell = [&row.case, &row.technique, &row.device].map(Clone::clone);
                let line = self.rows.get(&cell).copied();
                ("measurements.csv", line, format!("{}: {what}", row.name()))
            }
            Place::Sample(at, number) => {
                let (row, line) = (&rows[at], sample(&rows[at].key, number));
                ("samples.csv", line, format!("{}: {what}", row.name()))
            }
            Place::Loose(at) => {
                let loose = &run.loose[at];
                ("samples.csv", sample(&loose.key, loose.sample), what)
            }
            Place::Order(order) | Place::Gap(order) => {
                ("samples.csv", self.orders.get(&order).copied(), what)
            }
            Place::Fact(line) => ("facts.csv", Some(line), what),
        };
        let file = self.folder.join(file);
        Finding { file, line, what }
    }
}

/// The records of a CSV file with their lines, restricted to some columns; a missing column is empty.
pub fn records<const N: usize>(path: &Path, names: [&str; N]) -> Vec<(u64, [String; N])> {
    let reader = csv::ReaderBuilder::new().flexible(true).from_path(path);
    let Ok(mut reader) = reader else {
        return Vec::new();
    };
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
