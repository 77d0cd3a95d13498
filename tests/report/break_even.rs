//! From which case on a device technique is faster.

use plybench::report::{RunData, write_from};
use plybench::words::{Case, Task};

use crate::fixture::*;

/// Status, first, stays, last and but, of a row of the table.
fn row(data: &RunData, at: &[(&str, &str)]) -> [String; 5] {
    write_from(data, &data.folder).unwrap();
    let table = Csv::read(data.folder.join("tables/break-even.csv"));
    let row = table.row(at);
    ["status", "first", "stays", "last", "but"].map(|column| row[column].clone())
}

#[test]
fn the_smallest_faster_case_is_found_along_the_last_axis_and_along_the_board() {
    let folder = tempfile::tempdir().unwrap();
    let data = eventful(folder.path());
    let depth = |board: &str, baseline: &str| {
        row(
            &data,
            &[("axis", "depth"), ("board", board), ("over", baseline)],
        )
    };
    assert_eq!(depth("8x8", "serial"), ["faster", "2", "yes", "2", ""]);
    // A tie at depth 1, no ratio beyond it.
    assert_eq!(depth("8x8", "rayon"), ["never", "", "", "1", "1 tie"]);
    assert_eq!(depth("16x16", "rayon"), ["faster", "1", "yes", "1", ""]);
    // One core is faster there; at depth 2 nobody knows, as rayon's answer is wrong.
    assert_eq!(depth("8x8", "best CPU"), ["never", "", "", "1", ""]);
    assert_eq!(depth("16x16", "best CPU"), ["faster", "1", "yes", "1", ""]);
    let table = Csv::read(data.folder.join("tables/break-even.csv"));
    let at = |board| [("axis", "depth"), ("board", board), ("over", "best CPU")];
    assert_eq!(table.row(&at("16x16"))["baseline"], "rayon on 2 threads");
    assert_eq!(table.row(&at("8x8"))["unmeasured"], "2; 3");
    let board = |depth: &str| {
        row(
            &data,
            &[("axis", "board"), ("depth", depth), ("over", "serial")],
        )
    };
    assert_eq!(board("1"), ["faster", "16x16", "yes", "16x16", ""]);
    assert_eq!(board("2"), ["faster", "8x8", "yes", "8x8", ""]);
    assert_eq!(board("3"), ["skipped", "", "", "", ""]);
}

#[test]
fn larger_cases_that_are_not_faster_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = empty(folder.path());
    let d = &mut data;
    // 0.5, 2, a tie, 4.
    d.experiment.cases.push(case("8x8", 4));
    for (depth, ns) in [(1, 8), (2, 2), (3, 4), (4, 1)] {
        measure(d, &case("8x8", depth), "serial", 4 * MS, 10);
        measure(d, &case("8x8", depth), "pv-split", ns * MS, 10);
    }
    let at = [("axis", "depth"), ("board", "8x8"), ("over", "serial")];
    assert_eq!(row(&data, &at), ["faster", "2", "no", "4", "3 tie"]);
}

#[test]
fn cases_without_a_ratio_are_named_where_it_may_be_faster_there_already() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = empty(folder.path());
    let d = &mut data;
    // Nothing at depth 1, a ratio over serial at 2, then over rayon at 3 alone, and it is slower.
    for (depth, technique, ns) in [
        (2, "serial", 4),
        (2, "pv-split", 2),
        (3, "serial", 4),
        (3, "rayon", 1),
        (3, "pv-split", 2),
    ] {
        measure(d, &case("8x8", depth), technique, ns * MS, 10);
    }
    let unmeasured = |baseline: &str| {
        let at = [("axis", "depth"), ("board", "8x8"), ("over", baseline)];
        let found = row(&data, &at);
        let table = Csv::read(data.folder.join("tables/break-even.csv"));
        (found, table.row(&at)["unmeasured"].clone())
    };
    assert_eq!(
        unmeasured("serial"),
        (
            ["faster", "2", "yes", "3", ""].map(str::to_owned),
            "1".to_owned()
        )
    );
    assert_eq!(
        unmeasured("rayon"),
        (
            ["never", "", "", "3", ""].map(str::to_owned),
            "1; 2".to_owned()
        )
    );
}

#[test]
fn an_axis_of_times_and_counts_has_no_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = empty(folder.path());
    let of = |depth: &str| Case::parse(&format!("board=8x8 depth={depth}")).unwrap();
    for (depth, mixed) in [("3", false), ("10ms", true)] {
        data.experiment.cases = vec![of("1"), of("2"), of(depth)];
        for case in data.experiment.cases.clone() {
            measure(&mut data, &case, "serial", 4 * MS, 10);
            measure(&mut data, &case, "pv-split", MS, 10);
        }
        let _ = std::fs::remove_file(folder.path().join("tables/break-even.csv"));
        write_from(&data, folder.path()).unwrap();
        let found = std::fs::read_to_string(folder.path().join("tables/break-even.csv"));
        let along = found.unwrap_or_default().contains(",depth,faster,");
        assert_eq!(along, !mixed, "{depth}");
    }
}

#[test]
fn baselines_are_best_cpu_and_those_that_a_table_shows() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let same = [
        ("pv-split", "pv-split"),
        ("serial", "serial"),
        ("rayon", "serial"),
    ];
    data.references = same
        .map(|(own, like)| (own.to_owned(), like.to_owned()))
        .into();
    write_from(&data, folder.path()).unwrap();
    let table = Csv::read(folder.path().join("tables/break-even.csv"));
    assert_eq!(
        table.len(),
        3 * (2 + 3),
        "best CPU, and table-2 shows it over both"
    );
    let at = [("axis", "depth"), ("board", "16x16"), ("over", "best CPU")];
    let why = table.row(&at)["reason"].clone();
    assert_eq!(
        why, "no technique of the host has an answer",
        "to its question"
    );
    data.experiment.tables.clear();
    write_from(&data, folder.path()).unwrap();
    let table = Csv::read(folder.path().join("tables/break-even.csv"));
    assert_eq!(
        table.len(),
        2 * (2 + 3),
        "best CPU, and figure-4 shows it over serial alone"
    );
}

#[test]
fn a_match_has_no_break_even() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    data.experiment.task = Task::Match;
    write_from(&data, folder.path()).unwrap();
    assert!(!folder.path().join("tables/break-even.csv").exists());
}
