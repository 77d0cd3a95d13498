//! The numbers that a paper printed, from `published/` of the run folder or `reports/published/`.
//!
//! The files are in long form: a column for each axis, by the axis's name (`technique` and
//! `baseline` are axes too), a column `value` and, where something is to be said about a number,
//! a column `note`. Lines that begin with `#` are comments. A number is in the unit in which this
//! program keeps the quantity: ratios as they are, times in ns, rates a second. An empty `value`
//! is a cell that the paper left empty.

use std::path::{Path, PathBuf};

/// One number of a paper.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Published {
    pub value: f64,
    /// What is odd about it; empty for most.
    pub note: String,
}

/// One published table.
#[derive(Clone, Debug)]
pub(crate) struct PublishedTable {
    /// Where it was found, as a reader may look it up: `published/reversi/table-2.csv`.
    pub source: String,
    columns: Vec<String>,
    rows: Vec<(Vec<String>, Published)>,
}

impl PublishedTable {
    /// Reads the file that a table or chart names: from the run folder's `published/`, or else
    /// from `reports/published/` under the current directory.
    ///
    /// The error is a warning for the report's reader: a report without the paper's numbers is
    /// still a report.
    pub(crate) fn find(run_folder: &Path, name: &str) -> Result<Self, String> {
        let places = [
            (run_folder.join("published"), PathBuf::from("published")),
            (
                PathBuf::from("reports/published"),
                PathBuf::from("reports/published"),
            ),
        ];
        for (folder, shown) in &places {
            let path = folder.join(name);
            if path.is_file() {
                let source = shown.join(name).display().to_string();
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| format!("published table {source}: {error}"))?;
                return Self::parse(&text, source);
            }
        }
        Err(format!(
            "published table {name}: neither in the run folder's published/ nor in \
             reports/published/; the paper's numbers are missing from this report"
        ))
    }

    /// Reads the text of a published table.
    pub(crate) fn parse(text: &str, source: String) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let wrong = |what: String| format!("published table {source}: {what}");
        let header = reader
            .headers()
            .map_err(|error| wrong(error.to_string()))?
            .clone();
        let Some(value_at) = header.iter().position(|name| name == "value") else {
            return Err(wrong("no column `value`".to_owned()));
        };
        let note_at = header.iter().position(|name| name == "note");
        let is_axis = |at: usize| at != value_at && Some(at) != note_at;
        let pick = |record: &csv::StringRecord| -> Vec<String> {
            record
                .iter()
                .enumerate()
                .filter(|(at, _)| is_axis(*at))
                .map(|(_, s)| s.to_owned())
                .collect()
        };
        let columns = pick(&header);
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| wrong(error.to_string()))?;
            let text = record.get(value_at).unwrap_or_default();
            if text.is_empty() {
                continue;
            }
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
            let Some(value) = value else {
                let line = record.position().map_or(0, csv::Position::line);
                return Err(wrong(format!(
                    "line {line}: value `{text}` is not a number"
                )));
            };
            let note = note_at
                .and_then(|at| record.get(at))
                .unwrap_or_default()
                .to_owned();
            rows.push((pick(&record), Published { value, note }));
        }
        Ok(PublishedTable {
            source,
            columns,
            rows,
        })
    }

    /// The paper's number for one cell. `of` tells the cell's place on a column's axis; a column
    /// on which the cell has no place is not compared.
    pub(crate) fn value(&self, of: impl Fn(&str) -> Option<String>) -> Option<&Published> {
        let wanted: Vec<_> = self.columns.iter().map(|column| of(column)).collect();
        self.rows
            .iter()
            .find(|(row, _)| {
                row.iter().zip(&wanted).all(|(own, wanted)| {
                    wanted
                        .as_ref()
                        .is_none_or(|wanted| own == wanted || own.is_empty())
                })
            })
            .map(|(_, published)| published)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# Table 2\nboard,depth,value,note\n8x8,1,0.136,\n8x8,2,,\n16x8,1,0.246,odd\n";

    fn at(board: &'static str, depth: &'static str) -> impl Fn(&str) -> Option<String> {
        move |axis| match axis {
            "board" => Some(board.to_owned()),
            "depth" => Some(depth.to_owned()),
            _ => None,
        }
    }

    #[test]
    fn a_number_is_found_by_its_axes() {
        let table = PublishedTable::parse(TEXT, "t".into()).unwrap();
        assert_eq!(table.value(at("8x8", "1")).unwrap().value, 0.136);
        assert_eq!(table.value(at("16x8", "1")).unwrap().note, "odd");
        assert_eq!(table.value(at("8x8", "2")), None);
        assert_eq!(table.value(at("8x8", "3")), None);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_by_line() {
        let error =
            PublishedTable::parse("board,value\n8x8,0.1\n16x8,fast\n", "t".into()).unwrap_err();
        assert_eq!(
            error,
            "published table t: line 3: value `fast` is not a number"
        );
        let error = PublishedTable::parse("board,depth\n", "t".into()).unwrap_err();
        assert_eq!(error, "published table t: no column `value`");
    }
}
