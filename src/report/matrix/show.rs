//! The matrix as text for a terminal, and as CSV.

use std::fmt::Write as _;

use crate::report::series::{distinct, grouped};
use crate::report::table::Csv;
use crate::report::terminal::aligned;
use crate::words::Case;

use super::findings::Finding;
use super::{Column, HOST, Matrix, Name, Outcome};

impl Matrix {
    /// The table for a terminal: a line for each technique, a column for each implementation, notes
    /// below, and the findings by kernel.
    pub fn text(&self) -> String {
        let mut notes = Notes::default();
        let columns = || self.columns.iter().filter(|column| column.name != HOST);
        let mut head = ["game", "task", "technique"].map(str::to_owned).to_vec();
        head.extend(columns().map(|column| column.name.clone()));
        let mut table = vec![head];
        for name in &self.names {
            let mut line = vec![name.game.clone(), name.task.clone(), name.technique.clone()];
            line.extend(columns().map(|column| match &column.missing {
                Some(_) => "-".to_owned(),
                None => notes.word(&column.of(name)),
            }));
            table.push(line);
        }
        let mut text = aligned(table, &[]);
        let host = self.outcomes().filter(|(_, column, _)| column.name == HOST);
        let host: Vec<_> = host.collect();
        let good = host.iter().filter(|(.., it)| it.is_good).count();
        let _ = writeln!(text, "\nhost: {good} of {} techniques ok", host.len());
        for (name, _, outcome) in host.iter().filter(|(.., it)| !it.is_good) {
            let (game, task, technique) = (&name.game, &name.task, &name.technique);
            let word = notes.word(outcome);
            let _ = writeln!(text, "  {game} {task} {technique}: {word}");
        }
        for (number, note) in notes.0.iter().enumerate() {
            let _ = writeln!(text, "[{}] {note}", number + 1);
        }
        for column in &self.columns {
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
            for name in &self.names {
                row(name, column, "missing", why)?;
            }
        }
        for (name, column, outcome) in self.outcomes() {
            row(name, column, outcome.word, &outcome.reason)?;
        }
        csv.finish()
    }
}

/// Reasons, each once, that the table refers to by number.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn word(&mut self, outcome: &Outcome) -> String {
        let Outcome { word, reason, .. } = outcome;
        match (*word, reason.as_str()) {
            ("findings", reason) => return reason.to_owned(),
            (word, "") => return word.to_owned(),
            _ => {}
        }
        let known = self.0.iter().position(|note| note == reason);
        let place = known.unwrap_or_else(|| {
            self.0.push(reason.clone());
            self.0.len() - 1
        });
        format!("{word} [{}]", place + 1)
    }
}

/// How many findings each kernel has, by message and the first place, and what was left out with its
/// reason.
fn findings(column: &Column) -> String {
    let findings = column.findings.iter();
    let findings =
        findings.map(|(name, own)| (own, &name.technique, own.suppressed(&name.technique)));
    let reasons = findings.clone().filter_map(|(.., reason)| reason);
    let lines = findings.map(|(own, technique, reason)| {
        let Finding {
            kernel,
            message,
            place,
        } = own;
        let end = reason.map_or(format!(", {place}"), |_| " (not counted)".to_owned());
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
