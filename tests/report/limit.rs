//! How close to the limit: peaks that fit, counts that fit, and what is said where they do not.

use std::path::{Path, PathBuf};

use approx::assert_relative_eq;
use plybench::report::{RunData, write_from};
use plybench::results::{Invocation, OperationRow, PeakRow, operations, write_peaks};
use plybench::words::{Status, Task};

use crate::fixture::*;

/// A run folder with another beside it for peaks, and a run in which pv-split has an answer.
fn run() -> (tempfile::TempDir, RunData) {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("run");
    std::fs::create_dir(&own).unwrap();
    let mut data = empty(&own);
    measure(&mut data, &case("8x8", 1), "serial", 10 * MS, 1_000);
    measure(&mut data, &case("8x8", 1), "pv-split", 20 * MS, 1_000);
    (folder, data)
}

/// What the fixture's device can do: every operation at 1 T a second, every byte at 1 TB.
fn peaks() -> Vec<PeakRow> {
    let row = |quantity: &str, unit: &str, value: f64| PeakRow {
        host: "Imagined CPU".into(),
        platform: "Platform".into(),
        device: DEVICE.into(),
        name: "GPU".into(),
        driver: "1.2".into(),
        quantity: quantity.into(),
        unit: unit.into(),
        status: Status::Ok,
        reason: String::new(),
        value: Some(value),
        low: Some(value),
        high: Some(value),
        samples: 15,
        sample_ns: Some(20_000_000),
        launch: "groups of 64".into(),
        method: "device events".into(),
    };
    let operations = ["add", "logic", "shift", "multiply", "popcount", "select"];
    let bytes = [
        "global-read",
        "global-write",
        "local-read",
        "upload",
        "download",
    ];
    let times = [("launch", 5_000.0), ("launch-chain", 2_000.0)];
    let mut rows: Vec<PeakRow> = Vec::new();
    rows.extend(operations.map(|quantity| row(quantity, "op/s", 1e12)));
    rows.extend(bytes.map(|quantity| row(quantity, "B/s", 1e12)));
    rows.extend(times.map(|(quantity, ns)| row(quantity, "ns", ns)));
    rows
}

fn put(folder: &Path, rows: &[PeakRow]) {
    write_peaks(folder, &Invocation::default(), false, rows).unwrap();
}

fn beside(data: &RunData) -> PathBuf {
    data.folder.parent().unwrap().join("peaks")
}

/// The report's text, and its table of limits.
fn report(data: &RunData) -> (String, Csv) {
    write_from(data, &data.folder).unwrap();
    let text = std::fs::read_to_string(data.folder.join("report.md")).unwrap();
    (text, Csv::read(data.folder.join("tables/limit.csv")))
}

fn row_of(csv: &Csv) -> &std::collections::HashMap<String, String> {
    csv.row(&[("board", "8x8"), ("depth", "1"), ("technique", "pv-split")])
}

fn number(row: &std::collections::HashMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

/// The embedded count that fits the fixture's cell.
fn counted() -> OperationRow {
    let mut rows = operations().unwrap().into_iter();
    rows.find(|row| row.technique == "pv-split" && row.case == "board=8x8")
        .unwrap()
}

#[test]
fn a_share_is_the_longest_bound_over_the_median() {
    let (_folder, mut data) = run();
    for row in &mut data.measurements {
        (row.bytes_up, row.bytes_down) = (Some(3_000_000), Some(1_000_000));
    }
    put(&beside(&data), &peaks());
    let (text, csv) = report(&data);
    let row = row_of(&csv);
    let count = counted();
    let classes = [count.add, count.shift, count.multiply, count.popcount];
    let operations = classes
        .into_iter()
        .chain([count.logic, count.select])
        .fold(0.0, f64::max);
    // A thousand nodes at 10^12 operations a second, the class that has the most of them.
    assert_relative_eq!(
        number(row, "operations_ns"),
        operations,
        max_relative = 1e-9
    );
    // 12 launches: 11 in a row, and the last one waited for.
    assert_eq!(number(row, "launches_ns"), 11.0 * 2_000.0 + 5_000.0);
    assert_eq!(number(row, "transfers_ns"), 4_000.0);
    assert_eq!(row["limit"], "launch latency");
    assert_eq!(number(row, "limit_ns"), 27_000.0);
    assert_relative_eq!(
        number(row, "share"),
        27_000.0 / number(row, "median_ns"),
        max_relative = 1e-9
    );
    assert_eq!(
        (row["units"].as_str(), row["per"].as_str()),
        ("1000", "node")
    );
    assert!(
        row["counted"].contains(&count.counted),
        "{}",
        row["counted"]
    );
    assert!(text.contains("## How close to the limit"), "{text}");
    assert!(text.contains("those of `../peaks/peaks.csv`"), "{text}");
    assert!(
        text.contains("0.1 %") && text.contains("launch latency"),
        "{text}"
    );
}

#[test]
fn operations_bind_where_they_take_longest_and_name_their_class() {
    let (_folder, data) = run();
    let mut rows = peaks();
    for row in rows.iter_mut().filter(|row| row.quantity == "popcount") {
        row.value = Some(1e8);
    }
    // The run's own peaks come before those beside it.
    put(&beside(&data), &peaks());
    std::fs::create_dir(data.folder.join("own")).unwrap();
    put(&data.folder.join("own"), &rows);
    std::fs::rename(
        data.folder.join("own/peaks.csv"),
        data.folder.join("peaks.csv"),
    )
    .unwrap();
    let (text, csv) = report(&data);
    let row = row_of(&csv);
    let count = counted();
    // Ten thousand times slower than all others, which may be done beside it.
    let expected = count.popcount * 1e4;
    assert_relative_eq!(number(row, "operations_ns"), expected, max_relative = 1e-9);
    assert_eq!(row["limit"], "popcount issue");
    assert!(text.contains("those of `peaks.csv`"), "{text}");
}

#[test]
fn a_count_that_would_have_taken_longer_than_the_sample_is_left_out_and_said() {
    let (_folder, data) = run();
    let mut rows = peaks();
    for row in rows.iter_mut().filter(|row| row.quantity == "logic") {
        row.value = Some(1e6);
    }
    put(&beside(&data), &rows);
    let (text, csv) = report(&data);
    let row = row_of(&csv);
    for column in ["operations_ns", "global_memory_ns", "local_memory_ns"] {
        assert_eq!(row[column], "", "{column}");
    }
    assert_eq!(row["limit"], "launch latency");
    assert!(
        row["counted"].starts_with("the count does not fit: it would take 4."),
        "{}",
        row["counted"]
    );
    assert!(text.contains("Where a count does not fit"), "{text}");
}

#[test]
fn an_instruction_that_does_two_operations_counts_where_it_is_faster() {
    let (_folder, data) = run();
    let count = counted();
    let others = [count.add, count.shift, count.multiply, count.popcount];
    let others = others.into_iter().fold(count.select, f64::max);
    // As the fixture's operations are one of a kind a picosecond, logic takes longest, until two are one.
    assert!(count.logic > others && count.logic / 4.0 < others);
    for (rate, expected) in [(1e11, count.logic), (4e12, others)] {
        let mut rows = peaks();
        let mut fused = rows[1].clone();
        assert_eq!(fused.quantity, "logic");
        (fused.quantity, fused.value) = ("logic-3".into(), Some(rate));
        rows.push(fused);
        put(&beside(&data), &rows);
        let (_, csv) = report(&data);
        assert_relative_eq!(
            number(row_of(&csv), "operations_ns"),
            expected,
            max_relative = 1e-9
        );
    }
}

#[test]
fn memory_that_would_have_taken_longer_than_the_sample_binds_nothing() {
    let (_folder, data) = run();
    let mut rows = peaks();
    for row in rows.iter_mut().filter(|row| row.quantity == "local-read") {
        row.value = Some(1.0);
    }
    put(&beside(&data), &rows);
    let (_, csv) = report(&data);
    let row = row_of(&csv);
    assert_eq!(row["local_memory_ns"], "");
    assert_eq!(row["limit"], "launch latency");
}

#[test]
fn a_case_without_a_count_has_the_other_bounds_and_says_so() {
    let (_folder, mut data) = run();
    data.experiment.game = "nothing that was counted".into();
    put(&beside(&data), &peaks());
    let (text, csv) = report(&data);
    let row = row_of(&csv);
    assert_eq!(row["operations_ns"], "");
    assert_eq!(number(row, "launches_ns"), 27_000.0);
    assert_eq!(row["counted"], "no operation count");
    assert!(text.contains("no operation count"), "{text}");
}

#[test]
fn peaks_of_another_driver_or_host_are_not_used_and_the_command_is_told() {
    let change: [fn(&mut PeakRow); 3] = [
        |row| row.driver = "1.3".into(),
        |row| row.host = "Another CPU".into(),
        |row| row.name = "Another GPU".into(),
    ];
    for change in change {
        let (_folder, data) = run();
        let mut rows = peaks();
        rows.iter_mut().for_each(change);
        put(&beside(&data), &rows);
        let (text, csv) = report(&data);
        assert_eq!(csv.len(), 0);
        assert!(
            text.contains("not those of this device, driver and host"),
            "{text}"
        );
        assert!(
            text.contains("bench peaks --device 'GPU' --out peaks"),
            "{text}"
        );
    }
    let (_folder, data) = run();
    let (text, _) = report(&data);
    assert!(
        text.contains("Nothing is known of what this device can do"),
        "{text}"
    );
    assert!(
        text.contains("bench peaks --device 'GPU' --out peaks"),
        "{text}"
    );
}

#[test]
fn counts_of_other_kernels_are_said_to_be() {
    let (_folder, mut data) = run();
    put(&beside(&data), &peaks());
    let told = "counted with other kernels";
    assert!(report(&data).0.contains(told));
    data.environment.program.kernel_hash = counted().kernel_hash;
    assert!(!report(&data).0.contains(told));
}

#[test]
fn a_damaged_file_of_peaks_is_a_warning_and_a_match_has_no_limit() {
    let (_folder, mut data) = run();
    put(&beside(&data), &peaks());
    std::fs::write(beside(&data).join("peaks.csv"), "no,such,columns\n").unwrap();
    let paths = write_from(&data, &data.folder).unwrap();
    let warned = paths
        .warnings
        .iter()
        .any(|line| line.contains("peaks.csv:1: "));
    assert!(warned, "{:?}", paths.warnings);
    data.experiment.task = Task::Match;
    write_from(&data, &data.folder).unwrap();
    assert!(!data.folder.join("tables/limit.csv").exists());
}
