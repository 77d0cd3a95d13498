//! The table at the end of a run: one line per case, with the paper's number.

use super::analysis::Analysis;
use super::block::BlockCell;
use super::data::{HOST, RunData, is_device};
use super::headline::{Best, rate_text};
use super::known::{Known, Missing, meaning};
use super::number::Unit;
use super::page::PAGE;
use super::paper::{comparison, shortened};
use super::ratios::{BEST_CPU, Ratio};
use super::terminal::{BOLD, DIM, Field, Notes, Paint, Table, tally, wrapped};
use super::{figure, names, naming, pairs};
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
    figure::ratio(&pairs::indexed(data), row, BEST_CPU)
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
        Err(missing) => missing.gap.word().to_owned(),
    };
    let places = [row.cell.device.as_str(), HOST];
    let mut beside = printed.iter().filter(|cell| cell.case == best.case);
    let beside = beside.find(|cell| places.contains(&cell.device.as_str()));
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
