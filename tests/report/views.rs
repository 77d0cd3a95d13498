//! Tests tables and charts in every form that an experiment can request.

use approx::assert_relative_eq;
use plybench::config::{Quantity, TableSpec, TechniqueChoice};
use plybench::report::RunData;
use plybench::words::{Case, Status, Task, Value};

use crate::fixture::*;

/// Creates a run of `serial`, `rayon` and `old` on the host, and of `naive` and three variants of `split` on a device.
/// Its only table is `view`.
fn run(folder: &std::path::Path) -> RunData {
    let mut data = empty(folder);
    let serial = data.experiment.techniques[0].clone();
    data.experiment.techniques.truncate(2);
    for label in ["old", "naive"] {
        data.experiment.techniques.push(TechniqueChoice {
            technique: label.into(),
            label: label.into(),
            ..serial.clone()
        });
    }
    for (split, depth) in [(1, 2), (2, 3), (1, 3)] {
        data.experiment.techniques.push(TechniqueChoice {
            technique: "split".into(),
            label: format!("split-{split}-{depth}"),
            params: [("split".to_owned(), Value::Int(split))].into(),
            only: [("depth".to_owned(), vec![Value::Int(depth)])].into(),
            ..serial.clone()
        });
    }
    data.experiment.charts.clear();
    let table = data.experiment.tables.pop().unwrap();
    data.experiment.tables = vec![TableSpec {
        id: "view".into(),
        title: String::new(),
        techniques: vec!["split-1-2".into()],
        baselines: vec!["naive".into()],
        published: Vec::new(),
        published_baseline: None,
        analysis: String::new(),
        ..table
    }];
    data
}

#[test]
fn a_baseline_on_the_device_is_that_of_the_same_device() {
    let (_folder, mut data) = fresh(run);
    data.experiment.tables[0].techniques = vec!["split-1-2".into()];
    let (small, large) = (case("8x8", 2), case("16x16", 2));
    measure(&mut data, &small, "naive", 30 * MS, 10);
    measure(&mut data, &small, "split-1-2", 10 * MS, 10);
    let why = "budget 60 s, predicted 310 s";
    fail(&mut data, &large, "naive", Status::Skipped, why);
    measure(&mut data, &large, "split-1-2", 10 * MS, 10);
    // Measurements on another device must not serve as baselines for this device.
    let mut other = data.measurements[0].clone();
    other.cell.device = "Second".into();
    let mut second = data.environment.devices[0].clone();
    second.label = "Second".into();
    data.environment.devices.push(second);
    other.key = "another".into();
    data.measurements.push(other);
    let table = tables(&data, "view-imagined-gpu-sons");
    let row = table.row(&[("board", "8x8"), ("depth", "2")]);
    assert_relative_eq!(number(row, "ours"), 3.0, max_relative = 1e-3);
    let expected = ("naive", DEVICE);
    assert_eq!((row["baseline"].as_str(), row["device"].as_str()), expected);
    let row = table.row(&[("board", "16x16"), ("depth", "2")]);
    let expected = (
        "no baseline",
        "naive is skipped: budget 60 s, predicted 310 s",
    );
    assert_eq!((row["status"].as_str(), row["reason"].as_str()), expected);
    // The experiment has this variant only at depth 2.
    let row = table.row(&[("board", "8x8"), ("depth", "3")]);
    assert_eq!(row["status"], "not in this experiment");
}

#[test]
fn a_missing_baseline_says_which_way_it_is_missing() {
    let (_folder, mut data) = fresh(run);
    let at = case("8x8", 2);
    let table = &mut data.experiment.tables[0];
    table.rows = vec!["technique".into()];
    table.columns = vec![];
    table.fixed = at.0.iter().cloned().collect();
    table.techniques = vec!["old".into(), "naive".into(), "split-1-2".into()];
    measure(&mut data, &at, "old", 30 * MS, 10);
    measure(&mut data, &at, "naive", 30 * MS, 10);
    measure(&mut data, &at, "split-1-2", 10 * MS, 10);
    let status = |data: &RunData, technique: &str| {
        let table = tables(data, "view");
        let row = table.row(&[("technique", technique)]);
        format!("{}: {}", row["status"], row["reason"])
    };
    let expected = "no baseline: naive runs on devices, old on the host";
    assert_eq!(status(&data, "old"), expected);
    assert_eq!(status(&data, "naive"), "baseline: ");
    data.experiment.tables[0].baselines = vec!["split-2-3".into()];
    let expected = "no baseline: split-2-3 is not in this experiment";
    assert_eq!(status(&data, "split-1-2"), expected);
    data.experiment.tables[0].baselines = vec!["serial".into()];
    let expected = "no baseline: serial is not measured";
    assert_eq!(status(&data, "naive"), expected);
    plan(&mut data, |case| case.ends_with("depth=3"));
    let expected = "no baseline: serial is not in this run";
    assert_eq!(status(&data, "naive"), expected);
}

/// Creates a run of two players that think for one second. The second plays twice as many playouts as the first.
fn clocked(folder: &std::path::Path) -> RunData {
    let mut data = run(folder);
    data.experiment.task = Task::Choose;
    data.experiment.axes = vec!["board".into(), "effort".into()];
    let second = Case(vec![
        ("board".into(), Value::Text("8x8".into())),
        ("effort".into(), Value::Text("1s".into())),
    ]);
    data.experiment.cases = vec![second.clone()];
    for (technique, playouts) in [("serial", 1_000_000), ("naive", 2_000_000)] {
        measure(&mut data, &second, technique, 1_000 * MS, 0);
        let samples = data.samples.iter_mut();
        let own = samples.filter(|sample| sample.cell.technique == technique);
        for (number, sample) in own.enumerate() {
            sample.total_ns = 1_000 * MS;
            sample.playouts = playouts + playouts / 100 * number as u64;
        }
        let row = data.measurements.last_mut().unwrap();
        row.playouts = Some(playouts);
        (row.median_ns, row.low_ns, row.high_ns) =
            (Some(1_000 * MS), Some(1_000 * MS), Some(1_000 * MS));
    }
    let table = &mut data.experiment.tables[0];
    (table.rows, table.columns) = (vec!["technique".into()], vec!["effort".into()]);
    table.fixed = [second.0[0].clone()].into();
    table.techniques = vec!["serial".into(), "naive".into()];
    table.baselines = vec!["serial".into()];
    data
}

#[test]
fn where_the_clock_decides_how_much_is_done_rates_vary_as_the_counts_do() {
    let (_folder, mut data) = fresh(clocked);
    data.experiment.tables[0].quantities = vec![Quantity::PlayoutRate];
    data.experiment.tables[0].baselines.clear();
    let table = tables(&data, "view");
    let row = table.row(&[("technique", "serial")]);
    let (low, rate, high) = (number(row, "low"), number(row, "ours"), number(row, "high"));
    let holds = 1e6 <= low && low < rate && rate < high;
    assert!(holds, "{low} {rate} {high}");
    assert!(high - low > 0.01 * rate, "{low} {rate} {high}");
}

#[test]
fn where_the_clock_decides_how_much_is_done_a_ratio_is_that_of_playouts() {
    let (_folder, data) = fresh(clocked);
    let table = tables(&data, "view");
    let row = table.row(&[("technique", "naive")]);
    // Counters differ between passes, so a row shows the median.
    assert_relative_eq!(number(row, "ours"), 2.0, max_relative = 2e-3);
    assert!(markdown(&data).contains("naive"));
}
