//! Executes requests with a worker process or, in tests, with a fake that needs neither a clock nor a device.

use std::time::Duration;

use super::protocol::{CellSpec, Opened, Prepared, Reply, Request, Sampled};
use crate::words::{Fault, Status};

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// The request passed its deadline, and the worker was killed.
    #[error("no answer within {}; the worker was killed", rounded(*.0))]
    Timeout(Duration),
    /// The worker died. The text says how it ended and quotes its last lines on stderr.
    #[error("its worker died: {0}")]
    Crashed(String),
    /// The worker cannot be restarted, because its device does not open.
    #[error("the device is lost: {0}")]
    Device(String),
    /// The user requested a stop.
    #[error("interrupted")]
    Interrupted,
}

/// Formats a duration for messages. Durations below 10 s are in milliseconds, others in seconds.
fn rounded(time: Duration) -> humantime::FormattedDuration {
    let whole = match time.as_secs() {
        ..10 => Duration::from_millis(time.as_millis() as u64),
        seconds => Duration::from_secs(seconds),
    };
    humantime::format_duration(whole)
}

/// Why a request failed: a fault in the technique, or the loss of the worker.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum Failure {
    Fault(#[from] Fault),
    Lost(#[from] Lost),
}

impl Failure {
    /// Returns the status of a cell that ends with this failure.
    pub fn status(&self) -> Status {
        match self {
            Failure::Fault(fault) => fault.status(),
            Failure::Lost(Lost::Timeout(_)) => Status::Timeout,
            Failure::Lost(_) => Status::Crashed,
        }
    }
}

/// The fake worker's outcome for a request.
#[cfg(test)]
pub type Outcome<T> = Result<Result<T, Fault>, Lost>;

/// Executes requests for one device, or for the host. After an error [`Lost`], cells must be prepared again.
pub trait Executor {
    fn ask(&mut self, request: Request, deadline: Duration) -> Result<Reply, Lost>;
    /// Ends the worker. The next request starts another one. This is necessary after a kernel's illegal memory access,
    /// because the driver may then refuse all calls from the process (NVIDIA's driver returns CL_OUT_OF_RESOURCES).
    fn retire(&mut self);
    /// Returns the worker's report on opening its device, or `None` before the first request.
    fn opened(&self) -> Option<&Opened>;
    /// Returns the number of workers lost so far. A cell that was prepared at a lower number is no longer prepared.
    fn generation(&self) -> u64;

    /// Ends a worker whose reply does not match the request.
    fn protocol_error(&mut self, said: &dyn std::fmt::Debug) -> Lost {
        self.retire();
        let mut said = format!("{said:?}");
        said.truncate(said.char_indices().nth(80).map_or(said.len(), |(at, _)| at));
        Lost::Crashed(format!("it sent an unexpected reply: {said}"))
    }
    fn prepare(&mut self, spec: &CellSpec, deadline: Duration) -> Result<Prepared, Failure> {
        match self.ask(Request::Prepare(Box::new(spec.clone())), deadline)? {
            Reply::Prepared(prepared) => Ok(prepared?),
            other => Err(self.protocol_error(&other).into()),
        }
    }
    /// Limits a prepared cell's number of positions. Returns the number of units in each later sample.
    fn limit(&mut self, cell: usize, units: usize, deadline: Duration) -> Result<u64, Failure> {
        match self.ask(Request::Limit { cell, units }, deadline)? {
            Reply::Limited(units) => Ok(units),
            other => Err(self.protocol_error(&other).into()),
        }
    }
    /// Takes `count` samples of a prepared cell, which already has `first` samples.
    fn sample(
        &mut self,
        cell: usize,
        (first, count): (u64, u64),
        budget: Duration,
        deadline: Duration,
    ) -> Result<Vec<Sampled>, Failure> {
        let request = Request::Sample {
            cell,
            count,
            first,
            budget_ns: u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX),
        };
        match self.ask(request, deadline)? {
            Reply::Samples(samples) => Ok(samples?),
            other => Err(self.protocol_error(&other).into()),
        }
    }
    /// Searches the move `best` in a position with a full window, and returns its value.
    fn value_of(
        &mut self,
        cell: usize,
        unit: usize,
        best: &str,
        deadline: Duration,
    ) -> Result<i64, Failure> {
        let best = best.to_owned();
        match self.ask(Request::ValueOf { cell, unit, best }, deadline)? {
            Reply::Value(value) => Ok(value?),
            other => Err(self.protocol_error(&other).into()),
        }
    }
    /// Frees a cell. If the cell's worker was lost, the cell is already free.
    fn forget(&mut self, cell: usize, deadline: Duration) -> Result<(), Failure> {
        match self.ask(Request::Forget { cell }, deadline)? {
            Reply::Forgotten => Ok(()),
            other => Err(self.protocol_error(&other).into()),
        }
    }
}
