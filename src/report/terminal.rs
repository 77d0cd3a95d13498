//! Tables and lines for a terminal, and the table at the end of a run: one line per case, with the paper's number.

use super::analysis::{Analysis, CellResult};
use super::block::BlockCell;
use super::chart::text::broken;
use super::data::{HOST, RunData, is_device};
use super::format::{self, Unit, shortened};
use super::headline::{Best, rate_text};
use super::known::{Known, Missing, meaning};
use super::page::PAGE;
use super::paper::comparison;
use super::ratios::{self, BEST_CPU, Ratio};
use super::sections::is_fault;
use super::series::grouped;
use crate::config::Quantity;
use crate::results::MeasurementRow;
use crate::words::{Status, Task, counted};

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

    /// One line per row. In a narrow terminal the second column shrinks; if that is not enough, the first column gets
    /// lines of its own, and columns are dropped from the right.
    pub(super) fn fitted(&self, width: usize, paint: Paint) -> Vec<String> {
        const NARROWEST: usize = 12;
        let mut lines = self.lines();
        let mut most = widths(&lines);
        let over = whole(&most).saturating_sub(width);
        let least = most[1].min(NARROWEST);
        most[1] = most[1].saturating_sub(over).max(least);
        if whole(&most) <= width {
            for line in &mut lines {
                line[1].0 = shortened(&line[1].0, most[1]);
            }
            return laid(&lines, &most, self.right, paint);
        }
        let first: Vec<Field> = lines.iter_mut().map(|line| line.remove(0)).collect();
        let mut most = widths(&lines);
        while whole(&most) > width - INDENT && most.len() > 1 {
            most.pop();
        }
        lines.iter_mut().for_each(|line| line.truncate(most.len()));
        let right: Vec<usize> = self.right.iter().map(|column| column - 1).collect();
        let rest = laid(&lines, &most, &right, paint);
        let rows = first.into_iter().zip(rest).enumerate();
        let rows = rows.flat_map(|(row, ((text, code), rest))| {
            let head = wrapped(&text, width).filter(move |_| row > 0);
            let mut lines: Vec<String> = head.map(|line| paint.dye(code, &line)).collect();
            lines.push(format!("{}{rest}", " ".repeat(INDENT)));
            lines
        });
        rows.collect()
    }
}

const INDENT: usize = 4;

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
    let field = |(column, ((text, code), width)): (usize, (&Field, &usize))| {
        let blank = " ".repeat(width - length(text));
        match right.contains(&column) {
            true => blank + &paint.dye(code, text),
            false => paint.dye(code, text) + &blank,
        }
    };
    let line = |fields: &Vec<Field>| {
        let padded: Vec<String> = fields.iter().zip(widths).enumerate().map(field).collect();
        padded.join("  ").trim_end().to_owned()
    };
    lines.iter().map(line).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The cells by status, and a paragraph per reason with its techniques.
pub(super) fn tally(analysis: &Analysis, width: usize, paint: Paint) -> Vec<String> {
    let word = |status: Option<Status>| status.map_or("not measured", Status::word);
    let status = |cell: &CellResult| cell.row.as_ref().map(|row| row.status);
    let counts = grouped(analysis.planned().map(|cell| (word(status(cell)), ())));
    let count = |(word, cells): (&str, Vec<()>)| format!("{} {word}", cells.len());
    let counts = counts.into_iter().map(count).collect::<Vec<_>>().join(", ");
    let mut lines: Vec<String> = wrapped(&counts, width).collect();
    let cells = analysis.planned();
    let failed = cells.filter(|cell| status(cell) != Some(Status::Ok));
    let mut groups = grouped(failed.map(|cell| {
        let reason = cell.row.as_ref().map_or("", |row| row.reason.as_str());
        ((status(cell), kind_of(reason)), cell)
    }));
    groups.sort_by_key(|((status, _), _)| *status);
    for ((status, kind), cells) in groups {
        let code = if status.is_some_and(is_fault) {
            RED
        } else {
            DIM
        };
        let techniques = grouped(cells.iter().map(|cell| (cell.technique.as_str(), ())));
        let named = techniques.iter().map(|(technique, all)| match all.len() {
            1 => (*technique).to_owned(),
            count => format!("{technique} ({count})"),
        });
        let named = format::list(&named.collect::<Vec<_>>(), MOST_NAMES);
        let mut line = format!("{}: {}", word(status), counted(cells.len(), "cell"));
        if !kind.is_empty() {
            let example = cells[0].row.as_ref().map_or("", |row| row.reason.as_str());
            let mut reasons = cells.iter().filter_map(|cell| cell.row.as_ref());
            let is_alike = reasons.all(|row| row.reason == example);
            let prefix = if is_alike { "" } else { "for example " };
            line += &format!(", {prefix}{}", shortened(example, MOST_REASON));
        }
        let text = format!("{line}: {named}");
        lines.extend(wrapped(&text, width).map(|line| paint.dye(code, &line)));
    }
    let (planned, all) = (analysis.planned().count(), analysis.cells.len());
    let left_out = || format!("not in this run: {} of {all} cells", all - planned);
    lines.extend((planned < all).then(left_out));
    lines
}

/// Techniques that a line names.
const MOST_NAMES: usize = 6;
const MOST_REASON: usize = 160;

/// A reason without its numbers: cells of one kind share a line.
pub(super) fn kind_of(reason: &str) -> String {
    reason.replace(|letter: char| letter.is_ascii_digit() || letter == '.', "")
}

/// Breaks a text at blanks into lines of at most `width` characters; a longer word gets a line.
pub(super) fn wrapped(text: &str, width: usize) -> impl Iterator<Item = String> + use<> {
    broken(text, |line| length(line) <= width).into_iter()
}

/// The last column is a note on the two before it.
const COLUMNS: [&str; 7] = [
    "case",
    "technique",
    "time",
    "over best CPU",
    "paper",
    "ours",
    "",
];

/// The closing table of a run: the fastest technique per case and device, then a sentence per device and the cells by
/// status. Lines fit `width`, except a longer word and the path.
pub fn closing_summary(analysis: &Analysis, width: usize, colour: bool) -> String {
    let paint = Paint { colour };
    let width = width.max(40);
    let mut lines = match analysis.data.experiment.task {
        Task::Match => {
            let lines = analysis.matches.iter();
            lines.flat_map(|own| wrapped(&own.line(), width)).collect()
        }
        _ => of_cases(analysis, width, paint),
    };
    if lines.is_empty() {
        lines.push("Nothing was measured yet.".to_owned());
    }
    lines.push(String::new());
    lines.extend(tally(analysis, width, paint));
    let headlines = analysis.headlines.iter();
    for headline in headlines.filter(|own| is_device(&own.device) && !own.cases.is_empty()) {
        let (device, counts) = (&headline.device, headline.counts());
        let kind = analysis.kind_of(device);
        let text = format!("{device}: our best {kind} technique is {counts}.");
        lines.extend(wrapped(&text, width).map(|line| paint.dye(BOLD, &line)));
    }
    let page = analysis.data.folder.join(PAGE);
    lines.push(format!("report: {}", page.display()));
    lines.join("\n") + "\n"
}

fn of_cases(analysis: &Analysis, width: usize, paint: Paint) -> Vec<String> {
    // The cells of the tables with numbers of the paper.
    let tables = analysis.views.iter().filter(|view| !view.is_chart);
    let blocks = tables.flat_map(|view| &view.blocks);
    let mut printed: Vec<&BlockCell> = blocks.flat_map(|own| own.cells.iter().flatten()).collect();
    printed.retain(|cell| {
        let is_timed = !matches!(cell.quantity, Quantity::Fact(_) | Quantity::Resource(_));
        cell.published.is_some() && is_timed
    });
    let (mut lines, mut quantities) = (Vec::new(), Notes::default());
    // Of random games the rate matters, as a clock may end a choice.
    let task = analysis.data.experiment.task;
    let rates = Some(task).filter(|task| matches!(task, Task::Playouts | Task::Choose));
    // The devices' headlines come before the host's.
    for headline in &analysis.headlines {
        let is_host = headline.device == HOST;
        let bests = headline.cases.iter().filter_map(|(_, best)| best.as_ref());
        let bests = bests.filter(|_| !is_host || lines.is_empty());
        let rows = bests.map(|best| line(&printed, best, rates, &mut quantities));
        let mut rows: Vec<Vec<Field>> = rows.collect();
        if rows.is_empty() {
            continue;
        }
        let mut head = COLUMNS.to_vec();
        if rates.is_some() {
            head[2] = "rate";
        }
        if rows.iter().all(|row| row[6].0.is_empty()) {
            head.truncate(4);
            rows.iter_mut().for_each(|row| row.truncate(4));
        }
        let heading = match is_host {
            true => "The host's fastest technique of each case",
            false => &headline.device,
        };
        lines.push(paint.dye(BOLD, &shortened(heading, width)));
        let right = &[2, 3, 4, 5];
        let table = Table { head, rows, right };
        lines.extend(table.fitted(width, paint));
    }
    let mut below: Vec<String> = quantities.lines().collect();
    let marks = meaning(lines.iter().map(String::as_str));
    below.extend(Some(marks).filter(|text| !text.is_empty()));
    let below = below.iter().flat_map(|line| wrapped(line, width));
    lines.extend(below.map(|line| paint.dye(DIM, &line)));
    lines
}

/// The ratio of a row over the best CPU program.
pub(crate) fn over_best_cpu(data: &RunData, row: &MeasurementRow) -> Ratio {
    ratios::ratio(&ratios::indexed(data), row, BEST_CPU)
}

/// A line of the table. Quantity and technique of the columns `paper` and `ours` go to `quantities`.
fn line(
    printed: &[&BlockCell],
    best: &Best,
    rates: Option<Task>,
    quantities: &mut Notes,
) -> Vec<Field> {
    let (row, ratios) = (&best.row, &best.ratios);
    let shown = |known: &Known, unit: Unit| comparison(unit, known).main;
    let time = || row.median_ns.map(|ns| Unit::Time.show(ns as f64));
    let rate = rates.zip(best.rate.as_ref());
    let time = rate.map(|(task, rate)| rate_text(task, rate)).or_else(time);
    let over = match &ratios[1].result {
        Ok(known) => shown(known, Unit::Plain),
        // The best CPU program itself, or a brought program, which serves as no baseline.
        Err(missing) if *missing == Missing::IS_BASELINE => "best CPU".to_owned(),
        Err(missing) => missing.gap.to_owned(),
    };
    let places = [row.cell.device.as_str(), HOST];
    let mut beside = printed.iter().filter(|cell| cell.case == best.case);
    let beside = beside.find(|cell| places.contains(&cell.device.as_str()));
    let beside = beside.and_then(|cell| Some((cell, cell.published.as_ref()?)));
    let beside = beside.map(|(cell, paper)| {
        let unit = format::unit(&cell.quantity, None);
        let baseline = Some(cell.baseline.as_str()).filter(|name| !name.is_empty());
        let what = format::title(&cell.quantity, baseline);
        let of = quantities.mark(&format!("paper, ours: {what} of {}", cell.technique));
        let ours = cell.figure.as_ref();
        let ours = ours.map_or("–".to_owned(), |known| shown(known, unit));
        [unit.show(paper.value), ours, of]
    });
    let [paper, ours, note] = beside.unwrap_or_default();
    let (case, technique) = (format::case(&best.case), row.cell.technique.clone());
    let time = time.unwrap_or_default();
    let row = [case, technique, time, over, paper, ours, note];
    row.map(|text| (text, "")).into()
}
