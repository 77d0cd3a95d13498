use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ResultsError;

/// A row of a file. A default row gives the names of the columns.
pub(super) trait Columns: Serialize + DeserializeOwned + Default {
    /// For each older version of the file, the number of missing columns at the end.
    const ADDED: &'static [usize] = &[];
}

/// A CSV file that grows by whole lines, one call each. A truncated file is valid up to its last line end.
pub(super) struct CsvFile<Row> {
    path: PathBuf,
    file: File,
    /// Bytes of complete lines.
    length: u64,
    row: PhantomData<fn(&Row)>,
}

impl<Row: Columns> CsvFile<Row> {
    /// Opens or creates the file. Drops an incomplete last line, with a warning. Converts older columns.
    pub(super) fn open(path: PathBuf, warnings: &mut Vec<String>) -> Result<Self, ResultsError> {
        let failed = |what| ResultsError::io(what, &path);
        super::write::refuse_others(&path)?;
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(failed("opened"))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed("read"))?;
        let whole = whole_lines(&bytes);
        if whole.len() < bytes.len() {
            warnings.push(cut_off(&path));
            file.set_len(whole.len() as u64)
                .map_err(failed("repaired"))?;
        }
        let is_old = !whole.is_empty() && !check_header::<Row>(&path, whole)?;
        let old: Vec<Row> = match is_old {
            true => parse(&path, whole, warnings)?,
            false => Vec::new(),
        };
        let mut csv = Self {
            path,
            file,
            length: whole.len() as u64,
            row: PhantomData,
        };
        if csv.length == 0 {
            csv.append_bytes(&header::<Row>())?;
        }
        if is_old {
            csv.replace(&old)?;
        }
        Ok(csv)
    }

    /// Appends rows by a single write, and removes a torn one: the file stays readable when the disk is full.
    pub(super) fn append<'a>(
        &mut self,
        rows: impl IntoIterator<Item = &'a Row>,
    ) -> Result<(), ResultsError>
    where
        Row: 'a,
    {
        let mut bytes = Vec::new();
        for row in rows {
            bytes.extend(line(&self.path, row)?);
        }
        self.append_bytes(&bytes)
    }

    pub(super) fn replace(&mut self, rows: &[Row]) -> Result<(), ResultsError> {
        let bytes = whole(&self.path, rows)?;
        super::write_atomically(&self.path, &bytes)?;
        self.file = OpenOptions::new()
            .append(true)
            .open(&self.path)
            .map_err(ResultsError::io("opened", &self.path))?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    pub(super) fn rows(&self) -> Result<usize, ResultsError> {
        let bytes = std::fs::read(&self.path).map_err(ResultsError::io("read", &self.path))?;
        // A row is a line: `line` ensures that.
        let lines = whole_lines(&bytes).iter().filter(|&&byte| byte == b'\n');
        Ok(lines.count().saturating_sub(1))
    }

    pub(super) fn clear(&mut self) -> Result<bool, ResultsError> {
        let has_rows = self.length > header::<Row>().len() as u64;
        if has_rows {
            self.replace(&[])?;
        }
        Ok(has_rows)
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), ResultsError> {
        if let Err(error) = self.file.write_all(bytes) {
            // Best effort: else the next reader drops the torn line.
            let _ = self.file.set_len(self.length);
            return Err(ResultsError::Io {
                path: self.path.clone(),
                what: "written",
                error,
            });
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// A whole file: header and rows. `path` is for errors.
pub(super) fn whole<Row: Columns>(path: &Path, rows: &[Row]) -> Result<Vec<u8>, ResultsError> {
    let mut bytes = header::<Row>();
    for row in rows {
        bytes.extend(line(path, row)?);
    }
    Ok(bytes)
}

/// Every row of a file; empty without a file. Drops an incomplete last line, with a warning.
pub(super) fn read<Row: Columns>(
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<Row>, ResultsError> {
    let bytes = match crate::words::read_file(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ResultsError::io("read", path)(error)),
    };
    parse(path, &bytes, warnings)
}

fn parse<Row: Columns>(
    path: &Path,
    bytes: &[u8],
    warnings: &mut Vec<String>,
) -> Result<Vec<Row>, ResultsError> {
    let whole = whole_lines(bytes);
    if whole.len() < bytes.len() {
        warnings.push(cut_off(path));
    }
    if whole.is_empty() {
        return Ok(Vec::new());
    }
    check_header::<Row>(path, whole)?;
    csv::Reader::from_reader(whole)
        .into_deserialize()
        .map(|row| row.map_err(|error| damaged(path, &error)))
        .collect()
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|&byte| byte == b'\n');
    &bytes[..last.map_or(0, |last| last + 1)]
}

fn cut_off(path: &Path) -> String {
    format!(
        "{}: the last line was cut off and is dropped",
        path.display()
    )
}

/// True if the file has all columns, false if it has those of an older version.
fn check_header<Row: Columns>(path: &Path, bytes: &[u8]) -> Result<bool, ResultsError> {
    let header = header::<Row>();
    let expected = String::from_utf8_lossy(&header);
    let expected: Vec<&str> = expected.trim_end().split(',').collect();
    let first = first_line(bytes);
    let lacks =
        |added: usize| first == (expected[..expected.len() - added].join(",") + "\n").as_bytes();
    if lacks(0) || Row::ADDED.iter().any(|added| lacks(*added)) {
        return Ok(lacks(0));
    }
    Err(ResultsError::Line {
        path: path.to_owned(),
        line: 1,
        problem: format!(
            "columns of another version; expected {}",
            expected.join(",")
        ),
    })
}

fn first_line(bytes: &[u8]) -> &[u8] {
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines.next().unwrap_or_default()
}

/// Field names are plain words, which CSV does not quote.
fn header<Row: Columns>() -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.serialize(Row::default());
    written.expect("all fields of a row have a CSV form");
    let bytes = writer.into_inner().expect("memory takes every byte");
    first_line(&bytes).to_vec()
}

fn line<Row: Serialize>(path: &Path, row: &Row) -> Result<Vec<u8>, ResultsError> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    writer
        .serialize(row)
        .map_err(|error| damaged(path, &error))?;
    let mut bytes = writer.into_inner().map_err(|error| {
        ResultsError::io("written", path)(std::io::Error::other(error.to_string()))
    })?;
    // Line breaks occur only inside quotes, and at the row's end.
    let end = bytes.len().saturating_sub(1);
    for byte in &mut bytes[..end] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    Ok(bytes)
}

fn damaged(path: &Path, error: &csv::Error) -> ResultsError {
    let problem = match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().map(|field| format!("column {}: ", field + 1));
            format!("{}{}", column.unwrap_or_default(), err.kind())
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("{len} columns where {expected_len} are expected")
        }
        _ => error.to_string(),
    };
    let line = error.position().map_or(0, csv::Position::line);
    ResultsError::Line {
        path: path.to_owned(),
        line,
        problem,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FactRow, SampleRow};
    use super::*;

    /// `/dev/full` takes no byte, as a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_one_clear_line() {
        let mut csv: CsvFile<FactRow> = CsvFile {
            path: "somewhere/facts.csv".into(),
            file: OpenOptions::new().append(true).open("/dev/full").unwrap(),
            length: 0,
            row: PhantomData,
        };
        let fact = FactRow {
            case: String::new(),
            fact: String::new(),
            value: 1.0,
        };
        let error = csv.append([&fact]).unwrap_err().to_string();
        let part = "somewhere/facts.csv: cannot be written: No space";
        assert!(error.starts_with(part), "{error}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(
            mut bytes in prop::collection::vec(any::<u8>(), 0..200), with_header in any::<bool>()
        ) {
            if with_header {
                bytes.splice(0..0, header::<FactRow>());
            }
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("file.csv");
            std::fs::write(&path, &bytes).unwrap();
            let _ = read::<FactRow>(&path, &mut Vec::new());
            let _ = read::<SampleRow>(&path, &mut Vec::new());
            let _ = CsvFile::<FactRow>::open(path, &mut Vec::new());
        }
    }
}
