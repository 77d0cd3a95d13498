//! The devices of a run beside each other: a table for each family of cases, one column a device.

use super::data::{Index, Place};
use super::figure::{self, Figure};
use super::grid::{Entry, Grid, Item, Section};
use super::headline::begun_families;
use super::matches;
use super::naming;
use super::number::Unit;
use super::paper::{comparison, few_samples, missing, shortened};
use super::ratios::{self, ROLES, Ratio};
use super::sections;
use super::table::{fields, finish, place, values, writer};
use crate::config::Quantity;
use crate::results::MeasurementRow;
use crate::stats::Verdict;
use crate::words::{Case, Status, Task};

/// A reason longer than this is cut short beside a number.
const REASON: usize = 72;

/// Whether there is anything to put beside each other.
pub(crate) fn several(index: &Index<'_>) -> bool {
    index.devices().len() > 1
}

/// Every device technique on every device; `None` in a run of one device or none.
pub(crate) fn section(index: &Index<'_>) -> Option<Section> {
    if !several(index) {
        return None;
    }
    let is_match = index.data.experiment.task == Task::Match;
    let mut tables = Vec::new();
    let mut has_few = false;
    for (family, cases) in groups(index) {
        let axis = index.data.experiment.axes.last();
        let mut head = vec![axis.map_or("case", String::as_str).to_owned()];
        head.push("technique".to_owned());
        head.extend(index.devices().iter().map(|label| column(index, label)));
        let mut grid = Grid::new(head);
        for case in cases {
            for technique in techniques(index, case) {
                let entries = index.devices().iter().map(|device| {
                    let place = Place { technique, device };
                    let row = index.row(&case.to_string(), technique, device);
                    has_few |= is_compared(index, row) && few(index, row);
                    entry(index, case, &place, row)
                });
                let last = axis.and_then(|axis| case.get(axis));
                let name = last.map_or_else(|| case.to_string(), ToString::to_string);
                let names = [Entry::word(name), Entry::word(technique)];
                grid.rows.push(names.into_iter().chain(entries).collect());
            }
        }
        if !grid.rows.is_empty() {
            tables.extend((!family.is_empty()).then_some(Item::Heading(family)));
            tables.push(Item::Table(grid));
        }
    }
    if tables.is_empty() {
        return None;
    }
    let text = match is_match {
        true => {
            "Each cell: the points that the player took on that device with their 95 % interval, its \
             score, and the median time that it thought in a pair of games."
        }
        false => {
            "Each cell: what the technique does on that device with its 95 % interval, and its speed-up over \
             best one core and over best CPU of the same host, each with the technique's name and its own interval, above \
             1 where the device is faster."
        }
    };
    let mut items = vec![Item::Text(text.to_owned())];
    items.extend(tables);
    items.extend(has_few.then(few_samples));
    Some(sections::section("devices", "By device", items))
}

/// The cases of each table, by what they share: the families, and all cases where there is one axis.
fn groups<'a>(index: &Index<'a>) -> Vec<(String, Vec<&'a Case>)> {
    let families = begun_families(index);
    match index.data.experiment.axes.len() {
        0 | 1 => {
            let cases = families.into_iter().flat_map(|(_, cases)| cases);
            vec![(String::new(), cases.collect())]
        }
        _ => families,
    }
}

/// A device's label with its platform: several platforms may call one processor the same.
fn column(index: &Index<'_>, label: &str) -> String {
    let mut devices = index.data.environment.devices.iter();
    let platform = devices.find(|device| device.label == label);
    match platform.map_or("", |device| device.platform.as_str()) {
        "" => label.to_owned(),
        platform => format!("{label} ({platform})"),
    }
}

/// The techniques of a case that run on devices and that the run was asked for, by label.
fn techniques<'a>(index: &Index<'a>, case: &Case) -> impl Iterator<Item = &'a str> {
    let text = case.to_string();
    let choices = index.data.experiment.techniques.iter();
    choices
        .filter(|choice| choice.takes(case))
        .map(|choice| choice.label.as_str())
        .filter(|label| index.on_device(label) == Some(true))
        .filter(move |label| {
            let mut devices = index.devices().iter();
            index.is_asked(&text, label) || devices.any(|it| index.row(&text, label, it).is_some())
        })
}

/// What a reader compares devices by: a rate where playouts are all that is done, else a time.
fn quantity(index: &Index<'_>, row: Option<&MeasurementRow>) -> Quantity {
    let by_playouts = row.is_some_and(|row| index.is_by_playouts(row));
    match index.data.experiment.task {
        Task::Playouts => Quantity::PlayoutRate,
        _ if by_playouts => Quantity::PlayoutRate,
        _ => Quantity::Time,
    }
}

/// Whether the baselines of the run are those of this cell: players of a match have opponents instead.
fn is_compared(index: &Index<'_>, row: Option<&MeasurementRow>) -> bool {
    let is_ok = row.is_some_and(|row| row.status == Status::Ok);
    is_ok && index.data.experiment.task != Task::Match
}

fn few(index: &Index<'_>, row: Option<&MeasurementRow>) -> bool {
    let mut ratios = row.into_iter().flat_map(|row| of_roles(index, row));
    ratios.any(|ratio| ratio.result.is_ok_and(|known| known.few.is_some()))
}

/// The speed-ups of a cell over the roles.
fn of_roles(index: &Index<'_>, row: &MeasurementRow) -> [Ratio; 2] {
    ROLES.map(|role| figure::ratio(index, row, role))
}

fn entry(index: &Index<'_>, case: &Case, place: &Place<'_>, row: Option<&MeasurementRow>) -> Entry {
    let quantity = quantity(index, row);
    let known = match figure::measured(index, &quantity, case, place, None) {
        Figure::Known(known) => known,
        Figure::Missing(why) => return missing(&why),
    };
    let own = comparison(naming::unit(&quantity, None), &known);
    let Some(row) = row else { return own };
    if index.data.experiment.task == Task::Match {
        return matches::standing(row).small(own.main);
    }
    let ratios = of_roles(index, row);
    ratios
        .iter()
        .fold(own, |entry, ratio| entry.small(over(ratio)))
}

/// `over best CPU, rayon on 16 threads: 12.3, 12.0–12.6`, and how sure that is.
fn over(ratio: &Ratio) -> String {
    let title = ratio.title();
    let known = match &ratio.result {
        Ok(known) => known,
        Err(missing) => return format!("{title}: {}", shortened(&missing.text(), REASON)),
    };
    let tie = match known.verdict {
        Some(Verdict::Tie) => "tie, ",
        _ => "",
    };
    let mut text = format!("{title}: {tie}{}", Unit::Plain.show(known.value));
    if let Some((low, high)) = known.interval {
        text += ", ";
        text += &Unit::Plain.show_interval(low, high);
    }
    match known.few.clone() {
        Some(samples) => format!("{text} ({samples})"),
        None => text,
    }
}

/// A line a cell: the axes, then `technique, device, quantity, value, low, high, status, reason`, and for
/// each role `over_…, over_…_low, over_…_high, over_…_status` and the technique's name.
pub(crate) fn csv(index: &Index<'_>) -> Result<Vec<u8>, csv::Error> {
    let axes = &index.data.experiment.axes;
    let own = [
        "technique",
        "device",
        "quantity",
        "value",
        "low",
        "high",
        "status",
        "reason",
    ];
    let more: Vec<String> = ROLES.into_iter().flat_map(ratios::names).collect();
    let columns = own.into_iter().chain(more.iter().map(String::as_str));
    let mut csv = writer(axes, &columns.collect::<Vec<_>>())?;
    let cases = begun_families(index)
        .into_iter()
        .flat_map(|(_, cases)| cases);
    for case in cases {
        for technique in techniques(index, case) {
            for device in index.devices() {
                let cell = Place { technique, device };
                let row = index.row(&case.to_string(), technique, device);
                let quantity = quantity(index, row);
                let figure = match figure::measured(index, &quantity, case, &cell, None) {
                    Figure::Known(known) => Ok(known),
                    Figure::Missing(missing) => Err(missing),
                };
                let [value, low, high, _, status, reason] = fields(&figure);
                let mut record = place(axes, case);
                record.extend([technique.to_owned(), (*device).to_owned()]);
                record.push(naming::column_name(&quantity));
                record.extend([value, low, high, status, reason]);
                let compared = row.filter(|_| is_compared(index, row));
                match compared {
                    Some(row) => record.extend(of_roles(index, row).iter().flat_map(values)),
                    None => record.extend(more.iter().map(|_| String::new())),
                }
                csv.write_record(&record)?;
            }
        }
    }
    finish(csv)
}
