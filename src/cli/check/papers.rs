//! Compares a run folder's copies of papers' numbers with `reports/published`, as far as both have a number.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::check::Finding;
use crate::words::read_text;

const ORIGINALS: &str = "reports/published";

pub fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.is_dir())
}

/// What a folder holds, in the order of the names.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Checks the copies in a folder at or below `root`, a run folder's `published`.
pub fn check(root: &Path, folder: &Path, findings: &mut Vec<Finding>) {
    for path in entries(folder) {
        if is_folder(&path) {
            check(root, &path, findings);
            continue;
        }
        let original = Path::new(ORIGINALS).join(path.strip_prefix(root).unwrap_or(&path));
        let (Ok(own), Ok(theirs)) = (read_text(&path), read_text(&original)) else {
            continue;
        };
        let differing = match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => of_tables(&own, &theirs),
            Some("toml") => of_claims(&own, &theirs),
            _ => Vec::new(),
        };
        let shown = original.display();
        findings.extend(differing.into_iter().map(|(line, what)| Finding {
            file: path.clone(),
            line,
            what: format!("{what} in {shown}"),
        }));
    }
}

type Differing = Vec<(Option<u64>, String)>;

fn of_tables(own: &str, theirs: &str) -> Differing {
    let (Some(own), Some(theirs)) = (Table::read(own), Table::read(theirs)) else {
        let what = "is not a table, unlike the file of that name";
        return vec![(None, what.to_owned())];
    };
    let is_place = |name: &&String| !["value", "note"].contains(&name.as_str());
    let common = own.head.iter().filter(is_place);
    let common: Vec<&String> = common.filter(|name| theirs.head.contains(name)).collect();
    let mut known: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
    for (_, row) in &theirs.rows {
        let values = known.entry(theirs.place(row, &common)).or_default();
        values.insert(theirs.field(row, "value"));
    }
    let mut differing = Vec::new();
    for (line, row) in &own.rows {
        let (place, value) = (own.place(row, &common), own.field(row, "value"));
        if let Some(values) = known.get(&place).filter(|values| !values.contains(value)) {
            let values: Vec<&str> = values.iter().copied().collect();
            let what = format!("value is {value:?}, and {:?}", values.join(", "));
            differing.push((Some(*line), what));
        }
    }
    differing
}

struct Table {
    head: Vec<String>,
    rows: Vec<(u64, csv::StringRecord)>,
}

impl Table {
    fn read(text: &str) -> Option<Table> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let head = reader.headers().ok()?.iter().map(str::to_owned).collect();
        let rows: Result<Vec<_>, csv::Error> = reader.records().collect();
        let line = |row: &csv::StringRecord| row.position().map_or(0, csv::Position::line);
        let rows = rows.ok()?.into_iter().map(|row| (line(&row), row));
        Some(Table {
            head,
            rows: rows.collect(),
        })
    }

    fn field<'r>(&self, row: &'r csv::StringRecord, name: &str) -> &'r str {
        let at = self.head.iter().position(|own| own == name);
        at.and_then(|at| row.get(at)).unwrap_or_default()
    }

    /// The key of a row. A paper's technique may have been renamed since.
    fn place<'r>(&self, row: &'r csv::StringRecord, columns: &[&String]) -> Vec<&'r str> {
        let fields = columns.iter().map(|name| self.field(row, name));
        fields
            .map(|field| field.strip_suffix("-as-published").unwrap_or(field))
            .collect()
    }
}

fn of_claims(own: &str, theirs: &str) -> Differing {
    let claims = |text: &str| {
        let table = text.parse::<toml::Table>().unwrap_or_default();
        table.get("claim").and_then(|it| it.as_array()).cloned()
    };
    let theirs = claims(theirs).unwrap_or_default();
    let mut differing = Vec::new();
    for claim in claims(own).unwrap_or_default() {
        let Some(twin) = theirs.iter().find(|it| it.get("id") == claim.get("id")) else {
            continue;
        };
        for key in ["value", "within", "at"] {
            if let (Some(own), Some(other)) = (claim.get(key), twin.get(key))
                && claim.get("test") == twin.get("test")
                && own != other
            {
                let id = claim.get("id").and_then(toml::Value::as_str);
                let id = id.unwrap_or_default();
                differing.push((None, format!("{key} of {id} is {own}, and {other}")));
            }
        }
    }
    differing
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# Table 2\nboard,depth,value,note\n8x8,1,0.136,\n8x8,2,0.217,odd\n";

    #[test]
    fn an_edited_number_is_found_and_more_rows_are_none() {
        assert!(of_tables(TABLE, TABLE).is_empty());
        let more = format!("{TABLE}8x8,3,0.444,\n");
        let holds = of_tables(TABLE, &more).is_empty();
        assert!(holds, "the published file gains rows");
        let column = TABLE
            .replace("board,", "quantity,board,")
            .replace("8x8", "speedup,8x8");
        assert!(of_tables(TABLE, &column).is_empty(), "and columns");
        let edited = of_tables(&TABLE.replace("0.217", "0.317"), TABLE);
        let said = "value is \"0.317\", and \"0.217\"".to_owned();
        assert_eq!(edited, [(Some(4), said)]);
        // The technique has another name in the published file.
        let own = "technique,value\nnaive,3\n";
        assert!(of_tables(own, "technique,value\nnaive-as-published,3\n").is_empty());
        let found = of_tables(own, "technique,value\nnaive-as-published,4\n").len();
        assert_eq!(found, 1);
    }

    #[test]
    fn an_edited_claim_is_found_and_a_new_wording_is_none() {
        let claim = |text: &str, value: f64| {
            format!(
                "[[claim]]\nid = \"a\"\ntext = \"{text}\"\ntest = \"above\"\nvalue = {value:?}\n"
            )
        };
        assert!(of_claims(&claim("x", 1.0), &claim("y", 1.0)).is_empty());
        let edited = of_claims(&claim("x", 2.0), &claim("x", 1.0));
        assert_eq!(edited, [(None, "value of a is 2.0, and 1.0".to_owned())]);
    }
}
