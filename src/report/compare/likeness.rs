//! Checks that two runs are comparable, and lists their differences.

use anyhow::bail;
use regex_lite::Regex;

use super::Options;
use crate::config::{Experiment, Selection, TechniqueChoice, technique_pattern};
use crate::report::data::{Index, RunData};
use crate::results::{
    ADDRESS, BUILD, Difference, HOST_MODEL, KERNELS, PROGRAM, Provenance, THREADS,
};
use crate::words::{Case, Params, Task};

/// The compared cells.
pub(super) struct Filter {
    technique: Regex,
    selection: Selection,
}

impl Filter {
    /// Fails if a filter matches nothing in either run.
    pub(super) fn new(runs: [&RunData; 2], options: &Options) -> anyhow::Result<Self> {
        let selection = Selection {
            technique: options.technique.clone(),
            cases: options.cases.clone(),
            ..Selection::default()
        };
        let [a, b] = runs.map(|run| selection.of(&run.experiment));
        a.or_else(|error| b.map_err(|_| error))?;
        // The empty pattern matches every label.
        let technique = technique_pattern(options.technique.as_deref().unwrap_or_default())?;
        Ok(Filter {
            technique,
            selection,
        })
    }

    pub(super) fn takes(&self, case: &Case, technique: &str) -> bool {
        self.technique.is_match(technique) && self.selection.takes(case)
    }
}

/// Refuses runs whose cells of one name differ in question; cases, budgets and samples may differ.
pub(super) fn refuse_unlike(a: &RunData, b: &RunData, filter: &Filter) -> anyhow::Result<()> {
    let (one, other) = (&a.experiment, &b.experiment);
    let mut unlike = Vec::new();
    let mut say = |what: &str, one: &str, other: &str| {
        unlike.extend((one != other).then(|| format!("{what} {one} and {other}")));
    };
    say("experiments", &one.name, &other.name);
    say("games", &one.game, &other.game);
    say("tasks", one.task.word(), other.task.word());
    say("axes", &one.axes.join(" "), &other.axes.join(" "));
    say("options", &params(&one.options), &params(&other.options));
    if matches!(one.task, Task::Playouts | Task::Choose | Task::Match) {
        say("seeds", &one.seed.to_string(), &other.seed.to_string());
    }
    for choice in one.techniques.iter() {
        let twin = other.choice(&choice.label);
        let asked = choice.measured && filter.technique.is_match(&choice.label);
        if let Some(twin) = twin.filter(|twin| asked && twin.measured) {
            let name = format!("technique {}:", choice.label);
            say(&name, &described(one, choice), &described(other, twin));
        }
    }
    let (a, b) = (a.folder.display(), b.folder.display());
    if !unlike.is_empty() {
        let unlike = unlike.join("; ");
        bail!("{a} and {b} are not runs of one experiment: {unlike}");
    }
    Ok(())
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
    sides: [&Index<'_>; 2],
    devices: &[[&str; 2]],
    [in_a, in_b]: [usize; 2],
) -> Vec<String> {
    let environments = sides.map(|index| &index.data.environment);
    let mut lines = Vec::new();
    // A comparison is about two programs, whose versions the first lines name. Only the address differs between cards
    // of one model.
    let mut say = |one: &Provenance<'_>, other: &Provenance<'_>, of: &str| {
        for Difference {
            name,
            values: [one, other],
        } in one.differences(other)
        {
            let then = match name {
                PROGRAM | KERNELS | ADDRESS => continue,
                HOST_MODEL => ": this compares machines, not programs",
                THREADS => ": what runs on threads, rayon first, is not alike",
                BUILD => ": what runs on the host is not alike",
                _ => "",
            };
            lines.push(format!(
                "different {name}{of}: A has {one}, B has {other}{then}"
            ));
        }
    };
    let [host, theirs] = environments.map(|it| Provenance::of_host(&it.program, &it.host));
    say(&host, &theirs, "");
    for [label, twin] in devices {
        let records = environments.map(|it| it.devices.iter().find(|own| own.label == *label));
        if let [Some(one), Some(other)] = records
            && label == twin
        {
            let [one, other] = [one, other].map(|device| host.clone().on(device));
            say(&one, &other, &format!(" of {label}"));
        }
    }
    let others = devices.iter().filter(|[label, twin]| label != twin);
    lines.extend(others.map(|[label, twin]| {
        format!("different devices, compared as each is the only one of its run: A's {label} with B's {twin}")
    }));
    if in_a + in_b > 0 {
        lines.push(format!(
            "the host was disturbed (busy, throttled, short of processors) in {in_a} of these cells in A, \
             {in_b} in B; the reports say how"
        ));
    }
    let [a, b] = sides.map(|index| index.data);
    if a.folder == b.folder {
        lines.push("A and B are the same folder".to_owned());
    }
    for data in [a, b] {
        lines.extend(data.warnings.iter().cloned());
        lines.extend(data.findings.iter().map(|it| it.within().to_string()));
    }
    lines
}
