//! Checks that two runs are comparable, and lists their differences.

use super::cells::Devices;
use super::comparison::{Common, CompareError, Filter};
use crate::config::{Experiment, TechniqueChoice};
use crate::report::data::{Index, RunData};
use crate::results::{
    ADDRESS, BUILD, Difference, HOST_MODEL, KERNELS, PROGRAM, Provenance, THREADS,
};
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
    let environments = [a, b].map(|index| &index.data.environment);
    let of_host = environments.map(|it| Provenance::of_host(&it.program, &it.host));
    let hosts = of_host[0].differences(&of_host[1]).into_iter();
    // A comparison is about two programs, whose versions the first lines name.
    for Difference { name, values } in hosts.filter(|it| ![PROGRAM, KERNELS].contains(&it.name)) {
        let then = match name {
            HOST_MODEL => ": this compares machines, not programs",
            THREADS => ": what runs on threads, rayon first, is not alike",
            BUILD => ": what runs on the host is not alike",
            _ => "",
        };
        let [one, other] = values;
        lines.push(format!(
            "different {name}: A has {one}, B has {other}{then}"
        ));
    }
    for [label, twin] in &devices.0 {
        if label != twin {
            lines.push(format!(
                "different devices, compared as each is the only one of its run: A's {label} with B's {twin}"
            ));
            continue;
        }
        let records = environments.map(|it| it.devices.iter().find(|own| own.label == *label));
        if let [Some(one), Some(other)] = records {
            // Only the address differs between cards of one model.
            let own = [one, other].map(|device| of_host[0].clone().on(device));
            let differences = own[0].differences(&own[1]).into_iter();
            for Difference { name, values } in differences.filter(|it| it.name != ADDRESS) {
                let [one, other] = values;
                lines.push(format!(
                    "different {name} of {label}: A has {one}, B has {other}"
                ));
            }
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
