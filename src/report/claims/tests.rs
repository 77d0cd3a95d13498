//! Tests each kind of claim and each verdict.

use super::judge::find;
use super::{Finding, Verdict};
use crate::config::{ClaimTest, Quantity};
use crate::report::block::BlockCell;
use crate::report::format::Unit;
use crate::report::known::{Few, Known, Missing, plain};
use crate::report::published::Published;
use crate::words::{Case, Status, Value};

/// Parses the number of a case. A value alone has an interval of 1 % on each side. Other forms are `LOW<VALUE<HIGH`,
/// `VALUE/PAPER`, `?` (two passes, no interval), `~` (an interval that is too wide) and `-` (missing).
fn cell(at: usize, text: &str, unit: Unit) -> BlockCell {
    let (case, text) = text.split_once(':').unwrap_or(("", text));
    let case = match case {
        "" => format!("d={at}"),
        case => case.replace('+', " "),
    };
    let number = |text: &str| text.parse::<f64>().unwrap();
    let (text, paper) = match text.split_once('/') {
        Some((text, paper)) => (text, Some(number(paper))),
        None => (text, None),
    };
    let known = |value, interval, few| {
        Ok(Known {
            interval,
            few,
            ..plain(value)
        })
    };
    let figure = match text.split('<').collect::<Vec<_>>()[..] {
        ["-"] => Err(Missing::new(Status::Skipped.word(), "too long")),
        ["~"] => Err(Missing {
            interval: Some((3.0, 7.0)),
            ..Missing::new("unclear", "interval 3–7 is too wide")
        }),
        ["?"] => known(2.0, None, Some(Few::Passes(2))),
        ["few"] => known(2.0, Some((1.9, 2.1)), Some(Few::Passes(2))),
        [low, value, high] => known(number(value), Some((number(low), number(high))), None),
        _ => known(
            number(text),
            Some((number(text) * 0.99, number(text) * 1.01)),
            None,
        ),
    };
    let published = paper.map(|value| Published {
        value,
        note: String::new(),
    });
    BlockCell {
        case: Case::parse(&case).unwrap(),
        technique: String::new(),
        device: String::new(),
        quantity: Quantity::Time,
        baseline: String::new(),
        unit,
        figure,
        positions: None,
        published,
    }
}

/// Parses a test such as `above 1`, `rises`, `highest 3` or `about 10 2`.
fn test_of(text: &str) -> ClaimTest {
    let words: Vec<&str> = text.split(' ').collect();
    let number = |at: usize| words[at].parse::<f64>().unwrap();
    let along = || "d".to_owned();
    match words[0] {
        "above" => ClaimTest::Above(number(1)),
        "below" => ClaimTest::Below(number(1)),
        "rises" => ClaimTest::Rises(along()),
        "falls" => ClaimTest::Falls(along()),
        "highest" => ClaimTest::Highest {
            along: along(),
            at: Value::parse(words[1]),
        },
        "lowest" => ClaimTest::Lowest {
            along: along(),
            at: Value::parse(words[1]),
        },
        "about" => ClaimTest::About {
            value: number(1),
            within: number(2),
        },
        _ => ClaimTest::Published { within: number(1) },
    }
}

fn judged(test: &str, points: &str, unit: Unit) -> Finding {
    let cells = (1..).zip(points.split(' '));
    let cells: Vec<BlockCell> = cells.map(|(at, it)| cell(at, it, unit)).collect();
    find(&test_of(test), &cells)
}

/// Checks verdicts. Each row has a test, the points, the verdict, the beginning of the worst point, and the beginning
/// of the reason. The verdict is followed by three counts: numbers that hold, measured numbers, and all numbers.
fn check(rows: &str) {
    for row in rows.trim().lines() {
        let mut fields = row.split(" | ");
        let mut next = || fields.next().unwrap_or_default();
        let found = judged(next(), next(), Unit::Plain);
        let verdict = match found.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unclear => "unclear",
            Verdict::NotMeasured => "not measured",
            _ => "other",
        };
        let Finding {
            held,
            measured,
            all,
            ..
        } = found;
        let expected = format!("{verdict} {held} {measured} {all}");
        assert_eq!(expected, next(), "{row}");
        let (worst, reason) = (next(), next());
        assert!(found.worst.starts_with(worst), "{row}: {}", found.worst);
        assert!(found.reason.starts_with(reason), "{row}: {}", found.reason);
    }
}

/// If 1 lies inside a cell's interval, the cell is unclear. A cell that contradicts the claim outweighs unclear cells.
#[test]
fn above_and_below_look_at_whole_intervals() {
    check(
        "
above 1 | 2 1.5 - | holds 2 2 3 | d 2: 1.50 (1.48–1.52) | d 3: skipped: too long
below 1.7 | 2 1.5 - | fails 1 2 3 | d 1: 2.00 (1.98–2.02)
above 1 | 2 0.9<0.98<1.1 | unclear 1 2 2
below 3 | 2 0.9<0.98<1.1 | holds 2 2 2
above 1 | ~ 0.5<0.9<0.95 0.1<0.2<1.1 | fails 0 3 3 | d 2: 
above 1 | ~ | unclear 0 1 1 | d 1: unclear: interval 3–7 is too wide",
    );
}

#[test]
fn without_a_number_nothing_is_measured_and_one_makes_no_trend() {
    check(
        "
above 1 | - - | not measured 0 0 2 |  | d 1: skipped: too long
about 1 2 | - - | not measured 0 0 2 |  | d 1: skipped: too long
rises | - - | not measured 0 0 1 |  | d 1: skipped: too long
rises | 1 | not measured 0 0 1 |  | fewer than two cells of a row have a number",
    );
}

/// The order comes from the axis, not from the cells. An uncertain step is not a step back. A real step back counts,
/// and is reported as the worst. Overlapping intervals decide nothing. A constant value without an interval does not
/// rise.
#[test]
fn a_row_rises_if_its_last_is_above_its_first_and_no_step_goes_back() {
    check(
        "
rises | b=x+d=10:3 b=x+d=1:1 b=x+d=2:1.005 | holds 1 1 1
falls | b=x+d=10:3 b=x+d=1:1 b=x+d=2:1.005 | fails 0 1 1 | b x: 1.00 (0.990–1.01) at d 1, 3.00 (2.97–3.03) at d 10
rises | 1 3 2 5 | fails 0 1 1 | 3.00 (2.97–3.03) at d 2, 2.00 (1.98–2.02) at d 3
rises | 1 1.001 | unclear 0 1 1
falls | 1 1.001 | unclear 0 1 1
rises | 7<7<7 7<7<7 | fails 0 1 1
rises | b=x+d=1:1 b=x+d=2:- b=x+d=3:2 b=y+d=1:2 b=y+d=2:1 b=z+d=1:1 b=z+d=2:- | fails 1 2 3 | b y: 2.00
rises | 1 ~ 2 | unclear 0 1 1",
    );
}

/// If the claimed place has no number, the row does not count.
#[test]
fn an_extreme_stands_at_its_place_and_is_unclear_where_another_may_be_beyond_it() {
    check(
        "
highest 3 | 1 3 3.02 2 | holds 1 1 1
highest 2 | 1 3 3.02 2 | unclear 0 1 1
lowest 1 | 1 3 3.02 2 | holds 1 1 1
highest 4 | 1 3 3.02 2 | fails 0 1 1 | 2.00 (1.98–2.02) at d 4, 3.0
lowest 4 | 1 3 3.02 2 | fails 0 1 1
highest 1 | - 3 2 | not measured 0 0 1",
    );
}

#[test]
fn about_and_published_allow_a_factor() {
    check(
        "
about 10 2 | 5.1 19 | holds 2 2 2 | d 1: 5.10
about 10 2 | 4.9 21 ~ | fails 0 3 3
published 1.5 | 1.2/1 30/10 | fails 1 2 2 | d 2: 30.0 (29.7–30.3), paper 10.0, ×3.00",
    );
}

/// A single number does not make a row. The place in the claim must have a number.
#[test]
fn a_row_without_intervals_is_unclear_where_it_has_numbers() {
    check(
        "
rises | ? 3 - | unclear 0 1 1 | d 1: 2 passes: no interval
highest 1 | ? 3 - | unclear 0 1 1 | d 1: 2 passes: no interval
rises | ? | not measured 0 0 1
highest 3 | ? 3 - | not measured 0 0 1",
    );
}

#[test]
fn cells_of_few_samples_are_counted() {
    let found = judged("above 1", "few 2", Unit::Plain);
    assert_eq!((found.verdict, found.few), (Verdict::Holds, 1));
    // A cell with too few passes for an interval does not count, but its value is listed beside those that count.
    check("above 1 | ? 2 | unclear 1 2 2 | d 1: 2 passes: no interval");
    let leaning = |test| judged(test, "? 2", Unit::Plain).leaning;
    assert_eq!((leaning("above 1"), leaning("above 3")), (1, 0));
}

#[test]
fn shares_are_percent() {
    let found = judged("above 0.4", "0.41<0.5<0.59", Unit::Percent);
    assert_eq!(found.worst, "d 1: 50.0 % (41.0–59.0 %)");
}
