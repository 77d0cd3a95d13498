//! Where a run was made, and how to make it again.

use super::command;
use super::data::Index;
use super::grid::{Entry, Grid, Item, Section};
use super::number::{Unit, bytes};
use super::pairs;
use super::ratios::Count;
use super::sections::section;
use crate::results::DeviceRecord;
use crate::words::Status;

/// Host, devices, program, and the nodes of merged shards.
pub(crate) fn environment(index: &Index<'_>, nodes: Option<Vec<Item>>) -> Section {
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
            "{} used by techniques with threads, of {} logical processors",
            host.threads, host.logical_cpus
        ),
    );
    say("memory", bytes(host.memory_bytes));
    say("system", format!("{} (kernel {})", host.os, host.kernel));
    say(
        "program",
        format!("{} ({})", program.version, program.revision),
    );
    say("build", program.profile.clone());
    say("baselines compiled for", program.compiled_for.clone());
    say(
        "features of the host not compiled for",
        program.compiled_without.clone(),
    );
    say("hash of the program's source", program.source_hash.clone());
    say("hash of the kernels' source", program.kernel_hash.clone());
    say("seed", index.data.experiment.seed.to_string());
    let mut items = vec![Item::Table(grid), Item::Text(ratios(index))];
    items.extend(nodes.into_iter().flatten());
    let devices = environment.devices.iter();
    items.extend(devices.flat_map(|of| device(of, verified(index, of))));
    section("environment", "Environment", items)
}

/// How many ratios there are, and how many are missing because their sides were not measured together.
fn ratios(index: &Index<'_>) -> String {
    let Count { shown, apart } = pairs::ratios(index).count();
    let together = match index.data.environment.invocations.is_empty() {
        true => {
            "This folder does not say which invocation took which sample, so two cells count as measured \
             together only where their places in the order of the samples overlap and share no number."
        }
        false => "Both sides of each were sampled in turns within one invocation.",
    };
    format!(
        "`tables/ratios.csv` has the {} ratios of this report. {together} {} more are missing because their \
         sides were not measured together; the CSV lists them.",
        Unit::Count.show(shown as f64),
        Unit::Count.show(apart as f64)
    )
}

/// What `bench verify` had found of the run's techniques on a device, with the run's program and the device's
/// driver; empty where it was not asked.
fn verified(index: &Index<'_>, device: &DeviceRecord) -> String {
    let program = &index.data.environment.program;
    let mut reports = index.data.verified.iter();
    let Some(report) = reports.find(|report| report.is_about(program, device)) else {
        return String::new();
    };
    let of = |status: &dyn Fn(Status) -> bool| {
        let found = report.techniques.iter().filter(|it| status(it.status));
        let names: Vec<&str> = found.map(|it| it.technique.as_str()).collect();
        names.join(", ")
    };
    let lacking = |status| matches!(status, Status::Unsupported | Status::Memory);
    let parts = [
        ("right", of(&|status| status == Status::Ok)),
        ("unsupported", of(&lacking)),
        (
            "wrong or failing",
            of(&|status| status != Status::Ok && !lacking(status)),
        ),
    ];
    let named = parts.iter().filter(|(_, names)| !names.is_empty());
    let parts: Vec<String> = named
        .map(|(what, names)| format!("{what}: {names}"))
        .collect();
    let cases: u64 = report.techniques.iter().map(|it| it.cases).sum();
    let day = report.utc.split('T').next().unwrap_or_default();
    format!("{}; {cases} cases, {day}", parts.join("; "))
}

fn device(device: &DeviceRecord, verified: String) -> [Item; 2] {
    let mut grid = Grid::new(["device", ""]);
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    for (name, value) in [
        ("address", device.address.clone()),
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
        ("timer", device.timer.to_string()),
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
        ("bench verify", verified),
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
    let cells = "`tables/cells.csv` has the command of each cell alone, baselines beside it, and the id to cite \
        it by.";
    let items = vec![
        Item::Text(text),
        Item::Commands(commands),
        Item::Text(cells.to_owned()),
    ];
    section("reproduce", "Reproduce", items)
}
