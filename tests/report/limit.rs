//! How close to the limit: which bound binds, and what is said where no peaks fit.

use plybench::report::RunData;
use plybench::results::{PeakRow, write_peaks};
use plybench::words::{Status, Task};

use crate::fixture::*;

/// A run in which pv-split has an answer.
fn run() -> (tempfile::TempDir, RunData) {
    let (folder, mut data) = fresh(empty);
    measure(&mut data, &case("8x8", 1), "serial", 10 * MS, 1_000);
    measure(&mut data, &case("8x8", 1), "pv-split", 20 * MS, 1_000);
    (folder, data)
}

/// What the fixture's device can do: every byte at 1 TB a second, a launch in 5 µs and in a row in 2.
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
    let bytes = ["upload", "download"];
    let times = [("launch", 5_000.0), ("launch-chain", 2_000.0)];
    let mut rows: Vec<PeakRow> = Vec::new();
    rows.extend(bytes.map(|quantity| row(quantity, "B/s", 1e12)));
    rows.extend(times.map(|(quantity, ns)| row(quantity, "ns", ns)));
    rows
}

/// The report's text, and its table of limits.
fn report(data: &RunData) -> (String, Csv) {
    (
        markdown(data),
        Csv::read(data.folder.join("tables/limit.csv")),
    )
}

fn row_of(csv: &Csv) -> &std::collections::HashMap<String, String> {
    csv.row(&[("board", "8x8"), ("depth", "1"), ("technique", "pv-split")])
}

#[test]
fn transfers_bind_where_they_take_longest_and_a_rate_that_is_unknown_adds_nothing() {
    let (_folder, mut data) = run();
    for row in &mut data.measurements {
        (row.bytes_up, row.bytes_down) = (Some(3_000_000), Some(1_000_000));
    }
    let mut rows = peaks();
    rows.retain(|row| row.quantity != "download");
    for row in rows.iter_mut().filter(|row| row.quantity == "upload") {
        row.value = Some(1e9);
    }
    write_peaks(&data.folder, &rows).unwrap();
    let (text, csv) = report(&data);
    let row = row_of(&csv);
    assert_eq!(number(row, "transfers_ns"), 3_000_000.0);
    assert_eq!(number(row, "launches_ns"), 27_000.0);
    assert_eq!(row["limit"], "transfers");
    assert_eq!(number(row, "limit_ns"), 3_000_000.0);
    assert!(text.contains("those of `peaks.csv`"), "{text}");
}

#[test]
fn a_cell_without_a_bound_says_so() {
    let (_folder, data) = run();
    let mut rows = peaks();
    rows.retain(|row| row.quantity != "launch");
    write_peaks(&data.folder, &rows).unwrap();
    let (text, csv) = report(&data);
    let row = row_of(&csv);
    for column in ["share", "limit", "limit_ns", "transfers_ns", "launches_ns"] {
        assert_eq!(row[column], "", "{column}");
    }
    assert!(text.contains("no bound is known"), "{text}");
}

#[test]
fn peaks_of_another_driver_or_host_are_not_used() {
    let change: [fn(&mut PeakRow); 3] = [
        |row| row.driver = "1.3".into(),
        |row| row.host = "Another CPU".into(),
        |row| row.name = "Another GPU".into(),
    ];
    for change in change {
        let (_folder, data) = run();
        let mut rows = peaks();
        rows.iter_mut().for_each(change);
        write_peaks(&data.folder, &rows).unwrap();
        let (text, csv) = report(&data);
        assert_eq!(csv.len(), 0);
        let part = "not those of this device, driver and host";
        assert!(text.contains(part), "{text}");
    }
    let (_folder, data) = run();
    let (text, _) = report(&data);
    let part = "launch and transfer times were not measured";
    assert!(text.contains(part), "{text}");
}

#[test]
fn a_damaged_file_of_peaks_is_a_warning_and_a_match_has_no_limit() {
    let (_folder, mut data) = run();
    std::fs::write(data.folder.join("peaks.csv"), "no,such,columns\n").unwrap();
    let paths = write(&data, &data.folder).unwrap();
    let warned = paths
        .warnings
        .iter()
        .any(|line| line.contains("peaks.csv:1: "));
    assert!(warned, "{:?}", paths.warnings);
    data.experiment.task = Task::Match;
    write(&data, &data.folder).unwrap();
    assert!(!data.folder.join("tables/limit.csv").exists());
}
