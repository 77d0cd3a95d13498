use std::path::Path;

use serde::{Deserialize, Serialize};

use super::csv_file;
use super::{DeviceRecord, PEAKS, ResultsError};
use crate::words::Status;

/// A row of `peaks.csv`: a launch or transfer time of a device. Numbers are empty if `status` is not `ok`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// The quantity: `launch`, `upload`.
    pub quantity: String,
    /// `B/s` or `ns`.
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
    super::write_atomically(&path, &csv_file::whole::<PeakRow>(&path, rows)?)
}

/// The rows of `peaks.csv`; `None` without the file. Skipped lines go to `warnings`. Fails for a damaged file.
pub fn read_peaks(
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Result<Option<Vec<PeakRow>>, ResultsError> {
    let path = folder.join(PEAKS);
    let rows = path.exists().then(|| csv_file::read(&path, warnings));
    rows.transpose()
}

impl PeakRow {
    /// True if the row is of this device behind this host.
    pub fn is_of(&self, host: &str, device: &DeviceRecord) -> bool {
        let own = [&self.host, &self.platform, &self.name, &self.driver];
        own == [host, &device.platform, &device.name, &device.driver]
    }
}
