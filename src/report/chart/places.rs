//! Where the points of a line chart stand, and what stands below them.

use super::axis::Axis;
use crate::report::number::Unit;

/// The places of the columns from 0 to 1: by value where all are numbers, at even distances where
/// not. Numbers that span two decades or more stand by their logarithm.
pub(super) fn columns(names: &[String]) -> Vec<f64> {
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
    let numbers = numbers.filter(|own| own.first() < own.last());
    let even = || (0..names.len()).map(|at| at as f64).collect();
    let values = numbers.unwrap_or_else(even);
    let ends = values.first().copied().zip(values.last().copied());
    let (first, last) = ends.unwrap_or_default();
    let axis = Axis::exact(first, last, first > 0.0 && last / first >= 100.0);
    let place = |value: &f64| axis.place(*value).unwrap_or(0.0);
    values.iter().map(place).collect()
}

/// The smallest distance between two neighbours; infinite where there are none.
pub(super) fn narrowest(columns: &[f64]) -> f64 {
    columns
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(f64::INFINITY, f64::min)
}

/// The unbroken runs of points: a line does not cross a gap, where nobody measured.
pub(super) fn runs(points: &[Option<(f64, f64)>]) -> Vec<Vec<(f64, f64)>> {
    points
        .split(Option::is_none)
        .map(|run| run.iter().flatten().copied().collect::<Vec<_>>())
        .filter(|run| run.len() > 1)
        .collect()
}

/// A column's value below the axis: `100 k` for 100000, which is read at a glance; what would lose a
/// digit stays as it is.
pub(super) fn tick_name(name: &str) -> String {
    let is_round = |count: &u32| count.to_string().trim_end_matches('0').len() <= 3;
    let count = name.parse::<u32>().ok().filter(|count| *count >= 1_000);
    match count.filter(is_round) {
        Some(count) => Unit::Count.tick(f64::from(count)),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn columns_stand_by_value_where_they_have_one() {
        assert_eq!(columns(&names(&["8x8", "16x8", "16x16"])), [0.0, 0.5, 1.0]);
        assert_eq!(
            columns(&names(&["1", "2", "6", "11"])),
            [0.0, 0.1, 0.5, 1.0]
        );
        let by_log = columns(&names(&["1", "100", "10000"]));
        assert!((by_log[1] - 0.5).abs() < 1e-12, "{by_log:?}");
        let two_decades = columns(&names(&["10000", "100000", "1000000"]));
        assert!((two_decades[1] - 0.5).abs() < 1e-12, "{two_decades:?}");
        assert_eq!(columns(&names(&["8x8"])), [0.5]);
    }

    #[test]
    fn a_line_does_not_cross_a_gap() {
        let point = |x: f64| Some((x, 0.0));
        let runs = runs(&[
            point(0.0),
            point(1.0),
            None,
            point(3.0),
            None,
            point(5.0),
            point(6.0),
        ]);
        assert_eq!(
            runs,
            [vec![(0.0, 0.0), (1.0, 0.0)], vec![(5.0, 0.0), (6.0, 0.0)]]
        );
    }

    #[test]
    fn round_numbers_are_short_below_the_axis() {
        for (name, short) in [
            ("100000", "100 k"),
            ("10000000", "10 M"),
            ("1500", "1.5 k"),
            ("1024", "1024"),
            ("999", "999"),
            ("8x8", "8x8"),
            ("-1000", "-1000"),
        ] {
            assert_eq!(tick_name(name), short);
        }
    }
}
