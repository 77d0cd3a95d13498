//! Runs with several devices: one column each.

use approx::assert_relative_eq;
use plybench::config::Quantity;
use plybench::report::{RunData, write_from};
use plybench::results::DeviceRecord;
use plybench::stats::Summary;
use plybench::words::{Status, Task};

use crate::fixture::*;

pub const SECOND: &str = "Second one";

/// Puts a second device into a run, on which every cell of the first takes a third of the time.
pub fn add_device(data: &mut RunData) {
    data.environment.devices.push(DeviceRecord {
        label: SECOND.into(),
        ..data.environment.devices[0].clone()
    });
    let rows: Vec<_> = data
        .measurements
        .iter()
        .filter(|row| row.device == DEVICE)
        .cloned()
        .collect();
    for mut row in rows {
        let key = row.key.clone();
        row.device = SECOND.into();
        row.key = format!("{key} on {SECOND}");
        let mut samples = data.samples.clone();
        samples.retain(|sample| sample.key == key);
        for sample in &mut samples {
            sample.key = row.key.clone();
            sample.device = row.device.clone();
            sample.total_ns /= 3;
        }
        let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
        if let Some(summary) = Summary::of(&times, 1) {
            row.median_ns = Some(summary.median);
            row.low_ns = summary.interval.map(|interval| interval.low);
            row.high_ns = summary.interval.map(|interval| interval.high);
        }
        data.samples.extend(samples);
        data.measurements.push(row);
    }
}

fn reported(data: &RunData) -> String {
    let paths = write_from(data, &data.folder).unwrap();
    std::fs::read_to_string(paths.markdown).unwrap()
}

/// The section of that heading.
fn section<'a>(markdown: &'a str, heading: &str) -> &'a str {
    let (_, rest) = markdown.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

#[test]
fn devices_stand_beside_each_other_by_family() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    add_device(&mut data);
    let markdown = reported(&data);
    let text = section(&markdown, "By device");
    assert!(
        text.contains("\n### board=8x8\n") && text.contains("\n### board=16x16\n"),
        "{text}"
    );
    let head = "| depth | technique | Imagined &lt;GPU&gt; &amp; Sons (Platform) | Second one (Platform) |";
    assert_eq!(text.matches(head).count(), 2, "{text}");
    // 10 ms and a third of it, beside 40 ms of serial and 20 ms of rayon.
    let (_, large) = text.split_once("### board=16x16").unwrap();
    let row = large
        .lines()
        .find(|line| line.starts_with("| 1 | pv-split |"))
        .unwrap();
    for part in [
        "| 10.0 ms<br>",
        "over best one core, serial: 4.00, ",
        "over best CPU, rayon on 2 threads: 2.00, ",
        "| 3.33 ms<br>",
        "over best one core, serial: 12.0, ",
        "over best CPU, rayon on 2 threads: 6.00, ",
    ] {
        assert!(row.contains(part), "{part}: {row}");
    }
    let (small, _) = text.split_once("### board=16x16").unwrap();
    // There rayon is no faster than one core, and at depth 2 its answer was wrong.
    assert!(small.contains("over best CPU, serial: 0.250, "), "{small}");
    assert!(
        small.contains("| skipped<br>budget 60 s, predicted 310 s |"),
        "{small}"
    );
    let unknown = "over best CPU: best unknown: rayon is mismatch, and may be faster";
    assert!(small.contains(unknown), "{small}");
}

#[test]
fn the_numbers_by_device_are_in_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    add_device(&mut data);
    write_from(&data, folder.path()).unwrap();
    let table = Csv::read(folder.path().join("tables/devices.csv"));
    // Five cells of the one device technique, on two devices.
    assert_eq!(table.len(), 10);
    let at = |device| [("board", "16x16"), ("depth", "1"), ("device", device)];
    let (first, second) = (table.row(&at(DEVICE)), table.row(&at(SECOND)));
    let number = |row: &std::collections::HashMap<String, String>, name: &str| {
        row[name].parse::<f64>().unwrap()
    };
    assert_eq!(first["quantity"], "time_ns");
    assert_relative_eq!(number(first, "value"), 1e7, max_relative = 1e-3);
    let over = |name: &str| number(second, &format!("over_best_{name}"));
    assert_relative_eq!(over("one_core"), 12.0, max_relative = 1e-3);
    assert_relative_eq!(over("cpu"), 6.0, max_relative = 1e-3);
    assert!(over("cpu_low") < 6.0 && 6.0 < over("cpu_high"));
    assert_eq!(second["over_best_cpu_status"], "faster");
    assert_eq!(second["best_one_core"], "serial");
    assert_eq!(second["best_cpu"], "rayon");
    let skipped = table.row(&[("board", "8x8"), ("depth", "3"), ("device", SECOND)]);
    assert_eq!(
        (
            skipped["status"].as_str(),
            skipped["over_best_cpu"].as_str()
        ),
        ("skipped", "")
    );
}

#[test]
fn playouts_are_told_as_rates() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    data.experiment.task = Task::Playouts;
    for sample in &mut data.samples {
        sample.playouts = 60;
    }
    add_device(&mut data);
    let markdown = reported(&data);
    // 60 playouts in 10 ms, and in a third of that.
    let text = section(&markdown, "By device");
    assert!(
        text.contains("| 6.00 k/s<br>") && text.contains("| 18.0 k/s<br>"),
        "{text}"
    );
    let table = Csv::read(folder.path().join("tables/devices.csv"));
    let row = table.row(&[("board", "16x16"), ("depth", "1"), ("device", SECOND)]);
    assert_eq!(row["quantity"], "playouts_per_s");
}

#[test]
fn players_have_points_on_each_device_and_no_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    data.experiment.task = Task::Match;
    add_device(&mut data);
    for row in data
        .measurements
        .iter_mut()
        .filter(|row| row.status == Status::Ok)
    {
        row.score = "3 won, 0 drawn, 1 lost; +2 a1b1".into();
    }
    let markdown = reported(&data);
    let text = section(&markdown, "By device");
    assert!(
        text.contains("| 75.0 %<br>\\[30.1–95.4\\]<br>3 won, 0 drawn, 1 lost<br>3.33 ms |"),
        "{text}"
    );
    assert!(!text.contains("over "), "{text}");
}

#[test]
fn what_was_not_asked_for_has_no_row() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    add_device(&mut data);
    data.environment.commands = vec!["bench run configs/reversi.toml --case board=8x8".into()];
    data.measurements
        .retain(|row| row.case.starts_with("board=8x8"));
    let markdown = reported(&data);
    let text = section(&markdown, "By device");
    assert!(
        text.contains("board=8x8") && !text.contains("16x16"),
        "{text}"
    );
    let table = Csv::read(folder.path().join("tables/devices.csv"));
    assert_eq!(table.len(), 6, "three depths on two devices");
}

#[test]
fn a_run_of_one_device_has_nothing_to_put_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    assert!(!reported(&data).contains("By device"));
    assert!(!folder.path().join("tables/devices.csv").exists());
    // What an earlier report of two devices left is removed.
    add_device(&mut data);
    reported(&data);
    assert!(folder.path().join("tables/devices.csv").exists());
    reported(&eventful(folder.path()));
    assert!(!folder.path().join("tables/devices.csv").exists());
}

#[test]
fn a_table_without_columns_has_the_devices_across() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let table = &mut data.experiment.tables[1];
    table.columns.clear();
    table.fixed.0 = vec![("depth".into(), plybench::words::Value::Int(1))];
    table.baselines = vec!["serial".into()];
    // One device has the column of the quantity, as before.
    let markdown = reported(&data);
    assert!(
        section(&markdown, "Acceleration factors").contains("| board | speed-up over serial |")
    );
    add_device(&mut data);
    let markdown = reported(&data);
    let text = section(&markdown, "Acceleration factors");
    let head =
        "| board ↓ speed-up over serial on → | Imagined &lt;GPU&gt; &amp; Sons | Second one |";
    assert!(text.contains(head), "{text}");
    assert_eq!(text.matches("| board").count(), 1, "one table: {text}");
    let csv = Csv::read(folder.path().join("tables/table-2.csv"));
    assert_eq!(csv.len(), 4);
    let row = csv.row(&[("board", "16x16"), ("device", SECOND)]);
    assert_relative_eq!(
        row["ours"].parse::<f64>().unwrap(),
        12.0,
        max_relative = 1e-3
    );
}

#[test]
fn techniques_of_the_host_have_a_column_beside_the_devices() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let table = &mut data.experiment.tables[1];
    table.rows = vec!["technique".into()];
    table.columns.clear();
    table.quantities = vec![Quantity::NodeRate];
    table.fixed = case("16x16", 1);
    table.techniques = ["serial", "rayon", "pv-split"].map(str::to_owned).to_vec();
    table.baselines.clear();
    table.published.clear();
    add_device(&mut data);
    let markdown = reported(&data);
    let text = section(&markdown, "Acceleration factors");
    let head = "| technique ↓ nodes per second on → | host | Imagined &lt;GPU&gt; &amp; Sons | Second one |";
    assert!(text.contains(head), "{text}");
    let row = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(&format!("| {name} |")))
            .unwrap()
    };
    assert!(row("serial").ends_with(" |  |  |"), "{}", row("serial"));
    assert!(
        row("pv-split").starts_with("| pv-split |  | 10.0 M/s<br>"),
        "{}",
        row("pv-split")
    );
    // A program reads each cell once, where it was measured.
    let csv = Csv::read(folder.path().join("tables/table-2.csv"));
    assert_eq!(csv.len(), 4);
    assert_eq!(csv.row(&[("technique", "rayon")])["device"], "host");
}

#[test]
fn a_table_of_several_quantities_stays_one_for_each_device() {
    let folder = tempfile::tempdir().unwrap();
    let mut data = eventful(folder.path());
    let table = &mut data.experiment.tables[1];
    table.rows = vec!["technique".into()];
    table.columns.clear();
    table.quantities = vec![Quantity::Time, Quantity::Nodes];
    table.fixed = case("16x16", 1);
    table.baselines.clear();
    add_device(&mut data);
    let markdown = reported(&data);
    let text = section(&markdown, "Acceleration factors");
    assert_eq!(
        text.matches("| technique | time of the whole task | nodes |")
            .count(),
        2,
        "{text}"
    );
    assert!(text.contains("### on Second one"), "{text}");
}
