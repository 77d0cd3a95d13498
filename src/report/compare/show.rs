//! A comparison for a terminal.

use super::comparison::{Change, Common, Comparison, TechniqueChange};
use crate::report::data::{is_device, on};
use crate::report::number::{Unit, significant};
use crate::report::paper::shortened;
use crate::report::series::{distinct, grouped};
use crate::report::terminal::{BOLD, DIM, Field, GREEN, Notes, Paint, RED, Table, YELLOW, wrapped};
use crate::results::CellId;
use crate::stats::Ratio;
use crate::words::{Status, counted};

const NARROWEST: usize = 40;
const DEVICE: usize = 20;
const FEW: &str = "* fewer than three passes on a side: no interval";

impl Comparison {
    /// The comparison with warnings and summary, the slowest cells last, within `width` except folder names. `all`
    /// names the cells that are not compared.
    pub fn text(&self, width: usize, colour: bool, all: bool) -> String {
        let paint = Paint { colour };
        let width = width.max(NARROWEST);
        let mut lines = Vec::new();
        for (name, side) in ["A", "B"].into_iter().zip(&self.sides) {
            lines.push(format!("{} {}", paint.dye(BOLD, name), side.folder));
            let devices = side.devices.join(", ");
            let place = [side.host.as_str(), devices.as_str(), &side.program];
            let place: Vec<&str> = place.into_iter().filter(|it| !it.is_empty()).collect();
            lines.push(paint.dye(DIM, &shortened(&format!("  {}", place.join("; ")), width)));
        }
        for warning in &self.warnings {
            let warning = format!("warning: {warning}");
            lines.extend(wrapped(&warning, width).map(|it| paint.dye(YELLOW, &it)));
        }
        lines.push(String::new());
        lines.extend(self.table(width, paint));
        lines.push(String::new());
        lines.extend(self.by_technique(width, paint));
        lines.extend(self.summary(width, paint));
        lines.extend(self.left_out(width, paint, all));
        lines.extend(self.verdict(width, paint));
        lines.join("\n") + "\n"
    }

    /// One line per cell, without the two costs if they do not fit. Each note stands below once.
    fn table(&self, width: usize, paint: Paint) -> Vec<String> {
        let of_cells = self.common.iter().map(|common| common.cell.device.as_str());
        let devices = distinct(of_cells.filter(|device| is_device(device)));
        let mut notes = Notes::default();
        let marks = self.common.iter().map(|own| {
            let own = own.notes.iter().map(|note| notes.mark(note));
            own.map(|mark| format!(" {mark}")).collect()
        });
        let marks: Vec<String> = marks.collect();
        let few = self.common.iter().any(Common::has_few_passes);
        let table = |with_costs: bool| {
            let mut head = vec!["case", "technique"];
            // The first lines name a single device.
            let on_devices = devices.len() > 1;
            head.extend(on_devices.then_some("device"));
            head.extend(["A", "B"].into_iter().filter(|_| with_costs));
            head.extend(["B ÷ A", "95 % interval", "change"]);
            let rows = self.common.iter().zip(&marks).map(|(common, marks)| {
                let cell = &common.cell;
                let mut row = vec![(cell.case.clone(), BOLD), (cell.technique.clone(), "")];
                row.extend(on_devices.then(|| (shortened(&cell.device, DEVICE), "")));
                let costs = [0, 1].map(|side| (cost(common, side), ""));
                row.extend(costs.into_iter().filter(|_| with_costs));
                row.extend(shown(&common.ratio, common.change));
                let few = if common.has_few_passes() { " *" } else { "" };
                let change = format!("{}{few}{marks}", common.change.word());
                row.push((change, code(common.change)));
                row
            });
            let (rows, right) = (rows.collect(), &[]);
            Table { head, rows, right }
        };
        let whole = table(true);
        let mut lines = match whole.width() <= width {
            true => whole.fitted(width, paint),
            false => table(false).fitted(width, paint),
        };
        let below: Vec<String> = notes.lines().chain(few.then(|| FEW.to_owned())).collect();
        let below = below.iter().flat_map(|line| wrapped(line, width));
        lines.extend(below.map(|line| paint.dye(DIM, &line)));
        lines
    }

    /// One line per technique: the mean over its cells, the slowest last.
    fn by_technique(&self, width: usize, paint: Paint) -> Vec<String> {
        let rows = self.techniques.iter().map(|own| {
            let [value, interval] = shown(&own.ratio, Change::of(&own.ratio, self.options.same));
            let cells = own.cells.to_string();
            vec![(technique(own), BOLD), (cells, ""), value, interval]
        });
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return Vec::new();
        }
        let name = "technique, mean of its cells";
        let head = vec![name, "cells", "B ÷ A", "95 % interval"];
        let right = &[];
        let table = Table { head, rows, right };
        [table.fitted(width, paint), vec![String::new()]].concat()
    }

    fn summary(&self, width: usize, paint: Paint) -> Vec<String> {
        let counts = Change::ALL.map(|change| format!("{} {}", self.count(change), change.word()));
        let (common, experiment) = (cells(self.common.len()), &self.experiment);
        let text = format!("{common} of {experiment} in both: {}", counts.join(", "));
        let text = wrapped(&text, width);
        let mut lines: Vec<String> = text.map(|it| paint.dye(BOLD, &it)).collect();
        let text = format!(
            "B ÷ A is the time that B takes over A's, above 1 where B is slower; `same`: its 95 % interval \
             lies within ±{} of 1; `unclear`: it contains 1 but is wider",
            percent(self.options.same)
        );
        lines.extend(wrapped(&text, width).map(|it| paint.dye(DIM, &it)));
        lines
    }

    fn left_out(&self, width: usize, paint: Paint, all: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, only) in ["A", "B"].into_iter().zip(&self.only) {
            if !only.is_empty() {
                lines.push(format!("only in {name}: {}", cells(only.len())));
                let named = only.iter().filter(|_| all);
                lines.extend(named.map(|cell| format!("  {}", place(cell))));
            }
        }
        let kinds = self.incomparable.iter().map(|own| match own.status {
            [Status::Ok, Status::Ok] => ("answers that cannot be compared".to_owned(), ()),
            [one, other] => (format!("A {one}, B {other}"), ()),
        });
        let counts = grouped(kinds);
        if !counts.is_empty() {
            let counts = counts.iter();
            let counts = counts.map(|(kind, own)| format!("{} × {kind}", own.len()));
            let counts = counts.collect::<Vec<_>>().join("; ");
            let count = cells(self.incomparable.len());
            let text = format!("in both, without two answers to compare: {count} ({counts})");
            lines.extend(wrapped(&text, width));
            let named = self.incomparable.iter().filter(|_| all);
            lines.extend(named.map(|own| format!("  {}: {}", place(&own.cell), own.why)));
        }
        for line in &mut lines {
            *line = shortened_tail(line, width);
        }
        if !lines.is_empty() && !all {
            lines.push(paint.dye(DIM, "(--all names them)"));
        }
        lines
    }

    fn verdict(&self, width: usize, paint: Paint) -> Vec<String> {
        let lost = self.lost();
        let lost = lost.map(|own| format!("{}: {}", place(&own.cell), own.why));
        let lost: Vec<String> = lost.collect();
        let more = self.common.iter().filter(|own| !own.more_work.is_empty());
        let more = more.map(|own| format!("{}: {}", place(&own.cell), own.more_work.join("; ")));
        let techniques = self.techniques.iter().filter(|own| own.beyond);
        let techniques = techniques.map(|own| (technique(own), &own.ratio));
        let own = self.beyond().map(|own| (place(&own.cell), &own.ratio));
        let slower = techniques.chain(own).map(|(name, own)| {
            let interval = interval(own).unwrap_or_default();
            format!("{name}: {} ({interval})", ratio(own.value))
        });
        let mut lines = Vec::new();
        // The heading, its lines, and the text if there are none.
        let mut say = |heading: String, each: Vec<String>, none: String| {
            let (code, heading) = match each.is_empty() {
                true => (GREEN, none),
                false => (RED, heading),
            };
            let each = each.iter().map(|own| format!("  {own}"));
            let each = each.map(|own| shortened_tail(&own, width));
            let all = wrapped(&heading, width).chain(each);
            lines.extend(all.map(|line| paint.dye(code, &line)));
        };
        let unmeasured = cells(self.unmeasured.len());
        say(
            format!("{unmeasured} with an answer in A and no row in B, which was asked for them:"),
            self.unmeasured.iter().map(place).collect(),
            String::new(),
        );
        let verb = if lost.len() == 1 { "has" } else { "have" };
        let count = cells(lost.len());
        say(
            format!("{count} {verb} an answer in A, and in B none or one of fewer positions:"),
            lost,
            String::new(),
        );
        if let Some(most) = self.options.fail_work.map(percent) {
            let none = format!("no cell in both counts more work by more than {most}");
            let heading = format!("more work by more than {most}:");
            say(heading, more.collect(), none);
        }
        if let Some(most) = self.options.fail_over.map(percent) {
            let none = format!("no technique and no cell in both is slower by more than {most}");
            let heading = format!("slower by more than {most}, and certainly slower:");
            say(heading, slower.collect(), none);
        }
        lines
    }
}

/// A ratio and its interval.
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

fn cost(common: &Common, side: usize) -> String {
    let time = Unit::Time.show(common.costs[side]);
    match common.each {
        true => format!("{time} a playout"),
        false => time,
    }
}

fn interval(own: &Ratio) -> Option<String> {
    let ends = own.interval;
    ends.map(|(low, high)| format!("{}–{}", ratio(low), ratio(high)))
}

/// A ratio near 1 has three decimals.
fn ratio(value: f64) -> String {
    match (0.5..2.0).contains(&value) {
        true => format!("{value:.3}"),
        false => significant(value),
    }
}

fn percent(share: f64) -> String {
    // Removes the digits that the float adds.
    let rounded = (share * 1e6).round() / 1e4;
    format!("{rounded} %")
}

fn cells(count: usize) -> String {
    counted(count, "cell")
}

fn technique(own: &TechniqueChange) -> String {
    on(&own.technique, &own.device)
}

/// `board=8x8 depth=4, pv-split on NVIDIA H200`.
fn place(cell: &CellId) -> String {
    on(&format!("{}, {}", cell.case, cell.technique), &cell.device)
}

fn shortened_tail(line: &str, width: usize) -> String {
    let indent = line.len() - line.trim_start().len();
    let rest = shortened(line, width.saturating_sub(indent));
    format!("{}{rest}", &line[..indent])
}
