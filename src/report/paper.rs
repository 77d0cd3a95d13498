//! The experiment's own tables, in the paper's shape.

use super::block::{Block, BlockCell};
use super::figure::{self, Figure};
use super::grid::{Entry, Grid, Item, Tone};
use super::number::Unit;
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
    for (heading, cells) in block.rows.iter().zip(&block.cells) {
        let entries = cells.iter().map(|cell| entry(&block.quantity, cell));
        grid.rows.push(
            std::iter::once(Entry::word(heading))
                .chain(entries)
                .collect(),
        );
    }
    items.push(Item::Table(grid));
    items.push(Item::Text(legend(block)));
    items
}

/// One cell of a block.
pub(crate) fn entry(quantity: &Quantity, cell: &BlockCell) -> Entry {
    let unit = figure::unit(quantity);
    let mut entry = match &cell.figure {
        Figure::Known(known) => comparison(unit, known),
        Figure::Missing(missing) => self::missing(missing),
    };
    if let Some(published) = &cell.published {
        entry
            .small
            .push(format!("paper {}", unit.show(published.value)));
        entry.small.extend(
            cell.ratio()
                .map(|ratio| format!("×{}", Unit::Plain.show(ratio))),
        );
        if !published.note.is_empty() {
            entry.small.push(format!("paper: {}", published.note));
        }
    }
    entry
}

/// A number with its interval and the absolute time of its baseline.
pub(crate) fn comparison(unit: Unit, known: &figure::Known) -> Entry {
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
    if let Some(samples) = known.few_samples() {
        entry = entry.small(samples).tone(Tone::Few);
    }
    if let Some(ns) = known.baseline_ns {
        entry
            .small
            .push(format!("over {}", Unit::Time.show(ns as f64)));
    }
    entry
}

/// The word under a table with ratios of few samples.
pub(crate) fn few_samples() -> Item {
    Item::Text(figure::FEW.to_owned())
}

/// Why there is no number.
pub(crate) fn missing(missing: &figure::Missing) -> Entry {
    if missing == &figure::Missing::not_asked() {
        return Entry::missing("—");
    }
    if missing == &figure::Missing::not_in_run() {
        return Entry::missing("·");
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
    let mut text = match block.quantity {
        Quantity::Speedup => {
            "Each cell: the ratio of medians (above 1: faster than the baseline), \
            its 95 % interval, the baseline's time."
                .to_owned()
        }
        Quantity::NodeOverhead => {
            "Each cell: nodes over the baseline's nodes, and the baseline's time.".to_owned()
        }
        Quantity::Nodes | Quantity::Fact(_) => String::new(),
        _ => "Each cell: the median and its 95 % interval.".to_owned(),
    };
    let mut say = |sentence: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text += sentence;
    };
    let cells = || block.cells.iter().flatten();
    if cells().any(|cell| cell.published.is_some()) {
        let source = block.published_source.as_deref().unwrap_or_default();
        say(&format!(
            "`paper`: the published number (from `{source}`); `×`: ours ÷ it."
        ));
    }
    let not_asked = Figure::Missing(figure::Missing::not_asked());
    if cells().any(|cell| cell.figure == not_asked) {
        say("—: not in this experiment.");
    }
    let not_in_run = Figure::Missing(figure::Missing::not_in_run());
    if cells().any(|cell| cell.figure == not_in_run) {
        say("·: not in this run, whose commands chose other cells.");
    }
    text
}
