use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{DeviceRecord, Program, ResultsError, write_atomically};
use crate::words::Status;

/// The results of `bench verify` on a device: the file of `--out`.
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
    /// Refused cases: a launch would pass the limit and cannot be split.
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
}

impl Conformance {
    /// Writes it as JSON, atomically. Fails if the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        let json = serde_json::to_vec_pretty(self);
        let mut json = json.map_err(ResultsError::io("written", path))?;
        json.push(b'\n');
        write_atomically(path, &json)
    }
}
