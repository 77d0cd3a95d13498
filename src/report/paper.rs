//! Shows the experiment's tables in the layout of the paper.

use super::block::{Block, BlockCell};
use super::data::distinct;
use super::format::{self, Unit, shortened};
use super::grid::{Entry, Grid, Item, Tone};
use super::known::{Figure, Known, Missing};
use crate::config::Quantity;
use crate::stats::Verdict;
use crate::words::counted;

const REASON: usize = 72;

pub(crate) fn items(block: &Block) -> Vec<Item> {
    let subtitle = Some(block.subtitle()).filter(|own| !own.is_empty());
    let subtitle = subtitle.map(Item::Heading).into_iter();
    let items = subtitle.chain([Item::Table(whole(block))]);
    items.chain(list_of_notes(block)).collect()
}

/// Shows the paper's number, our number and their ratio. Returns `None` if the paper has no number for the block.
pub(crate) fn beside(block: &Block) -> Option<Vec<Item>> {
    const PARTS: [&str; 3] = ["paper", "ours", "ours ÷ paper"];
    let has = |cell: &BlockCell| cell.published.is_some();
    let rows = block.rows.iter().zip(&block.cells);
    let rows: Vec<_> = rows.filter(|(_, cells)| cells.iter().any(has)).collect();
    let mut columns: Vec<usize> = (0..block.columns.len()).collect();
    columns.retain(|&column| rows.iter().any(|(_, cells)| has(&cells[column])));
    let entry = |part: usize, cell: &BlockCell| {
        let is_asked = cell.figure != Err(Missing::NOT_ASKED);
        let entry = match part {
            0 => of_paper(cell).map(Entry::number),
            1 => is_asked.then(|| figure_entry(cell)),
            _ => cell.ratio().map(|own| Entry::number(Unit::Plain.show(own))),
        };
        entry.unwrap_or(Entry::missing(""))
    };
    let item = match columns[..] {
        [] => return None,
        [column] => Item::Table(table(block, &PARTS, &rows, |cells| {
            [0, 1, 2].map(|part| entry(part, &cells[column])).into()
        })),
        _ => {
            let heads = columns.iter().map(|&column| block.columns[column].as_str());
            let heads: Vec<&str> = heads.collect();
            let tables = [0, 1, 2].map(|part| {
                let of = |cells: &[BlockCell]| {
                    let entries = columns.iter().map(|&own| entry(part, &cells[own]));
                    entries.collect()
                };
                (PARTS[part].to_owned(), table(block, &heads, &rows, of))
            });
            Item::Beside(tables.into())
        }
    };
    Some(std::iter::once(item).chain(list_of_notes(block)).collect())
}

pub(crate) fn whole(block: &Block) -> Grid {
    let heads: Vec<&str> = block.columns.iter().map(String::as_str).collect();
    let rows: Vec<_> = block.rows.iter().zip(&block.cells).collect();
    table(block, &heads, &rows, |cells| {
        cells.iter().map(entry).collect()
    })
}

fn table(
    block: &Block,
    heads: &[&str],
    rows: &[(&String, &Vec<BlockCell>)],
    entries: impl Fn(&[BlockCell]) -> Vec<Entry>,
) -> Grid {
    let corner = match &block.column_axis {
        Some(column) => format!("{} ↓ {column} →", block.row_axis),
        None => block.row_axis.clone(),
    };
    let mut grid = Grid::new([corner.as_str()].iter().chain(heads).copied());
    for (name, cells) in rows {
        grid.row(Entry::word(*name), entries(cells));
    }
    grid
}

/// Lists the cases whose published numbers contradict other numbers in the paper.
fn list_of_notes(block: &Block) -> Option<Item> {
    let cells = block.cells.iter().flatten();
    let lines = distinct(cells.filter_map(|cell| {
        let case = format::case(&cell.case);
        Some(format!("{case}: {}", cell.note()?))
    }));
    (!lines.is_empty()).then_some(Item::List(lines))
}

/// Formats the paper's number, with a mark if it has a note.
fn of_paper(cell: &BlockCell) -> Option<String> {
    let mark = cell.note().map_or("", |_| "*");
    Some(cell.unit.show(cell.paper()?) + mark)
}

fn entry(cell: &BlockCell) -> Entry {
    let mut entry = figure_entry(cell);
    if let Some(paper) = of_paper(cell) {
        entry.small.push(format!("paper {paper}"));
        let ratio = cell.ratio().map(|ratio| Unit::Plain.show(ratio));
        entry.small.extend(ratio.map(|ratio| format!("×{ratio}")));
    }
    entry
}

fn figure_entry(cell: &BlockCell) -> Entry {
    let mut entry = shown(cell.unit, &cell.figure);
    let positions = cell.positions.map(|count| count as usize);
    let positions = positions.map(|count| counted(count, "position"));
    entry.small.extend(positions);
    if cell.figure.is_err() || matches!(cell.quantity, Quantity::Fact(_) | Quantity::Resource(_)) {
        return entry;
    }
    let labels = [&cell.technique, &cell.device, &cell.baseline];
    entry.of(&cell.case, &cell.quantity, labels)
}

pub(crate) fn shown(unit: Unit, figure: &Figure) -> Entry {
    let why = match figure {
        Ok(known) => return comparison(unit, known),
        Err(why) => why,
    };
    // Often, a whole column has the same reason, so only the hover text and the list of missing cells show it.
    let mut entry = Entry::missing("–").small(why.gap);
    if !why.reason.is_empty() {
        entry.small.push(shortened(&why.reason, REASON));
    }
    entry
}

/// Formats a number. Hovering over it shows its interval and, for a ratio, the baseline with its time.
pub(crate) fn comparison(unit: Unit, known: &Known) -> Entry {
    let tone = match known.verdict {
        Some(Verdict::Faster) => Tone::Faster,
        Some(Verdict::Slower) => Tone::Slower,
        Some(Verdict::Tie) => Tone::Tie,
        _ => Tone::Plain,
    };
    let interval = known.interval;
    let interval = interval.map(|(low, high)| unit.show_interval(low, high));
    let share = known.share.map(|share| Unit::Percent.show(share));
    let name = known.baseline.as_ref();
    let name = name.map_or(String::new(), |name| format!("{name}, "));
    let over = known.baseline_ns.map(|ns| Unit::Time.show(ns as f64));
    let over = over.map(|time| format!("over {name}{time}"));
    let few = known.few.map(|few| few.to_string());
    let small = [interval, share, few, over];
    let mut entry = Entry::number(unit.show(known.value)).tone(tone);
    entry.small.extend(small.into_iter().flatten());
    if let Some(few) = known.few {
        entry.main += few.mark();
        // A marked ratio is grey instead of coloured.
        if known.baseline_ns.is_some() {
            entry.tone = Tone::Few;
        }
    }
    entry
}

/// Explains how to read the tables of some blocks, and names the sources of the paper's numbers.
pub(crate) fn legend(blocks: &[Block]) -> String {
    const HOW: &str = "A speedup is the baseline's time divided by the technique's, so it is above 1 if the technique is faster. A \
        ratio of nodes is the technique's number divided by the baseline's. Hover over a number for its 95 % interval, over \
        a part for its share of all parts, and over – for the reason why there is no number. The numbers with * contradict other numbers in the paper.";
    let sources = blocks.iter().flat_map(|block| &block.published_sources);
    let sources: Vec<String> = distinct(sources.map(|source| format!("`{source}`")));
    match sources.is_empty() {
        true => HOW.to_owned(),
        false => format!(
            "{HOW} The paper's numbers are from {}. If it prints only times, its speedup is their ratio.",
            sources.join(", ")
        ),
    }
}
