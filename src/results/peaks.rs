use std::path::Path;

use serde::{Deserialize, Serialize};

use super::csv_file;
use super::environment::add_invocations;
use super::{ENVIRONMENT, EXPERIMENT, Invocation, PEAKS, ResultsError};
use crate::words::Status;

/// One row of `peaks.csv`: something that a device can do at best, measured by `bench peaks`. Empty
/// numbers where `status` is not `ok`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakRow {
    /// The host's processor: a device behind another host has other launches and transfers.
    pub host: String,
    /// Platform name.
    pub platform: String,
    /// The device's label.
    pub device: String,
    /// The device's name.
    pub name: String,
    /// Driver version.
    pub driver: String,
    /// What was measured: `add`, `global-read`, `launch`.
    pub quantity: String,
    /// `op/s`: operations on one 32-bit lane a second; `B/s`; `ns`.
    pub unit: String,
    /// How it ended.
    pub status: Status,
    /// Why, where it is not `ok`.
    pub reason: String,
    /// The median, in the unit.
    pub value: Option<f64>,
    /// Lower end of its 95 % bootstrap interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Samples taken.
    pub samples: u64,
    /// The median time of a sample, ns.
    pub sample_ns: Option<u64>,
    /// The launch that was the fastest of those tried, or how much was moved.
    pub launch: String,
    /// Which clock it was taken by.
    pub method: String,
}

/// Writes a folder of peaks: `peaks.csv`, and the invocation in `environment.toml`. With `goes_on`, earlier
/// invocations stay. Each file is replaced atomically.
///
/// # Errors
///
/// If the folder is a run's, whose environment must stay, or the system refuses.
pub fn write_peaks(
    folder: &Path,
    invocation: &Invocation,
    goes_on: bool,
    rows: &[PeakRow],
) -> Result<(), ResultsError> {
    refuse_runs(folder)?;
    std::fs::create_dir_all(folder).map_err(ResultsError::io("made", folder))?;
    let environment = folder.join(ENVIRONMENT);
    if !goes_on && environment.exists() {
        std::fs::remove_file(&environment).map_err(ResultsError::io("removed", &environment))?;
    }
    add_invocations(folder, std::slice::from_ref(invocation))?;
    let path = folder.join(PEAKS);
    super::write_atomically(&path, &csv_file::whole(&path, rows)?)
}

/// Refuses a folder that a run wrote: its `environment.toml` says what made its rows.
///
/// # Errors
///
/// [`ResultsError::RunsFolder`] where it is one.
pub fn refuse_runs(folder: &Path) -> Result<(), ResultsError> {
    let has = |name: &str| folder.join(name).exists();
    if has(EXPERIMENT) || (has(ENVIRONMENT) && !has(PEAKS)) {
        return Err(ResultsError::RunsFolder {
            path: folder.to_owned(),
        });
    }
    Ok(())
}

/// The rows of a folder's `peaks.csv`; `None` where it has none. What had to be passed over is said in
/// `warnings`.
///
/// # Errors
///
/// Where the file cannot be read, is damaged or another version's.
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

/// Merges rows with earlier ones. Of two rows of the same quantity, device, driver and host, the better one stays:
/// the higher rate, or the shorter time. Other work on a machine only makes results worse, so the better one is
/// nearer to the peak of the device. Rows of other devices stay; a row without a number stays only if there is no
/// other.
pub fn better(earlier: Vec<PeakRow>, mut rows: Vec<PeakRow>) -> Vec<PeakRow> {
    let mut others = Vec::new();
    for old in earlier {
        match rows.iter_mut().find(|row| row.is_like(&old)) {
            Some(row) if old.beats(row) => *row = old,
            Some(_) => {}
            None => others.push(old),
        }
    }
    others.extend(rows);
    others
}

impl PeakRow {
    fn is_like(&self, other: &PeakRow) -> bool {
        let identity = |row: &PeakRow| {
            let PeakRow {
                host,
                platform,
                device,
                name,
                driver,
                quantity,
                ..
            } = row;
            [host, platform, device, name, driver, quantity].map(Clone::clone)
        };
        identity(self) == identity(other)
    }

    fn beats(&self, other: &PeakRow) -> bool {
        match (self.value, other.value) {
            (Some(own), Some(other)) if self.unit == "ns" => own < other,
            (Some(own), Some(other)) => own > other,
            (own, None) => own.is_some(),
            (None, Some(_)) => false,
        }
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
        let folder = folder.path().join("peaks");
        let mut warnings = Vec::new();
        assert_eq!(read_peaks(&folder, &mut warnings).unwrap(), None);
        for rows in [
            vec![row("add", Some(16.7e12)), row("logic", None)],
            vec![row("add", Some(1.0 / 3.0))],
        ] {
            write_peaks(&folder, &Invocation::default(), false, &rows).unwrap();
            assert_eq!(read_peaks(&folder, &mut warnings).unwrap(), Some(rows));
        }
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn the_better_of_two_measurements_is_kept() {
        let time = |value| PeakRow {
            unit: "ns".into(),
            ..row("launch", Some(value))
        };
        let earlier = vec![
            row("add", Some(3.0)),
            row("logic", Some(1.0)),
            row("shift", Some(1.0)),
            row("select", None),
            time(5.0),
            PeakRow {
                driver: "0.9".into(),
                ..row("add", Some(9.0))
            },
            // Another of the same name, as in a machine with two.
            PeakRow {
                device: "D #2".into(),
                driver: "2".into(),
                ..row("add", Some(8.0))
            },
        ];
        let rows = vec![
            row("add", Some(2.0)),
            row("logic", Some(2.0)),
            row("shift", None),
            row("select", Some(1.0)),
            time(7.0),
            PeakRow {
                device: "D #2".into(),
                driver: "2".into(),
                ..row("add", Some(7.0))
            },
        ];
        let kept = better(earlier, rows);
        let values: Vec<(&str, &str, Option<f64>)> = kept
            .iter()
            .map(|row| (row.quantity.as_str(), row.driver.as_str(), row.value))
            .collect();
        assert_eq!(
            values,
            [
                ("add", "0.9", Some(9.0)),
                ("add", "1.0", Some(3.0)),
                ("logic", "1.0", Some(2.0)),
                ("shift", "1.0", Some(1.0)),
                ("select", "1.0", Some(1.0)),
                ("launch", "1.0", Some(5.0)),
                ("add", "2", Some(8.0)),
            ]
        );
    }

    #[test]
    fn a_runs_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(ENVIRONMENT), "").unwrap();
        let refused = write_peaks(folder.path(), &Invocation::default(), false, &[]).unwrap_err();
        assert!(refused.to_string().contains("a run's folder"), "{refused}");
        assert!(!folder.path().join(PEAKS).exists());
    }
}
