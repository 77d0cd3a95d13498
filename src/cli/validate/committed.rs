//! What runs that are committed already say of the same cases: counters and facts that must be equal, and
//! revisions of the program with the hashes of its sources.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::files::run_folders;
use super::finding::{Finding, Lines};
use crate::config::{self, Experiment};
use crate::report::RunData;
use crate::results::{
    CellIdentity, DeviceRecord, FactRow, Host, Invocation, MeasurementRow, Program, Run,
};
use crate::words::{Case, Catalogue, Counts, Status, Task};

/// Names and values of what a technique counts.
type Counted = [(&'static str, Option<u64>); 4];

/// A program whose commit was joined into another before that was published (`reports/joined.toml`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joined {
    revision: String,
    source_hash: String,
    /// The commit that holds it.
    pub into: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinedFile {
    program: Vec<Joined>,
}

/// What committed runs say.
#[derive(Default)]
pub struct Committed {
    counters: HashMap<String, (Counted, PathBuf)>,
    facts: HashMap<String, (f64, PathBuf)>,
    /// By revision, the hash of its sources and a folder that has both.
    sources: HashMap<String, (String, PathBuf)>,
    joined: Vec<Joined>,
    /// How many run folders were read.
    pub runs: usize,
}

impl Committed {
    /// Reads the run folders below `root`, those below `own` apart. What cannot be read says nothing.
    pub fn read(root: &Path, own: &[PathBuf], catalogue: &Catalogue) -> Committed {
        let joined = std::fs::read_to_string(root.join("joined.toml")).ok();
        let joined = joined.and_then(|text| toml::from_str::<JoinedFile>(&text).ok());
        let mut known = Committed {
            joined: joined.map_or_else(Vec::new, |file| file.program),
            ..Committed::default()
        };
        for folder in run_folders(root) {
            let canonical = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            if own.iter().any(|own| canonical.starts_with(own)) {
                continue;
            }
            let Ok(run) = Run::read_rows(&folder) else {
                continue;
            };
            let file = folder.join("experiment.toml").display().to_string();
            let Ok(experiment) = config::parse(&run.experiment, &file, catalogue) else {
                continue;
            };
            known.runs += 1;
            known.add(&run, &experiment, catalogue);
        }
        known
    }

    fn add(&mut self, run: &Run, experiment: &Experiment, catalogue: &Catalogue) {
        for invocation in &run.environment.invocations {
            let program = &invocation.program;
            let source = (program.source_hash.clone(), run.path.clone());
            self.sources
                .entry(program.revision.clone())
                .or_insert(source);
        }
        for row in &run.measurements {
            let Some(invocation) = run.environment.invocation(&row.invocation) else {
                continue;
            };
            if let Some(name) = name(experiment, catalogue, row, invocation) {
                let value = (counted(row), run.path.clone());
                self.counters.entry(name).or_insert(value);
            }
        }
        for fact in &run.facts {
            for invocation in &run.environment.invocations {
                let name = fact_name(experiment, fact, &invocation.program);
                let value = (fact.value, run.path.clone());
                self.facts.entry(name).or_insert(value);
            }
        }
    }

    /// The hash of a revision's sources, and where it is from.
    pub fn sources_of(&self, revision: &str) -> Option<&(String, PathBuf)> {
        self.sources.get(revision)
    }

    /// The entry of a program whose commit was joined into another.
    pub fn joined(&self, program: &Program) -> Option<&Joined> {
        self.joined
            .iter()
            .find(|it| it.revision == program.revision && it.source_hash == program.source_hash)
    }

    /// Compares the counters and facts of a run; returns how many cells have equal ones.
    pub fn check(
        &self,
        data: &RunData,
        catalogue: &Catalogue,
        lines: &Lines,
        findings: &mut Vec<Finding>,
    ) -> usize {
        let mut equal = 0;
        for row in &data.measurements {
            let Some(invocation) = data.environment.invocation(&row.invocation) else {
                continue;
            };
            let name = name(&data.experiment, catalogue, row, invocation);
            let Some((committed, folder)) = name.and_then(|name| self.counters.get(&name)) else {
                continue;
            };
            let own = counted(row);
            let mut pairs = own.iter().zip(committed);
            match pairs.find(|((_, own), (_, theirs))| own != theirs) {
                None => equal += 1,
                Some(((what, own), (_, theirs))) => {
                    let (own, theirs, folder) = (shown(own), shown(theirs), folder.display());
                    findings.push(lines.row(row, format!(
                        "{what} is {own}, and {theirs} in {folder}, of the same kernels and sources"
                    )));
                }
            }
        }
        for fact in &data.facts {
            for invocation in &data.environment.invocations {
                let name = fact_name(&data.experiment, fact, &invocation.program);
                let Some((value, folder)) = self.facts.get(&name) else {
                    continue;
                };
                // A NaN is a finding of its own.
                if fact.value.is_finite() && *value != fact.value {
                    let (case, what) = (&fact.case, &fact.fact);
                    let what = format!(
                        "{case}: {what} is {}, and {value} in {}, of the same sources",
                        fact.value,
                        folder.display()
                    );
                    findings.push(Finding::of(data.folder.join("facts.csv"), what));
                    break;
                }
            }
        }
        equal
    }
}

/// Techniques that count as another one of the host does, against that one in the same run.
pub fn twins(data: &RunData, catalogue: &Catalogue, lines: &Lines) -> Vec<Finding> {
    let experiment = &data.experiment;
    let mut findings = Vec::new();
    let is_fixed = |row: &MeasurementRow| {
        let case = Case::parse(&row.case);
        row.status == Status::Ok
            && experiment.task != Task::Match
            && case.is_some_and(|case| !case.is_clocked())
            && counts_of(experiment, catalogue, &row.technique) != Counts::Vary
    };
    for row in data.measurements.iter().filter(|row| is_fixed(row)) {
        let choice = experiment.choice(&row.technique);
        let entry =
            choice.and_then(|choice| catalogue.technique(&experiment.game, &choice.technique));
        let Some(Counts::As(name)) = entry.map(|entry| entry.counts_in(experiment.task)) else {
            continue;
        };
        // A parameter that the twin has too, as the number of trees, changes what is counted.
        let twin = catalogue.technique(&experiment.game, name);
        let has =
            |param: &String| twin.is_some_and(|it| it.params.iter().any(|own| own.name == param));
        if choice.is_some_and(|it| it.params.keys().any(has)) {
            continue;
        }
        let is_twin = |other: &&MeasurementRow| {
            let choice = experiment.choice(&other.technique);
            choice.is_some_and(|it| it.technique == name && it.params.is_empty())
                && other.case == row.case
                && other.units == row.units
                && other.key != row.key
                && is_fixed(other)
        };
        let Some(twin) = data.measurements.iter().find(is_twin) else {
            continue;
        };
        // Sequences of moves are counted as nodes, by whatever way; leaves are each technique's own.
        let compared = if experiment.task == Task::Perft { 1 } else { 4 };
        let (own, theirs) = (counted(row), counted(twin));
        let mut pairs = own.iter().zip(&theirs).take(compared);
        if let Some(((what, own), (_, theirs))) =
            pairs.find(|((_, own), (_, theirs))| own != theirs)
        {
            let (own, theirs) = (shown(own), shown(theirs));
            findings.push(lines.row(
                row,
                format!("{what} is {own}, and {theirs} of {}", twin.technique),
            ));
        }
    }
    findings
}

fn shown(value: &Option<u64>) -> String {
    value.map_or("nothing".to_owned(), |value| value.to_string())
}

/// What decides how much a technique counts, whatever it is called on the way: another technique's search, its own
/// rule, or the order of threads.
pub fn counts_of(experiment: &Experiment, catalogue: &Catalogue, label: &str) -> Counts {
    let entry = experiment
        .choice(label)
        .and_then(|choice| catalogue.technique(&experiment.game, &choice.technique));
    let Some(mut entry) = entry else {
        return Counts::Vary;
    };
    // A chain of techniques that count like others is no longer than all of them.
    for _ in &catalogue.techniques {
        match entry.counts_in(experiment.task) {
            Counts::As(name) if name != entry.name => {
                match catalogue.technique(&experiment.game, name) {
                    Some(next) => entry = next,
                    None => return Counts::Vary,
                }
            }
            // Every count of move sequences counts all of them.
            Counts::As(_) => return Counts::Own,
            counts => return counts,
        }
    }
    Counts::Vary
}

/// A name for everything that decides a cell's counters; `None` where they vary.
fn name(
    experiment: &Experiment,
    catalogue: &Catalogue,
    row: &MeasurementRow,
    invocation: &Invocation,
) -> Option<String> {
    let case = Case::parse(&row.case)?;
    let choice = experiment.choice(&row.technique)?;
    let entry = catalogue.technique(&experiment.game, &choice.technique)?;
    let varies = counts_of(experiment, catalogue, &row.technique) == Counts::Vary;
    if row.status != Status::Ok || varies || experiment.task == Task::Match || case.is_clocked() {
        return None;
    }
    // A tree on each of several devices counts as many trees.
    let is_own = |device: &&DeviceRecord| device.label == row.device;
    let own = invocation.devices.iter().find(is_own);
    let question = CellIdentity {
        question: experiment.question(choice, &case),
        program: &Program::default(),
        host: &Host::default(),
        device: None,
        beside: own.map_or(Vec::new(), |own| invocation.beside(&choice.params, own)),
    };
    // A rule of its own may follow the device's width or the number of threads.
    let place = match entry.twin_in(experiment.task) {
        Some(_) => String::new(),
        None => format!("{} {}", row.cell, row.threads),
    };
    let program = &invocation.program;
    let hashes = [&program.source_hash, &program.kernel_hash].map(String::as_str);
    let units = row.units.to_string();
    Some([question.id().as_str(), &place, hashes[0], hashes[1], &units].join(" "))
}

fn counted(row: &MeasurementRow) -> Counted {
    [
        ("nodes", row.nodes),
        ("leaves", row.leaves),
        ("playouts", row.playouts),
        ("plies", row.plies),
    ]
}

fn fact_name(experiment: &Experiment, fact: &FactRow, program: &Program) -> String {
    let rest = (
        (
            &experiment.game,
            &experiment.options,
            experiment.task,
            experiment.seed,
        ),
        (experiment.sampling.positions, &experiment.name),
        (&fact.case, &fact.fact, &program.source_hash),
    );
    serde_json::to_string(&rest).unwrap_or_default()
}
