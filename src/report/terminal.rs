//! Tables and lines for a terminal.

use super::data::{Index, Place};
use super::paper::shortened;
use crate::results::MeasurementRow;
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
        if self.colour && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// A table as texts, with a colour each.
pub(super) struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<(String, &'static str)>>,
}

impl Table {
    fn columns(&self) -> Vec<usize> {
        let longest = |column: usize| {
            let cells = self.rows.iter().map(|row| length(&row[column].0));
            cells
                .chain(std::iter::once(length(&self.head[column])))
                .max()
                .unwrap_or(0)
        };
        (0..self.head.len()).map(longest).collect()
    }

    pub(super) fn width(&self) -> usize {
        let columns = self.columns();
        columns.iter().sum::<usize>() + 2 * columns.len().saturating_sub(1)
    }

    /// The lines of the table: one a row where they fit the terminal, else a few.
    pub(super) fn fitted(&self, width: usize, paint: Paint) -> Vec<String> {
        if self.width() <= width {
            self.wide(paint)
        } else {
            self.narrow(width, paint)
        }
    }

    /// One line a row.
    fn wide(&self, paint: Paint) -> Vec<String> {
        let columns = self.columns();
        let line = |cells: Vec<(&str, &str)>| {
            let padded: Vec<String> = cells
                .iter()
                .zip(&columns)
                .map(|((text, code), width)| {
                    paint.dye(code, text) + &" ".repeat(width - length(text))
                })
                .collect();
            padded.join("  ").trim_end().to_owned()
        };
        let mut lines = vec![line(
            self.head.iter().map(|name| (name.as_str(), DIM)).collect(),
        )];
        lines.extend(self.rows.iter().map(|row| {
            line(
                row.iter()
                    .map(|(text, code)| (text.as_str(), *code))
                    .collect(),
            )
        }));
        lines
    }

    /// A few short lines a row, for a terminal that the table does not fit.
    fn narrow(&self, width: usize, paint: Paint) -> Vec<String> {
        let mut lines = Vec::new();
        for row in &self.rows {
            for (column, (text, code)) in row
                .iter()
                .enumerate()
                .filter(|(_, (text, _))| !text.is_empty())
            {
                lines.push(match column {
                    0 => paint.dye(code, &shortened(text, width)),
                    _ => {
                        let name = format!("  {}: ", self.head[column]);
                        let room = width.saturating_sub(length(&name)).max(1);
                        paint.dye(DIM, &name) + &paint.dye(code, &shortened(text, room))
                    }
                });
            }
        }
        lines
    }
}

/// Lines of fields, each column as wide as its widest; columns named by place are set to the right.
pub(super) fn aligned(table: &[Vec<String>], right: &[usize]) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let fields = table.iter().filter_map(|line| line.get(column));
        fields.map(|field| length(field)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |fields: &Vec<String>| {
        let padded = fields.iter().zip(&widths).enumerate();
        let padded = padded.map(|(column, (field, width))| match right.contains(&column) {
            true => format!("{field:>width$}"),
            false => format!("{field:width$}"),
        });
        let padded: Vec<String> = padded.collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    table.iter().map(line).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// How the cells ended, and one line for each kind of trouble and technique, with the first of its
/// reasons.
pub(super) fn tally(index: &Index<'_>, width: usize, paint: Paint) -> Vec<String> {
    struct Trouble<'a> {
        status: Option<Status>,
        place: Place<'a>,
        cells: usize,
        first: Option<&'a MeasurementRow>,
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut troubles: Vec<Trouble<'_>> = Vec::new();
    for (_, place, row) in index.cells() {
        let status = row.map(|row| row.status);
        let word = status.map_or("not measured", Status::word);
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
        if status == Some(Status::Ok) {
            continue;
        }
        match troubles
            .iter_mut()
            .find(|known| known.status == status && known.place == place)
        {
            Some(known) => known.cells += 1,
            None => troubles.push(Trouble {
                status,
                place,
                cells: 1,
                first: row,
            }),
        }
    }
    troubles.sort_by_key(|trouble| trouble.status);
    let mut lines = vec![String::new()];
    for (word, count) in counts {
        let part = format!("{count} {word}");
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = part,
            Some(line) if length(line) + 2 + length(&part) <= width => {
                line.push_str(", ");
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    for trouble in troubles {
        let code = match trouble.status {
            None | Some(Status::Skipped | Status::Unsupported | Status::Memory) => DIM,
            _ => RED,
        };
        let word = trouble.status.map_or("not measured", Status::word);
        let cells = if trouble.cells == 1 { "cell" } else { "cells" };
        let mut line = format!(
            "{word}: {} ({} {cells})",
            trouble.place.technique, trouble.cells
        );
        if let Some(row) = trouble.first.filter(|row| !row.reason.is_empty()) {
            line += &format!("; {}: {}", row.case, row.reason);
        }
        lines.push(paint.dye(code, &shortened(&line, width)));
    }
    lines.extend(index.left_out());
    lines
}

/// A text in lines of at most so many characters, broken at blanks; a longer word has a line.
pub(super) fn wrapped(text: &str, width: usize) -> impl Iterator<Item = String> + use<> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter()
}
