//! Tests claims against numbers with intervals.
//!
//! A number is above another if its whole interval is above the other interval. This is stricter than a 95 % test of
//! the difference, so doubtful claims are `unclear`.

use super::{Finding, Verdict};
use crate::config::ClaimTest;
use crate::report::block::BlockCell;
use crate::report::data::{grouped, in_order};
use crate::report::format::{self, Unit};
use crate::words::{Case, Value};

/// Whether a cell or row supports the claim. Contradictions sort first.
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
    /// True if the value agrees with the claim but has no interval.
    leans: bool,
    /// A smaller margin is worse for the claim. Margins are comparable only within one claim.
    margin: f64,
    text: String,
}

pub(super) fn find(test: &ClaimTest, cells: &[BlockCell]) -> Finding {
    let known = cells.iter().filter_map(|cell| cell.figure.as_ref().ok());
    let few = known.filter(|known| known.few.is_some() && known.interval.is_some());
    let reason = cells.iter().find_map(|cell| {
        let missing = cell.figure.as_ref().err()?;
        let is_none = missing.interval.is_none();
        is_none.then(|| format!("{}: {}", format::case(&cell.case), missing.text()))
    });
    let outcomes: Vec<Option<Outcome>> = match test.along() {
        None => cells.iter().map(|own| of_cell(test, own)).collect(),
        Some(axis) => {
            let values = cells.iter().filter_map(|own| own.case.get(axis));
            let order = in_order(values.cloned());
            let rows = grouped(cells.iter().map(|own| (own.case.without(axis), own)));
            let outcomes = rows.into_iter().map(|(common, mut row)| {
                let place =
                    |own: &&BlockCell| order.iter().position(|at| own.case.get(axis) == Some(at));
                row.sort_by_key(place);
                of_row(test, axis, &common, &row)
            });
            outcomes.collect()
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
        measured,
        all,
        few: few.count(),
        worst: worst.text.clone(),
        reason: reason.unwrap_or_default(),
    }
}

/// A number with its cell. Both ends equal the number if the quantity has no interval.
#[derive(Clone, Copy)]
struct Told<'a> {
    cell: &'a BlockCell,
    value: f64,
    low: f64,
    high: f64,
}

impl<'a> Told<'a> {
    fn of(cell: &'a BlockCell) -> Option<Self> {
        let known = cell.figure.as_ref().ok()?;
        let value = known.value;
        let (low, high) = known.interval.unwrap_or((value, value));
        Some(Told {
            cell,
            value,
            low,
            high,
        })
    }

    /// Returns true if the whole interval is above the other one. If `up` is false, it must be below instead.
    fn beats(&self, other: &Told<'_>, up: bool) -> bool {
        match up {
            true => self.low > other.high,
            false => self.high < other.low,
        }
    }

    /// Returns the factor by which `to` is higher than this number or, if `up` is false, lower.
    fn gain(&self, to: &Told<'_>, up: bool) -> f64 {
        let (from, to) = if up { (self, to) } else { (to, self) };
        to.value / from.value
    }

    fn show(&self) -> String {
        let unit = self.cell.unit;
        let value = unit.show(self.value);
        match self.low == self.high {
            true => value,
            false => format!("{value} ({})", unit.show_interval(self.low, self.high)),
        }
    }
}

/// Explains why a number is inconclusive: its interval is too wide or missing.
fn wide(cell: &BlockCell) -> Option<String> {
    match &cell.figure {
        Ok(known) if known.interval.is_some() => None,
        Ok(known) => known.few.map(|few| format!("{few}: no interval")),
        Err(missing) => missing.interval.map(|_| missing.text()),
    }
}

fn unclear(case: &Case, why: &str) -> Outcome {
    let text = match case.0.is_empty() {
        true => why.to_owned(),
        false => format!("{}: {why}", format::case(case)),
    };
    Outcome {
        text,
        ..Outcome::default()
    }
}

fn of_cell(test: &ClaimTest, cell: &BlockCell) -> Option<Outcome> {
    let (case, wide) = (&cell.case, wide(cell));
    let Some(told) = Told::of(cell) else {
        return wide.map(|why| unclear(case, &why));
    };
    // Returns two flags, for the claim and against it, and the margin.
    let near = |target: f64, within: f64| {
        let factor = told.value / target;
        let is_near = factor >= 1.0 / within && factor <= within;
        // A number that is not positive is infinitely far away.
        (is_near, !is_near, -factor.max(0.0).ln().abs())
    };
    let mut text = told.show();
    let (is_for, is_against, margin) = match test {
        ClaimTest::Above(value) => (told.low > *value, told.high < *value, told.value - value),
        ClaimTest::Below(value) => (told.high < *value, told.low > *value, value - told.value),
        ClaimTest::About { value, within } => near(*value, *within),
        ClaimTest::Published { within } => {
            let paper = cell.paper()?;
            let factor = Unit::Plain.show(told.value / paper);
            text += &format!(", paper {}, ×{factor}", cell.unit.show(paper));
            near(paper, *within)
        }
        _ => return None,
    };
    Some(match wide {
        Some(why) => Outcome {
            leans: is_for,
            ..unclear(case, &why)
        },
        None => Outcome {
            says: match (is_for, is_against) {
                (true, _) => Says::For,
                (_, true) => Says::Against,
                _ => Says::Unclear,
            },
            margin,
            ..unclear(case, &text)
        },
    })
}

fn of_row(test: &ClaimTest, axis: &str, common: &Case, row: &[&BlockCell]) -> Option<Outcome> {
    let (up, place) = match test {
        ClaimTest::Rises(_) => (true, None),
        ClaimTest::Falls(_) => (false, None),
        ClaimTest::Highest { at, .. } => (true, Some(at.to_string())),
        ClaimTest::Lowest { at, .. } => (false, Some(at.to_string())),
        _ => return None,
    };
    let value = |cell: &BlockCell| cell.case.get(axis).map(Value::to_string);
    let is_there = |cell: &BlockCell| place.is_none() || value(cell) == place;
    let wide = row.iter().filter_map(|own| Some((*own, wide(own)?)));
    let wide: Vec<_> = wide.collect();
    let told = row.iter().filter(|own| self::wide(own).is_none());
    let told: Vec<Told<'_>> = told.filter_map(|own| Told::of(own)).collect();
    let compared = match place {
        None => trend(&told, up, !wide.is_empty()),
        Some(_) => extreme(&told, |own| is_there(own.cell), up),
    };
    let Some((says, margin, shown)) = compared else {
        // The claim is unclear if it compares cells with inconclusive numbers.
        let (cell, why) = wide.first()?;
        let cells = wide.iter().map(|(cell, _)| *cell);
        let mut cells = cells.chain(told.iter().map(|own| own.cell));
        let is_open = wide.len() + told.len() >= 2 && cells.any(is_there);
        return is_open.then(|| unclear(&cell.case, why));
    };
    let shown = shown.map(|own| {
        let value = value(own.cell).unwrap_or_default();
        format!("{} at {axis} {value}", own.show())
    });
    Some(Outcome {
        says,
        margin,
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
    // A number that contradicts the claim is not always the most extreme one, because intervals differ in width.
    let against = others.iter().find(|other| other.beats(there, up));
    let sign = if up { 1.0 } else { -1.0 };
    let size = |own: &Told<'_>| sign * own.value;
    let rival = others.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    let rival = *against.or(rival)?;
    // The claim is unclear if another value is more extreme but the intervals overlap.
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
