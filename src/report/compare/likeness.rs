//! Checks that two runs are comparable, and lists their differences.

use super::cells::Devices;
use super::{Common, CompareError, Filter};
use crate::config::{Experiment, TechniqueChoice};
use crate::report::data::{Index, RunData};
use crate::words::{Params, Task};

/// Refuses runs whose cells of one name differ in question; cases, budgets and samples may differ.
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

fn draws(task: Task) -> bool {
    matches!(task, Task::Playouts | Task::Choose | Task::Match)
}

fn params(params: &Params) -> String {
    let pairs = params.iter().map(|(name, value)| format!("{name}={value}"));
    match pairs.collect::<Vec<_>>().join(" ") {
        none if none.is_empty() => "(defaults)".to_owned(),
        text => text,
    }
}

fn described(experiment: &Experiment, choice: &TechniqueChoice) -> String {
    let own = |choice: &TechniqueChoice| format!("{} {}", choice.technique, params(&choice.params));
    let opponent = choice.opponent.as_deref();
    match opponent.and_then(|label| experiment.choice(label)) {
        Some(opponent) => format!("{} against {}", own(choice), own(opponent)),
        None => own(choice),
    }
}

/// Differences that may explain a ratio, and faults of the folders.
pub(super) fn warnings(
    a: &Index<'_>,
    b: &Index<'_>,
    devices: &Devices<'_>,
    common: &[Common],
) -> Vec<String> {
    let mut lines = Vec::new();
    let both = [&a.data.environment, &b.data.environment];
    let mut differ = |what: &str, verb: &str, [here, there]: [String; 2], then: &str| {
        if here != there {
            lines.push(format!("{what}: A {verb} {here}, B {verb} {there}{then}"));
        }
    };
    const MACHINES: &str = ": this compares machines, not programs";
    const OF_THREADS: &str = ": what runs on threads, rayon first, is not alike";
    const OF_HOST: &str = ": what runs on the host is not alike";
    let hosts = both.map(|it| &it.host);
    let cpus = hosts.map(|it| format!("{} ({} processors)", it.cpu, it.logical_cpus));
    let threads = hosts.map(|it| it.threads.to_string());
    let builds = both.map(|it| it.program.compiled_for.clone());
    let profiles = both.map(|it| it.program.profile.clone());
    let systems = hosts.map(|it| it.os.clone());
    let kernels = hosts.map(|it| it.kernel.clone());
    let memories = hosts.map(|it| format!("{} GiB", it.memory_gib()));
    differ("different hosts", "is", cpus, MACHINES);
    differ("different threads", "has", threads, OF_THREADS);
    differ("compiled for different processors", "for", builds, OF_HOST);
    differ("different build profiles", "has", profiles, "");
    differ("different operating systems", "has", systems, "");
    differ("different kernels", "has", kernels, "");
    differ("different memories", "has", memories, "");
    for [label, twin] in &devices.0 {
        if label != twin {
            lines.push(format!(
                "different devices, compared as each is the only one of its run: A's {label} with B's {twin}"
            ));
            continue;
        }
        let drivers = [a, b].map(|index| {
            let mut devices = index.data.environment.devices.iter();
            let own = devices.find(|device| device.label == *label)?;
            let (platform, version) = (&own.platform, &own.platform_version);
            Some(format!("{platform} {version}, driver {}", own.driver))
        });
        if let [Some(one), Some(other)] = drivers
            && one != other
        {
            lines.push(format!(
                "different drivers of {label}: A has {one}, B has {other}"
            ));
        }
    }
    let disturbed = |side: usize, index: &Index<'_>| {
        let warned = common.iter().filter(|own| {
            let device = match side {
                0 => own.cell.device.as_str(),
                _ => devices.other(0, &own.cell.device),
            };
            let row = index.row(&own.cell.case, &own.cell.technique, device);
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
    for data in [a.data, b.data] {
        lines.extend(data.warnings.iter().cloned());
        lines.extend(data.findings.iter().map(|it| it.within().to_string()));
    }
    lines
}
