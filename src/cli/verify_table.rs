//! The texts of `bench verify`: a technique's lines, the command that repeats a case, and the summary.

use std::path::Path;

use super::single::{POSITION, command_of};
use crate::harness::{self, CellSpec};
use crate::results::{Conformance, Conformed};
use crate::techniques::program::params::{HASH, VERSION};
use crate::words::{Status, Task, Value, shell_line};

/// The command that repeats one case; with the reference's name it gives the right answer.
pub fn repeat(spec: &CellSpec, device: &str, kernels: Option<&Path>) -> String {
    let [word, axis, option] = command_of(spec.task);
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
    // Noted hashes and versions are no parameters.
    let is_given =
        |(key, _): &(&String, &Value)| ![HASH.name, VERSION.name].contains(&key.as_str());
    for (key, value) in spec.options.iter().chain(&spec.params).filter(is_given) {
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

pub fn told(it: &Conformed) -> String {
    let verdict = it.verdict();
    let counts = [
        (it.right, "right"),
        (it.wrong, "wrong"),
        (it.unsupported, "unsupported"),
        (it.failed, "failed"),
        (it.skipped, "skipped"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, word)| format!("{count} {word}"));
    let mut counts: Vec<String> = counts.collect();
    if it.longest_launch_ns > 0 {
        let milliseconds = it.longest_launch_ns as f64 / 1e6;
        counts.push(format!("longest launch {milliseconds:.2} ms"));
    }
    let seconds = it.ns as f64 / 1e9;
    let (name, counts) = (format!("{} {}", it.game, it.technique), counts.join(", "));
    let mut text = format!("{name:<34} {verdict:<12} {seconds:>6.1} s  {counts}\n");
    // The reason has only the first lines of a compiler's log.
    for line in it.reason.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    if !it.command.is_empty() {
        text.push_str(&format!("    {}\n", it.command));
    }
    text
}

pub fn summary(report: &Conformance) -> String {
    let complete = report.techniques.iter().filter(|it| !it.is_incomplete());
    let count = |of: &[Status]| {
        complete
            .clone()
            .filter(|it| of.contains(&it.status))
            .count()
    };
    let sum = |of: fn(&Conformed) -> u64| report.techniques.iter().map(of).sum::<u64>();
    let cases = sum(|it| it.cases);
    let skipped = match sum(|it| it.skipped) {
        0 => String::new(),
        skipped => format!(", {skipped} skipped"),
    };
    let seconds = sum(|it| it.ns) as f64 / 1e9;
    let right = count(&[Status::Ok]);
    let lacking = count(&[Status::Unsupported, Status::Memory]);
    let bad = complete.clone().count() - right - lacking;
    let incomplete = match report.techniques.len() - complete.clone().count() {
        0 => String::new(),
        number => format!(", {number} incomplete"),
    };
    format!(
        "{}: {right} techniques right, {bad} not, {lacking} unsupported{incomplete}; {cases} cases in {seconds:.1} \
         s{skipped}",
        report.device.label
    )
}
