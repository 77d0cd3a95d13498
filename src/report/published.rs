//! Reads the numbers printed in a paper, from `published/` in the run folder or from `reports/published/`.
//!
//! Each row has one number, in the column `value`. Columns named after an axis or a technique's parameter, and the
//! columns `technique`, `baseline` and `quantity`, identify its cell. `unit` is the unit of a time (`s`, `ms`, `us` or
//! `ns`). Without a unit, times are in ns, and rates are per second. Other columns, such as `note`, are for readers.
//! Lines that begin with `#` are comments. An empty `value` is an empty cell in the paper.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::config::{Experiment, Quantity, TechniqueChoice, TimeUnit};
use crate::words::Case;

pub(crate) const AS_PUBLISHED: &str = "-as-published";
/// Suffixes of variants of a technique: the paper's program, and kernels enqueued by the host.
const IN_PLACE: [&str; 2] = [AS_PUBLISHED, "-by-host"];

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Published {
    /// The number, in the unit that reports use for the quantity.
    pub value: f64,
    pub note: String,
}

/// A technique (`None` for a fact) and its baseline.
type Choices<'a> = [Option<&'a TechniqueChoice>; 2];

#[derive(Clone, Debug)]
pub(crate) struct PublishedTable {
    /// The path shown to readers: `published/reversi/table-2.csv`.
    pub source: String,
    /// True if a column names the quantity.
    tells_quantity: bool,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    /// The values of the other columns, by column name.
    place: BTreeMap<String, String>,
    value: f64,
    is_time: bool,
    note: String,
}

/// Reads a file in the run folder's `published/` or in `reports/published/`. Returns its text, and its path to show.
fn locate(run_folder: &Path, name: &str) -> Option<(Result<String, String>, String)> {
    let own = (run_folder.join("published"), "published");
    let shared = (PathBuf::from("reports/published"), "reports/published");
    let mut places = [own, shared].into_iter();
    let (folder, shown) = places.find(|(folder, _)| folder.join(name).is_file())?;
    let text = crate::words::read_text(&folder.join(name)).map_err(|error| error.to_string());
    Some((text, format!("{shown}/{name}")))
}

/// Parses a file about a paper. Returns `None` if the file is missing or has a fault. Adds the fault to `warnings`.
pub(crate) fn read<T>(
    run_folder: &Path,
    name: &str,
    warnings: &mut Vec<String>,
    parse: impl FnOnce(&str, &str) -> Result<T, String>,
) -> Option<T> {
    let (text, source) = locate(run_folder, name)?;
    let read = text.and_then(|text| parse(&text, &source));
    let read = read.map_err(|error| warnings.push(format!("{source}: {error}")));
    read.ok()
}

pub(crate) fn reader(text: &str) -> csv::Reader<&[u8]> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.comment(Some(b'#')).trim(csv::Trim::All);
    reader.from_reader(text.as_bytes())
}

/// Finds the first number in the tables for a cell. `labels` name the technique (`None` for a fact) and the baseline.
/// If no table has a speedup, computes it from the printed times.
pub(crate) fn find(
    tables: &[PublishedTable],
    experiment: &Experiment,
    quantity: &Quantity,
    labels: [Option<&str>; 2],
    case: &Case,
) -> Option<Published> {
    let choices = labels.map(|label| experiment.choice(label?));
    let printed = |quantity: &Quantity, choices: Choices<'_>| {
        let mut tables = tables.iter();
        tables.find_map(|table| table.row(quantity, choices, case))
    };
    if let Some(row) = printed(quantity, choices) {
        let (value, note) = (row.value, row.note.clone());
        return Some(Published { value, note });
    }
    if *quantity != Quantity::Speedup {
        return None;
    }
    let time = |choice: Option<&TechniqueChoice>| {
        let row = printed(&Quantity::Time, [Some(choice?), None]);
        // Without a unit, the number may mean anything.
        row.filter(|row| row.is_time && row.value > 0.0)
    };
    let [own, base] = choices.map(time);
    let (own, base) = (own?, base?);
    let mut notes = [&own.note, &base.note].map(String::as_str).to_vec();
    notes.retain(|note| !note.is_empty());
    notes.dedup();
    let (value, note) = (base.value / own.value, notes.join("; "));
    // A technique is not compared with itself.
    (!std::ptr::eq(own, base)).then_some(Published { value, note })
}

impl PublishedTable {
    /// Reads a file that a table or chart names. The caller reports an error as a warning.
    pub(crate) fn find(run_folder: &Path, name: &str) -> Result<Self, String> {
        let missing = "neither in the run folder's published/ nor in reports/published/; the paper's numbers are missing \
            from this report";
        let (text, source) =
            locate(run_folder, name).ok_or_else(|| format!("published table {name}: {missing}"))?;
        let wrong = |error| format!("published table {source}: {error}");
        Self::parse(&text.map_err(wrong)?, source.clone()).map_err(wrong)
    }

    pub(crate) fn parse(text: &str, source: String) -> Result<Self, String> {
        let mut reader = reader(text);
        let unread = |error: csv::Error| error.to_string();
        let header = reader.headers().map_err(unread)?.clone();
        let has = |name: &str| header.iter().any(|own| own == name);
        if !has("value") {
            return Err("no column `value`".to_owned());
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(unread)?;
            let line = record.position().map_or(0, csv::Position::line);
            let place = record.deserialize(Some(&header));
            let mut place: BTreeMap<String, String> = place.map_err(unread)?;
            let mut take = |name: &str| place.remove(name).unwrap_or_default();
            let (text, unit, note) = (take("value"), take("unit"), take("note"));
            if text.is_empty() {
                continue;
            }
            place.retain(|_, own| !own.is_empty());
            let unit = match unit.as_str() {
                "" => None,
                word => Some(TimeUnit::parse(word).ok_or_else(|| {
                    let words = TimeUnit::ALL.map(TimeUnit::word).join(", ");
                    format!("line {line}: unit `{word}`; allowed: {words}")
                })?),
            };
            // Scales the number as text, so that 0.00019 s is exactly 190,000 ns.
            let exponent = unit.map_or(String::new(), |unit| format!("e{}", unit.exponent()));
            let value = format!("{text}{exponent}").parse::<f64>().ok();
            let value = value.filter(|value| value.is_finite());
            let why = || format!("line {line}: value `{text}` is not a number");
            rows.push(Row {
                value: value.ok_or_else(why)?,
                place,
                is_time: unit.is_some(),
                note,
            });
        }
        Ok(PublishedTable {
            tells_quantity: has("quantity"),
            source,
            rows,
        })
    }

    /// Finds the row of a cell. Ignores columns that do not apply. Without a quantity, a time counts as a whole time.
    fn row(&self, quantity: &Quantity, choices: Choices<'_>, case: &Case) -> Option<&Row> {
        let [technique, baseline] = choices;
        let is_match = |(column, value): (&String, &String)| match column.as_str() {
            "technique" => technique.is_none_or(|choice| is_named(choice, value)),
            "baseline" => baseline.is_none_or(|choice| is_named(choice, value)),
            "quantity" => quantity.is_called(value),
            name => {
                let own = case.get(name).or_else(|| technique?.params.get(name));
                own.is_none_or(|own| own.to_string() == *value)
            }
        };
        let is_whole = self.tells_quantity || quantity.is_whole_time();
        let mut rows = self.rows.iter().filter(|row| is_whole || !row.is_time);
        rows.find(|row| row.place.iter().all(is_match))
    }
}

/// Returns true if a table's name for a technique is its label, its name, or the name of which it is a variant.
fn is_named(choice: &TechniqueChoice, name: &str) -> bool {
    let technique = choice.technique.as_str();
    let is_variant = |end: &&str| technique.strip_suffix(*end) == Some(name);
    choice.label == name || technique == name || IN_PLACE.iter().any(is_variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_file_is_said_by_line() {
        let refused = |text: &str| PublishedTable::parse(text, "t".into()).unwrap_err();
        let expected = "line 3: value `fast` is not a number";
        assert_eq!(refused("board,value\n8x8,0.1\n16x8,fast\n"), expected);
        let expected = "line 2: unit `min`; allowed: s, ms, us, ns";
        assert_eq!(refused("board,value,unit\n8x8,0.1,min\n"), expected);
        assert_eq!(refused("board,depth\n"), "no column `value`");
    }
}
