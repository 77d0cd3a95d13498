//! Where a run was made, and how to make it again.

use super::command;
use super::data::Index;
use super::grid::{Entry, Grid, Item, Section};
use super::number::bytes;
use super::sections::section;
use crate::results::DeviceRecord;

/// Host, devices, program.
pub(crate) fn environment(index: &Index<'_>) -> Section {
    let environment = &index.data.environment;
    let (host, program) = (&environment.host, &environment.program);
    let mut grid = Grid::new(["host and program", ""]);
    let mut say = |name: &str, value: String| {
        if !value.trim().is_empty() {
            grid.rows.push(vec![Entry::word(name), Entry::word(value)]);
        }
    };
    say("processor", host.cpu.clone());
    say(
        "threads",
        format!(
            "{} used by rayon, of {} logical processors",
            host.threads, host.logical_cpus
        ),
    );
    say("memory", bytes(host.memory_bytes));
    say("system", format!("{} (kernel {})", host.os, host.kernel));
    say(
        "program",
        format!("{} ({})", program.version, program.revision),
    );
    say("baselines compiled for", program.compiled_for.clone());
    say("hash of the program's source", program.source_hash.clone());
    say("hash of the kernels' source", program.kernel_hash.clone());
    say("seed", index.data.experiment.seed.to_string());
    let mut items = vec![Item::Table(grid)];
    items.extend(environment.devices.iter().flat_map(device));
    section("environment", "Environment", items)
}

fn device(device: &DeviceRecord) -> [Item; 2] {
    let mut grid = Grid::new(["device", ""]);
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    for (name, value) in [
        (
            "name",
            format!("{} ({}, {})", device.name, device.kind, device.vendor),
        ),
        (
            "platform",
            format!("{} ({})", device.platform, device.platform_version),
        ),
        ("driver", device.driver.clone()),
        (
            "version",
            format!("{}, C: {}", device.version, device.c_version),
        ),
        ("timer", device.timer.clone()),
        (
            "compute units",
            format!("{} at {} MHz", device.compute_units, device.clock_mhz),
        ),
        (
            "memory",
            format!(
                "{}, largest buffer {}, local {}",
                bytes(device.global_memory_bytes),
                bytes(device.max_allocation_bytes),
                bytes(device.local_memory_bytes)
            ),
        ),
        (
            "work-group",
            format!(
                "at most {}, multiples of {}",
                device.max_work_group, device.preferred_multiple
            ),
        ),
        ("images", yes(device.images)),
        ("device-side enqueue", yes(device.device_enqueue)),
        ("worked around", device.quirks.join("; ")),
    ] {
        if !value.is_empty() {
            grid.rows.push(vec![Entry::word(name), Entry::word(value)]);
        }
    }
    [Item::Heading(device.label.clone()), Item::Table(grid)]
}

/// The commands of the run and of each cell.
pub(crate) fn reproduce(index: &Index<'_>) -> Section {
    let commands = command::of_folder(index);
    let revision = match index.data.environment.program.revision.as_str() {
        "" | "unknown" => String::new(),
        revision => format!(", at revision `{revision}`"),
    };
    let text = match commands.len() {
        1 => format!("The whole run{revision}:"),
        _ => format!("The whole run, by these commands one after the other{revision}:"),
    };
    let mut items = vec![Item::Text(text), Item::Commands(commands)];
    let cells: Vec<String> = index
        .cells()
        .map(|(case, place, _)| command::of_cell(index, case, &place, None))
        .collect();
    items.push(Item::Folded(
        format!(
            "One cell alone, baselines beside it ({} commands)",
            cells.len()
        ),
        vec![Item::Commands(cells)],
    ));
    section("reproduce", "Reproduce", items)
}
