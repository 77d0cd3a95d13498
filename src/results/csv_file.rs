use std::borrow::Borrow;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ResultsError;

/// Typical length of a line, in bytes.
const LINE: usize = 512;

/// A row of a file. Its columns are the fields of the struct, including the fields of nested structs.
pub(super) trait Columns: Serialize + DeserializeOwned + Default {}

impl<Row: Serialize + DeserializeOwned + Default> Columns for Row {}

/// A CSV file to which each call appends whole lines. A truncated file is valid up to its last line end.
pub(super) struct CsvFile<Row> {
    path: PathBuf,
    file: File,
    /// Number of bytes in complete lines.
    length: u64,
    row: PhantomData<fn(&Row)>,
}

impl<Row: Columns> CsvFile<Row> {
    /// Opens or creates the file. Drops an incomplete last line, with a warning.
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
        let whole = whole_lines(&path, &bytes, warnings);
        if whole.len() < bytes.len() {
            let cut = file.set_len(whole.len() as u64);
            cut.map_err(failed("repaired"))?;
        }
        check_header::<Row>(&path, whole)?;
        let mut csv = Self {
            path,
            file,
            length: whole.len() as u64,
            row: PhantomData,
        };
        if csv.length == 0 {
            csv.append_bytes(&header::<Row>())?;
        }
        Ok(csv)
    }

    /// Appends rows in a single write. If the disk is full, removes an incomplete line so that the file stays readable.
    pub(super) fn append(
        &mut self,
        rows: impl IntoIterator<Item = impl Borrow<Row>>,
    ) -> Result<(), ResultsError> {
        self.append_bytes(&lines(&self.path, Vec::new(), rows)?)
    }

    pub(super) fn replace(
        &mut self,
        rows: impl IntoIterator<Item = impl Borrow<Row>>,
    ) -> Result<(), ResultsError> {
        let bytes = whole(&self.path, rows)?;
        super::write_atomically(&self.path, &bytes)?;
        self.file = OpenOptions::new()
            .append(true)
            .open(&self.path)
            .map_err(ResultsError::io("opened", &self.path))?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), ResultsError> {
        if let Err(error) = self.file.write_all(bytes) {
            // If this fails, the next reader drops the incomplete line.
            let _ = self.file.set_len(self.length);
            return Err(ResultsError::io("written", &self.path)(error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// Returns the content of a whole file, with header and rows. `path` is used only in error messages.
pub(super) fn whole<Row: Columns>(
    path: &Path,
    rows: impl IntoIterator<Item = impl Borrow<Row>>,
) -> Result<Vec<u8>, ResultsError> {
    lines(path, header::<Row>(), rows)
}

fn lines<Row: Columns>(
    path: &Path,
    mut bytes: Vec<u8>,
    rows: impl IntoIterator<Item = impl Borrow<Row>>,
) -> Result<Vec<u8>, ResultsError> {
    for row in rows {
        bytes.extend(line(path, row.borrow())?);
    }
    Ok(bytes)
}

/// Reads all rows of a file, or none if the file does not exist. Drops an incomplete last line, with a warning.
pub(super) fn read<Row: Columns>(
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<Row>, ResultsError> {
    let bytes = read_bytes(path)?;
    bytes.map_or(Ok(Vec::new()), |bytes| parse(path, &bytes, warnings))
}

/// Reads a file or, if it does not exist, its compressed version (`.gz`). Returns `None` if neither exists.
pub fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, ResultsError> {
    let packed = zipped(path);
    let is_packed = !path.exists() && packed.exists();
    let path = if is_packed { packed.as_path() } else { path };
    let read = crate::words::read_file(path).and_then(|bytes| {
        if !is_packed {
            return Ok(bytes);
        }
        let mut whole = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut whole)?;
        Ok(whole)
    });
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ResultsError::io("read", path)(error)),
    }
}

/// Returns the path of the compressed file, such as `samples.csv.gz` for `samples.csv`.
pub(super) fn zipped(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".gz");
    path.into()
}

fn parse<Row: Columns>(
    path: &Path,
    bytes: &[u8],
    warnings: &mut Vec<String>,
) -> Result<Vec<Row>, ResultsError> {
    let whole = whole_lines(path, bytes, warnings);
    check_header::<Row>(path, whole)?;
    // Ignore the headers when deserialising. Otherwise, structs nested in a row would not read the following fields.
    csv::Reader::from_reader(whole)
        .into_byte_records()
        .map(|record| record.and_then(|it| it.deserialize(None)))
        .map(|row| row.map_err(|error| damaged::<Row>(path, &error)))
        .collect()
}

/// Returns the bytes up to the last line end. Warns if there is an incomplete line after it.
fn whole_lines<'b>(path: &Path, bytes: &'b [u8], warnings: &mut Vec<String>) -> &'b [u8] {
    let last = bytes.iter().rposition(|&byte| byte == b'\n');
    let whole = &bytes[..last.map_or(0, |last| last + 1)];
    if whole.len() < bytes.len() {
        let path = path.display();
        warnings.push(format!("{path}: the last line was cut off and is dropped"));
    }
    whole
}

fn check_header<Row: Columns>(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let header = header::<Row>();
    if bytes.is_empty() || bytes.starts_with(&header) {
        return Ok(());
    }
    let expected = String::from_utf8_lossy(&header);
    let expected = expected.trim_end();
    let problem = format!("columns of another version; expected {expected}");
    Err(ResultsError::line(path, 1, problem))
}

fn header<Row: Columns>() -> Vec<u8> {
    let mut line = columns::<Row>().join(",").into_bytes();
    line.push(b'\n');
    line
}

/// Lists a row's fields in the order of its JSON. A default row has only empty texts, so all quoted words are names.
fn columns<Row: Columns>() -> Vec<String> {
    let json = serde_json::to_string(&Row::default()).expect("every row has a JSON form");
    let parts: Vec<&str> = json.split('"').collect();
    let names = parts.windows(2).filter(|pair| {
        let is_name = pair[1].starts_with(':');
        is_name && !pair[1].starts_with(":{")
    });
    names.map(|pair| pair[0].to_owned()).collect()
}

pub(super) fn line<Row: Columns>(path: &Path, row: &Row) -> Result<Vec<u8>, ResultsError> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .buffer_capacity(LINE)
        .from_writer(Vec::new());
    writer
        .serialize(row)
        .map_err(|error| damaged::<Row>(path, &error))?;
    let written = writer.into_inner();
    let mut bytes = written.map_err(ResultsError::io("written", path))?;
    // Line breaks occur only inside quotes and at the end of the row.
    let end = bytes.len().saturating_sub(1);
    for byte in &mut bytes[..end] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    Ok(bytes)
}

fn damaged<Row: Columns>(path: &Path, error: &csv::Error) -> ResultsError {
    let problem = match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let columns = columns::<Row>();
            let column = err.field().and_then(|field| columns.get(field as usize));
            let column = column.map_or(String::new(), |column| format!("{column}: "));
            format!("{column}{}", err.kind())
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} columns where {expected_len} are expected"),
        _ => error.to_string(),
    };
    let line = error.position().map_or(0, csv::Position::line);
    ResultsError::line(path, line, problem)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FactRow, Sample};
    use super::*;

    /// The device `/dev/full` accepts no bytes, like a full disk.
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
            let _ = read::<Sample>(&path, &mut Vec::new());
            let _ = CsvFile::<FactRow>::open(path, &mut Vec::new());
        }
    }
}
