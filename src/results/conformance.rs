use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::hash::hexadecimal;
use super::{DeviceRecord, Program, ResultsError, VERIFIED, write_atomically};
use crate::words::Status;

/// What `bench verify` found on a device: the file that `--out` writes, and an entry of a run folder's
/// `verify.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conformance {
    /// When, UTC: `2026-11-22T15:10:10.250Z`.
    pub utc: String,
    /// The program, its kernels' hash included.
    pub program: Program,
    /// The device, with its driver.
    pub device: DeviceRecord,
    /// A technique an entry, in the registry's order.
    pub techniques: Vec<Conformed>,
}

/// What became of one technique's hard cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conformed {
    /// Its game.
    pub game: String,
    /// Its name.
    pub technique: String,
    /// `ok`: every case that the device can do is right, and there is one; `skipped`: no case was asked; else the
    /// worst that a case was.
    pub status: Status,
    /// Cases that were asked.
    pub cases: u64,
    /// Those with the right answer.
    pub right: u64,
    /// Those with a wrong one.
    pub wrong: u64,
    /// Those for which the device lacks something.
    pub unsupported: u64,
    /// Those without an answer for another reason.
    pub failed: u64,
    /// Those that were not asked: the time was up, or the technique was given up.
    #[serde(default)]
    pub skipped: u64,
    /// The reason of the first case that is not correct, or why no case was asked; empty if all are correct.
    pub reason: String,
    /// The command that asks the first failed case again; empty where none failed.
    pub command: String,
    /// The time of the device's worker and of the host's, ns.
    pub ns: u64,
}

impl Conformance {
    /// Reads a file that [`Conformance::write`] wrote.
    ///
    /// # Errors
    /// Where it cannot be read, or says something else.
    pub fn read(path: &Path) -> Result<Conformance, ResultsError> {
        let read = std::fs::read(path).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
        read.map_err(ResultsError::io("read", path))
    }

    /// Writes it as JSON, whole or not at all.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        write_json(path, self)
    }

    /// The reports in a run folder, one per device; empty if it has no `verify.json`.
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold such reports.
    pub fn of_run(folder: &Path) -> Result<Vec<Conformance>, ResultsError> {
        let file = folder.join(VERIFIED);
        let read = crate::words::read_file(&file);
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read
                .and_then(|bytes| Ok(serde_json::from_slice(&bytes)?))
                .map_err(ResultsError::io("read", &file)),
        }
    }

    /// Puts reports of devices into a run folder; those there of other devices, drivers or programs stay.
    ///
    /// # Errors
    /// As [`Conformance::of_run`], and where the system refuses.
    pub fn add_to_run(folder: &Path, new: Vec<Conformance>) -> Result<(), ResultsError> {
        let mut all = Conformance::of_run(folder)?;
        for report in new {
            all.retain(|other| !report.is_about(&other.program, &other.device));
            all.push(report);
        }
        if all.is_empty() {
            return Ok(());
        }
        write_json(&folder.join(VERIFIED), &all)
    }

    /// Whether it is about this device, with this driver and program.
    pub fn is_about(&self, program: &Program, device: &DeviceRecord) -> bool {
        Conformance::subject(&self.program, &self.device) == Conformance::subject(program, device)
    }

    /// A name for what it is about: the sources of program and kernels, the device and its driver.
    pub fn subject(program: &Program, device: &DeviceRecord) -> String {
        let parts = [
            &program.source_hash,
            &program.kernel_hash,
            &device.platform,
            &device.platform_version,
            &device.name,
            &device.driver,
            &device.version,
        ];
        let mut sum = Sha256::new();
        for part in parts {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        hexadecimal(&sum.finalize())[..16].to_owned()
    }

    /// The entry of a technique.
    pub fn of(&self, game: &str, technique: &str) -> Option<&Conformed> {
        let is_it = |it: &&Conformed| it.game == game && it.technique == technique;
        self.techniques.iter().find(is_it)
    }

    /// Keeps what an earlier report says of techniques that this one does not name.
    pub fn add_missing(&mut self, earlier: Conformance) {
        for it in earlier.techniques {
            if self.of(&it.game, &it.technique).is_none() {
                self.techniques.push(it);
            }
        }
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ResultsError> {
    let json = serde_json::to_vec_pretty(value).map_err(std::io::Error::from);
    let mut json = json.map_err(ResultsError::io("written", path))?;
    json.push(b'\n');
    write_atomically(path, &json)
}
