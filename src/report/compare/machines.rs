//! Compares two machines' runs of one experiment, by the fastest technique per case on their devices and hosts.

use anyhow::ensure;
use serde_json::{Value, json};

use super::Side;
use crate::report::analysis::Analysis;
use crate::report::data::{HOST, is_device};
use crate::report::format::{self, shortened};
use crate::report::headline::{Best, Headline, in_words, rate_text};
use crate::report::known::plain;
use crate::report::terminal::{BOLD, DIM, Field, GREEN, Lines, RED, Table};
use crate::words::Task;

/// A comparison of two machines in the cases that both answered.
pub struct Machines {
    task: Task,
    sides: [Side; 2],
    rows: Vec<Row>,
}

/// A case on a device of the first machine, or on its host.
struct Row {
    bests: [Best; 2],
    /// The first machine's speed divided by the second's.
    ratio: f64,
}

impl Machines {
    /// Pairs the cases of two runs: on each device of the first run and the first device of the second, and on both
    /// hosts. Fails if the experiments differ, or if no case has two answers.
    pub fn new(a: &Analysis, b: &Analysis) -> anyhow::Result<Machines> {
        // Each machine's fastest technique counts, so techniques may differ.
        super::refuse_unlike(&a.data, &b.data, None)?;
        let sides = [a, b].map(|own| Side::new(&own.data, &own.devices));
        let rows: Vec<Row> = a.headlines.iter().flat_map(|own| paired(own, b)).collect();
        let [first, second] = sides.each_ref().map(|own| &own.folder);
        ensure!(
            !rows.is_empty(),
            "{first} and {second}: no case has an answer in both"
        );
        let task = a.data.experiment.task;
        Ok(Machines { task, sides, rows })
    }

    /// Formats a table for a terminal. `names` are the names of the machines.
    pub fn text(&self, names: [&str; 2], width: usize, colour: bool) -> String {
        let mut out = Lines::new(width, colour);
        for (name, side) in names.iter().zip(&self.sides) {
            side.show(name, &mut out);
        }
        let [mine, theirs] = names.map(|name| shortened(name, 20));
        let is = format!("{mine} is");
        let head = ["case", "on", &mine, &theirs, &is];
        let shown = |rate| rate_text(self.task, rate);
        let rows = self.rows.iter().map(|row| -> Vec<Field> {
            let rates = row.bests.each_ref().map(|best| best.rate.as_ref());
            let [own, other] = rates.map(|own| own.map_or(String::new(), shown));
            let code = if row.ratio >= 1.0 { GREEN } else { RED };
            let [best, _] = &row.bests;
            let device = &best.row.cell.device;
            let on = if device == HOST { "CPU" } else { device };
            let (case, on) = (format::case(&best.case), shortened(on, 20));
            let is = (in_words(&plain(row.ratio)), code);
            vec![(case, BOLD), (on, ""), (own, ""), (other, ""), is]
        });
        out.table(&Table::new(&head, rows, &[2, 3, 4]));
        out.say(
            DIM,
            "The fastest technique of each device and of each host, per case. The ratio of two machines has no interval.",
        );
        out.text()
    }

    /// Returns the rows as JSON.
    pub fn json(&self) -> Value {
        let side = |best: &Best| {
            let rate = best.rate.as_ref().map(|(_, known)| known.value);
            json!({
                "technique": best.row.cell.technique, "device": best.row.cell.device, "value": rate,
                "median_ns": best.row.median_ns, "units": best.row.units,
            })
        };
        let rows = self.rows.iter().map(|row| {
            let [a, b] = row.bests.each_ref().map(side);
            let case = row.bests[0].case.to_string();
            json!({ "case": case, "a": a, "b": b, "speed": row.ratio })
        });
        rows.collect()
    }
}

/// Returns the cases of a headline that the other machine answered, too.
fn paired(own: &Headline, other: &Analysis) -> Vec<Row> {
    let is_host = !is_device(&own.device);
    let mut theirs = other.headlines.iter();
    let Some(theirs) = theirs.find(|it| is_device(&it.device) != is_host) else {
        return Vec::new();
    };
    let is_rate = matches!(other.data.experiment.task, Task::Playouts | Task::Choose);
    let found = own.bests().filter_map(|best| {
        let twin = theirs.bests().find(|twin| twin.case == best.case)?;
        let rates = [best, twin].map(|own| own.rate.as_ref());
        let [one, other] = rates.map(|rate| rate.map(|(_, known)| known.value));
        let ratio = match is_rate {
            true => one? / other?,
            false => other? / one?,
        };
        // Times per position are comparable only over the same number of positions.
        (best.row.units == twin.row.units || is_rate).then(|| Row {
            bests: [best, twin].map(Best::clone),
            ratio,
        })
    });
    found.collect()
}
