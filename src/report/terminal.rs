//! Tables and lines for a terminal.

use super::data::Index;
use super::number::counted;
use super::paper::shortened;
use super::series::grouped;
use crate::words::Status;

pub(super) const BOLD: &str = "1";
pub(super) const DIM: &str = "2";
pub(super) const RED: &str = "31";
pub(super) const GREEN: &str = "32";
pub(super) const YELLOW: &str = "33";

/// ANSI escapes, where there is colour.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    pub colour: bool,
}

impl Paint {
    pub(super) fn dye(self, code: &str, text: &str) -> String {
        match self.colour && !code.is_empty() && !text.is_empty() {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

/// A text of a table with its colour.
pub(super) type Field = (String, &'static str);

/// A table as texts.
pub(super) struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<Field>>,
}

impl Table {
    /// The table with its head as a row.
    fn lines(&self) -> Vec<Vec<Field>> {
        let head = self.head.iter().map(|name| (name.clone(), DIM)).collect();
        let rows = self.rows.iter().cloned();
        std::iter::once(head).chain(rows).collect()
    }

    pub(super) fn width(&self) -> usize {
        let columns = widths(&self.lines());
        columns.iter().sum::<usize>() + 2 * columns.len().saturating_sub(1)
    }

    /// The lines of the table: one a row where they fit the terminal, else a few short ones.
    pub(super) fn fitted(&self, width: usize, paint: Paint) -> Vec<String> {
        if self.width() <= width {
            let lines = self.lines();
            return laid(&lines, &widths(&lines), &[], paint);
        }
        let narrow = |(column, (text, code)): (usize, &Field)| match column {
            0 => paint.dye(code, &shortened(text, width)),
            _ => {
                let name = format!("  {}: ", self.head[column]);
                let room = width.saturating_sub(length(&name)).max(1);
                paint.dye(DIM, &name) + &paint.dye(code, &shortened(text, room))
            }
        };
        let fields = self.rows.iter().flat_map(|row| row.iter().enumerate());
        let fields = fields.filter(|(_, (text, _))| !text.is_empty());
        fields.map(narrow).collect()
    }
}

/// How wide each column is.
pub(super) fn widths(lines: &[Vec<Field>]) -> Vec<usize> {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let fields = lines.iter().filter_map(|line| line.get(column));
        fields.map(|(text, _)| length(text)).max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

/// Lines of fields, each column so wide; columns named by place are set to the right.
pub(super) fn laid(
    lines: &[Vec<Field>],
    widths: &[usize],
    right: &[usize],
    paint: Paint,
) -> Vec<String> {
    let line = |fields: &Vec<Field>| {
        let padded = fields.iter().zip(widths).enumerate();
        let padded = padded.map(|(column, ((text, code), width))| {
            let blank = " ".repeat(width - length(text));
            match right.contains(&column) {
                true => blank + &paint.dye(code, text),
                false => paint.dye(code, text) + &blank,
            }
        });
        let padded: Vec<String> = padded.collect();
        padded.join("  ").trim_end().to_owned()
    };
    lines.iter().map(line).collect()
}

/// A table as a text without colours, each column as wide as its widest field.
pub(super) fn aligned(table: Vec<Vec<String>>, right: &[usize]) -> String {
    let plain = |line: Vec<String>| line.into_iter().map(|text| (text, "")).collect();
    let lines: Vec<Vec<Field>> = table.into_iter().map(plain).collect();
    laid(&lines, &widths(&lines), right, Paint { colour: false }).join("\n") + "\n"
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// How the cells ended, and one line for each kind of trouble and technique, with the first of its
/// reasons.
pub(super) fn tally(index: &Index<'_>, width: usize, paint: Paint) -> Vec<String> {
    let word = |status: Option<Status>| status.map_or("not measured", Status::word);
    let cells = index.cells().map(|(_, place, row)| {
        let status = row.map(|row| row.status);
        ((status, place), row)
    });
    let mut groups = grouped(cells);
    let counts = groups
        .iter()
        .map(|((status, _), rows)| (word(*status), rows.len()));
    let counts = grouped(counts).into_iter();
    let counts = counts.map(|(word, counts)| format!("{} {word}", counts.iter().sum::<usize>()));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let mut lines: Vec<String> = wrapped(&counts, width).collect();
    groups.retain(|((status, _), _)| *status != Some(Status::Ok));
    groups.sort_by_key(|((status, _), _)| *status);
    for ((status, place), rows) in groups {
        let code = match status {
            None | Some(Status::Skipped | Status::Unsupported | Status::Memory) => DIM,
            _ => RED,
        };
        let (word, technique) = (word(status), place.technique);
        let cells = counted(rows.len(), "cell");
        let mut line = format!("{word}: {technique} ({cells})");
        if let Some(row) = rows[0].filter(|row| !row.reason.is_empty()) {
            line += &format!("; {}: {}", row.case, row.reason);
        }
        lines.push(paint.dye(code, &shortened(&line, width)));
    }
    lines.extend(index.left_out());
    lines
}

/// A text in lines of at most so many characters, broken at blanks; a longer word has a line.
pub(super) fn wrapped(text: &str, width: usize) -> impl Iterator<Item = String> + use<> {
    broken(text, |line| length(line) <= width).into_iter()
}

/// A text in lines that fit, broken at blanks; a word that does not fit has a line.
pub(super) fn broken(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text
        .split([' ', '\n', '\t'])
        .filter(|word| !word.is_empty())
    {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line} {word}")) => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
