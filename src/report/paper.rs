//! The experiment's own tables, in the paper's shape.

use super::block::{Block, BlockCell};
use super::figure::Figure;
use super::grid::{Entry, Grid, Item, Tone};
use super::known::{Known, Missing};
use super::number::{Unit, percent};
use super::passes::{DAGGER, FEW};
use super::{names, naming};
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
    items.push(Item::Table(whole(block)));
    items.push(Item::Text(legend(block)));
    items.extend(list_of_notes(block));
    items
}

/// The paper's table and ours, where the paper has one: what it printed, what was measured, and their ratio, of
/// the rows and columns that it has.
pub(crate) fn beside(block: &Block) -> Option<Vec<Item>> {
    let has = |cell: &BlockCell| cell.published.is_some();
    let rows: Vec<usize> = (0..block.rows.len())
        .filter(|&row| block.cells[row].iter().any(has))
        .collect();
    let columns: Vec<usize> = (0..block.columns.len())
        .filter(|&column| block.cells.iter().any(|row| has(&row[column])))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let notes = notes(block);
    let corner = corner(block);
    let paper = |cell: &BlockCell| match &cell.published {
        None => Entry::missing(""),
        Some(published) => {
            let mark = notes.iter().position(|note| Some(*note) == cell.note());
            let mark = mark.map_or(String::new(), |at| format!(" ({})", self::mark(at)));
            Entry::number(cell.unit.show(published.value) + &mark)
        }
    };
    let ours = |cell: &BlockCell| match &cell.figure {
        Figure::Known(known) => known_entry(cell, known),
        Figure::Missing(missing) if *missing == Missing::not_asked() => Entry::missing(""),
        Figure::Missing(missing) => self::missing(missing),
    };
    let ratio = |cell: &BlockCell| match cell.ratio() {
        Some(ratio) => Entry::number(Unit::Plain.show(ratio)),
        None => Entry::missing(""),
    };
    type Shown<'a> = &'a dyn Fn(&BlockCell) -> Entry;
    let parts: [(&str, Shown<'_>); 3] = [("paper", &paper), ("ours", &ours), (RATIO, &ratio)];
    let mut items = Vec::new();
    // One way alone: a row has all three.
    if let [column] = columns[..] {
        let names = parts.iter().map(|(name, _)| (*name).to_owned());
        let mut grid = Grid::new(std::iter::once(corner).chain(names));
        for row in rows {
            let cell = &block.cells[row][column];
            let shown = parts.iter().map(|(_, show)| show(cell));
            let heading = Entry::word(&block.rows[row]);
            grid.rows
                .push(std::iter::once(heading).chain(shown).collect());
        }
        items.push(Item::Table(grid));
    } else {
        let grid = |show: Shown<'_>| {
            let names = columns.iter().map(|&column| block.columns[column].clone());
            let mut grid = Grid::new(std::iter::once(corner.clone()).chain(names));
            for &row in &rows {
                let shown = columns
                    .iter()
                    .map(|&column| show(&block.cells[row][column]));
                let heading = Entry::word(&block.rows[row]);
                grid.rows
                    .push(std::iter::once(heading).chain(shown).collect());
            }
            grid
        };
        let tables = parts.map(|(name, show)| (name.to_owned(), grid(show)));
        items.push(Item::Beside(tables.into()));
    }
    items.extend(list_of_notes(block));
    Some(items)
}

/// What the third of the tables beside each other is.
const RATIO: &str = "ours ÷ paper";

fn corner(block: &Block) -> String {
    match &block.column_axis {
        Some(column) => format!("{} ↓ {column} →", block.row_axis),
        None => block.row_axis.clone(),
    }
}

/// A block as one table.
pub(crate) fn whole(block: &Block) -> Grid {
    let names = block.columns.iter().cloned();
    let mut grid = Grid::new(std::iter::once(corner(block)).chain(names));
    let notes = notes(block);
    for (heading, cells) in block.rows.iter().zip(&block.cells) {
        let entries = cells.iter().map(|cell| entry(cell, &notes));
        let heading = Entry::word(heading);
        grid.rows
            .push(std::iter::once(heading).chain(entries).collect());
    }
    grid
}

/// The notes on a block's published numbers; nothing where there are none.
fn list_of_notes(block: &Block) -> Vec<Item> {
    let notes = notes(block);
    if notes.is_empty() {
        return Vec::new();
    }
    let line = |(at, note): (usize, &&str)| format!("({}) {note}", mark(at));
    let lines = notes.iter().enumerate().map(line).collect();
    vec![Item::Text(NOTES.to_owned()), Item::List(lines)]
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
        let places: Vec<String> = cells.map(|cell| names::case(&cell.case)).collect();
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
        Figure::Known(known) => known_entry(cell, known),
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

/// The number of a cell, with its name where it is made of samples.
fn known_entry(cell: &BlockCell, known: &Known) -> Entry {
    let entry = comparison(cell.unit, known);
    match cell.quantity {
        Quantity::Fact(_) | Quantity::Resource(_) => entry,
        _ => entry.of([
            &cell.case.to_string(),
            &cell.technique,
            &cell.device,
            &naming::column_name(&cell.quantity),
            &cell.baseline,
        ]),
    }
}

/// A number; and, while it is pointed at, its interval and the name and the time of what a ratio is over.
pub(crate) fn comparison(unit: Unit, known: &Known) -> Entry {
    let tone = match known.verdict {
        Some(Verdict::Faster) => Tone::Faster,
        Some(Verdict::Slower) => Tone::Slower,
        Some(Verdict::Tie) => Tone::Tie,
        _ => Tone::Plain,
    };
    let mut entry = Entry::number(unit.show(known.value)).tone(tone);
    entry.small.extend(
        known
            .interval
            .map(|(low, high)| unit.show_interval(low, high)),
    );
    if tone == Tone::Tie {
        entry
            .small
            .push("a tie: the interval contains 1".to_owned());
    }
    if let Some(share) = known.share {
        entry.small.push(percent(share));
    }
    if let Some(samples) = known.few.clone() {
        entry.main += DAGGER;
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

/// What the dagger in a table means.
pub(crate) fn few_samples() -> Item {
    Item::Text(FEW.to_owned())
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
    // Why it is missing is the same text for whole columns: it is said where it is pointed at, and in the list.
    let mut entry = Entry::missing("–").small(missing.status);
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
    let is_missing = |cell: &BlockCell| matches!(&cell.figure, Figure::Missing(_));
    if cells().any(is_missing) {
        say("–: no number; point at it for the reason.");
    }
    if cells().any(|cell| cell.published.is_some()) {
        let sources: Vec<String> = block
            .published_sources
            .iter()
            .map(|source| format!("`{source}`"))
            .collect();
        let sources = sources.join(", ");
        say(&format!(
            "The paper's numbers, where it has one, are from {sources}."
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
            "Each cell: the ratio of medians, above 1 where the technique is faster than the baseline. Point at it \
            for its 95 % interval and the baseline's time."
        }
        Quantity::NodeOverhead => "Each cell: nodes over the baseline's nodes.",
        Quantity::Part(_) => {
            "Each cell: the median of a part of the time. Point at it for its share of all parts."
        }
        Quantity::TransferShare => {
            "Each cell: upload and download over the whole time. Point at it for its 95 % interval."
        }
        Quantity::MeanTimePerUnit => "Each cell: the mean. Point at it for its 95 % interval.",
        Quantity::Nodes | Quantity::Fact(_) | Quantity::Resource(_) => "",
        _ => "Each cell: the median. Point at it for its 95 % interval.",
    }
}
