//! A timing run: what has the machine to itself, and may be stopped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::exit::Failure;
use super::machine::{MachineArgs, MachineLock};
use super::session::interrupts;

/// A timing run of this process: the machine's lock, and what stops it.
pub struct TimingRun {
    /// Raised by the first signal: finish the request under way.
    pub stop: Arc<AtomicBool>,
    /// Raised by the second: kill the workers.
    pub stop_now: Arc<AtomicBool>,
    _machine: MachineLock,
}

impl TimingRun {
    /// Waits for the machine. What opens a device or starts a program comes after it: it would disturb the run that
    /// has the machine.
    ///
    /// # Errors
    /// As [`MachineLock::take`].
    pub fn begin(args: &MachineArgs) -> Result<Self, Failure> {
        let [stop, stop_now] = interrupts()?;
        let machine = MachineLock::take(args.shared, &stop)?;
        Ok(Self {
            stop,
            stop_now,
            _machine: machine,
        })
    }
}
