//! A timing run has the machine to itself, and can be stopped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::exit::Failure;
use super::machine::{MachineArgs, MachineLock};
use super::session::interrupts;

pub struct TimingRun {
    /// Raised by the first signal: finish the current request.
    pub stop: Arc<AtomicBool>,
    /// Raised by the second: kill the workers.
    pub stop_now: Arc<AtomicBool>,
    _machine: MachineLock,
}

impl TimingRun {
    /// Waits for the machine. Devices and programs must start later: they would disturb the current run.
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
