use serde::{Deserialize, Serialize};

use super::{DeviceRecord, Program};
use crate::words::{Status, is_zero};

/// The results of `bench verify` for one device, which `--json` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conformance {
    /// Time of the verification, UTC, for example `2026-11-22T15:10:10.250Z`.
    pub utc: String,
    /// The program that was verified, with the hash of its kernels.
    pub program: Program,
    /// The device that was verified, with its driver.
    pub device: DeviceRecord,
    /// One entry per technique, in the registry's order.
    pub techniques: Vec<Conformed>,
}

/// The results of one technique on its hard cases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conformed {
    /// The technique's game.
    pub game: String,
    /// The technique's name.
    pub technique: String,
    /// `ok` if cases ran and all supported ones were correct, `skipped` if no case ran, otherwise the worst status.
    pub status: Status,
    /// Number of cases that ran.
    pub cases: u64,
    /// Number of cases with a correct answer.
    pub right: u64,
    /// Number of cases with a wrong answer.
    pub wrong: u64,
    /// Number of cases that the device does not support.
    pub unsupported: u64,
    /// Number of cases that failed for other reasons and have no answer.
    pub failed: u64,
    /// Number of cases that did not run because time ran out or because verification gave up on the technique.
    #[serde(default)]
    pub skipped: u64,
    /// Number of cases left out because a launch would exceed the limit and could not be split.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Why the first failed case failed, or why some or all cases did not run. Empty if all cases were correct.
    pub reason: String,
    /// The command that repeats the first failed case. Empty if no case failed.
    pub command: String,
    /// Time of the longest launch in any sample, ns, or 0 if nothing was launched.
    #[serde(default)]
    pub longest_launch_ns: u64,
    /// Time that the workers of the device and the host spent on the technique, ns.
    pub ns: u64,
}

impl Conformed {
    /// Returns the verdict in one word. It is `incomplete` if cases were skipped and all others were correct or
    /// unsupported.
    pub fn verdict(&self) -> &'static str {
        match self.status {
            Status::Skipped if self.skipped == 0 => "no cases",
            Status::Ok | Status::Unsupported | Status::Memory if self.skipped > 0 => "incomplete",
            Status::Ok => "right",
            Status::Mismatch => "WRONG",
            other => other.word(),
        }
    }
}
