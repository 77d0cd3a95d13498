//! Whether two runs ask the same, and what differs between them that a reader must know.

use super::cells::Devices;
use super::{Common, CompareError, Filter};
use crate::config::{Experiment, TechniqueChoice};
use crate::report::data::{Index, RunData};
use crate::results::{DeviceRecord, Host};
use crate::words::{Params, Task};

/// Refuses runs whose cells of the same name are not the same question. Cases may differ, and so may
/// techniques that only one has, budgets, and numbers of samples.
pub(super) fn refuse_unlike(a: &RunData, b: &RunData, filter: &Filter) -> Result<(), CompareError> {
    let (one, other) = (&a.experiment, &b.experiment);
    let mut unlike = Vec::new();
    let mut say = |what: &str, one: &str, other: &str| {
        if one != other {
            unlike.push(format!("{what} {one} and {other}"));
        }
    };
    say("experiments", &one.name, &other.name);
    say("games", &one.game, &other.game);
    say("tasks", one.task.word(), other.task.word());
    say("axes", &one.axes.join(" "), &other.axes.join(" "));
    say("options", &params(&one.options), &params(&other.options));
    if draws(one.task) {
        say("seeds", &one.seed.to_string(), &other.seed.to_string());
    }
    for choice in one.techniques.iter() {
        let twin = other.choice(&choice.label);
        let asked = choice.measured && filter.takes_technique(&choice.label);
        if let Some(twin) = twin.filter(|twin| asked && twin.measured) {
            let name = format!("technique {}:", choice.label);
            say(&name, &described(one, choice), &described(other, twin));
        }
    }
    if unlike.is_empty() {
        return Ok(());
    }
    Err(CompareError(format!(
        "{} and {} are not runs of one experiment: {}",
        a.folder.display(),
        b.folder.display(),
        unlike.join("; ")
    )))
}

/// Whether the seed decides what is done, and not only in which order.
fn draws(task: Task) -> bool {
    matches!(task, Task::Playouts | Task::Choose | Task::Match)
}

fn params(params: &Params) -> String {
    let pairs = params.iter().map(|(name, value)| format!("{name}={value}"));
    let text = pairs.collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        "(defaults)".to_owned()
    } else {
        text
    }
}

/// A technique with its parameters, and those of whom it plays against.
fn described(experiment: &Experiment, choice: &TechniqueChoice) -> String {
    let own = |choice: &TechniqueChoice| format!("{} {}", choice.technique, params(&choice.params));
    let opponent = choice.opponent.as_deref();
    match opponent.and_then(|label| experiment.choice(label)) {
        Some(opponent) => format!("{} against {}", own(choice), own(opponent)),
        None => own(choice),
    }
}

/// What differs between the two that a ratio may come from, and what was wrong with the folders.
pub(super) fn warnings(
    a: &Index<'_>,
    b: &Index<'_>,
    devices: &Devices<'_>,
    common: &[Common],
) -> Vec<String> {
    let mut lines = Vec::new();
    let (one, other) = (&a.data.environment, &b.data.environment);
    let (host, twin) = (&one.host, &other.host);
    let (here, there) = (
        format!("{} ({} processors)", host.cpu, host.logical_cpus),
        format!("{} ({} processors)", twin.cpu, twin.logical_cpus),
    );
    if here != there {
        lines.push(format!(
            "different hosts: A is {here}, B is {there}: this compares machines, not programs"
        ));
    }
    if host.threads != twin.threads {
        lines.push(format!(
            "different threads: A has {}, B has {}: what runs on threads, rayon first, is not alike",
            host.threads, twin.threads
        ));
    }
    if one.program.compiled_for != other.program.compiled_for {
        lines.push(format!(
            "compiled for different processors: A for {}, B for {}: what runs on the host is not alike",
            one.program.compiled_for, other.program.compiled_for
        ));
    }
    let memory = |host: &Host| format!("{} GiB", host.memory_gib());
    for (what, a, b) in [
        (
            "build profiles",
            one.program.profile.clone(),
            other.program.profile.clone(),
        ),
        ("operating systems", host.os.clone(), twin.os.clone()),
        ("kernels", host.kernel.clone(), twin.kernel.clone()),
        ("memories", memory(host), memory(twin)),
    ] {
        // Folders of format 1 do not say the profile.
        if !a.is_empty() && !b.is_empty() && a != b {
            lines.push(format!("different {what}: A has {a}, B has {b}"));
        }
    }
    lines.extend(devices.by_position.map(|(one, other)| {
        format!("different devices, compared as each is the only one of its run: A's {one} with B's {other}")
    }));
    for (label, twin) in &devices.pairs {
        let (Some(one), Some(other)) = (record(a, label), record(b, twin)) else {
            continue;
        };
        let driver = |device: &DeviceRecord| {
            format!(
                "{} {}, driver {}",
                device.platform, device.platform_version, device.driver
            )
        };
        if devices.by_position.is_none() && driver(one) != driver(other) {
            lines.push(format!(
                "different drivers of {label}: A has {}, B has {}",
                driver(one),
                driver(other)
            ));
        }
    }
    let disturbed = |side: usize, index: &Index<'_>| {
        let warned = common.iter().filter(|common| {
            let device = match side {
                0 => common.cell.device.as_str(),
                _ => devices.in_second(&common.cell.device),
            };
            let row = index.row(&common.cell.case, &common.cell.technique, device);
            row.is_some_and(|row| !row.warnings.is_empty())
        });
        warned.count()
    };
    let (in_a, in_b) = (disturbed(0, a), disturbed(1, b));
    if in_a + in_b > 0 {
        lines.push(format!(
            "the host was disturbed (busy, throttled, short of processors) in {in_a} of these cells in A, \
             {in_b} in B; the reports say how"
        ));
    }
    if a.data.folder == b.data.folder {
        lines.push("A and B are the same folder".to_owned());
    }
    lines.extend(a.data.warnings.iter().chain(&b.data.warnings).cloned());
    lines
}

fn record<'a>(index: &Index<'a>, label: &str) -> Option<&'a DeviceRecord> {
    let mut devices = index.data.environment.devices.iter();
    devices.find(|device| device.label == label)
}
