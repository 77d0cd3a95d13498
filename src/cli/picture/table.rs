//! How playouts ended, as the paper's table has it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, anyhow};

use crate::cli::exit::Failure;

/// The end of a playout: each player's cells, red's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Cells.
    pub cells: [u32; 2],
}

impl End {
    fn winner(self) -> &'static str {
        let [red, blue] = self.cells;
        match red.cmp(&blue) {
            std::cmp::Ordering::Greater => "red",
            std::cmp::Ordering::Equal => "nobody",
            std::cmp::Ordering::Less => "blue",
        }
    }
}

/// A published table: the columns `row`, `name` (`red` or `blue`) and `value`, a number of cells each line.
///
/// # Errors
/// Where the file cannot be read, or is no such table: one line with the file and the line.
pub fn read(file: &Path) -> Result<Vec<End>, Failure> {
    let text = crate::words::read_text(file)
        .with_context(|| file.display().to_string())
        .map_err(Failure::files)?;
    parse(&text).map_err(|what| Failure::usage(anyhow!("{}: {what}", file.display())))
}

fn parse(text: &str) -> Result<Vec<End>, String> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let at = |name: &str| {
        let found = header.iter().position(|own| own == name);
        found.ok_or_else(|| format!("no column `{name}`"))
    };
    let [row_at, name_at, value_at] = [at("row")?, at("name")?, at("value")?];
    let mut rows: BTreeMap<u32, [Option<u32>; 2]> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let field = |at: usize| record.get(at).unwrap_or_default();
        let number = |at: usize| {
            let text = field(at);
            let parsed = text.parse::<u32>();
            parsed.map_err(|_| format!("line {line}: `{text}`; a whole number is wanted"))
        };
        let player = match field(name_at) {
            "red" => 0,
            "blue" => 1,
            other => return Err(format!("line {line}: name: `{other}`; allowed: red, blue")),
        };
        rows.entry(number(row_at)?).or_default()[player] = Some(number(value_at)?);
    }
    let ends = rows.into_iter().map(|(row, cells)| match cells {
        [Some(red), Some(blue)] => Ok(End { cells: [red, blue] }),
        _ => Err(format!("row {row}: red and blue are wanted")),
    });
    ends.collect()
}

/// For a terminal.
pub fn plain(ends: &[End]) -> String {
    let mut text = format!("{:>3} {:>5} {:>5}  winner\n", "row", "red", "blue");
    for (row, end) in (1..).zip(ends) {
        let [red, blue] = end.cells;
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{row:>3} {red:>5} {blue:>5}  {}", end.winner());
    }
    text
}

/// A Markdown table, beside the published one where there is one.
pub fn markdown(ends: &[End], published: Option<&[End]>) -> String {
    let mut text = String::from("| row | red | blue | winner |");
    if published.is_some() {
        text.push_str(" published: red | blue | winner |");
    }
    let columns = if published.is_some() { 7 } else { 4 };
    text.push_str("\n|");
    for column in 1..=columns {
        let is_word = column % 4 == 0 || column == 7;
        text.push_str(if is_word { " --- |" } else { " ---: |" });
    }
    text.push('\n');
    let entries = |end: Option<&End>| match end {
        Some(end) => format!(" {} | {} | {} |", end.cells[0], end.cells[1], end.winner()),
        None => " | | |".to_owned(),
    };
    let rows = ends.len().max(published.map_or(0, <[End]>::len));
    for row in 0..rows {
        let _ = write!(text, "| {} |{}", row + 1, entries(ends.get(row)));
        if let Some(published) = published {
            text.push_str(&entries(published.get(row)));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_stands_beside_the_published_one() {
        let published =
            parse("# of the post\nrow,name,value\n2,blue,3\n2,red,4\n1,red,2\n1,blue,5\n");
        let published = published.unwrap();
        assert_eq!(published[0].cells, [2, 5]);
        let own = [End { cells: [3, 3] }];
        let table = markdown(&own, Some(&published));
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[2], "| 1 | 3 | 3 | nobody | 2 | 5 | blue |");
        assert_eq!(lines[3], "| 2 | | | | 4 | 3 | red |");
        assert_eq!(
            markdown(&own, None).lines().last(),
            Some("| 1 | 3 | 3 | nobody |")
        );
        assert!(plain(&own).ends_with("  1     3     3  nobody\n"));
    }

    #[test]
    fn what_is_no_such_table_is_refused_by_its_line() {
        for (text, expected) in [
            ("row,value\n", "no column `name`"),
            (
                "row,name,value\n1,green,2\n",
                "line 2: name: `green`; allowed: red, blue",
            ),
            (
                "row,name,value\n1,red,two\n",
                "line 2: `two`; a whole number is wanted",
            ),
            (
                "row,name,value\n1,red,2\n",
                "row 1: red and blue are wanted",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected);
        }
    }
}
