//! Prints a comparison on a terminal.

use super::{Change, Common, Comparison, Incomparable, SAME};
use crate::report::data::{distinct, grouped, is_device};
use crate::report::format::{Unit, shortened, significant};
use crate::report::terminal::{BOLD, DIM, Field, GREEN, Lines, RED, Table, YELLOW};
use crate::results::CellId;
use crate::stats::Ratio;
use crate::words::counted;

impl Comparison {
    /// Formats the comparison with warnings and a summary, the slowest cells last. Only folder names exceed `width`.
    pub fn text(&self, width: usize, colour: bool) -> String {
        let mut out = Lines::new(width, colour);
        for (name, side) in ["A", "B"].into_iter().zip(&self.sides) {
            side.show(name, &mut out);
        }
        for warning in &self.warnings {
            out.say(YELLOW, &format!("warning: {warning}"));
        }
        out.raw("");
        self.table(&mut out);
        out.raw("");
        // The mean over each technique's cells, the slowest last.
        let rows = self.techniques.iter().map(|own| {
            let [value, interval] = shown(&own.ratio, Change::of(&own.ratio));
            let name = on(&own.technique, &own.device);
            vec![(name, BOLD), (own.cells.to_string(), ""), value, interval]
        });
        let head = [
            "technique, mean of its cells",
            "cells",
            "B ÷ A",
            "95 % interval",
        ];
        if !self.techniques.is_empty() {
            out.table(&Table::new(&head, rows, &[]));
            out.raw("");
        }
        let counts = Change::ALL.map(|change| format!("{} {change}", self.count(change)));
        let (common, counts) = (counted(self.common.len(), "cell"), counts.join(", "));
        out.say(
            BOLD,
            &format!("{common} of {} in both: {counts}", self.experiment),
        );
        let text = format!(
            "B ÷ A is B's time divided by A's, so it is above 1 if B is slower; `same`: its 95 % interval \
             is within ±{} of 1; `unclear`: it contains 1 but is wider",
            Unit::Percent.show(SAME)
        );
        out.say(DIM, &text);
        self.left_out(&mut out);
        self.verdict(&mut out);
        out.text()
    }

    /// Prints one line per cell, without the two costs if they do not fit. Prints each distinct note once below.
    fn table(&self, out: &mut Lines) {
        let of_cells = self.common.iter().map(|common| common.cell.device.as_str());
        // If there is only one device, the first lines name it.
        let on_devices = distinct(of_cells.filter(|device| is_device(device))).len() > 1;
        let notes = distinct(self.common.iter().flat_map(|common| &common.notes));
        let marks = |own: &Common| -> String {
            let numbered = (1..)
                .zip(&notes)
                .filter(|(_, note)| own.notes.contains(note));
            numbered.map(|(number, _)| format!(" [{number}]")).collect()
        };
        let table = |with_costs: bool| {
            let mut head = vec!["case", "technique"];
            head.extend(on_devices.then_some("device"));
            head.extend(["A", "B"].into_iter().filter(|_| with_costs));
            head.extend(["B ÷ A", "95 % interval", "change"]);
            let rows = self.common.iter().map(|common| {
                let cell = &common.cell;
                let mut row = vec![(cell.case.clone(), BOLD), (cell.technique.clone(), "")];
                row.extend(on_devices.then(|| (shortened(&cell.device, 20), "")));
                let each = if common.each { " per playout" } else { "" };
                let costs =
                    [common.a_ns, common.b_ns].map(|cost| (Unit::Time.show(cost) + each, ""));
                row.extend(costs.into_iter().filter(|_| with_costs));
                row.extend(shown(&common.ratio, common.change));
                let few = if common.few_passes { " *" } else { "" };
                let change = format!("{}{few}{}", common.change, marks(common));
                row.push((change, code(common.change)));
                row
            });
            Table::new(&head, rows, &[])
        };
        let (with_costs, without) = (table(true), table(false));
        let fits = with_costs.width() <= out.width;
        out.table(if fits { &with_costs } else { &without });
        for (number, note) in (1..).zip(&notes) {
            out.say(DIM, &format!("[{number}] {note}"));
        }
        if self.common.iter().any(|common| common.few_passes) {
            out.say(DIM, "* fewer than three passes on a side: no interval");
        }
    }

    fn left_out(&self, out: &mut Lines) {
        for (name, only) in ["A", "B"].into_iter().zip(&self.only) {
            if !only.is_empty() {
                let count = counted(only.len(), "cell");
                out.say("", &format!("only in {name}: {count}"));
            }
        }
        let status = |own: &Incomparable| format!("A {}, B {}", own.status_a, own.status_b);
        let kinds = grouped(self.incomparable.iter().map(|own| (status(own), own)));
        let kinds = kinds
            .iter()
            .map(|(kind, own)| format!("{} × {kind}", own.len()));
        let kinds = kinds.collect::<Vec<_>>().join("; ");
        if !kinds.is_empty() {
            let count = counted(self.incomparable.len(), "cell");
            let text = format!("in both, without two answers to compare: {count} ({kinds})");
            out.say("", &text);
        }
        if !kinds.is_empty() || self.only.iter().any(|own| !own.is_empty()) {
            out.say(DIM, "(--json lists them)");
        }
    }

    /// Prints the lost answers and the slower techniques and cells, if the comparison has a gate.
    fn verdict(&self, out: &mut Lines) {
        let Some(most) = self.fail_over.map(|most| Unit::Percent.show(most)) else {
            return;
        };
        let because = |(cell, why): &(CellId, String)| format!("{}: {why}", place(cell));
        let lost: Vec<String> = self.lost.iter().map(because).collect();
        let verb = if lost.len() == 1 { "has" } else { "have" };
        let count = counted(lost.len(), "cell");
        let of_lost =
            format!("{count} {verb} an answer in A, but in B none or one for fewer positions:");
        let techniques = self.techniques.iter().filter(|own| own.beyond);
        let techniques = techniques.map(|own| (on(&own.technique, &own.device), &own.ratio));
        let slower = self.common.iter().filter(|own| own.beyond);
        let slower = slower.map(|own| (place(&own.cell), &own.ratio));
        let slower = techniques.chain(slower).map(|(name, own)| {
            let interval = interval(own).unwrap_or_default();
            format!("{name}: {} ({interval})", ratio(own.value))
        });
        let slower: Vec<String> = slower.collect();
        if slower.is_empty() {
            let none = format!("no technique and no cell in both is slower by more than {most}");
            out.say(GREEN, &none);
        }
        let of_slower = format!("significantly slower, by more than {most}:");
        for (heading, lines) in [(of_lost, lost), (of_slower, slower)] {
            if !lines.is_empty() {
                out.say(RED, &heading);
                let lines = lines.iter().map(|line| format!("  {line}"));
                lines.for_each(|line| out.say(RED, &line));
            }
        }
    }
}

fn shown(own: &Ratio, change: Change) -> [Field; 2] {
    let interval = interval(own).map_or(("–".to_owned(), DIM), |interval| (interval, ""));
    [(ratio(own.value), code(change)), interval]
}

fn code(change: Change) -> &'static str {
    match change {
        Change::Faster => GREEN,
        Change::Slower => RED,
        Change::Same => "",
        Change::Unclear => DIM,
    }
}

fn interval(own: &Ratio) -> Option<String> {
    let ends = own.interval;
    ends.map(|(low, high)| format!("{}–{}", ratio(low), ratio(high)))
}

/// Formats a ratio, with three decimals if it is near 1.
fn ratio(value: f64) -> String {
    match (0.5..2.0).contains(&value) {
        true => format!("{value:.3}"),
        false => significant(value),
    }
}

/// Formats a cell: `board=8x8 depth=4, pv-split on NVIDIA H200`.
fn place(cell: &CellId) -> String {
    on(&format!("{}, {}", cell.case, cell.technique), &cell.device)
}

/// Appends the device, if it is one: `pv-split on NVIDIA H200`.
fn on(text: &str, device: &str) -> String {
    match is_device(device) {
        true => format!("{text} on {device}"),
        false => text.to_owned(),
    }
}
