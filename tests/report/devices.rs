//! Runs with several devices.

use approx::assert_relative_eq;
use plybench::report::RunData;
use plybench::results::DeviceRecord;
use plybench::stats::{median, median_interval};

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
        .filter(|row| row.cell.device == DEVICE)
        .cloned()
        .collect();
    for mut row in rows {
        let before = row.cell.clone();
        row.cell.device = SECOND.into();
        row.key = format!("{} on {SECOND}", row.key);
        let mut samples = data.samples.clone();
        samples.retain(|sample| sample.cell == before);
        for sample in &mut samples {
            sample.cell.clone_from(&row.cell);
            sample.total_ns /= 3;
        }
        let times: Vec<u64> = samples.iter().map(|sample| sample.total_ns).collect();
        if let Some(interval) = median_interval(&times, 1) {
            row.median_ns = median(&times);
            row.low_ns = Some(interval.low);
            row.high_ns = Some(interval.high);
        }
        data.samples.extend(samples);
        data.measurements.push(row);
    }
}

#[test]
fn a_table_without_columns_has_the_devices_across() {
    let (folder, mut data) = fresh(eventful);
    let table = &mut data.experiment.tables[1];
    table.columns.clear();
    table.fixed.0 = vec![("depth".into(), plybench::words::Value::Int(1))];
    table.baselines = vec!["serial".into()];
    // One device has the column of the quantity, as before.
    let text = markdown(&data);
    assert!(section(&text, "Acceleration factors").contains("| board | speed-up over serial |"));
    add_device(&mut data);
    let text = markdown(&data);
    let text = section(&text, "Acceleration factors");
    let head =
        "| board ↓ speed-up over serial on → | Imagined &lt;GPU&gt; &amp; Sons | Second one |";
    assert!(text.contains(head), "{text}");
    assert_eq!(text.matches("| board").count(), 1, "one table: {text}");
    let csv = Csv::read(folder.path().join("tables/table-2.csv"));
    assert_eq!(csv.len(), 4);
    let row = csv.row(&[("board", "16x16"), ("device", SECOND)]);
    assert_relative_eq!(number(row, "ours"), 12.0, max_relative = 1e-3);
}
