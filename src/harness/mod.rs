//! From an experiment to a run folder: plan, workers, schedule, verification, rows.
//!
//! The parent has the files, the deadlines, the statistics and the terminal; each worker process has one device. A
//! driver that crashes, hangs or loses its device costs one cell.

mod begun;
mod beside;
pub mod channel;
mod clock;
mod conform;
mod executor;
mod host;
mod live;
mod pass_rule;
mod plan;
mod predict;
mod process;
mod protocol;
mod record;
mod request;
mod resume;
mod run;
mod schedule;
mod statistics;
mod unmet;
mod verify;
pub mod versus;
mod worker;
mod workers;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod schedule_tests;

pub use begun::pairs_of;
pub use beside::WorkerOptions;
pub use conform::{Held, VerifyRequest, hold};
pub use executor::{Executor, Lost};
pub use host::{
    default_threads, describe as describe_host, missing_feature, unused_features, utc_now,
};
pub use live::unmet_of_match;
pub use plan::{CaseGroup, Cell, HOST, NO_DEVICE, Plan, Target};
pub use process::ProcessExecutor;
pub use protocol::{CellSpec, PROTOCOL, Prepared, Sampled};
pub use request::{RunError, RunRequest};
pub use resume::{called_as_before, open_folder};
pub use run::{Finished, run};
pub use schedule::{Ended, Progress};
pub use verify::{Verdict, compare};
pub use worker::serve;
pub use workers::Workers;
