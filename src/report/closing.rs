//! The table at the end of a run: a line a case, with what the paper printed for it.

use super::block::{self, BlockCell};
use super::data::{HOST, Index, RunData};
use super::figure::{self, Figure};
use super::known::{Known, Missing};
use super::number::Unit;
use super::page::PAGE;
use super::paper::shortened;
use super::passes::{DAGGER, FEW};
use super::ratios::BEST_CPU;
use super::terminal::{BOLD, DIM, Paint, tally, wrapped};
use super::{matches, naming};
use crate::config::{Quantity, TechniqueChoice};
use crate::results::MeasurementRow;
use crate::stats;
use crate::words::{Case, Status, Task};

/// Most characters of a column, and whether its texts end at the right.
const COLUMNS: [(&str, usize, bool); 7] = [
    ("case", 26, false),
    ("technique", 16, false),
    ("time", 8, true),
    ("over best CPU", 8, true),
    ("paper", 8, true),
    ("ours", 8, true),
    ("", 4, false),
];

/// The closing table of a run: for each device and case the fastest technique, its time, its ratio over the best
/// CPU program, and where the paper has a number for it, that number with ours of the same quantity and technique, which stand below; then what is
/// missing and why, and where the report is. Lines are at most `width` characters long (but for the path).
pub fn closing_summary(data: &RunData, width: usize, colour: bool) -> String {
    let index = Index::new(data);
    let paint = Paint { colour };
    let width = width.max(40);
    let mut lines = match data.experiment.task {
        Task::Match => matches::lines(&index),
        _ => of_cases(&index, width, paint),
    };
    if lines.is_empty() {
        lines.push("Nothing was measured yet.".to_owned());
    }
    lines.push(String::new());
    lines.extend(tally(&index, width, paint));
    lines.push(format!("report: {}", data.folder.join(PAGE).display()));
    lines.join("\n") + "\n"
}

/// A line a case for each device.
fn of_cases(index: &Index<'_>, width: usize, paint: Paint) -> Vec<String> {
    let data = index.data;
    let printed = printed(index);
    let has_answer = |device: &&str| {
        let mut cases = data.experiment.cases.iter();
        cases.any(|case| fastest(index, case, device).is_some())
    };
    let mut devices: Vec<&str> = index.devices().to_vec();
    devices.retain(|device| has_answer(device));
    if devices.is_empty() {
        devices.push(HOST);
    }
    let mut lines = Vec::new();
    let mut quantities: Vec<String> = Vec::new();
    let mut has_few = false;
    for device in devices {
        let rows = data.experiment.cases.iter().filter_map(|case| {
            let row = fastest(index, case, device)?;
            Some(line(index, &printed, case, row))
        });
        let mut rows: Vec<Line> = rows.collect();
        if rows.is_empty() {
            continue;
        }
        for row in &mut rows {
            if let Some(quantity) = &row.quantity {
                let known = quantities.iter().position(|own| own == quantity);
                let at = known.unwrap_or_else(|| {
                    quantities.push(quantity.clone());
                    quantities.len() - 1
                });
                row.texts[6] = format!("[{}]", at + 1);
            }
        }
        let heading = match device {
            HOST => "The host's fastest technique of each case",
            device => device,
        };
        lines.push(paint.dye(BOLD, &shortened(heading, width)));
        lines.extend(fitted(&rows, width, paint));
        has_few |= rows
            .iter()
            .any(|row| row.texts.iter().any(|text| text.ends_with(DAGGER)));
    }
    for (at, quantity) in quantities.iter().enumerate() {
        let what = format!("[{}] paper, ours: {quantity}", at + 1);
        lines.extend(wrapped(&what, width).map(|line| paint.dye(DIM, &line)));
    }
    if has_few {
        lines.extend(wrapped(FEW, width).map(|line| paint.dye(DIM, &line)));
    }
    lines
}

/// A cell's ratio over the best CPU program.
#[derive(Clone, Debug, PartialEq)]
pub struct OverBestCpu {
    /// The fastest technique of the host that answers the same question; empty where there is none.
    pub technique: String,
    /// How many threads it used.
    pub threads: u64,
    /// The ratio, or one word why there is none: `unclear`, `not measured together`.
    pub ratio: Result<f64, &'static str>,
    /// Its 95 % interval; `None` where the passes are too few for one.
    pub interval: Option<(f64, f64)>,
    /// Whether it is of so few passes or samples that it is marked.
    pub is_few: bool,
}

/// The ratio of a cell of a run over the best CPU program, as the run's report has it.
pub fn over_best_cpu(data: &RunData, row: &MeasurementRow) -> OverBestCpu {
    let index = Index::new(data);
    let ratio = figure::ratio(&index, row, BEST_CPU);
    OverBestCpu {
        is_few: matches!(&ratio.result, Ok(known) if known.few.is_some()),
        interval: match &ratio.result {
            Ok(known) => known.interval,
            Err(missing) => missing.interval,
        },
        ratio: ratio
            .result
            .map(|known| known.value)
            .map_err(|missing| missing.status),
        technique: ratio.baseline,
        threads: ratio.threads,
    }
}

/// A line of the table, and of which quantity and technique its columns `paper` and `ours` are.
struct Line {
    texts: [String; 7],
    quantity: Option<String>,
}

/// The fastest technique of a case on a device, by what its work costs.
fn fastest<'a>(index: &Index<'a>, case: &Case, device: &str) -> Option<&'a MeasurementRow> {
    let case = case.to_string();
    let rows = index.data.measurements.iter();
    let choice = |row: &MeasurementRow| index.data.experiment.choice(&row.technique);
    let own = rows
        .filter(|row| row.case == case && row.device == device && row.status == Status::Ok)
        .filter(|row| choice(row).is_none_or(TechniqueChoice::has_our_rules));
    own.min_by_key(|row| stats::median(&index.costs(row)).unwrap_or(u64::MAX))
}

/// The cells of the experiment's tables that the paper has a number for.
fn printed(index: &Index<'_>) -> Vec<BlockCell> {
    // What is wrong with a published table is said in the report.
    let mut unsaid = Vec::new();
    let tables = index.data.experiment.tables.iter();
    let blocks = tables.flat_map(|table| block::blocks(index, &table.into(), &mut unsaid));
    let cells = blocks.flat_map(|block| block.cells.into_iter().flatten());
    let is_timed =
        |cell: &BlockCell| !matches!(cell.quantity, Quantity::Fact(_) | Quantity::Resource(_));
    cells
        .filter(|cell| cell.published.is_some() && is_timed(cell))
        .collect()
}

fn line(index: &Index<'_>, printed: &[BlockCell], case: &Case, row: &MeasurementRow) -> Line {
    let shown = |known: &Known, unit: Unit| {
        let few = if known.few.is_some() { DAGGER } else { "" };
        format!("{}{few}", unit.show(known.value))
    };
    let time = row.median_ns.map(|ns| Unit::Time.show(ns as f64));
    let over = match figure::ratio(index, row, BEST_CPU).result {
        Ok(known) => shown(&known, Unit::Plain),
        // Itself: also a program that an experiment brings, which is no baseline.
        Err(missing) if missing == Missing::is_baseline() => "best CPU".to_owned(),
        Err(missing) => missing.status.to_owned(),
    };
    let mut texts: [String; 7] = Default::default();
    texts[0] = case.to_string();
    texts[1].clone_from(&row.technique);
    texts[2] = time.unwrap_or_default();
    texts[3] = over;
    let places = [row.device.as_str(), HOST];
    let mut printed = printed.iter();
    let beside = printed.find(|cell| cell.case == *case && places.contains(&cell.device.as_str()));
    let mut quantity = None;
    if let Some(cell) = beside
        && let Some(paper) = &cell.published
    {
        let unit = naming::unit(&cell.quantity, None);
        texts[4] = unit.show(paper.value);
        texts[5] = match &cell.figure {
            Figure::Known(known) => shown(known, unit),
            // The report says why.
            Figure::Missing(_) => "–".to_owned(),
        };
        let baseline = Some(cell.baseline.as_str()).filter(|name| !name.is_empty());
        let what = naming::title(&cell.quantity, baseline);
        quantity = Some(format!("{what} of {}", cell.technique));
    }
    Line { texts, quantity }
}

/// The table, each line within the width: columns give way from the left, a case and a technique first.
fn fitted(rows: &[Line], width: usize, paint: Paint) -> Vec<String> {
    let has_paper = rows.iter().any(|row| row.quantity.is_some());
    let shown = if has_paper { 7 } else { 4 };
    let length = |text: &str| text.chars().count();
    let mut widths: Vec<usize> = (0..shown)
        .map(|column| {
            let (head, most, _) = COLUMNS[column];
            let own = rows
                .iter()
                .map(|row| length(&row.texts[column]))
                .max()
                .unwrap_or(0);
            own.min(most).max(length(head))
        })
        .collect();
    for column in [0, 1] {
        let whole: usize = widths.iter().sum::<usize>() + 2 * (shown - 1);
        let over = whole.saturating_sub(width);
        widths[column] = widths[column].saturating_sub(over).max(8);
    }
    let laid = |texts: &[String]| -> String {
        let cells = texts
            .iter()
            .zip(&widths)
            .zip(COLUMNS)
            .map(|((text, width), (_, _, right))| {
                let text = shortened(text, *width);
                let blank = " ".repeat(width.saturating_sub(length(&text)));
                if right { blank + &text } else { text + &blank }
            });
        let line = cells.collect::<Vec<_>>().join("  ");
        // Not `shortened`, which has no two blanks.
        line.trim_end().chars().take(width).collect()
    };
    let head: Vec<String> = COLUMNS[..shown]
        .iter()
        .map(|(name, ..)| (*name).to_owned())
        .collect();
    let mut lines = vec![paint.dye(DIM, &laid(&head))];
    lines.extend(rows.iter().map(|row| laid(&row.texts[..shown])));
    lines
}
