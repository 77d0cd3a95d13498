//! Each test of a claim, and each verdict.

use super::judge::{Point, find};
use super::{Finding, Verdict};
use crate::config::ClaimTest;
use crate::report::known::{Few, Figure, Gap, Known, Missing, plain};
use crate::report::number::Unit;
use crate::report::series;
use crate::words::{Case, Status};

fn point(case: &str, figure: Figure) -> Point {
    Point {
        case: Case::parse(case).unwrap(),
        figure,
        paper: None,
        positions: None,
    }
}

/// A number with an interval of 1 % on each side.
fn told(case: &str, value: f64) -> Point {
    between(case, value * 0.99, value, value * 1.01)
}

fn between(case: &str, low: f64, value: f64, high: f64) -> Point {
    let known = Known {
        interval: Some((low, high)),
        ..plain(value)
    };
    point(case, Ok(known))
}

fn missing(case: &str) -> Point {
    point(
        case,
        Err(Missing::new(Gap::row(Status::Skipped), "too long")),
    )
}

fn wide(case: &str) -> Point {
    let missing = Missing {
        interval: Some((3.0, 7.0)),
        ..Missing::new(Gap::UNCLEAR, "interval 3–7 is too wide")
    };
    point(case, Err(missing))
}

fn judged(test: &ClaimTest, points: &[Point]) -> Finding {
    let cases = points.iter().map(|point| &point.case);
    let along = test.along().unwrap_or_default();
    let order = series::in_order(cases.filter_map(|case| case.get(along).cloned()));
    find(test, points.to_vec(), Unit::Plain, &order)
}

/// Verdict, held, measured, all.
fn counts(finding: &Finding) -> (Verdict, usize, usize, usize) {
    let Finding {
        verdict,
        held,
        measured,
        all,
        ..
    } = finding;
    (*verdict, *held, *measured, *all)
}

#[test]
fn above_and_below_look_at_whole_intervals() {
    let points = [told("d=1", 2.0), told("d=2", 1.5), missing("d=3")];
    let found = judged(&ClaimTest::Above(1.0), &points);
    assert_eq!(counts(&found), (Verdict::Holds, 2, 2, 3));
    assert_eq!(found.worst, "d 2: 1.50 (1.48–1.52)");
    assert_eq!(found.reason, "d 3: skipped: too long");
    let found = judged(&ClaimTest::Below(1.7), &points);
    assert_eq!(counts(&found), (Verdict::Fails, 1, 2, 3));
    assert_eq!(found.worst, "d 1: 2.00 (1.98–2.02)");
    // 1 lies inside the interval: neither way.
    let points = [told("d=1", 2.0), between("d=2", 0.9, 0.98, 1.1)];
    for test in [ClaimTest::Above(1.0), ClaimTest::Below(3.0)] {
        let expected = match test {
            ClaimTest::Above(_) => (Verdict::Unclear, 1, 2, 2),
            _ => (Verdict::Holds, 2, 2, 2),
        };
        assert_eq!(counts(&judged(&test, &points)), expected);
    }
}

#[test]
fn a_cell_that_speaks_against_a_claim_outweighs_unclear_ones() {
    let points = [
        wide("d=1"),
        between("d=2", 0.5, 0.9, 0.95),
        between("d=3", 0.1, 0.2, 1.1),
    ];
    let found = judged(&ClaimTest::Above(1.0), &points);
    assert_eq!(counts(&found), (Verdict::Fails, 0, 3, 3));
    assert!(found.worst.starts_with("d 2: "), "{}", found.worst);
    let found = judged(&ClaimTest::Above(1.0), &points[..1]);
    assert_eq!(counts(&found), (Verdict::Unclear, 0, 1, 1));
    assert_eq!(found.worst, "d 1: unclear: interval 3–7 is too wide");
}

#[test]
fn without_a_number_nothing_is_measured() {
    let points = [missing("d=1"), missing("d=2")];
    for test in [
        ClaimTest::Above(1.0),
        ClaimTest::About {
            value: 1.0,
            within: 2.0,
        },
        ClaimTest::Rises("d".into()),
    ] {
        let found = judged(&test, &points);
        assert_eq!((found.verdict, found.measured), (Verdict::NotMeasured, 0));
        assert_eq!(found.reason, "d 1: skipped: too long");
    }
    // One cell makes no trend.
    let found = judged(&ClaimTest::Rises("d".into()), &[told("d=1", 1.0)]);
    assert_eq!(counts(&found), (Verdict::NotMeasured, 0, 0, 1));
    assert_eq!(found.reason, "fewer than two cells of a row have a number");
}

#[test]
fn a_row_rises_if_its_last_is_above_its_first_and_no_step_goes_back() {
    let rises = ClaimTest::Rises("d".into());
    let falls = ClaimTest::Falls("d".into());
    // The order is the axis's, whatever the cells' is; a step that is not told apart is none back.
    let row = [
        told("b=x d=10", 3.0),
        told("b=x d=1", 1.0),
        told("b=x d=2", 1.005),
    ];
    assert_eq!(counts(&judged(&rises, &row)), (Verdict::Holds, 1, 1, 1));
    let found = judged(&falls, &row);
    assert_eq!(counts(&found), (Verdict::Fails, 0, 1, 1));
    let expected = "b x: 1.00 (0.990–1.01) at d 1, 3.00 (2.97–3.03) at d 10";
    assert_eq!(found.worst, expected);
    // Up, down, and up again: the step back counts, and is the worst.
    let back = [
        told("d=1", 1.0),
        told("d=2", 3.0),
        told("d=3", 2.0),
        told("d=4", 5.0),
    ];
    let found = judged(&rises, &back);
    assert_eq!(found.verdict, Verdict::Fails);
    let expected = "3.00 (2.97–3.03) at d 2, 2.00 (1.98–2.02) at d 3";
    assert_eq!(found.worst, expected);
    // Flat: the intervals do not tell.
    let flat = [told("d=1", 1.0), told("d=2", 1.001)];
    assert_eq!(judged(&rises, &flat).verdict, Verdict::Unclear);
    assert_eq!(judged(&falls, &flat).verdict, Verdict::Unclear);
    // What has no interval and stays the same does not rise.
    let exact = [between("d=1", 7.0, 7.0, 7.0), between("d=2", 7.0, 7.0, 7.0)];
    assert_eq!(judged(&rises, &exact).verdict, Verdict::Fails);
}

#[test]
fn rows_are_counted_and_gaps_are_passed_over() {
    let points = [
        told("b=x d=1", 1.0),
        missing("b=x d=2"),
        told("b=x d=3", 2.0),
        told("b=y d=1", 2.0),
        told("b=y d=2", 1.0),
        told("b=z d=1", 1.0),
        missing("b=z d=2"),
    ];
    let found = judged(&ClaimTest::Rises("d".into()), &points);
    assert_eq!(counts(&found), (Verdict::Fails, 1, 2, 3));
    assert!(found.worst.starts_with("b y: 2.00"), "{}", found.worst);
    // An interval that is too wide keeps a row from being sure.
    let points = [told("d=1", 1.0), wide("d=2"), told("d=3", 2.0)];
    assert_eq!(
        judged(&ClaimTest::Rises("d".into()), &points).verdict,
        Verdict::Unclear
    );
}

#[test]
fn an_extreme_stands_at_its_place_and_is_unclear_where_another_may_be_beyond_it() {
    let highest = |at: i64| ClaimTest::Highest {
        along: "d".into(),
        at: crate::words::Value::Int(at),
    };
    let lowest = |at: i64| ClaimTest::Lowest {
        along: "d".into(),
        at: crate::words::Value::Int(at),
    };
    let row = [
        told("d=1", 1.0),
        told("d=2", 3.0),
        told("d=3", 3.02),
        told("d=4", 2.0),
    ];
    assert_eq!(judged(&highest(3), &row).verdict, Verdict::Holds);
    assert_eq!(judged(&highest(2), &row).verdict, Verdict::Unclear);
    assert_eq!(judged(&lowest(1), &row).verdict, Verdict::Holds);
    let found = judged(&highest(4), &row);
    assert_eq!(counts(&found), (Verdict::Fails, 0, 1, 1));
    assert!(
        found.worst.starts_with("2.00 (1.98–2.02) at d 4, 3.0"),
        "{}",
        found.worst
    );
    assert_eq!(judged(&lowest(4), &row).verdict, Verdict::Fails);
    // Where the place itself has no number, the row says nothing.
    let row = [missing("d=1"), told("d=2", 3.0), told("d=3", 2.0)];
    let expected = (Verdict::NotMeasured, 0, 0, 1);
    assert_eq!(counts(&judged(&highest(1), &row)), expected);
}

#[test]
fn about_and_published_allow_a_factor() {
    let about = ClaimTest::About {
        value: 10.0,
        within: 2.0,
    };
    let inside = [told("d=1", 5.1), told("d=2", 19.0)];
    let found = judged(&about, &inside);
    assert_eq!(counts(&found), (Verdict::Holds, 2, 2, 2));
    assert!(found.worst.starts_with("d 1: 5.10"), "{}", found.worst);
    let found = judged(&about, &[told("d=1", 4.9), told("d=2", 21.0), wide("d=3")]);
    assert_eq!(counts(&found), (Verdict::Fails, 0, 3, 3));
    let published = ClaimTest::Published { within: 1.5 };
    let beside = |case: &str, value: f64, paper: f64| Point {
        paper: Some(paper),
        ..told(case, value)
    };
    let points = [beside("d=1", 1.2, 1.0), beside("d=2", 30.0, 10.0)];
    let found = judged(&published, &points);
    assert_eq!(counts(&found), (Verdict::Fails, 1, 2, 2));
    assert_eq!(found.worst, "d 2: 30.0 (29.7–30.3), paper 10.0, ×3.00");
}

#[test]
fn cells_of_few_samples_are_counted() {
    let few = |interval| {
        let few = Some(Few::Passes(2));
        let known = Known {
            interval,
            few,
            ..plain(2.0)
        };
        [point("d=1", Ok(known)), told("d=2", 2.0)]
    };
    let found = judged(&ClaimTest::Above(1.0), &few(Some((1.9, 2.1))));
    assert_eq!((found.verdict, found.few), (Verdict::Holds, 1));
    // Of too few passes for an interval, it says nothing.
    let found = judged(&ClaimTest::Above(1.0), &few(None));
    assert_eq!(counts(&found), (Verdict::Unclear, 1, 2, 2));
    assert_eq!(found.worst, "d 1: 2 passes: no interval");
    // But its value is told beside those that count.
    assert_eq!((found.held, found.leaning), (1, 1));
    let found = judged(&ClaimTest::Above(3.0), &few(None));
    assert_eq!((found.held, found.leaning), (0, 0));
}

#[test]
fn a_row_without_intervals_is_unclear_where_it_has_numbers() {
    let open = |case: &str| {
        let known = Known {
            interval: None,
            few: Some(Few::Passes(2)),
            ..plain(2.0)
        };
        point(case, Ok(known))
    };
    let highest = |at: i64| ClaimTest::Highest {
        along: "d".into(),
        at: crate::words::Value::Int(at),
    };
    let row = [open("d=1"), told("d=2", 3.0), missing("d=3")];
    for test in [ClaimTest::Rises("d".into()), highest(1)] {
        let found = judged(&test, &row);
        assert_eq!(counts(&found), (Verdict::Unclear, 0, 1, 1));
        assert_eq!(found.worst, "d 1: 2 passes: no interval");
    }
    // One number makes no row, and the place that a claim names must be among them.
    for (test, row) in [
        (ClaimTest::Rises("d".into()), &row[..1]),
        (highest(3), &row[..]),
    ] {
        assert_eq!(judged(&test, row).verdict, Verdict::NotMeasured);
    }
}

#[test]
fn shares_are_percent() {
    let points = vec![between("d=1", 0.41, 0.5, 0.59)];
    let found = find(&ClaimTest::Above(0.4), points, Unit::Percent, &[]);
    assert_eq!(found.worst, "d 1: 50.0 % (41.0–59.0 %)");
}
