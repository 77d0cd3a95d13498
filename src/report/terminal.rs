//! Tables and lines for a terminal.

use super::chart::text::broken;
use super::data::Index;
use super::number::Unit;
use super::paper::{one_line, shortened};
use super::sections::is_fault;
use super::series::grouped;
use crate::results::PeakRow;
use crate::words::{Status, counted};

pub(super) const BOLD: &str = "1";
pub(super) const DIM: &str = "2";
pub(super) const RED: &str = "31";
pub(super) const GREEN: &str = "32";
pub(super) const YELLOW: &str = "33";

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

#[derive(Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// The reference to a note, `[1]`; adds a new note.
    pub(super) fn mark(&mut self, note: &str) -> String {
        let known = self.0.iter().position(|own| own == note);
        let at = known.unwrap_or_else(|| {
            self.0.push(note.to_owned());
            self.0.len() - 1
        });
        format!("[{}]", at + 1)
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let notes = (1..).zip(&self.0);
        notes.map(|(number, note)| format!("[{number}] {note}"))
    }
}

pub(super) type Field = (String, &'static str);

pub(super) struct Table {
    pub head: Vec<&'static str>,
    pub rows: Vec<Vec<Field>>,
    /// Indices of the columns that are set to the right.
    pub right: &'static [usize],
}

impl Table {
    fn lines(&self) -> Vec<Vec<Field>> {
        let head = self.head.iter();
        let head = head.map(|name| ((*name).to_owned(), DIM)).collect();
        let rows = self.rows.iter().cloned();
        std::iter::once(head).chain(rows).collect()
    }

    pub(super) fn width(&self) -> usize {
        whole(&widths(&self.lines()))
    }

    /// One line per row. If the terminal is narrow, the first two columns shrink; then further columns are dropped.
    pub(super) fn fitted(&self, width: usize, paint: Paint) -> Vec<String> {
        let mut lines = self.lines();
        let mut most = widths(&lines);
        for column in [0, 1] {
            let over = whole(&most).saturating_sub(width);
            most[column] = most[column].saturating_sub(over).max(8);
        }
        while whole(&most) > width && most.len() > 2 {
            most.pop();
        }
        for line in &mut lines {
            line.truncate(most.len());
            for ((text, _), most) in line.iter_mut().zip(&most) {
                *text = shortened(text, *most);
            }
        }
        laid(&lines, &most, self.right, paint)
    }
}

fn whole(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

fn widths(lines: &[Vec<Field>]) -> Vec<usize> {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let fields = lines.iter().filter_map(|line| line.get(column));
        fields.map(|(text, _)| length(text)).max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

fn laid(lines: &[Vec<Field>], widths: &[usize], right: &[usize], paint: Paint) -> Vec<String> {
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

/// One device's peaks, one per line: median, 95 % interval and launch, or why there is none.
pub fn peaks_text(rows: &[PeakRow]) -> String {
    let head = ["quantity", "median", "95 % interval", "launch"];
    let plain = |line: [String; 4]| line.map(|text| (text, "")).to_vec();
    let mut lines = vec![plain(head.map(str::to_owned))];
    for row in rows {
        let unit = match row.unit.as_str() {
            "B/s" => Unit::Bandwidth,
            "ns" => Unit::Time,
            _ => Unit::Plain,
        };
        let (value, interval) = match (row.status, row.value) {
            (Status::Ok, Some(value)) => {
                let ends = row.low.zip(row.high);
                let interval = ends.map(|(low, high)| unit.show_interval(low, high));
                (unit.show(value), interval.unwrap_or_default())
            }
            _ => (row.status.word().to_owned(), String::new()),
        };
        let launch = match row.status {
            Status::Ok => format!("{}; {} samples, {}", row.launch, row.samples, row.method),
            _ => one_line(&row.reason),
        };
        lines.push(plain([row.quantity.clone(), value, interval, launch]));
    }
    laid(&lines, &widths(&lines), &[1, 2], Paint { colour: false }).join("\n") + "\n"
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The cells by status, and a line per kind of failure and technique with its first reason.
pub(super) fn tally(index: &Index<'_>, width: usize, paint: Paint) -> Vec<String> {
    let word = |status: Option<Status>| status.map_or("not measured", Status::word);
    let cells = index.cells().map(|(_, place, row)| {
        let status = row.map(|row| row.status);
        ((status, place), row)
    });
    let mut groups = grouped(cells);
    let counts = groups.iter();
    let counts = counts.map(|((status, _), rows)| (word(*status), rows.len()));
    let counts = grouped(counts).into_iter();
    let counts = counts.map(|(word, counts)| format!("{} {word}", counts.iter().sum::<usize>()));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let mut lines: Vec<String> = wrapped(&counts, width).collect();
    groups.retain(|((status, _), _)| *status != Some(Status::Ok));
    groups.sort_by_key(|((status, _), _)| *status);
    for ((status, place), rows) in groups {
        let code = match status.is_some_and(is_fault) {
            true => RED,
            false => DIM,
        };
        let (word, technique) = (word(status), place.technique);
        let cells = counted(rows.len(), "cell");
        let mut line = format!("{word}: {technique} ({cells})");
        if let Some(row) = rows[0].filter(|row| !row.reason.is_empty()) {
            line += &format!("; {}: {}", row.cell.case, row.reason);
        }
        lines.push(paint.dye(code, &shortened(&line, width)));
    }
    lines.extend(index.left_out());
    lines
}

/// Breaks a text at blanks into lines of at most `width` characters; a longer word gets a line.
pub(super) fn wrapped(text: &str, width: usize) -> impl Iterator<Item = String> + use<> {
    broken(text, |line| length(line) <= width).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_unit_and_failures_their_reason() {
        let row = |quantity: &str, unit: &str, status, value: Option<f64>| PeakRow {
            host: String::new(),
            platform: String::new(),
            device: String::new(),
            name: String::new(),
            driver: String::new(),
            quantity: quantity.into(),
            unit: unit.into(),
            status,
            reason: if value.is_none() {
                "lost\nit".into()
            } else {
                String::new()
            },
            value,
            low: value.map(|value| value * 0.99),
            high: value,
            samples: 15,
            sample_ns: Some(1),
            launch: "groups of 64".into(),
            method: "device events".into(),
        };
        let text = peaks_text(&[
            row("copy", "B/s", Status::Ok, Some(167e9)),
            row("upload", "B/s", Status::Ok, Some(25e9)),
            row("launch", "ns", Status::Ok, Some(4_200.0)),
            row("download", "B/s", Status::Crashed, None),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        let part = "copy       167 GB/s    165–167 GB/s  groups of 64; 15";
        assert!(lines[1].starts_with(part), "{text}");
        assert!(lines[2].contains(" 25.0 GB/s  24.8–25.0 GB/s "), "{text}");
        assert!(lines[3].contains(" 4.20 µs "), "{text}");
        let holds = lines[4].contains(" crashed ") && lines[4].ends_with(" lost it");
        assert!(holds, "{text}");
    }
}
