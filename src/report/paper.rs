//! The experiment's own tables, in the paper's shape.

use super::block::{Block, BlockCell};
use super::figure::{self, Figure};
use super::grid::{Entry, Grid, Item, Tone};
use super::known::{Known, Missing};
use super::number::{Unit, percent};
use crate::config::Quantity;
use crate::stats::Verdict;

/// A reason longer than this is cut short in a table; the list of missing cells has it whole.
const REASON: usize = 72;

/// The items of one block: heading, table, and how to read it.
pub(crate) fn items(block: &Block) -> Vec<Item> {
    let mut items = Vec::new();
    let subtitle = block.subtitle();
    if !subtitle.is_empty() {
        items.push(Item::Heading(subtitle));
    }
    let corner = match &block.column_axis {
        Some(column) => format!("{} ↓ {column} →", block.row_axis),
        None => block.row_axis.clone(),
    };
    let mut grid = Grid::new(std::iter::once(corner).chain(block.columns.iter().cloned()));
    let notes = notes(block);
    for (heading, cells) in block.rows.iter().zip(&block.cells) {
        let entries = cells.iter().map(|cell| entry(cell, &notes));
        grid.rows.push(
            std::iter::once(Entry::word(heading))
                .chain(entries)
                .collect(),
        );
    }
    items.push(Item::Table(grid));
    items.push(Item::Text(legend(block)));
    if !notes.is_empty() {
        items.push(Item::Text(NOTES.to_owned()));
        let line = |(at, note): (usize, &&str)| format!("({}) {note}", mark(at));
        items.push(Item::List(notes.iter().enumerate().map(line).collect()));
    }
    items
}

/// What stands above the notes of a table.
const NOTES: &str = "Marked numbers of the paper contradict others of its own:";

/// The notes on a block's published numbers, each once, in reading order.
fn notes(block: &Block) -> Vec<&str> {
    let mut notes = Vec::new();
    for note in block.cells.iter().flatten().filter_map(BlockCell::note) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// The notes on the published points of a chart, each with its points; nothing where there is none.
pub(crate) fn notes_of_chart(block: &Block) -> Vec<Item> {
    const CROSSED: &str = "Crossed-out points of the paper contradict others of its own:";
    let line = |note: &str| {
        let cells = block.cells.iter().flatten();
        let cells = cells.filter(|cell| cell.note() == Some(note));
        let places: Vec<String> = cells.map(|cell| cell.case.to_string()).collect();
        format!("{}: {note}", places.join(", "))
    };
    let lines: Vec<String> = notes(block).into_iter().map(line).collect();
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![Item::Text(CROSSED.to_owned()), Item::List(lines)],
    }
}

/// The mark of a note by its place: a, b … z, aa, ab …
fn mark(at: usize) -> String {
    let letter = char::from(b'a' + (at % 26) as u8);
    match at / 26 {
        0 => letter.to_string(),
        rounds => mark(rounds - 1) + &letter.to_string(),
    }
}

/// One cell of a block. `notes` are the block's; a published number's mark is its note's place.
fn entry(cell: &BlockCell, notes: &[&str]) -> Entry {
    let mut entry = match &cell.figure {
        Figure::Known(known) => comparison(cell.unit, known),
        Figure::Missing(missing) => self::missing(missing),
    };
    if let Some(published) = &cell.published {
        let mut text = format!("paper {}", cell.unit.show(published.value));
        let noted = cell.note();
        if let Some(at) = notes.iter().position(|note| Some(*note) == noted) {
            text += &format!(" ({})", mark(at));
        }
        entry.small.push(text);
        entry.small.extend(
            cell.ratio()
                .map(|ratio| format!("×{}", Unit::Plain.show(ratio))),
        );
    }
    entry
}

/// A number with its interval and the absolute time of its baseline.
pub(crate) fn comparison(unit: Unit, known: &Known) -> Entry {
    let interval = known
        .interval
        .map(|(low, high)| unit.show_interval(low, high));
    let mut entry = match known.verdict {
        Some(Verdict::Tie) => {
            let value = unit.show(known.value);
            let line = interval.map_or(value.clone(), |interval| format!("{value}, {interval}"));
            Entry::number("tie").small(line).tone(Tone::Tie)
        }
        verdict => {
            let tone = match verdict {
                Some(Verdict::Faster) => Tone::Faster,
                Some(Verdict::Slower) => Tone::Slower,
                _ => Tone::Plain,
            };
            let mut entry = Entry::number(unit.show(known.value)).tone(tone);
            entry.small.extend(interval);
            entry
        }
    };
    if let Some(share) = known.share {
        entry.small.push(percent(share));
    }
    if let Some(samples) = known.few.clone() {
        entry = entry.small(samples);
        // Of a ratio, few samples are a warning.
        if known.baseline_ns.is_some() {
            entry = entry.tone(Tone::Few);
        }
    }
    if let Some(ns) = known.baseline_ns {
        let time = Unit::Time.show(ns as f64);
        entry.small.push(match &known.baseline {
            Some(name) => format!("over {name}, {time}"),
            None => format!("over {time}"),
        });
    }
    entry
}

/// A ratio, or why there is none.
pub(crate) fn over(result: &Result<Known, Missing>) -> Entry {
    match result {
        Ok(known) => comparison(Unit::Plain, known),
        Err(why) => missing(why),
    }
}

/// The word under a table with ratios of few samples.
pub(crate) fn few_samples() -> Item {
    Item::Text(figure::FEW.to_owned())
}

/// Why there is no number.
pub(crate) fn missing(missing: &Missing) -> Entry {
    if missing == &Missing::not_asked() {
        return Entry::missing("—");
    }
    if missing == &Missing::not_in_run() {
        return Entry::missing("·");
    }
    // The row's other columns say where it runs.
    if missing == &Missing::elsewhere() {
        return Entry::missing("");
    }
    let mut entry = Entry::missing(missing.status);
    if !missing.reason.is_empty() {
        entry.small.push(shortened(&missing.reason, REASON));
    }
    if let Some(ns) = missing.baseline_ns {
        entry
            .small
            .push(format!("over {}", Unit::Time.show(ns as f64)));
    }
    entry
}

/// One line of at most so many characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Blanks and line breaks become single blanks.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn legend(block: &Block) -> String {
    let cells = || block.cells.iter().flatten();
    let mut text = String::new();
    let mut say = |sentence: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text += sentence;
    };
    let mut said: Vec<&str> = Vec::new();
    for cell in cells() {
        let sentence = what_a_cell_is(&cell.quantity);
        if !sentence.is_empty() && !said.contains(&sentence) {
            said.push(sentence);
            say(sentence);
        }
    }
    if cells().any(|cell| cell.figure == Figure::Missing(Missing::is_baseline())) {
        say("`baseline`: compared with itself.");
    }
    if cells().any(|cell| cell.published.is_some()) {
        let sources: Vec<String> = block
            .published_sources
            .iter()
            .map(|source| format!("`{source}`"))
            .collect();
        let sources = sources.join(", ");
        say(&format!(
            "`paper`: the published number (from {sources}); `×`: ours ÷ it."
        ));
    }
    let derived = |cell: &BlockCell| cell.published.as_ref().is_some_and(|own| own.derived);
    if cells().any(derived) {
        say("Where the paper prints times alone, its speed-up is their ratio.");
    }
    let not_asked = Figure::Missing(Missing::not_asked());
    if cells().any(|cell| cell.figure == not_asked) {
        say("—: not in this experiment.");
    }
    let not_in_run = Figure::Missing(Missing::not_in_run());
    if cells().any(|cell| cell.figure == not_in_run) {
        say("·: not in this run, whose commands chose other cells.");
    }
    text
}

/// How to read the numbers of a quantity; empty for plain numbers.
fn what_a_cell_is(quantity: &Quantity) -> &'static str {
    match quantity {
        Quantity::Speedup => {
            "Each cell: the ratio of medians (above 1: faster than the baseline), \
            its 95 % interval, the baseline's time."
        }
        Quantity::NodeOverhead => {
            "Each cell: nodes over the baseline's nodes, and the baseline's time."
        }
        Quantity::Part(_) => {
            "Of each part of the time: its median, and its share of the sum of the parts' medians."
        }
        Quantity::MeanTimePerUnit => {
            "Each cell: the mean, its 95 % interval, and the number of samples where there were fewer than the \
            experiment asks for."
        }
        Quantity::Nodes | Quantity::Fact(_) | Quantity::Resource(_) => "",
        _ => "Each cell: the median and its 95 % interval.",
    }
}
