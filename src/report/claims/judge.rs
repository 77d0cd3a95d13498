//! Tests of claims on numbers with intervals.
//!
//! A number is above another if its whole interval is above the other's. This is stricter than a 95 % test of the
//! difference: a claim is rather `unclear` than wrongly judged.

use super::{Finding, Verdict};
use crate::config::ClaimTest;
use crate::report::known::Figure;
use crate::report::number::Unit;
use crate::report::series::distinct;
use crate::report::{names, series};
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Against,
    #[default]
    Unclear,
    For,
}

#[derive(Default)]
struct Outcome {
    says: Says,
    /// True if the value agrees, but has no interval.
    leans: bool,
    /// True if the compared cells have different numbers of positions.
    unequal: bool,
    /// Smaller is worse for the claim; compared only within one claim.
    margin: f64,
    text: String,
}

/// Judges the cells of a claim. `order` is the order of the test's axis.
pub(super) fn find(test: &ClaimTest, points: Vec<Point>, unit: Unit, order: &[Value]) -> Finding {
    let few = points.iter().filter(|point| {
        matches!(&point.figure, Ok(known) if known.few.is_some() && known.interval.is_some())
    });
    let few = few.count();
    let reason = points.iter().find_map(Point::reason);
    let outcomes: Vec<Option<Outcome>> = match test.along() {
        None => points.iter().map(|own| of_cell(test, own, unit)).collect(),
        Some(axis) => {
            let rows = series::rows(points, |point| &point.case, axis, order);
            let rows = rows.iter();
            rows.map(|(common, row)| of_row(test, axis, common, row, unit))
                .collect()
        }
    };
    let all = outcomes.len();
    let mut outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    outcomes.sort_by(|a, b| a.says.cmp(&b.says).then(a.margin.total_cmp(&b.margin)));
    let Some(worst) = outcomes.first() else {
        let none = "fewer than two cells of a row have a number";
        return Finding::not_measured(all, reason.unwrap_or(none.to_owned()));
    };
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|own| is(own)).count();
    let (held, measured) = (count(|own| own.says == Says::For), outcomes.len());
    Finding {
        verdict: match count(|own| own.says == Says::Against) {
            _ if held == measured => Verdict::Holds,
            _ if 4 * held >= 3 * measured => Verdict::Mostly,
            0 => Verdict::Unclear,
            _ => Verdict::Fails,
        },
        held,
        leaning: count(|own| own.leans),
        unequal: count(|own| own.unequal),
        measured,
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
        let (case, value) = (&self.case, known.value);
        Some(Told {
            case,
            value,
            low,
            high,
        })
    }

    /// Why a number is inconclusive: its interval is too wide or missing.
    fn wide(&self) -> Option<String> {
        match &self.figure {
            Ok(known) if known.interval.is_some() => None,
            Ok(known) => known.few.map(|few| format!("{few}: no interval")),
            Err(missing) => missing.interval.map(|_| missing.text()),
        }
    }

    fn reason(&self) -> Option<String> {
        let missing = self.figure.as_ref().err();
        let missing = missing.filter(|missing| missing.interval.is_none())?;
        Some(format!("{}: {}", names::case(&self.case), missing.text()))
    }
}

impl Told<'_> {
    /// True if it is certainly above another, or below if not `up`.
    fn beats(&self, other: &Told<'_>, up: bool) -> bool {
        match up {
            true => self.low > other.high,
            false => self.high < other.low,
        }
    }

    /// The growth to another, in the claim's direction: above 1 if it grows.
    fn gain(&self, to: &Told<'_>, up: bool) -> f64 {
        let (from, to) = if up { (self, to) } else { (to, self) };
        match from.value > 0.0 && to.value > 0.0 {
            true => to.value / from.value,
            false => 1.0 + to.value - from.value,
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

fn unclear(case: &Case, why: &str) -> Outcome {
    Outcome {
        text: at(case, why),
        ..Outcome::default()
    }
}

fn of_cell(test: &ClaimTest, point: &Point, unit: Unit) -> Option<Outcome> {
    let (case, wide) = (&point.case, point.wide());
    let Some(told) = point.number() else {
        return wide.map(|why| unclear(case, &why));
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
    let mut text = told.show(unit);
    let (says, margin) = match test {
        ClaimTest::Above(value) => {
            let says = by_interval(told.low > *value, told.high < *value);
            (says, told.value - value)
        }
        ClaimTest::Below(value) => {
            let says = by_interval(told.high < *value, told.low > *value);
            (says, value - told.value)
        }
        ClaimTest::About { value, within } => near(*value, *within),
        ClaimTest::Published { within } => {
            let paper = point.paper?;
            let factor = Unit::Plain.show(told.value / paper);
            text += &format!(", paper {}, ×{factor}", unit.show(paper));
            near(paper, *within)
        }
        _ => return None,
    };
    Some(match wide {
        None => Outcome {
            says,
            margin,
            ..unclear(case, &text)
        },
        Some(why) => Outcome {
            leans: says == Says::For,
            ..unclear(case, &why)
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
    let (up, place) = match test {
        ClaimTest::Rises(_) => (true, None),
        ClaimTest::Falls(_) => (false, None),
        ClaimTest::Highest { at, .. } => (true, Some(at.to_string())),
        ClaimTest::Lowest { at, .. } => (false, Some(at.to_string())),
        _ => return None,
    };
    let value = |case: &Case| case.get(axis).map(Value::to_string);
    let is_there = |case: &Case| place.is_none() || value(case) == place;
    let told: Vec<Told<'_>> = row.iter().filter_map(Point::told).collect();
    let wide = row.iter().filter_map(|own| Some((&own.case, own.wide()?)));
    let wide: Vec<(&Case, String)> = wide.collect();
    let compared = match place {
        None => trend(&told, up, !wide.is_empty()),
        Some(_) => extreme(&told, |own| is_there(own.case), up),
    };
    let Some((says, margin, shown)) = compared else {
        // Cells that are too uncertain to compare leave the claim open.
        let (case, why) = wide.first()?;
        let cases = wide.iter().map(|(case, _)| *case);
        let mut cases = cases.chain(told.iter().map(|own| own.case));
        let is_open = wide.len() + told.len() >= 2 && cases.any(is_there);
        return is_open.then(|| unclear(case, why));
    };
    let shown = shown.map(|own| {
        let value = value(own.case).unwrap_or_default();
        format!("{} at {axis} {value}", own.show(unit))
    });
    let counts = row.iter().filter(|point| point.told().is_some());
    let counts = distinct(counts.map(|point| point.positions));
    Some(Outcome {
        says,
        margin,
        unequal: counts.len() > 1,
        ..unclear(common, &shown.join(", "))
    })
}

/// The result, its margin, and the numbers to show.
type Compared<'t, 'a> = (Says, f64, [&'t Told<'a>; 2]);

fn extreme<'t, 'a>(
    told: &'t [Told<'a>],
    is_there: impl Fn(&Told<'a>) -> bool,
    up: bool,
) -> Option<Compared<'t, 'a>> {
    let (there, others): (Vec<&Told<'_>>, Vec<_>) = told.iter().partition(|own| is_there(own));
    let there = *there.first()?;
    // The winner need not be the extreme if intervals differ in width.
    let against = others.iter().find(|other| other.beats(there, up));
    let sign = if up { 1.0 } else { -1.0 };
    let size = |own: &Told<'_>| sign * own.value;
    let rival = others.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    let rival = *against.or(rival)?;
    // A number that is beyond it, but not certainly, leaves the claim open.
    let says = match against {
        Some(_) => Says::Against,
        None if size(rival) > size(there) => Says::Unclear,
        None => Says::For,
    };
    Some((says, rival.gain(there, up), [there, rival]))
}

fn trend<'t, 'a>(told: &'t [Told<'a>], up: bool, is_wide: bool) -> Option<Compared<'t, 'a>> {
    let [first, .., last] = told else {
        return None;
    };
    let steps = told.windows(2).map(|step| [&step[0], &step[1]]);
    let backward = steps
        .chain([[first, last]])
        .filter(|[from, to]| from.beats(to, up))
        .min_by(|[a, b], [c, d]| a.gain(b, up).total_cmp(&c.gain(d, up)));
    let is_equal = first.low == last.high && last.low == first.high;
    let says = match backward {
        Some(_) => Says::Against,
        None if is_equal => Says::Against,
        None if !is_wide && last.beats(first, up) => Says::For,
        None => Says::Unclear,
    };
    let [from, to] = backward.unwrap_or([first, last]);
    Some((says, from.gain(to, up), [from, to]))
}
