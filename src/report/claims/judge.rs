//! The tests of claims on numbers with intervals.
//!
//! Of two numbers one is above the other where its whole interval is above the other's. That asks for
//! more than a 95 % test of their difference would, so a claim is rather `unclear` than wrongly judged.

use std::cmp::Ordering;

use super::finding::{Finding, Verdict};
use crate::config::ClaimTest;
use crate::report::known::Figure;
use crate::report::names;
use crate::report::number::Unit;
use crate::report::series;
use crate::words::{Case, Value};

/// A cell that a claim is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub case: Case,
    /// Without an interval it is exact, or of too few passes.
    pub figure: Figure,
    /// The paper's number for it.
    pub paper: Option<f64>,
}

/// A number that was told, and where; both ends are the number itself where the quantity has no interval.
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
    /// Whether its value agrees, though it has no interval to say so for sure.
    leans: bool,
    /// The smaller, the worse for the claim; compared within one claim alone.
    margin: f64,
    text: String,
}

/// Judges the cells of a claim. `order` is that of the axis along which the test goes.
pub(super) fn find(test: &ClaimTest, points: Vec<Point>, unit: Unit, order: &[Value]) -> Finding {
    let few = points.iter().filter(|point| point.is_few()).count();
    let reason = points.iter().find_map(Point::reason);
    let outcomes: Vec<Option<Outcome>> = match test.along() {
        None => points
            .iter()
            .map(|point| of_cell(test, point, unit))
            .collect(),
        Some(axis) => {
            let rows = series::rows(points, |point| &point.case, axis, order);
            let says = |(common, row): &(Case, Vec<Point>)| of_row(test, axis, common, row, unit);
            rows.iter().map(says).collect()
        }
    };
    let all = outcomes.len();
    let mut outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    outcomes.sort_by(|a, b| a.says.cmp(&b.says).then(a.margin.total_cmp(&b.margin)));
    let Some(worst) = outcomes.first() else {
        let none = "fewer than two cells of a row have a number";
        return Finding::not_measured(all, reason.unwrap_or(none.to_owned()));
    };
    let count = |says| outcomes.iter().filter(|one| one.says == says).count();
    Finding {
        verdict: Verdict::of(count(Says::For), count(Says::Against), outcomes.len()),
        held: count(Says::For),
        leaning: outcomes.iter().filter(|one| one.leans).count(),
        measured: outcomes.len(),
        all,
        few,
        worst: worst.text.clone(),
        reason: reason.unwrap_or_default(),
    }
}

impl Point {
    fn told(&self) -> Option<Told<'_>> {
        self.number().filter(|_| self.wide().is_none())
    }

    /// Its number, even without the interval that it should have.
    fn number(&self) -> Option<Told<'_>> {
        let known = self.figure.as_ref().ok()?;
        let (low, high) = known.interval.unwrap_or((known.value, known.value));
        Some(Told {
            case: &self.case,
            value: known.value,
            low,
            high,
        })
    }

    /// Whether its interval is of so few samples that it is only a hint.
    fn is_few(&self) -> bool {
        self.told().is_some() && matches!(&self.figure, Ok(known) if known.few.is_some())
    }

    /// Why a number says nothing that the next run may not deny: its interval is too wide, or it has none.
    fn wide(&self) -> Option<String> {
        match &self.figure {
            Ok(known) if known.interval.is_none() => {
                let few = known.few.as_ref();
                few.map(|few| format!("{few}: no interval"))
            }
            Err(missing) if missing.interval.is_some() => Some(missing.text()),
            _ => None,
        }
    }

    fn reason(&self) -> Option<String> {
        let missing = self.figure.as_ref().err();
        let missing = missing.filter(|missing| missing.interval.is_none())?;
        Some(format!("{}: {}", names::case(&self.case), missing.text()))
    }
}

impl Told<'_> {
    /// Above or below another for sure, or equal where both are exact; `None` where it is not known.
    fn against(&self, other: &Told<'_>) -> Option<Ordering> {
        let exact = |told: &Told<'_>| told.low == told.high;
        match () {
            () if self.low > other.high => Some(Ordering::Greater),
            () if other.low > self.high => Some(Ordering::Less),
            () if exact(self) && exact(other) => Some(Ordering::Equal),
            () => None,
        }
    }

    fn show(&self, unit: Unit) -> String {
        let value = unit.show(self.value);
        match self.low == self.high {
            true => value,
            false => format!("{value} ({})", unit.show_interval(self.low, self.high)),
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
fn of_cell(test: &ClaimTest, point: &Point, unit: Unit) -> Option<Outcome> {
    let outcome = |says, margin, text: &str| Outcome {
        says,
        leans: false,
        margin,
        text: at(&point.case, text),
    };
    let wide = point.wide();
    let Some(told) = point.number() else {
        return wide.map(|why| outcome(Says::Unclear, 0.0, &why));
    };
    let by_interval = |for_it: bool, against: bool| match (for_it, against) {
        (true, _) => Says::For,
        (_, true) => Says::Against,
        _ => Says::Unclear,
    };
    let near = |target: f64, within: f64| {
        let factor = told.value / target;
        let is_near = factor >= 1.0 / within && factor <= within;
        // Of no positive number the distance is infinite.
        let distance = factor.max(0.0).ln().abs();
        (by_interval(is_near, !is_near), -distance)
    };
    let shown = told.show(unit);
    let found = match test {
        ClaimTest::Above(value) => {
            let says = by_interval(told.low > *value, told.high < *value);
            outcome(says, told.value - value, &shown)
        }
        ClaimTest::Below(value) => {
            let says = by_interval(told.high < *value, told.low > *value);
            outcome(says, value - told.value, &shown)
        }
        ClaimTest::About { value, within } => {
            let (says, margin) = near(*value, *within);
            outcome(says, margin, &shown)
        }
        ClaimTest::Published { within } => {
            let paper = point.paper?;
            let (says, margin) = near(paper, *within);
            let factor = Unit::Plain.show(told.value / paper);
            let text = format!("{shown}, paper {}, ×{factor}", unit.show(paper));
            outcome(says, margin, &text)
        }
        // The others look at rows.
        _ => return None,
    };
    Some(match wide {
        None => found,
        Some(why) => Outcome {
            leans: found.says == Says::For,
            ..outcome(Says::Unclear, 0.0, &why)
        },
    })
}

/// A test that looks at a row of cells; `None` where too few of them have numbers.
fn of_row(
    test: &ClaimTest,
    axis: &str,
    common: &Case,
    row: &[Point],
    unit: Unit,
) -> Option<Outcome> {
    let told: Vec<Told<'_>> = row.iter().filter_map(Point::told).collect();
    let (up, place) = match test {
        ClaimTest::Rises(_) => (true, None),
        ClaimTest::Falls(_) => (false, None),
        ClaimTest::Highest { at, .. } => (true, Some(at.to_string())),
        ClaimTest::Lowest { at, .. } => (false, Some(at.to_string())),
        _ => return None,
    };
    let value = |case: &Case| case.get(axis).map(Value::to_string);
    let wide: Vec<(&Case, String)> = row
        .iter()
        .filter_map(|point| Some((&point.case, point.wide()?)))
        .collect();
    let is_there = |case: &Case| place.is_none() || value(case) == place;
    let compared = match place {
        None => trend(&told, up, !wide.is_empty()),
        Some(_) => {
            let (there, others): (Vec<&Told<'_>>, Vec<_>) =
                told.iter().partition(|own| is_there(own.case));
            there.first().and_then(|there| extreme(there, &others, up))
        }
    };
    let Some((says, margin, [one, other])) = compared else {
        // What was measured, but not well enough to be compared, leaves the claim open, as it does in a cell.
        let (case, why) = wide.first()?;
        let cases = wide.iter().map(|(case, _)| *case);
        let mut cases = cases.chain(told.iter().map(|own| own.case));
        let is_open = wide.len() + told.len() >= 2 && cases.any(is_there);
        return is_open.then(|| Outcome {
            says: Says::Unclear,
            leans: false,
            margin: 0.0,
            text: at(case, why),
        });
    };
    let [one, other] = [one, other].map(|own| {
        let value = value(own.case).unwrap_or_default();
        format!("{} at {axis} {value}", own.show(unit))
    });
    Some(Outcome {
        says,
        leans: false,
        margin,
        text: at(common, &format!("{one}, {other}")),
    })
}

/// What two numbers say, the margin between them, and which they are.
type Compared<'t, 'a> = (Says, f64, [&'t Told<'a>; 2]);

/// Whether a number is beyond all others, above them or below.
fn extreme<'t, 'a>(
    there: &'t Told<'a>,
    others: &[&'t Told<'a>],
    up: bool,
) -> Option<Compared<'t, 'a>> {
    // The one that beats it need not be the extreme, where intervals are of unlike widths.
    let beaten = |other: &&&Told<'_>| other.against(there) == Some(way(up));
    let against = others.iter().find(beaten);
    let rival = others.iter().max_by(|a, b| {
        let order = a.value.total_cmp(&b.value);
        if up { order } else { order.reverse() }
    });
    let rival = against.or(rival)?;
    // One that is beyond it, but not for sure, leaves the claim open.
    let is_beyond = rival.value.partial_cmp(&there.value) == Some(way(up));
    let says = match (against.is_some(), is_beyond) {
        (true, _) => Says::Against,
        (false, true) => Says::Unclear,
        (false, false) => Says::For,
    };
    Some((says, gain(rival, there, up), [there, rival]))
}

/// Whether a row goes one way, from its first to its last and in no step back.
fn trend<'t, 'a>(told: &'t [Told<'a>], up: bool, is_wide: bool) -> Option<Compared<'t, 'a>> {
    let [first, .., last] = told else {
        return None;
    };
    let steps = told.windows(2).map(|step| [&step[0], &step[1]]);
    let backward = steps
        .chain([[first, last]])
        .filter(|[from, to]| from.against(to) == Some(way(up)))
        .min_by(|a, b| gain(a[0], a[1], up).total_cmp(&gain(b[0], b[1], up)));
    let says = match (backward, last.against(first)) {
        (Some(_), _) | (None, Some(Ordering::Equal)) => Says::Against,
        (None, Some(_)) if !is_wide => Says::For,
        _ => Says::Unclear,
    };
    let [from, to] = backward.unwrap_or([first, last]);
    Some((says, gain(from, to, up), [from, to]))
}

fn way(up: bool) -> Ordering {
    match up {
        true => Ordering::Greater,
        false => Ordering::Less,
    }
}

/// By how much the second is above the first, or below it where the way is down: above 1 where it is.
fn gain(from: &Told<'_>, to: &Told<'_>, up: bool) -> f64 {
    let (from, to) = if up { (from, to) } else { (to, from) };
    match from.value > 0.0 && to.value > 0.0 {
        true => to.value / from.value,
        false => 1.0 + to.value - from.value,
    }
}
