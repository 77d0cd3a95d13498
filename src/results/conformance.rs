use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::hash::of_json;
use super::private::Secrets;
use super::{DeviceRecord, Program, ResultsError, VERIFIED, write_atomically};
use crate::words::Status;

/// The results of `bench verify` on a device: the file of `--out`, and an entry of a run folder's `verify.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conformance {
    /// UTC: `2026-11-22T15:10:10.250Z`.
    pub utc: String,
    /// The program with its kernels' hash.
    pub program: Program,
    /// The device with its driver.
    pub device: DeviceRecord,
    /// One entry per technique, in the registry's order.
    pub techniques: Vec<Conformed>,
}

/// The result of one technique's hard cases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conformed {
    /// Its game.
    pub game: String,
    /// Its name.
    pub technique: String,
    /// `ok`: all asked and supported cases are right, at least one; `skipped`: none was asked; else the worst.
    pub status: Status,
    /// For a brought technique, a hash of its files and parameters, which identifies it under any label; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub brought: String,
    /// Asked cases.
    pub cases: u64,
    /// Cases with the right answer.
    pub right: u64,
    /// Cases with a wrong answer.
    pub wrong: u64,
    /// Cases that the device does not support.
    pub unsupported: u64,
    /// Cases without an answer for another reason.
    pub failed: u64,
    /// Cases that were not asked: the time was up, or the technique was given up.
    #[serde(default)]
    pub skipped: u64,
    /// Those of them with a launch that would pass the limit and cannot be split.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// The reason of the first incorrect case, or why no case or not each was asked; empty if all are correct.
    pub reason: String,
    /// The command that repeats the first failed case; empty if none failed.
    pub command: String,
    /// The longest launch of a sample, ns; 0 without launches.
    #[serde(default)]
    pub longest_launch_ns: u64,
    /// The time of the device's and the host's workers, ns.
    pub ns: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Conformed {
    /// The verdict in a word, which also tells incomplete results.
    pub fn verdict(&self) -> &'static str {
        match self.status {
            Status::Skipped if self.skipped == 0 => "no cases",
            Status::Ok | Status::Unsupported | Status::Memory if self.skipped > 0 => "incomplete",
            Status::Ok => "right",
            Status::Mismatch => "WRONG",
            other => other.word(),
        }
    }

    /// True if cases were skipped, and all others were right or unsupported.
    pub fn is_incomplete(&self) -> bool {
        self.verdict() == "incomplete"
    }

    /// Its identity: two entries with one name are about one technique.
    pub fn name(&self) -> (&str, &str) {
        match self.brought.as_str() {
            "" => (&self.game, &self.technique),
            hash => (&self.game, hash),
        }
    }
}

impl Conformance {
    /// Reads a file of [`Conformance::write`]. Fails if it is unreadable or has other content.
    pub fn read(path: &Path) -> Result<Conformance, ResultsError> {
        read_json(path).map_err(ResultsError::io("read", path))
    }

    /// Writes it as JSON, atomically. Fails if the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        write_json(path, self)
    }

    /// The reports in a run folder; empty without `verify.json`. Fails if the file is unreadable or has other content.
    pub fn of_run(folder: &Path) -> Result<Vec<Conformance>, ResultsError> {
        let file = folder.join(VERIFIED);
        match read_json(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map_err(ResultsError::io("read", &file)),
        }
    }

    /// Adds reports to a run folder; other reports stay. Fails as [`Conformance::of_run`], or if the system refuses.
    pub fn add_to_run(folder: &Path, new: Vec<Conformance>) -> Result<(), ResultsError> {
        let mut all = Conformance::of_run(folder)?;
        let private = Secrets::of_here();
        for mut report in new {
            report.scrub(&private);
            all.retain(|other| !report.is_about(&other.program, &other.device));
            all.push(report);
        }
        if all.is_empty() {
            return Ok(());
        }
        write_json(&folder.join(VERIFIED), &all)
    }

    /// Removes private names and paths from its texts.
    pub fn scrub(&mut self, private: &Secrets) {
        for technique in &mut self.techniques {
            technique.reason = private.scrub(&technique.reason);
            technique.command = private.scrub_command(&technique.command);
        }
    }

    /// True if it is about this device, with this driver and program.
    pub fn is_about(&self, program: &Program, device: &DeviceRecord) -> bool {
        Conformance::subject(&self.program, &self.device) == Conformance::subject(program, device)
    }

    /// Its subject: the sources of program and kernels, the device and its driver.
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
        of_json(&parts)
    }

    /// The entry of a [`name`](Conformed::name).
    pub fn of(&self, game: &str, technique: &str) -> Option<&Conformed> {
        let mut all = self.techniques.iter();
        all.find(|it| it.name() == (game, technique))
    }

    /// Keeps the entries of an earlier report that this one lacks.
    pub fn add_missing(&mut self, earlier: Conformance) {
        for it in earlier.techniques {
            let (game, name) = it.name();
            if self.of(game, name).is_none() {
                self.techniques.push(it);
            }
        }
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> std::io::Result<T> {
    Ok(serde_json::from_slice(&crate::words::read_file(path)?)?)
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ResultsError> {
    let json = serde_json::to_vec_pretty(value);
    let mut json = json.map_err(ResultsError::io("written", path))?;
    json.push(b'\n');
    write_atomically(path, &json)
}
