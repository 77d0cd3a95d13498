use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::results::MeasurementRow;

/// Something that does not agree, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file or folder.
    pub file: PathBuf,
    /// The line, counted from 1; `None` where it is of the whole file.
    pub line: Option<u64>,
    /// What is wrong there.
    pub what: String,
}

impl Finding {
    /// A finding about a whole file or folder.
    pub fn of(file: impl Into<PathBuf>, what: impl Into<String>) -> Finding {
        let (file, what) = (file.into(), what.into());
        let line = None;
        Finding { file, line, what }
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

/// A line of `samples.csv`, as far as its place in the file is concerned.
#[derive(Clone, Debug)]
pub struct SampleLine {
    pub line: u64,
    pub key: String,
    pub order: u64,
}

/// Where the rows and samples of a run folder stand in their files.
pub struct Lines {
    measurements: PathBuf,
    samples: PathBuf,
    rows: HashMap<[String; 3], u64>,
    numbers: HashMap<(String, u64), u64>,
    /// Every line of `samples.csv`, also of samples that readers pass over.
    pub every: Vec<SampleLine>,
}

impl Lines {
    /// Reads both files as far as they can be read.
    pub fn of(folder: &Path) -> Lines {
        let mut lines = Lines {
            measurements: folder.join("measurements.csv"),
            samples: folder.join("samples.csv"),
            rows: HashMap::new(),
            numbers: HashMap::new(),
            every: Vec::new(),
        };
        for (line, [case, technique, device]) in
            records(&lines.measurements, ["case", "technique", "device"])
        {
            lines.rows.insert([case, technique, device], line);
        }
        for (line, [key, sample, order]) in records(&lines.samples, ["key", "sample", "order"]) {
            if let Ok(number) = sample.parse() {
                lines.numbers.insert((key.clone(), number), line);
            }
            let order = order.parse().unwrap_or(u64::MAX);
            lines.every.push(SampleLine { line, key, order });
        }
        lines
    }

    /// A finding about a row.
    pub fn row(&self, row: &MeasurementRow, what: impl fmt::Display) -> Finding {
        let MeasurementRow {
            case,
            technique,
            device,
            ..
        } = row;
        let names = [case, technique, device].map(Clone::clone);
        Finding {
            file: self.measurements.clone(),
            line: self.rows.get(&names).copied(),
            what: format!("{case} {technique} on {device}: {what}"),
        }
    }

    /// A finding about a sample of a cell.
    pub fn sample(&self, key: &str, number: u64, what: impl fmt::Display) -> Finding {
        let line = self.numbers.get(&(key.to_owned(), number)).copied();
        self.at_sample(line, what)
    }

    /// A finding about a line of `samples.csv`.
    pub fn at_sample(&self, line: Option<u64>, what: impl fmt::Display) -> Finding {
        Finding {
            file: self.samples.clone(),
            line,
            what: what.to_string(),
        }
    }
}

/// The records of a CSV file with their lines, some columns of each; a column that the file lacks is empty.
fn records<const N: usize>(path: &Path, names: [&str; N]) -> Vec<(u64, [String; N])> {
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
