//! The tests of claims on numbers with intervals.
//!
//! Of two numbers one is above the other where its whole interval is above the other's. That asks for
//! more than a 95 % test of their difference would, so a claim is rather `unclear` than wrongly judged.

use super::finding::{Finding, Verdict};
use crate::config::ClaimTest;
use crate::report::names;
use crate::report::number::Unit;
use crate::report::series;
use crate::words::{Case, Value};

/// A cell that a claim is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub case: Case,
    pub reading: Reading,
    /// The paper's number for it.
    pub paper: Option<f64>,
}

/// What a run says of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reading {
    /// A number with its 95 % interval, both ends the number itself where the quantity has none.
    Told {
        value: f64,
        low: f64,
        high: f64,
        /// The interval is of so few samples that it is only a hint.
        few: bool,
    },
    /// An interval that is too wide for a ratio to be shown.
    Wide(String),
    /// No number, and why.
    Nothing(String),
}

/// How numbers are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    Unit(Unit),
    Percent,
}

/// A number that was told, and where.
#[derive(Clone, Copy)]
struct Told<'a> {
    case: &'a Case,
    value: f64,
    low: f64,
    high: f64,
}

/// What one cell, or one row of cells, says. Those that speak against the claim come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Against,
    Unclear,
    For,
}

struct Outcome {
    says: Says,
    /// The smaller, the worse for the claim; compared within one claim alone.
    margin: f64,
    text: String,
}

/// Judges the cells of a claim. `order` is that of the axis along which the test goes.
pub(super) fn find(test: &ClaimTest, points: Vec<Point>, scale: Scale, order: &[Value]) -> Finding {
    let few = points.iter().filter(|point| point.is_few()).count();
    let reason = points.iter().find_map(Point::reason).unwrap_or_default();
    let outcomes: Vec<Option<Outcome>> = match test.along() {
        None => points
            .iter()
            .map(|point| of_cell(test, point, scale))
            .collect(),
        Some(axis) => series::rows(points, |point| &point.case, axis, order)
            .iter()
            .map(|(common, row)| of_row(test, axis, common, row, scale))
            .collect(),
    };
    let all = outcomes.len();
    let mut outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    outcomes.sort_by(|a, b| a.says.cmp(&b.says).then(a.margin.total_cmp(&b.margin)));
    let Some(worst) = outcomes.first() else {
        let reason = match reason.is_empty() {
            true => "fewer than two cells of a row have a number".to_owned(),
            false => reason,
        };
        return Finding::not_measured(all, reason);
    };
    let count = |says| outcomes.iter().filter(|one| one.says == says).count();
    Finding {
        verdict: Verdict::of(count(Says::For), count(Says::Against), outcomes.len()),
        held: count(Says::For),
        measured: outcomes.len(),
        all,
        few,
        worst: worst.text.clone(),
        reason,
    }
}

impl Point {
    fn told(&self) -> Option<Told<'_>> {
        match self.reading {
            Reading::Told {
                value, low, high, ..
            } => Some(Told {
                case: &self.case,
                value,
                low,
                high,
            }),
            _ => None,
        }
    }

    fn is_few(&self) -> bool {
        matches!(self.reading, Reading::Told { few: true, .. })
    }

    fn is_wide(&self) -> bool {
        matches!(self.reading, Reading::Wide(_))
    }

    fn reason(&self) -> Option<String> {
        match &self.reading {
            Reading::Nothing(reason) => Some(format!("{}: {reason}", names::case(&self.case))),
            _ => None,
        }
    }
}

impl Told<'_> {
    fn is_above(&self, other: &Told<'_>) -> bool {
        self.low > other.high
    }

    /// Whether two numbers without intervals are the same.
    fn equals(&self, other: &Told<'_>) -> bool {
        let exact = |told: &Told<'_>| told.low == told.high;
        exact(self) && exact(other) && self.value == other.value
    }

    fn show(&self, scale: Scale) -> String {
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        let (value, interval) = match scale {
            Scale::Unit(unit) => (
                unit.show(self.value),
                unit.show_interval(self.low, self.high),
            ),
            Scale::Percent => (
                format!("{} %", percent(self.value)),
                format!("{}–{} %", percent(self.low), percent(self.high)),
            ),
        };
        match self.low == self.high {
            true => value,
            false => format!("{value} ({interval})"),
        }
    }
}

/// Text with its place before it.
fn at(case: &Case, text: &str) -> String {
    match case.0.is_empty() {
        true => text.to_owned(),
        false => format!("{}: {text}", names::case(case)),
    }
}

/// A test that looks at each cell by itself; `None` where the cell has no number.
fn of_cell(test: &ClaimTest, point: &Point, scale: Scale) -> Option<Outcome> {
    let told = match &point.reading {
        Reading::Nothing(_) => return None,
        Reading::Wide(text) => {
            return Some(Outcome {
                says: Says::Unclear,
                margin: 0.0,
                text: at(&point.case, text),
            });
        }
        Reading::Told { .. } => point.told()?,
    };
    let by_interval = |for_it: bool, against: bool| match (for_it, against) {
        (true, _) => Says::For,
        (_, true) => Says::Against,
        _ => Says::Unclear,
    };
    let near = |target: f64, within: f64| {
        let factor = told.value / target;
        let holds = factor >= 1.0 / within && factor <= within;
        let distance = match factor > 0.0 {
            true => factor.ln().abs(),
            false => f64::INFINITY,
        };
        let says = if holds { Says::For } else { Says::Against };
        (says, -distance)
    };
    let shown = told.show(scale);
    let (says, margin, text) = match test {
        ClaimTest::Above(value) => {
            let says = by_interval(told.low > *value, told.high < *value);
            (says, told.value - value, shown)
        }
        ClaimTest::Below(value) => {
            let says = by_interval(told.high < *value, told.low > *value);
            (says, value - told.value, shown)
        }
        ClaimTest::About { value, within } => {
            let (says, margin) = near(*value, *within);
            (says, margin, shown)
        }
        ClaimTest::Published { within } => {
            let paper = point.paper?;
            let (says, margin) = near(paper, *within);
            let factor = Unit::Plain.show(told.value / paper);
            let paper = match scale {
                Scale::Unit(unit) => unit.show(paper),
                Scale::Percent => Unit::Plain.show(paper),
            };
            (says, margin, format!("{shown}, paper {paper}, ×{factor}"))
        }
        // The others look at rows.
        _ => return None,
    };
    Some(Outcome {
        says,
        margin,
        text: at(&point.case, &text),
    })
}

/// A test that looks at a row of cells; `None` where too few of them have numbers.
fn of_row(
    test: &ClaimTest,
    axis: &str,
    common: &Case,
    row: &[Point],
    scale: Scale,
) -> Option<Outcome> {
    let told: Vec<Told<'_>> = row.iter().filter_map(Point::told).collect();
    let pair = |one: &Told<'_>, other: &Told<'_>, between: &str| {
        let show = |told: &Told<'_>| {
            let value = told.case.get(axis).map_or(String::new(), Value::to_string);
            format!("{} at {axis} {value}", told.show(scale))
        };
        at(common, &format!("{}{between}{}", show(one), show(other)))
    };
    match test {
        ClaimTest::Rises(_) | ClaimTest::Falls(_) => {
            let up = matches!(test, ClaimTest::Rises(_));
            trend(&told, up, row.iter().any(Point::is_wide), pair)
        }
        ClaimTest::Highest { at, .. } | ClaimTest::Lowest { at, .. } => {
            let high = matches!(test, ClaimTest::Highest { .. });
            let is_there = |case: &Case| {
                let own = case.get(axis).map(Value::to_string);
                own == Some(at.to_string())
            };
            let (there, others): (Vec<Told<'_>>, Vec<Told<'_>>) =
                told.iter().copied().partition(|told| is_there(told.case));
            let there = there.first()?;
            let rival = others.iter().max_by(|a, b| {
                let (a, b) = (a.value, b.value);
                if high {
                    a.total_cmp(&b)
                } else {
                    b.total_cmp(&a)
                }
            })?;
            let beaten = |other: &Told<'_>| match high {
                true => other.is_above(there),
                false => there.is_above(other),
            };
            // The one that beats it need not be the extreme, where intervals are of unlike widths.
            let against = others.iter().find(|other| beaten(other));
            let rival = against.unwrap_or(rival);
            let margin = gain(rival, there, high);
            // One that is beyond it, but not for sure, leaves the claim open.
            let is_beyond = if high {
                rival.value > there.value
            } else {
                rival.value < there.value
            };
            let says = match (against.is_some(), is_beyond) {
                (true, _) => Says::Against,
                (false, true) => Says::Unclear,
                (false, false) => Says::For,
            };
            Some(Outcome {
                says,
                margin,
                text: pair(there, rival, ", "),
            })
        }
        _ => None,
    }
}

/// Whether a row goes one way, from its first to its last and in no step back.
fn trend(
    told: &[Told<'_>],
    up: bool,
    wide: bool,
    pair: impl Fn(&Told<'_>, &Told<'_>, &str) -> String,
) -> Option<Outcome> {
    let [first, .., last] = told else {
        return None;
    };
    let back = |from: &Told<'_>, to: &Told<'_>| match up {
        true => from.is_above(to),
        false => to.is_above(from),
    };
    let steps = told.windows(2).map(|step| (&step[0], &step[1]));
    let backward = steps
        .chain(std::iter::once((first, last)))
        .filter(|(from, to)| back(from, to))
        .min_by(|a, b| gain(a.0, a.1, up).total_cmp(&gain(b.0, b.1, up)));
    let says = match backward {
        Some(_) => Says::Against,
        None if first.equals(last) => Says::Against,
        None if back(last, first) && !wide => Says::For,
        None => Says::Unclear,
    };
    let (from, to) = backward.unwrap_or((first, last));
    Some(Outcome {
        says,
        margin: gain(from, to, up),
        text: pair(from, to, ", "),
    })
}

/// By how much the second is above the first, or below it where the way is down: above 1 where it is.
fn gain(from: &Told<'_>, to: &Told<'_>, up: bool) -> f64 {
    let (from, to) = if up { (from, to) } else { (to, from) };
    match from.value > 0.0 && to.value > 0.0 {
        true => to.value / from.value,
        false => 1.0 + to.value - from.value,
    }
}
