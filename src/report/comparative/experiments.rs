//! The techniques of each experiment on every device, family by family.

use super::first::{command_of, section_of};
use super::overview::set_apart;
use super::parts::{Column, Part, Parts, of_column};
use super::unlike::letter;
use crate::report::claims;
use crate::report::data::{HOST, Place, is_device};
use crate::report::figure;
use crate::report::first::{ID, of_points, players};
use crate::report::grid::{Entry, Grid, Item, Section};
use crate::report::headline::families;
use crate::report::paper::{few_samples, over};
use crate::report::ratios::{ROLES, Ratio};
use crate::report::sections::section;
use crate::words::{Case, Task};

/// One technique of a family on one device: its ratios over best one core and best CPU.
pub(super) struct Cell<'p, 'a> {
    pub part: &'p Part<'a>,
    pub column: &'p Column,
    pub technique: &'a str,
    pub median_ns: Option<u64>,
    /// Positions of one sample, in a game.
    pub positions: Option<u64>,
    pub ratios: [Ratio; 2],
}

/// One family of a group of like runs, in the case that most of its cells can be compared in.
pub(super) struct Family<'p, 'a> {
    pub group: usize,
    pub name: String,
    pub case: &'a Case,
    /// By technique, then by column of `columns`.
    pub rows: Vec<(&'a str, Vec<Option<Cell<'p, 'a>>>)>,
    pub columns: Vec<&'p Column>,
}

/// The families of an experiment, each group of like runs by itself.
pub(super) fn of<'p, 'a>(parts: &'p Parts<'a>, runs: &[&'p Part<'a>]) -> Vec<Family<'p, 'a>> {
    let last = runs.iter().map(|part| part.group).max().unwrap_or(0);
    (0..=last)
        .flat_map(|group| of_group(parts, runs, group))
        .collect()
}

fn of_group<'p, 'a>(
    parts: &'p Parts<'a>,
    runs: &[&'p Part<'a>],
    group: usize,
) -> Vec<Family<'p, 'a>> {
    let own: Vec<&'p Part<'a>> = runs
        .iter()
        .filter(|part| part.group == group)
        .copied()
        .collect();
    let Some(first) = own.first().filter(|part| !part.is_match()) else {
        return Vec::new();
    };
    let there = |column: &&Column| column.is_device() && of_column(&own, column).is_some();
    let columns: Vec<&'p Column> = parts.columns.iter().filter(there).collect();
    let experiment = &first.data().experiment;
    let on_device = |label: &str| {
        own.iter()
            .any(|part| part.index.on_device(label) == Some(true))
    };
    let techniques: Vec<&'a str> = experiment
        .techniques
        .iter()
        .map(|choice| choice.label.as_str())
        .filter(|label| on_device(label))
        .collect();
    let cells_of = |case: &'a Case| {
        let row = |&technique: &&'a str| {
            let cells = columns
                .iter()
                .map(|column| cell(&own, column, technique, case));
            (technique, cells.collect::<Vec<_>>())
        };
        techniques.iter().map(row).collect::<Vec<_>>()
    };
    families(experiment)
        .into_iter()
        .filter_map(|(name, cases)| {
            let all: Vec<(&'a Case, Vec<_>)> = cases
                .into_iter()
                .map(|case| (case, cells_of(case)))
                .collect();
            let count = |rows: &[(&str, Vec<Option<Cell<'_, '_>>>)]| {
                let cells = rows.iter().flat_map(|(_, cells)| cells).flatten();
                let ratios = cells.flat_map(|cell| &cell.ratios);
                ratios.filter(|ratio| ratio.result.is_ok()).count()
            };
            // Of equals the last: within a family it is the one with the most work.
            let best = all.into_iter().max_by_key(|(_, rows)| count(rows));
            let (case, rows) = best.filter(|(_, rows)| count(rows) > 0)?;
            Some(Family {
                columns: columns.clone(),
                group,
                name,
                case,
                rows,
            })
        })
        .collect()
}

fn cell<'p, 'a>(
    runs: &[&'p Part<'a>],
    column: &'p Column,
    technique: &'a str,
    case: &Case,
) -> Option<Cell<'p, 'a>> {
    let part = of_column(runs, column)?;
    let row = part.index.row(&case.to_string(), technique, &column.device);
    let place = Place {
        technique,
        device: &column.device,
    };
    Some(Cell {
        ratios: ROLES.map(|role| figure::ratio_at(&part.index, case, &place, role)),
        median_ns: row.and_then(|row| row.median_ns),
        positions: row
            .filter(|row| row.units > 0 && part.data().experiment.task == Task::Game)
            .map(|row| row.units),
        part,
        column,
        technique,
    })
}

/// A section for each experiment.
pub(super) fn sections(parts: &Parts<'_>) -> Vec<Section> {
    let experiments = parts.experiments().into_iter();
    experiments
        .map(|(name, runs)| {
            let mut items = links(&runs);
            let apart = set_apart(&runs);
            if !apart.is_empty() {
                items.push(Item::List(apart));
            }
            match runs.first().is_some_and(|part| part.is_match()) {
                true => items.extend(of_matches(&runs)),
                false => items.extend(of_times(parts, &runs)),
            }
            section(&section_of(name), name, items)
        })
        .collect()
}

/// The title of the experiment, and its runs.
fn links(runs: &[&Part<'_>]) -> Vec<Item> {
    let mut grid = Grid::new(["run", "title", "threads"]);
    for part in runs {
        let experiment = &part.data().experiment;
        let threads = part.data().environment.host.threads;
        grid.rows.push(vec![
            Entry::word(&part.machine).link(part.link(Some(ID))),
            Entry::word(&experiment.title),
            Entry::number(threads.to_string()),
        ]);
    }
    vec![Item::Table(grid)]
}

fn of_times(parts: &Parts<'_>, runs: &[&Part<'_>]) -> Vec<Item> {
    const HOW: &str = "One table a family of cases, in its last case that most cells can be compared in. Each cell: the \
        ratio of medians (above 1: faster), its 95 % interval, and the name and the time of the technique that it is over. \
        Best one core and best CPU are the fastest techniques of that host that answer the same question. —: \
        the technique is not measured in that case; ·: not in that run.";
    let families = of(parts, runs);
    if families.is_empty() {
        return vec![Item::Text(
            "No device technique can be compared in it.".to_owned(),
        )];
    }
    let several = families.iter().any(|family| family.group > 0);
    let mut items = vec![Item::Text(HOW.to_owned())];
    let mut few = false;
    for family in families {
        let mut title = match family.name == family.case.to_string() {
            true => family.name.clone(),
            false => format!("{}: {}", family.name, rest(family.case, &family.name)),
        };
        if several {
            title += &format!(" ({})", letter(family.group));
        }
        let titles = family
            .columns
            .iter()
            .flat_map(|column| ROLES.map(|role| format!("{} over {role}", column.title())));
        let mut grid = Grid::new(std::iter::once("technique".to_owned()).chain(titles));
        for (technique, cells) in &family.rows {
            let mut row = vec![Entry::word(*technique)];
            for cell in cells {
                match cell {
                    None => row.extend([Entry::missing("·"), Entry::missing("·")]),
                    Some(cell) => row.extend(entries(cell, family.case)),
                }
            }
            grid.rows.push(row);
        }
        few |= grid.has_few();
        items.push(Item::Heading(title));
        items.push(Item::Table(grid));
    }
    items.extend(few.then(few_samples));
    items
}

/// The axes of a case that its family's name does not have.
fn rest(case: &Case, family: &str) -> String {
    let named = Case::parse(family).unwrap_or_default();
    let own = case.0.iter().filter(|(axis, _)| named.get(axis).is_none());
    Case(own.cloned().collect()).to_string()
}

fn entries(cell: &Cell<'_, '_>, case: &Case) -> [Entry; 2] {
    let mut entries = cell.ratios.each_ref().map(|ratio| over(&ratio.result));
    let last = cell.ratios.iter().rposition(|ratio| ratio.result.is_ok());
    if let Some(at) = last {
        let also: Vec<&str> = cell
            .ratios
            .iter()
            .map(|ratio| ratio.baseline.as_str())
            .collect();
        let command = command_of(cell.part, case, (cell.technique, &also), cell.column);
        entries[at].command = Some(command);
    }
    entries
}

/// Every player's points in its last case.
fn of_matches(runs: &[&Part<'_>]) -> Vec<Item> {
    let mut grid = Grid::new(["player", "on", "against", "points", "score", "case"]);
    for part in runs {
        for player in players(&part.index) {
            let column = Column::of(part, player.device);
            let on = match is_device(player.device) || player.device == HOST {
                true => column.title(),
                false => claims::place(player.device).to_owned(),
            };
            let command = command_of(part, player.case, (player.label, &[]), &column);
            grid.rows.push(vec![
                Entry::word(player.label),
                Entry::word(on),
                Entry::word(player.opponent),
                of_points(&player.score).command(command),
                Entry::word(player.score.counts()),
                Entry::word(player.case.to_string()),
            ]);
        }
    }
    match grid.rows.is_empty() {
        true => vec![Item::Text("No match was played.".to_owned())],
        false => vec![Item::Table(grid)],
    }
}
