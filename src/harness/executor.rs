//! Who carries out requests: a worker process, or, in tests, a fake without clock or device.

use std::time::Duration;

use super::protocol::{CellSpec, Opened, Prepared, Sampled};
use crate::words::Fault;

/// Why a request got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// It passed its deadline; the worker was killed.
    #[error("no answer within {}, its worker was killed", rounded(*.0))]
    Timeout(Duration),
    /// The worker died: how, and the last that it said on stderr.
    #[error("its worker died: {0}")]
    Crashed(String),
    /// The worker cannot be started again: its device does not open.
    #[error("the device is lost: {0}")]
    DeviceLost(String),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// A time for a message: in whole milliseconds, from 10 s on in whole seconds.
fn rounded(time: Duration) -> humantime::FormattedDuration {
    let whole = match time.as_secs() {
        ..10 => Duration::from_millis(time.as_millis() as u64),
        seconds => Duration::from_secs(seconds),
    };
    humantime::format_duration(whole)
}

/// What came of a request: an answer, the technique's own fault, or a lost worker.
pub type Outcome<T> = Result<Result<T, Fault>, Lost>;

/// Carries out requests for one device, or for the host.
///
/// After [`Lost`], every cell that was prepared is gone; the next [`Executor::prepare`] starts
/// a new worker.
pub trait Executor {
    /// Makes a cell ready.
    fn prepare(&mut self, spec: &CellSpec, deadline: Duration) -> Outcome<Prepared>;
    /// Limits a ready cell's positions; returns the units that a sample now holds.
    fn limit(&mut self, cell: usize, units: usize, deadline: Duration) -> Outcome<u64>;
    /// Takes samples of a ready cell; `first_and_count` says how many were taken before, and how
    /// many are wanted.
    fn sample(
        &mut self,
        cell: usize,
        first_and_count: (u64, u64),
        budget: Duration,
        deadline: Duration,
    ) -> Outcome<Vec<Sampled>>;
    /// Searches one move with a full window.
    fn value_of(
        &mut self,
        cell: usize,
        unit: usize,
        best: &str,
        deadline: Duration,
    ) -> Outcome<i64>;
    /// Frees a cell. A lost worker has freed it already.
    fn forget(&mut self, cell: usize, deadline: Duration) -> Result<(), Lost>;
    /// Gives the worker up; the next request starts another. After one kernel's illegal access a
    /// driver may refuse everything that its process asks for (NVIDIA's answers
    /// CL_OUT_OF_RESOURCES), so a device that failed would cost every cell after the one that it
    /// failed in.
    fn retire(&mut self);
    /// What the worker said when it opened its device; `None` before the first request.
    fn opened(&self) -> Option<&Opened>;
    /// Counts the workers lost so far: a cell prepared under another number is gone.
    fn generation(&self) -> u64;
}
