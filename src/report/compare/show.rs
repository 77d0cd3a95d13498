//! A comparison for a terminal.

use super::{Change, Common, Comparison, Incomparable};
use crate::report::data::{is_device, on};
use crate::report::format::{Unit, shortened, significant};
use crate::report::series::{distinct, grouped};
use crate::report::terminal::{BOLD, DIM, Field, GREEN, Notes, Paint, RED, Table, YELLOW, wrapped};
use crate::results::CellId;
use crate::stats::Ratio;
use crate::words::{Status, counted};

const NARROWEST: usize = 40;
const DEVICE: usize = 20;
const FEW: &str = "* fewer than three passes on a side: no interval";

/// The lines of a comparison.
struct Lines {
    width: usize,
    paint: Paint,
    lines: Vec<String>,
}

impl Lines {
    /// Adds a paragraph, or a line if the text is indented: a line is shortened.
    fn say(&mut self, code: &str, text: impl AsRef<str>) {
        let lines = match text.as_ref().strip_prefix("  ") {
            Some(text) => vec![format!("  {}", shortened(text, self.width - 2))],
            None => wrapped(text.as_ref(), self.width).collect(),
        };
        let dyed = lines.iter().map(|line| self.paint.dye(code, line));
        self.lines.extend(dyed);
    }

    fn table(&mut self, table: &Table) {
        self.lines.extend(table.fitted(self.width, self.paint));
    }
}

impl Comparison {
    /// The comparison with warnings and summary, the slowest cells last, within `width` except folder names. `all`
    /// names the cells that are not compared.
    pub fn text(&self, width: usize, colour: bool, all: bool) -> String {
        let (width, paint, lines) = (width.max(NARROWEST), Paint { colour }, Vec::new());
        let mut out = Lines {
            width,
            paint,
            lines,
        };
        for (name, side) in ["A", "B"].into_iter().zip(&self.sides) {
            let name = paint.dye(BOLD, name);
            out.lines.push(format!("{name} {}", side.folder));
            let devices = side.devices.join(", ");
            let mut place = vec![side.host.as_str(), &devices, &side.program];
            place.retain(|it| !it.is_empty());
            let place = shortened(&place.join("; "), width);
            out.lines.push(paint.dye(DIM, &place));
        }
        for warning in &self.warnings {
            out.say(YELLOW, format!("warning: {warning}"));
        }
        out.lines.push(String::new());
        self.table(&mut out);
        out.lines.push(String::new());
        let same = self.options.same;
        // The mean of each technique's cells, the slowest last.
        let rows = self.techniques.iter().map(|own| {
            let [value, interval] = shown(&own.ratio, Change::of(&own.ratio, same));
            let cells = own.cells.to_string();
            let name = on(&own.technique, &own.device);
            vec![(name, BOLD), (cells, ""), value, interval]
        });
        let name = "technique, mean of its cells";
        let head = vec![name, "cells", "B ÷ A", "95 % interval"];
        let (rows, right) = (rows.collect(), &[]);
        if !self.techniques.is_empty() {
            out.table(&Table { head, rows, right });
            out.lines.push(String::new());
        }
        let counts = Change::ALL.map(|change| format!("{} {change}", self.count(change)));
        let (common, counts) = (cells(self.common.len()), counts.join(", "));
        let text = format!("{common} of {} in both: {counts}", self.experiment);
        out.say(BOLD, text);
        let text = format!(
            "B ÷ A is the time that B takes over A's, above 1 where B is slower; `same`: its 95 % interval \
             lies within ±{} of 1; `unclear`: it contains 1 but is wider",
            percent(same)
        );
        out.say(DIM, text);
        self.left_out(&mut out, all);
        self.verdict(&mut out);
        out.lines.join("\n") + "\n"
    }

    /// One line per cell, without the two costs if they do not fit. Each note stands below once.
    fn table(&self, out: &mut Lines) {
        let of_cells = self.common.iter().map(|common| common.cell.device.as_str());
        // The first lines name a single device.
        let on_devices = distinct(of_cells.filter(|device| is_device(device))).len() > 1;
        let mut notes = Notes::default();
        let marks = self.common.iter().map(|own| {
            let own = own.notes.iter().map(|note| notes.mark(note));
            own.map(|mark| format!(" {mark}")).collect()
        });
        let marks: Vec<String> = marks.collect();
        let table = |with_costs: bool| {
            let mut head = vec!["case", "technique"];
            head.extend(on_devices.then_some("device"));
            head.extend(["A", "B"].into_iter().filter(|_| with_costs));
            head.extend(["B ÷ A", "95 % interval", "change"]);
            let rows = self.common.iter().zip(&marks).map(|(common, marks)| {
                let cell = &common.cell;
                let mut row = vec![(cell.case.clone(), BOLD), (cell.technique.clone(), "")];
                row.extend(on_devices.then(|| (shortened(&cell.device, DEVICE), "")));
                let each = if common.each { " a playout" } else { "" };
                let costs = common.costs.map(|cost| (Unit::Time.show(cost) + each, ""));
                row.extend(costs.into_iter().filter(|_| with_costs));
                row.extend(shown(&common.ratio, common.change));
                let few = if common.has_few_passes() { " *" } else { "" };
                let change = format!("{}{few}{marks}", common.change);
                row.push((change, code(common.change)));
                row
            });
            let (rows, right) = (rows.collect(), &[]);
            Table { head, rows, right }
        };
        let fits = table(true).width() <= out.width;
        out.table(&table(fits));
        notes.lines().for_each(|note| out.say(DIM, note));
        if self.common.iter().any(Common::has_few_passes) {
            out.say(DIM, FEW);
        }
    }

    fn left_out(&self, out: &mut Lines, all: bool) {
        let before = out.lines.len();
        for (name, only) in ["A", "B"].into_iter().zip(&self.only) {
            if !only.is_empty() {
                out.say("", format!("only in {name}: {}", cells(only.len())));
                let named = only.iter().filter(|_| all);
                named.for_each(|cell| out.say("", format!("  {}", place(cell))));
            }
        }
        let kinds = grouped(self.incomparable.iter().map(|own| match own.status {
            [Status::Ok, Status::Ok] => ("answers that cannot be compared".to_owned(), ()),
            [one, other] => (format!("A {one}, B {other}"), ()),
        }));
        if !kinds.is_empty() {
            let kinds = kinds.iter();
            let kinds = kinds.map(|(kind, own)| format!("{} × {kind}", own.len()));
            let kinds = kinds.collect::<Vec<_>>().join("; ");
            let count = cells(self.incomparable.len());
            let text = format!("in both, without two answers to compare: {count} ({kinds})");
            out.say("", text);
            let named = self.incomparable.iter().filter(|_| all);
            named.for_each(|own| out.say("", format!("  {}", why(own))));
        }
        if out.lines.len() > before && !all {
            out.say(DIM, "(--all names them)");
        }
    }

    fn verdict(&self, out: &mut Lines) {
        // The heading, its lines, and the text if there are none.
        let mut say = |heading: String, each: Vec<String>, none: &str| {
            let code = if each.is_empty() { GREEN } else { RED };
            out.say(code, if each.is_empty() { none } else { &heading });
            let each = each.iter().map(|own| format!("  {own}"));
            each.for_each(|own| out.say(code, own));
        };
        let count = cells(self.unmeasured.len());
        let heading =
            format!("{count} with an answer in A and no row in B, which was asked for them:");
        say(heading, self.unmeasured.iter().map(place).collect(), "");
        let lost: Vec<String> = self.lost().map(why).collect();
        let verb = if lost.len() == 1 { "has" } else { "have" };
        let count = cells(lost.len());
        let heading =
            format!("{count} {verb} an answer in A, and in B none or one of fewer positions:");
        say(heading, lost, "");
        if let Some(most) = self.options.fail_work.map(percent) {
            let more = self.common.iter().filter(|own| !own.more_work.is_empty());
            let more = more.map(|own| (place(&own.cell), own.more_work.join("; ")));
            let more = more.map(|(place, work)| format!("{place}: {work}"));
            let heading = format!("more work by more than {most}:");
            let none = format!("no cell in both counts more work by more than {most}");
            say(heading, more.collect(), &none);
        }
        if let Some(most) = self.options.fail_over.map(percent) {
            let techniques = self.techniques.iter().filter(|own| own.beyond);
            let techniques = techniques.map(|own| (on(&own.technique, &own.device), &own.ratio));
            let own = self.beyond().map(|own| (place(&own.cell), &own.ratio));
            let slower = techniques.chain(own).map(|(name, own)| {
                let interval = interval(own).unwrap_or_default();
                format!("{name}: {} ({interval})", ratio(own.value))
            });
            let heading = format!("slower by more than {most}, and certainly slower:");
            let none = format!("no technique and no cell in both is slower by more than {most}");
            say(heading, slower.collect(), &none);
        }
    }
}

/// `board=8x8 depth=4, serial: B is skipped`.
fn why(own: &Incomparable) -> String {
    format!("{}: {}", place(&own.cell), own.why)
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

/// `board=8x8 depth=4, pv-split on NVIDIA H200`.
fn place(cell: &CellId) -> String {
    on(&format!("{}, {}", cell.case, cell.technique), &cell.device)
}
