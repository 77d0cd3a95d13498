use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::results::{CellId, read_table};

/// A contradiction in a run folder, and its location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file or folder.
    pub file: PathBuf,
    /// The line, counted from 1, or `None` if the finding is about the whole file.
    pub line: Option<u64>,
    /// The contradiction.
    pub what: String,
}

impl Finding {
    /// Creates a finding about a whole file or folder.
    pub fn of(file: impl Into<PathBuf>, what: impl Into<String>) -> Finding {
        let (file, line, what) = (file.into(), None, what.into());
        Finding { file, line, what }
    }

    /// Returns the finding with the bare file name, for pages that must not depend on the folder's location.
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

/// A location in a run's files: a cell's row, a sample, an order number, or a line in `facts.csv`.
#[derive(PartialEq, Eq, Hash)]
pub enum Place {
    Row(CellId),
    Sample(CellId, u64),
    Order(u64),
    Fact(u64),
}

pub struct Problem {
    pub place: Place,
    pub what: String,
    /// True if the row at this place loses its numbers.
    pub damages: bool,
}

impl Problem {
    /// Creates a problem in a row. The row loses its numbers.
    pub fn row(cell: &CellId, what: impl Into<String>) -> Problem {
        Problem {
            damages: true,
            ..Problem::beside(Place::Row(cell.clone()), what)
        }
    }

    /// Creates a problem in a sample. The sample's row loses its numbers.
    pub fn sample(cell: &CellId, number: u64, what: &str) -> Problem {
        Problem {
            place: Place::Sample(cell.clone(), number),
            ..Problem::row(cell, format!("sample {number}: {what}"))
        }
    }

    /// Creates a problem that does not affect the numbers of any row.
    pub fn beside(place: Place, what: impl Into<String>) -> Problem {
        Problem {
            place,
            what: what.into(),
            damages: false,
        }
    }
}

/// Converts a run folder's problems to findings. Removes duplicates, and sorts by file and line.
pub fn findings(folder: &Path, problems: Vec<Problem>) -> Vec<Finding> {
    if problems.is_empty() {
        return Vec::new();
    }
    let lines = lines(folder);
    let finding = |Problem { place, what, .. }| {
        let line = lines.get(&place).copied();
        let (file, line, what) = match place {
            Place::Row(cell) => ("measurements.csv", line, format!("{cell}: {what}")),
            Place::Sample(cell, _) => ("samples.csv", line, format!("{cell}: {what}")),
            Place::Order(_) => ("samples.csv", line, what),
            Place::Fact(line) => ("facts.csv", Some(line), what),
        };
        let file = folder.join(file);
        Finding { file, line, what }
    };
    let mut findings: Vec<Finding> = problems.into_iter().map(finding).collect();
    findings.sort();
    findings.dedup();
    findings
}

/// Returns the line numbers of rows and samples, if their files are readable.
fn lines(folder: &Path) -> HashMap<Place, u64> {
    let names = ["case", "technique", "device", "sample", "order"];
    let cell = |[case, technique, device, ..]: [String; 5]| CellId {
        case,
        technique,
        device,
    };
    let rows = records(&folder.join("measurements.csv"), names).into_iter();
    let rows = rows.map(|(line, names)| (Place::Row(cell(names)), line));
    let mut lines: HashMap<Place, u64> = rows.collect();
    for (line, names) in records(&folder.join("samples.csv"), names) {
        if let Ok(order) = names[4].parse() {
            lines.insert(Place::Order(order), line);
        }
        if let Ok(number) = names[3].parse() {
            lines.insert(Place::Sample(cell(names), number), line);
        }
    }
    lines
}

/// Returns the line number and the given columns of each record in a CSV file. The values of missing columns are empty.
pub fn records<const N: usize>(path: &Path, names: [&str; N]) -> Vec<(u64, [String; N])> {
    let bytes = read_table(path).ok().flatten().unwrap_or_default();
    let mut lenient = csv::ReaderBuilder::new();
    let mut reader = lenient.flexible(true).from_reader(&bytes[..]);
    let Ok(header) = reader.headers().cloned() else {
        return Vec::new();
    };
    let places = names.map(|name| header.iter().position(|column| column == name));
    let records = reader.into_records().flatten().map(|record| {
        let line = record.position().map_or(0, csv::Position::line);
        let field = |place: Option<usize>| record.get(place?).map(str::to_owned);
        (line, places.map(|place| field(place).unwrap_or_default()))
    });
    records.collect()
}
