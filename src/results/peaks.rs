use std::path::Path;

use serde::{Deserialize, Serialize};

use super::csv_file;
use super::{DeviceRecord, PEAKS, ResultsError};
use crate::words::Status;

/// A row of `peaks.csv`: a launch or transfer time of a device. Numbers are empty if `status` is not `ok`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakRow {
    /// The host's processor: launches and transfers depend on it.
    pub host: String,
    /// Platform name.
    pub platform: String,
    /// The device's label.
    pub device: String,
    /// The device's name.
    pub name: String,
    /// Driver version.
    pub driver: String,
    /// The quantity: `add`, `global-read`, `launch`.
    pub quantity: String,
    /// `op/s`: operations per second on one 32-bit lane; `B/s`; `ns`.
    pub unit: String,
    /// Its status.
    pub status: Status,
    /// The reason unless `ok`.
    pub reason: String,
    /// The median, in the unit.
    pub value: Option<f64>,
    /// Lower end of its 95 % bootstrap interval.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Samples taken.
    pub samples: u64,
    /// The median time of a sample, ns.
    pub sample_ns: Option<u64>,
    /// The fastest of the tried launches, or the moved amount.
    pub launch: String,
    /// The clock.
    pub method: String,
}

/// Replaces a folder's `peaks.csv` atomically. Fails if the system refuses.
pub fn write_peaks(folder: &Path, rows: &[PeakRow]) -> Result<(), ResultsError> {
    let path = folder.join(PEAKS);
    super::write_atomically(&path, &csv_file::whole(&path, rows)?)
}

/// The rows of `peaks.csv`; `None` without the file. Skipped lines go to `warnings`. Fails for a damaged file.
pub fn read_peaks(
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Result<Option<Vec<PeakRow>>, ResultsError> {
    let path = folder.join(PEAKS);
    if !path.exists() {
        return Ok(None);
    }
    csv_file::read(&path, warnings).map(Some)
}

impl PeakRow {
    /// True if the row is of this device behind this host.
    pub fn is_of(&self, host: &str, device: &DeviceRecord) -> bool {
        let own = [&self.host, &self.platform, &self.name, &self.driver];
        own == [host, &device.platform, &device.name, &device.driver]
    }
}

impl csv_file::Columns for PeakRow {}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(quantity: &str, value: Option<f64>) -> PeakRow {
        PeakRow {
            host: "a processor, with a comma".into(),
            platform: "P".into(),
            device: "D #1".into(),
            name: "D".into(),
            driver: "1.0".into(),
            quantity: quantity.into(),
            unit: "op/s".into(),
            status: if value.is_some() {
                Status::Ok
            } else {
                Status::Crashed
            },
            reason: String::new(),
            value,
            low: value.map(|value| value * 0.9),
            high: value.map(|value| value * 1.1),
            samples: 5,
            sample_ns: value.map(|_| 20_000_000),
            launch: "uint, 4 chains, groups of 256".into(),
            method: "device events".into(),
        }
    }

    #[test]
    fn a_folder_reads_what_it_was_written_with_and_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut warnings = Vec::new();
        assert_eq!(read_peaks(folder, &mut warnings).unwrap(), None);
        for rows in [
            vec![row("add", Some(16.7e12)), row("logic", None)],
            vec![row("add", Some(1.0 / 3.0))],
        ] {
            write_peaks(folder, &rows).unwrap();
            assert_eq!(read_peaks(folder, &mut warnings).unwrap(), Some(rows));
        }
        assert!(warnings.is_empty(), "{warnings:?}");
    }
}
