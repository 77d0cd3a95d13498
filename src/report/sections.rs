//! The tables that every report has: headline, cells, where the time goes, what is missing.

use super::block::slug;
use super::chart::DrawError;
use super::chart::shares::{self, Split};
use super::data::{HOST, Index, Place, SERIAL, is_device};
use super::figure;
use super::grid::{Chart, Entry, Grid, Item, Section, Tone};
use super::headline::Headline;
use super::known::Missing;
use super::number::{Unit, percent};
use super::paper::{few_samples, missing, one_line, over};
use super::rate;
use super::ratios::BEST_CPU;
use crate::results::MeasurementRow;
use crate::words::{Case, Status};

/// The best device technique of each family of cases, over best one core and over best CPU; without a
/// device, best CPU over best one core.
pub(crate) fn headline(index: &Index<'_>, headlines: &[Headline]) -> Section {
    const ON_DEVICES: &str = "The fastest device technique, in the last case of each family (the \
        most work) that can be compared.";
    const ON_HOST: &str = "No device was measured in this run. Each row has the fastest technique of the host, in \
        the last case of each family (the most work) that can be compared.";
    const RATIOS: &str = "Best one core and best CPU are the fastest techniques of the host that answer the same \
        question, with one thread and with any number of threads. Each ratio is the median time of that technique over \
        the row's, above 1 where the row's is faster, with its 95 % interval from the run's passes, and the name and the time of what it \
        is over. Both sides were sampled in turns in each pass. A `tie` is an interval that contains 1. Where \
        the ends of an interval are more than two times apart the ratio is `unclear` and not shown.";
    let mut items = Vec::new();
    if headlines.is_empty() {
        items.push(Item::Text("Nothing was measured yet.".to_owned()));
    } else {
        let on_host = headlines.iter().all(|line| line.device == HOST);
        let mut head = vec![
            "cases",
            "over best one core",
            "over best CPU",
            "time",
            "technique",
        ];
        if on_host {
            head.remove(2);
        }
        let mut grid = Grid::new(head);
        for line in headlines {
            let mut row = vec![Entry::word(&line.family)];
            let place = |entry: Entry| match on_host {
                true => entry,
                false => entry.small(&line.device),
            };
            match &line.best {
                Some(best) => {
                    row[0].small.extend(best.last_axis());
                    row[0].small.extend(best.positions_text());
                    let ratios = best.ratios.iter().map(|ratio| over(&ratio.result));
                    row.extend(ratios.take(if on_host { 1 } else { 2 }));
                    row.push(Entry::number(Unit::Time.show(best.median_ns as f64)));
                    row.push(place(Entry::word(&best.technique)));
                }
                None => {
                    let empty = grid.head.len() - 2;
                    row.extend((0..empty).map(|_| Entry::missing("—")));
                    row.push(place(Entry::word("no answer")).tone(Tone::Missing));
                }
            }
            grid.rows.push(row);
        }
        let few = grid.has_few();
        items.push(Item::Table(grid));
        let first = if on_host { ON_HOST } else { ON_DEVICES };
        items.push(Item::Text(format!("{first} {RATIOS}")));
        items.extend(few.then(few_samples));
    }
    items.extend(left_out(index));
    section("headline", "Headline", items)
}

/// Every cell of the run, with the two factors of its speed-up.
pub(crate) fn cells(index: &Index<'_>) -> Section {
    let mut grid = Grid::new([
        "case",
        "technique",
        "status",
        "median",
        "samples",
        "nodes",
        "rate",
        "over best CPU",
        "over serial",
        "node overhead",
        "rate ratio",
    ]);
    for (case, place, row) in index.cells() {
        grid.rows.push(cell_row(index, case, &place, row));
    }
    let text = "Under `samples`: how many positions or playouts each of them holds. `over serial`: the \
        speed-up over the technique `serial`, which has two factors: it is about `rate ratio` ÷ `node overhead`, nodes a second \
        over those of `serial`, and nodes over the nodes of `serial`. A technique that visits more \
        nodes must be that much faster at each.";
    let few = grid.has_few();
    let mut items = vec![Item::Table(grid), Item::Text(text.to_owned())];
    items.extend(few.then(few_samples));
    items.extend(left_out(index));
    section("cells", "Every cell", items)
}

/// How much of the experiment the run's commands did not choose.
fn left_out(index: &Index<'_>) -> Option<Item> {
    let text = index.left_out()?;
    Some(Item::Text(format!("Of the experiment, {text}.")))
}

fn cell_row(
    index: &Index<'_>,
    case: &Case,
    place: &Place<'_>,
    row: Option<&MeasurementRow>,
) -> Vec<Entry> {
    let mut technique = Entry::word(place.technique);
    if is_device(place.device) {
        technique.small.push(place.device.to_owned());
    }
    let mut entries = vec![Entry::word(case.to_string()), technique];
    let Some(row) = row.filter(|row| row.status == Status::Ok) else {
        let missing = row.map_or_else(Missing::not_measured, Missing::of_row);
        let tone = if row.is_some_and(|row| is_fault(row.status)) {
            Tone::Bad
        } else {
            Tone::Missing
        };
        let mut status = self::missing(&missing).tone(tone);
        status.word = true;
        entries.push(status);
        entries.extend([(); 8].map(|()| Entry::missing("")));
        return entries;
    };
    entries.push(Entry::word("ok"));
    let mut median = Entry::number(
        row.median_ns
            .map_or("–".into(), |ns| Unit::Time.show(ns as f64)),
    );
    if let (Some(low), Some(high)) = (row.low_ns, row.high_ns) {
        median
            .small
            .push(Unit::Time.show_interval(low as f64, high as f64));
    }
    entries.push(median);
    entries.push(
        Entry::number(Unit::Count.show(row.samples as f64))
            .small(format!("of {}", Unit::Count.show(row.units as f64))),
    );
    let nodes = row.nodes.filter(|&nodes| nodes > 0);
    entries.push(nodes.map_or(Entry::missing("–"), |n| {
        Entry::number(Unit::Count.show(n as f64))
    }));
    entries.push(rate(index, row));
    entries.push(over(&figure::speedup(index, row, BEST_CPU)));
    if place.technique == SERIAL {
        entries.extend([(); 3].map(|()| Entry::missing("")));
        return entries;
    }
    entries.push(over(&figure::speedup(index, row, SERIAL)));
    for factor in [
        figure::node_overhead(index, row, SERIAL),
        figure::rate_ratio(index, row, SERIAL),
    ] {
        entries.push(factor.map_or_else(
            |_| Entry::missing("–"),
            |known| Entry::number(Unit::Plain.show(known.value)),
        ));
    }
    entries
}

/// Nodes a second, or playouts a second where it counts no nodes.
fn rate(index: &Index<'_>, row: &MeasurementRow) -> Entry {
    let (rate, what) = match rate::of_nodes(index, row) {
        Ok(rate) => (Ok(rate), "nodes"),
        Err(_) => (rate::of_playouts(index, row), "playouts"),
    };
    match rate {
        Ok(known) => Entry::number(Unit::Rate.show(known.value)).small(what),
        Err(_) => Entry::missing("–"),
    }
}

/// Upload, queue wait, kernels, download and the host's own work, as shares of the whole.
pub(crate) fn time(index: &Index<'_>) -> Result<Section, DrawError> {
    let mut items = Vec::new();
    let mut grid = Grid::new(
        ["case", "technique", "time"]
            .into_iter()
            .chain(shares::PARTS.iter().map(|(name, _)| *name))
            .chain(["launches", "bytes up", "bytes down"]),
    );
    let mut groups: Vec<(Place<'_>, Vec<Split>)> = Vec::new();
    for (case, place, row) in index.cells() {
        let Some((row, shares)) = row.and_then(|row| Some((row, split(row)?))) else {
            continue;
        };
        let median_ns = row.median_ns.unwrap_or_default();
        let mut entries = vec![
            Entry::word(case.to_string()),
            Entry::word(place.technique).small(place.device),
            Entry::number(Unit::Time.show(median_ns as f64)),
        ];
        entries.extend(shares.iter().map(|share| Entry::number(percent(*share))));
        entries.extend([row.launches, row.bytes_up, row.bytes_down].map(|count| {
            count.map_or(Entry::missing("–"), |n| {
                Entry::number(Unit::Count.show(n as f64))
            })
        }));
        grid.rows.push(entries);
        let split = Split {
            case: case.to_string(),
            median_ns,
            shares,
        };
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, splits)) => splits.push(split),
            None => groups.push((place, vec![split])),
        }
    }
    if groups.is_empty() {
        let text =
            "No device technique has an answer in this run; on the host all time is the host's.";
        return Ok(section(
            "time",
            "Where the time goes",
            vec![Item::Text(text.to_owned())],
        ));
    }
    for (place, splits) in groups {
        let title = format!(
            "Where the time of {} goes, on {}",
            place.technique, place.device
        );
        items.push(Item::Chart(Chart {
            id: format!(
                "time-{}",
                slug(&format!("{}-{}", place.technique, place.device))
            ),
            svg: shares::draw(&title, &splits)?,
            title,
        }));
    }
    items.push(Item::Text(
        "Shares of the sum of the parts' medians, from the device's event timestamps. `queue`: \
         enqueued but not yet started. `host`: the rest, the host's part of the search included. \
         Cells whose timestamps cannot be trusted are left out; the timer's verdict is under \
         Environment."
            .to_owned(),
    ));
    items.push(Item::Folded(
        format!("The numbers ({} cells)", grid.rows.len()),
        vec![Item::Table(grid)],
    ));
    Ok(section("time", "Where the time goes", items))
}

/// The shares of a device cell; `None` for the host's cells, and where parts are missing.
fn split(row: &MeasurementRow) -> Option<[f64; 5]> {
    let parts = figure::parts(row)?.map(|ns| ns as f64);
    let sum: f64 = parts.iter().sum();
    Some(parts.map(|part| part / sum))
}

/// The cells without a number, by reason.
pub(crate) fn missing_cells(index: &Index<'_>) -> Section {
    let mut groups: Vec<(Place<'_>, Missing, bool, Vec<&Case>)> = Vec::new();
    let mut total = 0;
    for (case, place, row) in index.cells() {
        let reason = match row {
            Some(row) if row.status == Status::Ok => continue,
            Some(row) => Missing::of_row(row),
            None => Missing::not_measured(),
        };
        total += 1;
        let fault = row.is_some_and(|row| is_fault(row.status));
        match groups
            .iter_mut()
            .find(|(at, known, ..)| *at == place && *known == reason)
        {
            Some((.., cases)) => cases.push(case),
            None => groups.push((place, reason, fault, vec![case])),
        }
    }
    if groups.is_empty() {
        let text = "Every cell of the run has an answer.".to_owned();
        return section("missing", "Cells without a number", vec![Item::Text(text)]);
    }
    // Faults first; within a kind, in the order of the run.
    groups.sort_by_key(|(_, reason, fault, _)| (!*fault, reason.status));
    let mut grid = Grid::new(["status", "technique", "device", "cases", "why"]);
    for (place, reason, fault, cases) in &groups {
        let tone = if *fault { Tone::Bad } else { Tone::Missing };
        let cases: Vec<String> = cases.iter().map(ToString::to_string).collect();
        grid.rows.push(vec![
            Entry::word(reason.status).tone(tone),
            Entry::word(place.technique),
            Entry::word(match place.device {
                device if device == HOST || is_device(device) => device,
                _ => "–",
            }),
            Entry::word(cases.join(", ")),
            Entry::word(one_line(&reason.reason)),
        ]);
    }
    let text = format!("{total} cells have no number.");
    section(
        "missing",
        "Cells without a number",
        vec![Item::Text(text), Item::Table(grid)],
    )
}

fn is_fault(status: Status) -> bool {
    matches!(
        status,
        Status::Mismatch
            | Status::BuildFailed
            | Status::Timeout
            | Status::Crashed
            | Status::Failed
            | Status::Damaged
    )
}

pub(crate) fn section(id: &str, title: &str, items: Vec<Item>) -> Section {
    Section {
        id: id.to_owned(),
        title: title.to_owned(),
        items,
    }
}
