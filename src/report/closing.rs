//! The table at the end of a run: one line per case, with the paper's number.

use super::analysis::Analysis;
use super::block::BlockCell;
use super::data::{HOST, RunData, is_device};
use super::figure;
use super::headline::rate_text;
use super::headline::{Best, Headline};
use super::known::{Known, Missing, meaning};
use super::number::Unit;
use super::page::PAGE;
use super::paper::{comparison, shortened};
use super::ratios::{BEST_CPU, Ratio};
use super::terminal::{BOLD, DIM, Field, Notes, Paint, Table, tally, wrapped};
use super::{names, naming, pairs};
use crate::config::Quantity;
use crate::results::MeasurementRow;
use crate::words::Task;

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
        Task::Match => analysis
            .matches
            .iter()
            .flat_map(|own| wrapped(&own.line(), width))
            .collect(),
        _ => of_cases(analysis, width, paint),
    };
    if lines.is_empty() {
        lines.push("Nothing was measured yet.".to_owned());
    }
    lines.push(String::new());
    lines.extend(tally(analysis, width, paint));
    let devices = analysis
        .headlines
        .iter()
        .filter(|own| is_device(&own.device) && !own.cases.is_empty());
    for headline in devices {
        let kind = analysis.kind_of(&headline.device);
        let text = format!(
            "{}: our best {kind} technique is {}.",
            headline.device,
            headline.counts()
        );
        lines.extend(wrapped(&text, width).map(|line| paint.dye(BOLD, &line)));
    }
    lines.push(format!(
        "report: {}",
        analysis.data.folder.join(PAGE).display()
    ));
    lines.join("\n") + "\n"
}

fn of_cases(analysis: &Analysis, width: usize, paint: Paint) -> Vec<String> {
    let printed = printed(analysis);
    let (mut lines, mut quantities) = (Vec::new(), Notes::default());
    let mut add = |headline: &Headline, lines: &mut Vec<String>| {
        let bests = headline.cases.iter().filter_map(|(_, best)| best.as_ref());
        let mut rows: Vec<Vec<Field>> = bests
            .map(|best| line(analysis, &printed, best, &mut quantities))
            .collect();
        if rows.is_empty() {
            return;
        }
        let mut head = COLUMNS.to_vec();
        if plays_games(analysis) {
            head[2] = "rate";
        }
        if rows.iter().all(|row| row[6].0.is_empty()) {
            head.truncate(4);
            rows.iter_mut().for_each(|row| row.truncate(4));
        }
        let table = Table {
            head,
            rows,
            right: &[2, 3, 4, 5],
        };
        let heading = match headline.device.as_str() {
            HOST => "The host's fastest technique of each case",
            device => device,
        };
        lines.push(paint.dye(BOLD, &shortened(heading, width)));
        lines.extend(table.fitted(width, paint));
    };
    let (host, devices): (Vec<&Headline>, Vec<_>) = analysis
        .headlines
        .iter()
        .partition(|own| own.device == HOST);
    devices
        .iter()
        .for_each(|headline| add(headline, &mut lines));
    if lines.is_empty() {
        host.iter().for_each(|headline| add(headline, &mut lines));
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
    figure::ratio(&pairs::indexed(data), row, BEST_CPU)
}

/// The cells of the tables with numbers of the paper.
fn printed(analysis: &Analysis) -> Vec<&BlockCell> {
    let tables = analysis.views.iter().filter(|view| !view.is_chart);
    let blocks = tables.flat_map(|view| &view.blocks);
    let cells = blocks.flat_map(|block| block.cells.iter().flatten());
    let is_timed =
        |cell: &&BlockCell| !matches!(cell.quantity, Quantity::Fact(_) | Quantity::Resource(_));
    cells
        .filter(|cell| cell.published.is_some())
        .filter(is_timed)
        .collect()
}

/// True if the techniques play random games; then the rate matters, as a clock may end a choice.
fn plays_games(analysis: &Analysis) -> bool {
    matches!(analysis.data.experiment.task, Task::Playouts | Task::Choose)
}

/// A line of the table. Quantity and technique of the columns `paper` and `ours` go to `quantities`.
fn line(
    analysis: &Analysis,
    printed: &[&BlockCell],
    best: &Best,
    quantities: &mut Notes,
) -> Vec<Field> {
    let (row, ratios) = (&best.row, &best.ratios);
    let shown = |known: &Known, unit: Unit| comparison(unit, known).main;
    let time = match &best.rate {
        Some(rate) if plays_games(analysis) => Some(rate_text(analysis.data.experiment.task, rate)),
        _ => row.median_ns.map(|ns| Unit::Time.show(ns as f64)),
    };
    let over = match &ratios[1].result {
        Ok(known) => shown(known, Unit::Plain),
        // The best CPU program itself, or a brought program, which serves as no baseline.
        Err(missing) if *missing == Missing::IS_BASELINE => "best CPU".to_owned(),
        Err(missing) => missing.gap.word().to_owned(),
    };
    let places = [row.cell.device.as_str(), HOST];
    let is_it =
        |cell: &&&BlockCell| cell.case == best.case && places.contains(&cell.device.as_str());
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
    let (case, technique) = (names::case(&best.case), row.cell.technique.clone());
    let time = time.unwrap_or_default();
    let row = [case, technique, time, over, paper, ours, note];
    row.map(|text| (text, "")).into()
}
