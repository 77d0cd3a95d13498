//! Host, devices, program and commands of a run.

use super::analysis::Analysis;
use super::command;
use super::data::RunData;
use super::grid::{Entry, Grid, Item, Section, section};
use super::known::Gap;
use super::number::{Unit, bytes};
use crate::results::DeviceRecord;

/// Host, devices and program.
pub(crate) fn environment(analysis: &Analysis) -> Section {
    const NODES: &str = "Two nodes differ in their processors, clocks and other load: compare rows of one node. \
        `environment.toml` has the node of each row's invocation.";
    let environment = &analysis.data.environment;
    let (host, program) = (&environment.host, &environment.program);
    let (threads, cpus) = (host.threads, host.logical_cpus);
    let threads = format!("{threads} of {cpus} logical processors");
    let (compiled_for, without) = (&program.compiled_for, &program.compiled_without);
    let grid = named(
        "host and program",
        [
            ("processor", host.cpu.clone()),
            ("threads", threads),
            ("memory", bytes(host.memory_bytes)),
            ("system", format!("{} (kernel {})", host.os, host.kernel)),
            ("program", followed(&program.version, &program.revision)),
            ("build", program.profile.clone()),
            ("baselines compiled for", compiled_for.clone()),
            ("features of the host not compiled for", without.clone()),
            ("hash of the program's source", program.source_hash.clone()),
            ("hash of the kernels' source", program.kernel_hash.clone()),
            ("seed", analysis.data.experiment.seed.to_string()),
        ],
    );
    let mut items = vec![grid];
    items.extend((!analysis.ratios.is_empty()).then(|| Item::Text(ratios(analysis))));
    let has_nodes = environment.invocations.iter().any(|it| it.node.is_some());
    items.extend(has_nodes.then(|| Item::Text(NODES.to_owned())));
    for own in &environment.devices {
        items.push(Item::Heading(own.label.clone()));
        items.push(device(own));
    }
    section("environment", "Environment", items)
}

fn followed(name: &str, more: &str) -> String {
    format!("{name} ({more})")
}

fn named<const N: usize>(what: &str, rows: [(&str, String); N]) -> Item {
    let mut grid = Grid::new([what, ""]);
    for (name, value) in rows {
        if !value.trim().is_empty() {
            grid.row(Entry::word(name), [Entry::word(value)]);
        }
    }
    Item::Table(grid)
}

/// Number of ratios, and of those missing because their sides were not measured together.
fn ratios(analysis: &Analysis) -> String {
    let all = &analysis.ratios;
    let shown = all.iter().filter(|ratio| ratio.result.is_ok());
    let apart = all.iter().filter_map(|ratio| ratio.result.as_ref().err());
    let apart = apart.filter(|why| why.gap == Gap::APART);
    let [shown, apart] = [shown.count(), apart.count()].map(|count| Unit::Count.show(count as f64));
    format!(
        "`tables/ratios.csv` has the {shown} ratios of this report. Both sides of each were sampled in turns within one \
         invocation. Sides that were not measured together have none ({apart} pairs)."
    )
}

fn device(own: &DeviceRecord) -> Item {
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    let [global, buffer] = [own.global_memory_bytes, own.max_allocation_bytes].map(bytes);
    let local = bytes(own.local_memory_bytes);
    let units = format!("{} at {} MHz", own.compute_units, own.clock_mhz);
    let memory = format!("{global}, largest buffer {buffer}, local {local}");
    let (most, multiple) = (own.max_work_group, own.preferred_multiple);
    let group = format!("at most {most}, multiples of {multiple}");
    let kind = format!("{}, {}", own.kind, own.vendor);
    named(
        "device",
        [
            ("address", own.address.clone()),
            ("name", followed(&own.name, &kind)),
            ("platform", followed(&own.platform, &own.platform_version)),
            ("driver", own.driver.clone()),
            ("version", format!("{}, C: {}", own.version, own.c_version)),
            ("timer", own.timer.to_string()),
            ("compute units", units),
            ("memory", memory),
            ("work-group", group),
            ("images", yes(own.images)),
            ("device-side enqueue", yes(own.device_enqueue)),
            ("worked around", own.quirks.join("; ")),
        ],
    )
}

pub(crate) fn reproduce(data: &RunData) -> Section {
    let commands = command::of_folder(data);
    let revision = match data.environment.program.revision.as_str() {
        "" | "unknown" => String::new(),
        revision => format!(", at revision `{revision}`"),
    };
    let text = match commands.len() {
        1 => format!("The whole run{revision}:"),
        _ => format!("The whole run, by these commands one after the other{revision}:"),
    };
    let cells = "`tables/cells.csv` has the command of each cell, which measures its baselines too, and the id to cite it by.";
    let items = [
        Item::Text(text),
        Item::Commands(commands),
        Item::Text(cells.to_owned()),
    ];
    section("reproduce", "Reproduce", items)
}
