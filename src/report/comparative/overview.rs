//! The first screen of a report of several runs: winners, where a device helps, claims, charts, machines.

use super::first::{Line, Winner, grid, lines};
use super::parts::{Column, Part, Parts};
use super::unlike::{differences, letter};
use super::verdicts;
use crate::report::ReportError;
use crate::report::block::slug;
use crate::report::chart::dots::{self, Dot, DotRow};
use crate::report::figure::FEW;
use crate::report::first::ID;
use crate::report::grid::{Chart, Entry, Grid, Item, Link, Section};
use crate::report::headline::spread;
use crate::report::number::bytes;
use crate::report::ratios::{BEST_CPU, BEST_ONE_CORE};
use crate::report::sections::section;

/// All sections of the first screen.
pub(super) fn sections(parts: &Parts<'_>) -> Result<Vec<Section>, ReportError> {
    let lines = lines(parts);
    let mut sections = vec![winners(parts, &lines), verdicts::section_where(parts)];
    sections.extend(charts(parts, &lines)?);
    sections.extend(verdicts::section_claims(parts));
    sections.push(machines(parts));
    Ok(sections)
}

/// The table of winners and the chart over best CPU, for a page elsewhere.
pub(super) fn short(parts: &Parts<'_>) -> Result<Vec<Item>, ReportError> {
    let lines = lines(parts);
    const KEY: &str = "Each cell: the fastest device technique in the case named on the left, and how many times as fast it \
        is as best one core and best CPU: the fastest techniques of its own host that answer the same question, with one thread and \
        with any number, each with its name. In matches: a player, its points and their interval. In bold: faster than \
        best CPU by the whole interval (in a match: more than half of the points). `1 pass`, `2 passes`: \
        too few for an interval, so nothing follows from the number. `not measured together`: the two sides were sampled at different times, so there is \
        no ratio. `·`: not run there.";
    let mut items = vec![
        Item::List(verdicts::summary(parts)),
        Item::Table(grid(parts, &lines, false)),
        Item::Text(KEY.to_owned()),
    ];
    items.extend(chart(parts, &lines, BEST_CPU)?.map(Item::Chart));
    Ok(items)
}

fn winners(parts: &Parts<'_>, lines: &[Line<'_, '_>]) -> Section {
    const HOW: &str = "Each cell: the fastest device technique in the case under the experiment's name, of those \
        in which most of the devices, and of these most GPUs, can be compared the one with the most work; how many times as fast it is as best one core and as \
        best CPU of its own host, measured in the same invocation (medians, 95 % intervals; below 1 it is slower), with the name of the technique that \
        has each role; and the command that measures it again. The ratio over best CPU decides the colour (in Markdown bold: faster). \
        In matches: the device's player with the most points, against a baseline where one plays it. `·`: not run there.";
    let grid = grid(parts, lines, true);
    let few = grid.has_few();
    let mut items = vec![
        Item::List(verdicts::summary(parts)),
        Item::Table(grid),
        Item::Text(HOW.to_owned()),
    ];
    if few {
        items.push(Item::Text(FEW.to_owned()));
    }
    let apart: Vec<String> = lines
        .iter()
        .flat_map(|line| set_apart(&line.parts))
        .collect();
    if !apart.is_empty() {
        let text =
            "Set apart, because what was measured is not the same; each is over its own baselines:";
        items.push(Item::Text(text.to_owned()));
        items.push(Item::List(apart));
    }
    section(ID, "At a glance", items)
}

/// The groups of an experiment's runs and what differs between them; nothing where all are alike.
pub(super) fn set_apart(parts: &[&Part<'_>]) -> Vec<String> {
    let Some(first) = parts.first() else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for group in 1..=parts.iter().map(|part| part.group).max().unwrap_or(0) {
        let of_group: Vec<&&Part<'_>> = parts.iter().filter(|part| part.group == group).collect();
        let Some(own) = of_group.first() else {
            continue;
        };
        let machines = |group: usize| {
            let own = parts.iter().filter(|part| part.group == group);
            own.map(|part| part.machine.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        lines.push(format!(
            "{}, {} ({}) beside {} ({}): {}",
            first.experiment(),
            letter(group),
            machines(group),
            letter(first.group),
            machines(first.group),
            differences(first.data(), own.data()).join("; ")
        ));
    }
    lines
}

fn charts(parts: &Parts<'_>, lines: &[Line<'_, '_>]) -> Result<Option<Section>, ReportError> {
    const HOW: &str = "The mark is the case in the table above, with its interval; the thin line reaches from the \
        lowest to the highest ratio of the experiment's families. Matches are not in it.";
    let mut items = Vec::new();
    for role in [BEST_CPU, BEST_ONE_CORE] {
        items.extend(chart(parts, lines, role)?.map(Item::Chart));
    }
    if items.is_empty() {
        return Ok(None);
    }
    items.push(Item::Text(HOW.to_owned()));
    Ok(Some(section(
        "charts",
        "Speed-up by experiment and device",
        items,
    )))
}

/// A row for each experiment, a mark for each device.
fn chart(
    parts: &Parts<'_>,
    lines: &[Line<'_, '_>],
    role: &str,
) -> Result<Option<Chart>, ReportError> {
    let mut rows = Vec::new();
    for line in lines {
        let mut dots = Vec::new();
        for (at, winner) in line.winners.iter().enumerate() {
            let Some((part, Winner::Fastest { best, .. })) = winner else {
                continue;
            };
            let ratio = best.over(role);
            let Some(known) = ratio.and_then(|ratio| ratio.result.as_ref().ok()) else {
                continue;
            };
            let column = &parts.columns[at];
            dots.push(Dot {
                series: at,
                value: known.value,
                interval: known.interval,
                // The case shown need not be one that stands for a family.
                range: spread(&part.report.headlines, &column.device, role)
                    .range
                    .map(|(low, high)| (low.min(known.value), high.max(known.value))),
            });
        }
        if !dots.is_empty() {
            let name = line.experiment.to_owned();
            rows.push(DotRow { name, dots });
        }
    }
    let title = format!("The fastest device technique over {role}");
    let axis = format!("speed-up over {role} of the same host, log scale");
    let names: Vec<String> = parts.columns.iter().map(Column::title).collect();
    let svg = dots::draw(&title, &axis, &names, &rows)?;
    Ok(svg.map(|svg| Chart {
        id: slug(&format!("over {role}")),
        title,
        svg,
    }))
}

fn machines(parts: &Parts<'_>) -> Section {
    let mut hosts = Grid::new(["machine", "processor", "threads", "memory", "system"]);
    for machine in &parts.machines {
        let host = &machine.host;
        hosts.rows.push(vec![
            Entry::word(&machine.name),
            Entry::word(&host.cpu),
            Entry::number(host.logical_cpus.to_string()),
            Entry::number(bytes(host.memory_bytes)),
            Entry::word(machine.systems.join("; ")),
        ]);
    }
    let mut devices = Grid::new([
        "device",
        "machine",
        "kind",
        "platform",
        "driver",
        "compute units",
    ]);
    let mut seen: Vec<(&str, &str, &str)> = Vec::new();
    for part in &parts.all {
        for device in &part.data().environment.devices {
            let own = (
                part.machine.as_str(),
                device.label.as_str(),
                device.driver.as_str(),
            );
            if seen.contains(&own) {
                continue;
            }
            seen.push(own);
            devices.rows.push(vec![
                Entry::word(&device.label),
                Entry::word(&part.machine),
                Entry::word(&device.kind),
                Entry::word(&device.platform),
                Entry::word(&device.driver),
                Entry::number(device.compute_units.to_string()),
            ]);
        }
    }
    let mut runs = Grid::new(["run", "machine", "program", "sources", "kernels", "cells"]);
    for part in &parts.all {
        let program = &part.data().environment.program;
        let link: Link = part.link(None);
        let asked = part.index.cells().count();
        let done = part.index.cells().filter(|(.., row)| row.is_some()).count();
        runs.rows.push(vec![
            Entry::word(part.experiment()).link(link),
            Entry::word(&part.machine),
            Entry::word(format!("{} ({})", program.version, program.revision)),
            Entry::word(&program.source_hash),
            Entry::word(&program.kernel_hash),
            Entry::number(format!("{done} of {asked}")),
        ]);
    }
    let items = vec![
        Item::Table(hosts),
        Item::Heading("Devices".to_owned()),
        Item::Table(devices),
        Item::Heading("Runs, each with its own report".to_owned()),
        Item::Table(runs),
    ];
    section("machines", "Machines, devices and runs", items)
}
