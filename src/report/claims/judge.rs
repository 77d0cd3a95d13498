//! Tests of claims on numbers with intervals.
//!
//! A number is above another if its whole interval is above the other's. This is stricter than a 95 % test of the
//! difference: a claim is rather `unclear` than wrongly judged.

use std::cmp::Ordering;

use super::finding::{Finding, Verdict};
use crate::config::ClaimTest;
use crate::report::known::Figure;
use crate::report::names;
use crate::report::number::Unit;
use crate::report::series;
use crate::words::{Case, Value};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub case: Case,
    /// Without an interval it is exact, or has too few passes.
    pub figure: Figure,
    pub paper: Option<f64>,
    /// Positions of a sample, if the task has several.
    pub positions: Option<u64>,
}

/// A number with its place. Both ends equal it if the quantity has no interval.
#[derive(Clone, Copy)]
struct Told<'a> {
    case: &'a Case,
    value: f64,
    low: f64,
    high: f64,
}

/// The result of one cell or row. Results against the claim sort first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Against,
    Unclear,
    For,
}

struct Outcome {
    says: Says,
    leans: bool,
    /// True if the compared cells have different numbers of positions.
    unequal: bool,
    /// Smaller is worse for the claim; compared only within one claim.
    margin: f64,
    text: String,
}

impl Outcome {
    fn new(says: Says, margin: f64, text: String) -> Outcome {
        Outcome {
            says,
            leans: false,
            unequal: false,
            margin,
            text,
        }
    }
}

/// Judges the cells of a claim. `order` is the order of the test's axis.
pub(super) fn find(test: &ClaimTest, points: Vec<Point>, unit: Unit, order: &[Value]) -> Finding {
    let told = points.iter().filter(|point| point.told().is_some());
    let few = told.filter(|point| matches!(&point.figure, Ok(known) if known.few.is_some()));
    let few = few.count();
    let reason = points.iter().find_map(Point::reason);
    let outcomes: Vec<Option<Outcome>> = match test.along() {
        None => {
            let says = |point| of_cell(test, point, unit);
            points.iter().map(says).collect()
        }
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
        unequal: outcomes.iter().filter(|one| one.unequal).count(),
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

    /// Why a number is inconclusive: its interval is too wide or missing.
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
    /// Certainly above or below another, or equal if both are exact; `None` if unknown.
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

fn at(case: &Case, text: &str) -> String {
    match case.0.is_empty() {
        true => text.to_owned(),
        false => format!("{}: {text}", names::case(case)),
    }
}

fn of_cell(test: &ClaimTest, point: &Point, unit: Unit) -> Option<Outcome> {
    let outcome = |says, margin, text: &str| Outcome::new(says, margin, at(&point.case, text));
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
        // The distance of a number that is not positive is infinite.
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
    let wide = row.iter();
    let wide = wide.filter_map(|point| Some((&point.case, point.wide()?)));
    let wide: Vec<(&Case, String)> = wide.collect();
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
        // Cells that are too uncertain to compare leave the claim open.
        let (case, why) = wide.first()?;
        let cases = wide.iter().map(|(case, _)| *case);
        let mut cases = cases.chain(told.iter().map(|own| own.case));
        let is_open = wide.len() + told.len() >= 2 && cases.any(is_there);
        return is_open.then(|| Outcome::new(Says::Unclear, 0.0, at(case, why)));
    };
    let [one, other] = [one, other].map(|own| {
        let value = value(own.case).unwrap_or_default();
        format!("{} at {axis} {value}", own.show(unit))
    });
    let text = at(common, &format!("{one}, {other}"));
    let mut counts = row
        .iter()
        .filter(|point| point.told().is_some())
        .map(|point| point.positions);
    let first = counts.next();
    Some(Outcome {
        unequal: counts.any(|count| Some(count) != first),
        ..Outcome::new(says, margin, text)
    })
}

type Compared<'t, 'a> = (Says, f64, [&'t Told<'a>; 2]);

fn extreme<'t, 'a>(
    there: &'t Told<'a>,
    others: &[&'t Told<'a>],
    up: bool,
) -> Option<Compared<'t, 'a>> {
    // The winner need not be the extreme if intervals differ in width.
    let beaten = |other: &&&Told<'_>| other.against(there) == Some(way(up));
    let against = others.iter().find(beaten);
    let rival = others.iter().max_by(|a, b| {
        let order = a.value.total_cmp(&b.value);
        if up { order } else { order.reverse() }
    });
    let rival = against.or(rival)?;
    // A number that is beyond it, but not certainly, leaves the claim open.
    let is_beyond = rival.value.partial_cmp(&there.value) == Some(way(up));
    let says = match (against.is_some(), is_beyond) {
        (true, _) => Says::Against,
        (false, true) => Says::Unclear,
        (false, false) => Says::For,
    };
    Some((says, gain(rival, there, up), [there, rival]))
}

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

/// The growth from the first to the second, in the claim's direction: above 1 if it grows.
fn gain(from: &Told<'_>, to: &Told<'_>, up: bool) -> f64 {
    let (from, to) = if up { (from, to) } else { (to, from) };
    match from.value > 0.0 && to.value > 0.0 {
        true => to.value / from.value,
        false => 1.0 + to.value - from.value,
    }
}
