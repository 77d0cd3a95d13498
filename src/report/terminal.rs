//! Formats lines and tables for a terminal, and the table at the end of a run, which has one line per case.

use super::analysis::Analysis;
use super::chart::text::broken;
use super::data::{HOST, RunData, grouped, is_device};
use super::format::{self, Unit, shortened};
use super::headline::{Best, rate_text};
use super::known::{Missing, meaning};
use super::page::PAGE;
use super::paper::comparison;
use super::ratios::{self, BEST_CPU, Ratio};
use super::sections::{is_fault, kind_of};
use crate::results::MeasurementRow;
use crate::words::{Status, Task, counted};

pub(super) const BOLD: &str = "1";
pub(super) const DIM: &str = "2";
pub(super) const RED: &str = "31";
pub(super) const GREEN: &str = "32";
pub(super) const YELLOW: &str = "33";

/// A list of lines that fit a width, except for longer words and raw lines.
pub(crate) struct Lines {
    pub width: usize,
    colour: bool,
    lines: Vec<String>,
}

impl Lines {
    pub(crate) fn new(width: usize, colour: bool) -> Self {
        const NARROWEST: usize = 40;
        Lines {
            width: width.max(NARROWEST),
            colour,
            lines: Vec::new(),
        }
    }

    pub(super) fn dye(&self, code: &str, text: &str) -> String {
        match self.colour && !code.is_empty() && !text.is_empty() {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    pub(crate) fn raw(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Adds a paragraph, broken at spaces. Its indentation is kept.
    pub(super) fn say(&mut self, code: &str, text: &str) {
        let (indent, text) = text.split_at(text.len() - text.trim_start().len());
        let most = self.width - indent.len();
        for line in broken(text, |line| length(line) <= most) {
            self.raw(self.dye(code, &format!("{indent}{line}")));
        }
    }

    /// Adds one line per row. If the lines do not fit, the first column has its own lines, and columns are dropped from
    /// the right.
    pub(crate) fn table(&mut self, table: &Table) {
        const INDENT: usize = 4;
        let is_apart = table.width() > self.width;
        let (first, indent) = if is_apart { (1, INDENT) } else { (0, 0) };
        let mut widths = &table.widths[first..];
        while whole(widths) > self.width - indent && widths.len() > 1 {
            widths = &widths[..widths.len() - 1];
        }
        for (at, row) in table.rows.iter().enumerate() {
            if is_apart && at > 0 {
                self.say(row[0].1, &row[0].0);
            }
            let fields = row.iter().enumerate().skip(first).zip(widths);
            let padded = fields.map(|((column, (text, code)), width)| {
                let blank = " ".repeat(width - length(text));
                match table.right.contains(&column) {
                    true => blank + &self.dye(code, text),
                    false => self.dye(code, text) + &blank,
                }
            });
            let padded = padded.collect::<Vec<_>>().join("  ");
            self.raw(" ".repeat(indent) + padded.trim_end());
        }
    }

    pub(crate) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

/// A text with the code of its colour.
pub(crate) type Field = (String, &'static str);

pub(crate) struct Table {
    rows: Vec<Vec<Field>>,
    widths: Vec<usize>,
    right: &'static [usize],
}

impl Table {
    /// Creates a table. `right` has the indices of the right-aligned columns.
    pub(crate) fn new(
        head: &[&str],
        rows: impl IntoIterator<Item = Vec<Field>>,
        right: &'static [usize],
    ) -> Table {
        let head_row = head.iter().map(|name| ((*name).to_owned(), DIM)).collect();
        let rows: Vec<Vec<Field>> = std::iter::once(head_row).chain(rows).collect();
        let width = |column: usize| rows.iter().map(|row| length(&row[column].0)).max();
        Table {
            widths: (0..head.len()).filter_map(width).collect(),
            rows,
            right,
        }
    }

    pub(super) fn width(&self) -> usize {
        whole(&self.widths)
    }
}

fn whole(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Formats the closing table of a run, with the fastest technique per case and device, then the cells by status and one
/// sentence per device. Lines fit `width`, except for longer words and the path.
pub fn closing_summary(analysis: &Analysis, width: usize, colour: bool) -> String {
    let mut out = Lines::new(width, colour);
    let matches = analysis.matches.iter();
    matches.for_each(|own| out.say("", &own.line()));
    of_cases(analysis, &mut out);
    if out.lines.is_empty() {
        out.raw("Nothing was measured yet.");
    }
    out.raw("");
    tally(analysis, &mut out);
    let headlines = analysis.headlines.iter();
    for headline in headlines.filter(|own| is_device(&own.device) && !own.cases.is_empty()) {
        let (device, counts) = (&headline.device, headline.counts());
        let kind = analysis.kind_of(device);
        let text = format!("{device}: our best {kind} technique is {counts}.");
        out.say(BOLD, &text);
    }
    let page = analysis.data.folder.join(PAGE);
    out.raw(format!("report: {}", page.display()));
    out.text()
}

/// Prints the number of cells by status, and one paragraph per reason with its techniques.
fn tally(analysis: &Analysis, out: &mut Lines) {
    /// Maximum number of techniques that a line names.
    const MOST_NAMES: usize = 6;
    const MOST_REASON: usize = 160;
    let word = |status: Option<Status>| status.map_or("not measured", Status::word);
    let cells = analysis.planned().map(|cell| {
        let (status, reason) = match &cell.row {
            Some(row) => (Some(row.status), row.reason.as_str()),
            None => (None, ""),
        };
        (status, (cell.technique.as_str(), reason))
    });
    let mut groups = grouped(cells);
    let counts = groups.iter();
    let counts = counts.map(|(status, cells)| format!("{} {}", cells.len(), word(*status)));
    out.say("", &counts.collect::<Vec<_>>().join(", "));
    groups.retain(|(status, _)| *status != Some(Status::Ok));
    groups.sort_by_key(|(status, _)| *status);
    let groups = groups.into_iter().flat_map(|(status, cells)| {
        let kinds = grouped(cells.into_iter().map(|own| (kind_of(own.1), own)));
        kinds.into_iter().map(move |(_, cells)| (status, cells))
    });
    for (status, cells) in groups {
        let is_fault = status.is_some_and(is_fault);
        let code = if is_fault { RED } else { DIM };
        let mut text = format!("{}: {}", word(status), counted(cells.len(), "cell"));
        let example = cells[0].1;
        if !example.is_empty() {
            let is_alike = cells.iter().all(|(_, reason)| *reason == example);
            let prefix = if is_alike { "" } else { "for example " };
            text += &format!(", {prefix}{}", shortened(example, MOST_REASON));
        }
        let named = grouped(cells).into_iter();
        let named = named.map(|(name, all)| match all.len() {
            1 => name.to_owned(),
            count => format!("{name} ({count})"),
        });
        let named = format::list(&named.collect::<Vec<_>>(), MOST_NAMES);
        out.say(code, &format!("{text}: {named}"));
    }
    let (planned, all) = (analysis.planned().count(), analysis.cells.len());
    if planned < all {
        let left_out = all - planned;
        out.raw(format!("not in this run: {left_out} of {all} cells"));
    }
}

fn of_cases(analysis: &Analysis, out: &mut Lines) {
    // Playouts and choices have a rate instead of a time, because a clock may end a choice.
    let task = analysis.data.experiment.task;
    let rates = Some(task).filter(|task| matches!(task, Task::Playouts | Task::Choose));
    let rate_or_time = if rates.is_some() { "rate" } else { "time" };
    // The headlines for devices come before the headline for the host.
    for headline in &analysis.headlines {
        let is_host = headline.device == HOST;
        let is_shown = !is_host || out.lines.is_empty();
        let bests = headline.bests().filter(|_| is_shown);
        let rows: Vec<Vec<Field>> = bests.map(|best| line(best, rates)).collect();
        if rows.is_empty() {
            continue;
        }
        let heading = match is_host {
            true => "The host's fastest technique in each case",
            false => &headline.device,
        };
        out.say(BOLD, heading);
        let head = ["case", "technique", rate_or_time, "over best CPU"];
        out.table(&Table::new(&head, rows, &[2, 3]));
    }
    let marks = meaning(out.lines.iter().map(String::as_str));
    out.say(DIM, &marks);
}

pub(crate) fn over_best_cpu(data: &RunData, row: &MeasurementRow) -> Ratio {
    ratios::ratio(&ratios::indexed(data), row, BEST_CPU)
}

fn line(best: &Best, rates: Option<Task>) -> Vec<Field> {
    let row = &best.row;
    let time = || row.median_ns.map(|ns| Unit::Time.show(ns as f64));
    let rate = rates.zip(best.rate.as_ref());
    let time = rate.map(|(task, rate)| rate_text(task, rate)).or_else(time);
    let over = match &best.ratios[1].result {
        Ok(known) => comparison(Unit::Plain, known).main,
        // The best CPU program itself, or a user's program, which cannot be a baseline.
        Err(missing) if *missing == Missing::IS_BASELINE => "best CPU".to_owned(),
        Err(missing) => missing.gap.to_owned(),
    };
    let (case, technique) = (format::case(&best.case), row.cell.technique.clone());
    let fields = [case, technique, time.unwrap_or_default(), over];
    fields.map(|text| (text, "")).into()
}
