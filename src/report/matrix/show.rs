//! The matrix as text for a terminal, and as CSV.

use std::fmt::Write as _;

use crate::report::series::{distinct, grouped};
use crate::report::table::Csv;
use crate::report::terminal::{Notes, aligned};
use crate::words::Case;

use super::{Column, Matrix, Name, Outcome};

impl Matrix {
    /// A line for each technique, a column for each implementation, notes, and the findings by kernel.
    pub fn text(&self) -> String {
        let mut notes = Notes::default();
        let mut head = ["game", "task", "technique"].map(str::to_owned).to_vec();
        head.extend(self.columns.iter().map(|column| column.name.clone()));
        let mut table = vec![head];
        for name in self.names() {
            let mut line = vec![name.game.clone(), name.task.clone(), name.technique.clone()];
            line.extend(self.columns.iter().map(|column| match &column.missing {
                Some(_) => "-".to_owned(),
                None => word(&column.of(name), &mut notes),
            }));
            table.push(line);
        }
        let mut text = aligned(table, &[]);
        let host: Vec<_> = self.host_outcomes().collect();
        let good = host.iter().filter(|(.., it)| it.is_good).count();
        let _ = writeln!(text, "\nhost: {good} of {} techniques ok", host.len());
        for (name, _, outcome) in host.iter().filter(|(.., it)| !it.is_good) {
            let (game, task, technique) = (&name.game, &name.task, &name.technique);
            let word = word(outcome, &mut notes);
            let _ = writeln!(text, "  {game} {task} {technique}: {word}");
        }
        for note in notes.lines() {
            let _ = writeln!(text, "{note}");
        }
        for column in self.columns.iter().chain([&self.host]) {
            if let Some(why) = &column.missing {
                let _ = writeln!(text, "{}: not here: {why}", column.name);
            }
            for failure in &column.failures {
                let _ = writeln!(text, "{}: {failure}", column.name);
            }
            text.push_str(&findings(column));
        }
        text
    }

    /// A row for each technique on each implementation: `game,task,technique,implementation,outcome,
    /// reason`. An implementation that is not there has rows too.
    ///
    /// # Errors
    ///
    /// Where a field cannot be written.
    pub fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut csv = Csv::new(&[], "game,task,technique,implementation,outcome,reason")?;
        let mut row = |name: &Name, column: &Column, outcome: &str, reason: &str| {
            let place = [&name.game, &name.task, &name.technique, &column.name];
            let place = place.map(String::as_str).into_iter();
            csv.line(&Case::default(), place.chain([outcome, reason]))
        };
        for column in &self.columns {
            let Some(why) = &column.missing else { continue };
            for name in self.names() {
                row(name, column, "missing", why)?;
            }
        }
        for (name, column, outcome) in self.outcomes() {
            row(name, column, outcome.word, &outcome.reason)?;
        }
        csv.finish()
    }
}

/// What became of a technique, with a mark where `notes` has the reason.
fn word(outcome: &Outcome, notes: &mut Notes) -> String {
    match (outcome.word, outcome.reason.as_str()) {
        ("findings", reason) => reason.to_owned(),
        (word, "") => word.to_owned(),
        (word, reason) => format!("{word} {}", notes.mark(reason)),
    }
}

/// How many findings each kernel has, and what was left out with its reason.
fn findings(column: &Column) -> String {
    let reasons = column.findings.iter();
    let reasons = reasons.filter_map(|(name, own)| own.suppressed(&name.technique));
    let lines = column.findings.iter().map(|(name, own)| {
        let end = match own.suppressed(&name.technique) {
            Some(_) => " (not counted)".to_owned(),
            None => format!(", {}", own.place),
        };
        let (kernel, technique, message) = (&own.kernel, &name.technique, &own.message);
        format!("kernel `{kernel}` of {technique}: {message}{end}")
    });
    let mut text = String::new();
    for (line, found) in grouped(lines.map(|line| (line, ()))) {
        let _ = writeln!(text, "{}: {} x {line}", column.name, found.len());
    }
    for reason in distinct(reasons) {
        let _ = writeln!(text, "{}: not counted: {reason}", column.name);
    }
    text
}
