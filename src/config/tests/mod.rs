//! Tests with an invented game, so that changes to a real game cannot break them.

mod brought;
mod claims;
mod errors;
mod meaning;
mod only;
mod overriding;
mod robust;
mod suites;
mod sweeps;
mod view_errors;

use std::time::Duration;

use super::*;
use crate::words::{
    AxisEntry, Case, Catalogue, Counts, GameEntry, Kind, ParamEntry, Params, Task, TechniqueEntry,
    Understood, Value,
};

const SMALL: ParamEntry = ParamEntry {
    name: "group",
    allowed: "1 to 9, or \"board\"",
    default: "board",
    check: |value| match value {
        Value::Int(1..=9) => Ok(()),
        Value::Text(text) if text == "board" => Ok(()),
        _ => Err("must be 1 to 9, or \"board\"".into()),
    },
};

const ITEMS: ParamEntry = ParamEntry {
    name: "items",
    ..SMALL
};

const WEIGHTS: ParamEntry = ParamEntry {
    name: "weights",
    allowed: "a list of lists",
    default: "",
    check: |value| match value {
        Value::List(_) => Ok(()),
        _ => Err("must be a list".into()),
    },
};

const TASKS: &[Task] = &[Task::Game, Task::Match];

/// Refuses a case unless the group is less than the depth.
fn takes_no_shallow_case(case: &Case, params: &Params) -> Result<(), String> {
    match params.get("group").and_then(Value::as_int) {
        Some(group) if case.int("depth").is_some_and(|depth| depth <= group) => {
            Err(format!("group: `{group}`; allowed is less than the depth"))
        }
        _ => Ok(()),
    }
}

const fn axis(name: &'static str, allowed: &'static str) -> AxisEntry {
    AxisEntry {
        name,
        allowed,
        default: None,
        tasks: &[],
    }
}

const AXES: &[AxisEntry] = &[
    axis("board", "WxH"),
    axis("depth", "1 to 12"),
    axis("rule", "a word"),
];

fn technique(name: &'static str, kind: Kind, tasks: &'static [Task]) -> TechniqueEntry {
    TechniqueEntry {
        game: "draughts",
        name,
        kind,
        summary: "",
        paper: "ours",
        needs: "",
        like: "serial",
        reference: "serial",
        counts: Counts::Own,
        tasks,
        splits: false,
        params: if matches!(kind, Kind::Device) {
            &[SMALL, ITEMS]
        } else {
            &[]
        },
        check: |_, _| Ok(()),
    }
}

fn catalogue() -> Catalogue {
    Catalogue {
        games: vec![GameEntry {
            name: "draughts",
            summary: "",
            axes: AXES,
            options: &[SMALL, WEIGHTS],
            tasks: &[Task::Game, Task::Match, Task::Perft],
            check_axis: |axis, value| match (axis, value) {
                ("depth", Value::Int(1..=12)) | ("board" | "rule", Value::Text(_)) => Ok(()),
                ("depth", _) => Err("must be 1 to 12".into()),
                ("rule", value) => Err(format!("rule: `{value}`; allowed is a word")),
                _ => Err("must be a word".into()),
            },
            check: |case, _| match case.text("board") {
                Some("9x9") => Err("board 9x9 is odd".into()),
                _ => Ok(()),
            },
            understand: |_, _, _| Ok(Understood::start()),
            replay: |_, _, _| Ok(1),
        }],
        techniques: vec![
            technique("old", Kind::Serial, &[Task::Game]),
            technique("serial", Kind::Serial, TASKS),
            technique("rayon", Kind::Threads, TASKS),
            technique("split", Kind::Device, TASKS),
            technique("counter", Kind::Device, &[Task::Perft]),
            TechniqueEntry {
                check: takes_no_shallow_case,
                ..technique("deep", Kind::Device, &[Task::Game])
            },
        ],
        brought: Vec::new(),
    }
}

const FULL: &str = r#"
name = "full"
title = "A full experiment"
paper = "Somebody, Something, 2011"
game = "draughts"
task = "game"
seed = 18446744073709551615
order = ["depth", "board"]
analysis = """
Text with "quotes", a \\ and
a second line.
"""

[options]
group = 3
weights = [[1, -2], [3, 4]]

[[cases]]
board = ["8x8", "4x4"]
depth = [2, 1]

[[cases]]
board = "16x16"
depth = 1

[[technique]]
name = "split"

[[technique]]
name = "split"
label = "split-4"
group = 4

[[technique]]
name = "serial"

[[technique]]
name = "old"

[sampling]
min-samples = 3
max-samples = 50
target = 0.1
warmup = 0
positions = 16
min-positions = 2

[budget]
cell = "1s 500ms"
total = "5m"
deadline = "1m"

[[table]]
id = "table-1"
title = "Branching"
quantity = "fact:branching-factor"
rows = "board"

[[table]]
id = "table-2"
quantity = "speedup"
rows = "board"
columns = "depth"
techniques = ["split"]
baselines = ["old", "serial"]
published = "draughts/table-2.csv"
published-baseline = "old"
analysis = "What it says."

[[table]]
id = "rates"
quantity = "node-rate"
rows = "technique"
columns = "board"
fixed = { depth = 1 }

[[chart]]
id = "figure"
quantity = "speedup"
x = "board"
series = "depth"
log = true
"#;

const LEAST: &str = r#"
name = "least"
game = "draughts"
task = "game"
[[cases]]
board = "8x8"
depth = 1
"#;

fn read(text: &str) -> Experiment {
    parse(text, "x.toml", &catalogue()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    parse(text, "x.toml", &catalogue()).unwrap_err().to_string()
}

fn cases(experiment: &Experiment) -> Vec<String> {
    experiment.cases.iter().map(ToString::to_string).collect()
}

fn labels(experiment: &Experiment) -> Vec<&str> {
    experiment
        .techniques
        .iter()
        .map(|choice| choice.label.as_str())
        .collect()
}

/// Replaces a piece of the full file, and expects this error at the location that `§` marks in the replacement.
fn says(old: &str, new: &str, expected: &str) {
    assert!(FULL.contains(old), "{old}");
    let marked = FULL.replacen(old, new, 1);
    let before = &marked[..marked.find('§').expect("a mark")];
    let line = before.matches('\n').count() + 1;
    let column = before.lines().last().map_or(0, |line| line.chars().count()) + 1;
    let column = if before.ends_with('\n') { 1 } else { column };
    let error = refused(&marked.replace('§', ""));
    assert_eq!(error, format!("x.toml:{line}:{column}: {expected}"));
}

/// Runs [`says`] on each row: the text to replace, the replacement, and the error. `⏎` stands for a line break.
fn all_say(rows: &str) {
    each_row(rows, |[old, new, expected]| says(old, new, expected));
}

fn each_row<const N: usize>(rows: &str, test: impl Fn([&str; N])) {
    for row in rows.trim().lines() {
        let row = row.replace('⏎', "\n");
        let fields: Vec<&str> = row.split(" | ").collect();
        test(fields.try_into().unwrap_or_else(|_| panic!("{row}")));
    }
}
