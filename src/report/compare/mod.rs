//! Compares two runs of one experiment, cell by cell.
//!
//! The ratio of a cell is the second run's geometric mean of pass medians divided by the first run's. Its interval is
//! computed from these passes ([`interval_of`](crate::stats::passes::interval_of)) and does not cover drift.

mod cells;
mod machines;
mod show;

pub use machines::Machines;

use std::collections::BTreeMap;

use anyhow::ensure;
use regex_lite::Regex;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::data::{Index, RunData};
use super::terminal::{BOLD, DIM, Lines};
use crate::config::{Experiment, Selection, TechniqueChoice, parse_percentage, technique_pattern};
use crate::results::{ADDRESS, CellId, Difference, KERNELS, PROGRAM, Provenance};
use crate::stats::Ratio;
use crate::words::{Params, Status, Task, worded};

/// Options for a comparison. A percentage is a share: 0.02 is 2 %.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Options {
    /// Exit with 6 if a technique or cell is slower by more than this, for example 5%, or has lost its answer
    #[arg(long, value_name = "PERCENT", value_parser = parse_percentage)]
    pub fail_over: Option<f64>,
    /// Compare only techniques whose label matches
    #[arg(short, long, value_name = "REGEX")]
    pub technique: Option<String>,
    /// Compare only cases with AXIS=VALUE. Repeat for more axes or values
    #[arg(short, long = "case", value_name = "AXIS=VALUE")]
    pub cases: Vec<String>,
}

impl Options {
    /// Returns the filters as a command's selection.
    pub fn selection(&self) -> Selection {
        Selection {
            technique: self.technique.clone(),
            cases: self.cases.clone(),
            ..Selection::default()
        }
    }
}

/// A cell counts as unchanged if its whole interval is within this distance of 1.
const SAME: f64 = 0.02;

/// How a cell changed from the first run to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The whole interval is below 1.
    Faster,
    /// The whole interval is within [`SAME`] of 1.
    Same,
    /// The interval contains 1 but extends beyond [`SAME`], or there is no interval.
    Unclear,
    /// The whole interval is above 1.
    Slower,
}

worded! { Change { Faster "faster" Slower "slower" Same "same" Unclear "unclear" } }

impl Change {
    /// Classifies a ratio of new time to old time.
    pub fn of(ratio: &Ratio) -> Change {
        match ratio.interval {
            Some((low, high)) if low >= 1.0 - SAME && high <= 1.0 + SAME => Change::Same,
            Some((low, _)) if low > 1.0 => Change::Slower,
            Some((_, high)) if high < 1.0 => Change::Faster,
            _ => Change::Unclear,
        }
    }
}

/// A cell in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Common {
    /// The cell, with the device's label from the first run.
    #[serde(flatten)]
    pub cell: CellId,
    /// Median cost in the first run, in ns per sample, or per playout if `each`.
    pub a_ns: f64,
    /// Median cost in the second run.
    pub b_ns: f64,
    /// True if costs are per playout, because the numbers of playouts differ or a clock determines them.
    pub each: bool,
    /// The second cost divided by the first.
    #[serde(flatten, serialize_with = "of_ratio")]
    pub ratio: Ratio,
    /// The classification of the ratio.
    pub change: Change,
    /// True if it is significantly slower, by more than [`Options::fail_over`], corrected for the number of cells.
    pub beyond: bool,
    /// Number of samples in the first run.
    pub samples_a: usize,
    /// Number of samples in the second run.
    pub samples_b: usize,
    /// True if one side has too few passes for an interval.
    pub few_passes: bool,
    /// Notes for a reader: different work, different threads.
    pub notes: Vec<String>,
}

/// The geometric mean of a technique's cells that have three passes. Its interval is based on the means of the passes
/// ([`of_cells`](crate::stats::passes::of_cells)).
#[derive(Clone, Debug, PartialEq, Serialize)]
struct TechniqueChange {
    technique: String,
    /// The label of the device in the first run.
    device: String,
    cells: usize,
    #[serde(flatten, serialize_with = "of_ratio")]
    ratio: Ratio,
    beyond: bool,
}

fn of_ratio<S: Serializer>(ratio: &Ratio, to: S) -> Result<S::Ok, S::Error> {
    let (low, high) = ratio.interval.unzip();
    json!({ "ratio": ratio.value, "low": low, "high": high }).serialize(to)
}

/// A cell that cannot be compared between the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Incomparable {
    /// The cell, with the device's label from the first run.
    #[serde(flatten)]
    pub cell: CellId,
    /// The cell's status in the first run.
    pub status_a: Status,
    /// The cell's status in the second run.
    pub status_b: Status,
    /// The reason why there is no ratio.
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Side {
    pub folder: String,
    /// The version and the git revision.
    pub program: String,
    /// The processor and the number of threads.
    pub host: String,
    pub devices: Vec<String>,
}

impl Side {
    fn new<D: ToString>(data: &RunData, devices: &[D]) -> Side {
        let (host, program) = (&data.environment.host, &data.environment.program);
        Side {
            folder: data.folder.display().to_string(),
            program: format!("{} ({})", program.version, program.revision),
            host: format!("{}, {} threads", host.cpu, host.threads),
            devices: devices.iter().map(ToString::to_string).collect(),
        }
    }

    fn show(&self, name: &str, out: &mut Lines) {
        out.raw(format!("{} {}", out.dye(BOLD, name), self.folder));
        let devices = self.devices.join(", ");
        let mut place = vec![self.host.as_str(), &devices, &self.program];
        place.retain(|it| !it.is_empty());
        out.say(DIM, &place.join("; "));
    }
}

/// The comparison of two runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    experiment: String,
    fail_over: Option<f64>,
    sides: [Side; 2],
    /// Warnings, one per line.
    pub warnings: Vec<String>,
    /// Cells with an answer on both sides, sorted by ratio, the slowest last.
    pub common: Vec<Common>,
    /// The changes of the techniques, each over all of its cells, the slowest last.
    techniques: Vec<TechniqueChange>,
    /// Cells in both runs that do not have two comparable answers.
    pub incomparable: Vec<Incomparable>,
    /// Cells that are only in the first run, and cells that are only in the second.
    pub only: [Vec<CellId>; 2],
    /// Cells that have an answer in A but none in B, or one that covers fewer positions. Each has a reason.
    lost: Vec<(CellId, String)>,
}

impl Comparison {
    /// Compares run `b` with the earlier run `a`. Fails if they differ in game, task, options, axes, parameters or the
    /// seed of playouts. Also fails if a filter matches nothing, or if no cell has an answer in both runs.
    pub fn new(a: &RunData, b: &RunData, options: Options) -> anyhow::Result<Self> {
        let selection = options.selection();
        let [of_a, of_b] = [a, b].map(|run| selection.of(&run.experiment));
        of_a.or_else(|error| of_b.map_err(|_| error))?;
        // The empty pattern matches every label.
        let techniques = technique_pattern(options.technique.as_deref())?;
        refuse_unlike(a, b, Some(&techniques))?;
        let sides = [&Index::new(a), &Index::new(b)];
        let devices = cells::devices(sides);
        let cells = cells::gather(sides, &devices, &techniques, &options);
        let own = Comparison {
            experiment: a.experiment.name.clone(),
            fail_over: options.fail_over,
            sides: sides.map(|index| Side::new(index.data, &index.devices)),
            warnings: warnings(sides, &devices),
            ..cells
        };
        let [one, other] = own.sides.each_ref().map(|side| &side.folder);
        let has_lost = own.has_lost();
        ensure!(
            has_lost || !own.common.is_empty(),
            "{one} and {other}: no cell has an answer in both"
        );
        let is_judged = own.common.iter().any(|cell| !cell.few_passes);
        ensure!(
            has_lost || is_judged || own.fail_over.is_none(),
            "--fail-over: no cell of {one} and {other} has three passes on both sides, so none can be judged"
        );
        Ok(own)
    }

    fn has_lost(&self) -> bool {
        self.fail_over.is_some() && !self.lost.is_empty()
    }

    /// Returns true if a cell or technique exceeds [`Options::fail_over`], or if an answer is lost.
    pub fn is_slower(&self) -> bool {
        let mut techniques = self.techniques.iter();
        let is_beyond =
            techniques.any(|own| own.beyond) || self.common.iter().any(|own| own.beyond);
        is_beyond || self.has_lost()
    }

    /// Returns the number of cells with this change.
    pub fn count(&self, change: Change) -> usize {
        let cells = self.common.iter();
        cells.filter(|cell| cell.change == change).count()
    }

    /// Returns the object that `bench compare --json` prints.
    pub fn json(&self) -> Value {
        json!({
            "experiment": self.experiment, "a": self.sides[0], "b": self.sides[1],
            "same": SAME, "fail_over": self.fail_over,
            "failed": self.is_slower(), "warnings": self.warnings,
            "summary": BTreeMap::from(Change::ALL.map(|change| (change.word(), self.count(change)))),
            "techniques": self.techniques, "cells": self.common, "incomparable": self.incomparable,
            "only_a": self.only[0], "only_b": self.only[1],
        })
    }
}

/// Fails if cells with the same name answer different questions. Cases, budgets and numbers of samples may differ, and
/// so may techniques that `techniques` does not match.
fn refuse_unlike(a: &RunData, b: &RunData, techniques: Option<&Regex>) -> anyhow::Result<()> {
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
        let asked = choice.measured && techniques.is_some_and(|it| it.is_match(&choice.label));
        if let Some(twin) = twin.filter(|twin| asked && twin.measured) {
            let name = format!("technique {}:", choice.label);
            say(&name, &described(one, choice), &described(other, twin));
        }
    }
    let (a, b, why) = (a.folder.display(), b.folder.display(), unlike.join("; "));
    ensure!(
        unlike.is_empty(),
        "{a} and {b} are not runs of one experiment: {why}"
    );
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

/// Lists differences that may explain a ratio, and faults in the folders.
fn warnings(sides: [&Index<'_>; 2], devices: &[[&str; 2]]) -> Vec<String> {
    let [a, b] = sides.map(|index| index.data);
    let mut lines = Vec::new();
    // The first lines of the comparison already show the program versions.
    let mut say = |one: &Provenance<'_>, other: &Provenance<'_>, of: &str| {
        for Difference { name, values } in one.differences(other) {
            let [one, other] = values;
            // Two cards of the same model may have different addresses.
            if ![PROGRAM, KERNELS, ADDRESS].contains(&name) {
                lines.push(format!("different {name}{of}: A has {one}, B has {other}"));
            }
        }
    };
    let hosts = [a, b].map(|data| (&data.environment.program, &data.environment.host));
    let [host, theirs] = hosts.map(|(program, host)| Provenance::of_host(program, host));
    say(&host, &theirs, "");
    for [label, twin] in devices {
        if label == twin
            && let [Some(one), Some(other)] = [a, b].map(|data| data.record(label))
        {
            let [one, other] = [one, other].map(|device| host.clone().on(device));
            say(&one, &other, &format!(" of {label}"));
        }
    }
    let others = devices.iter().filter(|[label, twin]| label != twin);
    lines.extend(others.map(|[label, twin]| {
        format!("different devices, compared because each is the only one of its run: A's {label} with B's {twin}")
    }));
    let [in_a, in_b] = [a, b].map(|data| {
        let rows = data.measurements.iter();
        rows.filter(|row| !row.warnings.is_empty()).count()
    });
    if in_a + in_b > 0 {
        lines.push(format!(
            "the host was disturbed (busy, throttled, short of processors) in {in_a} cells of A and {in_b} of B; the \
             reports say how"
        ));
    }
    if a.folder == b.folder {
        lines.push("A and B are the same folder".to_owned());
    }
    for data in [a, b] {
        lines.extend(data.warnings.iter().cloned());
        lines.extend(data.findings.iter().map(|it| it.within().to_string()));
    }
    lines
}
