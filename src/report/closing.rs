//! The table at the end of a run: one line per case, with the paper's number.

use super::block::{self, BlockCell};
use super::data::{HOST, Index, RunData};
use super::figure;
use super::headline::{Best, best_of};
use super::known::{Known, Missing, meaning};
use super::number::Unit;
use super::page::PAGE;
use super::paper::{comparison, shortened};
use super::ratios::{BEST_CPU, Ratio};
use super::terminal::{BOLD, DIM, Field, Notes, Paint, Table, tally, wrapped};
use super::{ladder, matches, naming};
use crate::config::Quantity;
use crate::results::MeasurementRow;
use crate::words::{Case, Task};

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

/// The closing table of a run: the fastest technique per case and device. Lines, except the path, fit `width`.
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

fn of_cases(index: &Index<'_>, width: usize, paint: Paint) -> Vec<String> {
    let printed = printed(index);
    let cases = &index.data.experiment.cases;
    let (mut lines, mut quantities) = (Vec::new(), Notes::default());
    let mut of_device = |device: &str, lines: &mut Vec<String>| {
        let rows = cases.iter().filter_map(|case| {
            let best = best_of(index, case, device)?;
            Some(line(index, &printed, case, &best, &mut quantities))
        });
        let mut rows: Vec<Vec<Field>> = rows.collect();
        if !rows.is_empty() {
            let mut head = COLUMNS.to_vec();
            if plays_games(index) {
                head[2] = "rate";
            }
            if rows.iter().all(|row| row[6].0.is_empty()) {
                head.truncate(4);
                rows.iter_mut().for_each(|row| row.truncate(4));
            }
            let right = &[2, 3, 4, 5];
            let table = Table { head, rows, right };
            let heading = match device {
                HOST => "The host's fastest technique of each case",
                device => device,
            };
            lines.push(paint.dye(BOLD, &shortened(heading, width)));
            lines.extend(table.fitted(width, paint));
        }
    };
    for device in &index.devices {
        of_device(device, &mut lines);
    }
    if lines.is_empty() {
        of_device(HOST, &mut lines);
    }
    let mut below: Vec<String> = quantities.lines().collect();
    let marks = meaning(lines.iter().map(String::as_str));
    below.extend(Some(marks).filter(|text| !text.is_empty()));
    let below = below.iter().flat_map(|line| wrapped(line, width));
    lines.extend(below.map(|line| paint.dye(DIM, &line)));
    lines
}

pub(crate) fn over_best_cpu(data: &RunData, row: &MeasurementRow) -> Ratio {
    figure::ratio(&Index::new(data), row, BEST_CPU)
}

fn printed(index: &Index<'_>) -> Vec<BlockCell> {
    let mut unsaid = Vec::new();
    let tables = index.data.experiment.tables.iter();
    let blocks = tables.flat_map(|table| block::blocks(index, table, &mut unsaid));
    let mut cells: Vec<BlockCell> = blocks.flat_map(|it| it.cells).flatten().collect();
    let is_timed =
        |cell: &BlockCell| !matches!(cell.quantity, Quantity::Fact(_) | Quantity::Resource(_));
    cells.retain(|cell| cell.published.is_some() && is_timed(cell));
    cells
}

/// True if the techniques play random games; then the rate matters, as a clock may end a choice.
fn plays_games(index: &Index<'_>) -> bool {
    matches!(index.data.experiment.task, Task::Playouts | Task::Choose)
}

/// A line of the table. Quantity and technique of the columns `paper` and `ours` go to `quantities`.
fn line(
    index: &Index<'_>,
    printed: &[BlockCell],
    case: &Case,
    Best { row, ratios }: &Best<'_>,
    quantities: &mut Notes,
) -> Vec<Field> {
    let shown = |known: &Known, unit: Unit| comparison(unit, known).main;
    let time = match plays_games(index) {
        true => {
            ladder::rate(index, case, &row.cell.technique, &row.cell.device).map(|rate| rate.main)
        }
        false => row.median_ns.map(|ns| Unit::Time.show(ns as f64)),
    };
    let over = match &ratios[1].result {
        Ok(known) => shown(known, Unit::Plain),
        // The best CPU program itself, or a brought program, which serves as no baseline.
        Err(missing) if *missing == Missing::IS_BASELINE => "best CPU".to_owned(),
        Err(missing) => missing.gap.word().to_owned(),
    };
    let places = [row.cell.device.as_str(), HOST];
    let is_it = |cell: &&BlockCell| cell.case == *case && places.contains(&cell.device.as_str());
    let beside = printed.iter().find(is_it);
    let beside = beside.and_then(|cell| Some((cell, cell.published.as_ref()?)));
    let beside = beside.map(|(cell, paper)| {
        let unit = naming::unit(&cell.quantity, None);
        let baseline = Some(cell.baseline.as_str()).filter(|name| !name.is_empty());
        let what = naming::title(&cell.quantity, baseline);
        let of = quantities.mark(&format!("paper, ours: {what} of {}", cell.technique));
        let ours = cell.figure.as_ref();
        let ours = ours.map_or("–".to_owned(), |known| shown(known, unit));
        [unit.show(paper.value), ours, of]
    });
    let [paper, ours, note] = beside.unwrap_or_default();
    let (case, technique) = (case.to_string(), row.cell.technique.clone());
    let time = time.unwrap_or_default();
    let row = [case, technique, time, over, paper, ours, note];
    row.map(|text| (text, "")).into()
}
