//! The words of `bench verify`: a technique's lines of the table, the command that asks a case again, and the sum.

use std::path::Path;

use crate::harness::{self, CellSpec};
use crate::results::{Conformance, Conformed};
use crate::words::{Status, Task, Value, shell_line};

/// The axis that says where to begin, of games that have one: `--position` says it.
const POSITION: &str = "position";

/// The command that asks one case again; the same with the reference's name answers what is right.
pub fn repeat(spec: &CellSpec, device: &str, kernels: Option<&Path>) -> String {
    let (word, axis, option) = match spec.task {
        Task::Perft => ("perft", "depth", "--depth"),
        Task::Playouts => ("playouts", "playouts", "--count"),
        Task::Choose => ("choose", "effort", "--effort"),
        _ => ("search", "depth", "--depth"),
    };
    let mut words: Vec<String> = ["bench", word, &spec.game, "--technique", &spec.technique]
        .map(str::to_owned)
        .into();
    for (name, value) in &spec.case.0 {
        match name.as_str() {
            POSITION => {}
            name if name == axis => words.extend([option.to_owned(), value.to_string()]),
            name => words.extend(["--case".to_owned(), format!("{name}={value}")]),
        }
    }
    if matches!(spec.task, Task::Playouts | Task::Choose) {
        words.extend(["--seed".to_owned(), spec.seed.to_string()]);
    }
    for (key, value) in spec.options.iter().chain(&spec.params) {
        // A list in the form that `--set` reads, its texts in quotes.
        let list = matches!(value, Value::List(_)).then(|| serde_json::to_string(value).ok());
        let value = list.flatten().unwrap_or_else(|| value.to_string());
        words.extend(["--set".to_owned(), format!("{key}={value}")]);
    }
    if let Some(position) = &spec.position {
        words.push(format!("--position={position}"));
    }
    if device != harness::HOST {
        words.extend(["--device".to_owned(), device.to_owned()]);
    }
    if let Some(kernels) = kernels {
        words.extend(["--kernels".to_owned(), kernels.display().to_string()]);
    }
    shell_line(&words)
}

/// One technique's lines of the table.
pub fn told(it: &Conformed, label: Option<&str>) -> String {
    let verdict = match it.status {
        Status::Ok => "right",
        Status::Mismatch => "WRONG",
        Status::Skipped if it.skipped == 0 => "no cases",
        other => other.word(),
    };
    let counts = [
        (it.right, "right"),
        (it.wrong, "wrong"),
        (it.unsupported, "unsupported"),
        (it.failed, "failed"),
        (it.skipped, "skipped"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let seconds = it.ns as f64 / 1e9;
    let name = format!("{} {}", it.game, label.unwrap_or(&it.technique));
    let mut text = format!(
        "{name:<34} {verdict:<12} {seconds:>6.1} s  {}\n",
        counts.join(", ")
    );
    // Of a compiler's log the reason has the first lines alone.
    for line in it.reason.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    if !it.command.is_empty() {
        text.push_str(&format!("    {}\n", it.command));
    }
    text
}

pub fn summary(report: &Conformance) -> String {
    let count = |status: &dyn Fn(Status) -> bool| {
        let matching = report.techniques.iter().filter(|it| status(it.status));
        matching.count()
    };
    let sum = |of: fn(&Conformed) -> u64| report.techniques.iter().map(of).sum::<u64>();
    let cases = sum(|it| it.cases);
    let skipped = match sum(|it| it.skipped) {
        0 => String::new(),
        skipped => format!(", {skipped} skipped"),
    };
    let seconds = sum(|it| it.ns) as f64 / 1e9;
    let right = count(&|status| status == Status::Ok);
    let lacking = count(&|status| matches!(status, Status::Unsupported | Status::Memory));
    let bad = report.techniques.len() - right - lacking;
    format!(
        "{}: {right} techniques right, {bad} not, {lacking} unsupported; {cases} cases in {seconds:.1} s{skipped}",
        report.device.label
    )
}
