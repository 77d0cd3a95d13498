//! Tests runs with several devices.

use plybench::report::RunData;
use plybench::results::DeviceRecord;
use plybench::stats::{median, median_interval};

use crate::fixture::*;

pub const SECOND: &str = "Second one";

/// Adds a second device. Every cell takes a third of the first device's time on it.
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
        if let Some((low, high)) = median_interval(&times, 1) {
            row.median_ns = median(&times);
            (row.low_ns, row.high_ns) = (Some(low), Some(high));
        }
        data.samples.extend(samples);
        data.measurements.push(row);
    }
}
