//! From an experiment to a run folder: plan, workers, schedule, verification, rows.
//!
//! The parent has the files, the deadlines, the statistics and the terminal; each worker process has one device. A
//! driver that crashes, hangs or loses its device costs one cell.

mod answer_check;
mod beside;
mod cell;
pub mod channel;
mod clock;
mod executor;
mod host;
mod labels;
mod machine;
pub mod paired_run;
mod plan;
mod predict;
mod process;
mod protocol;
mod record;
mod reference;
mod request;
mod resume;
mod run;
mod schedule;
mod statistics;
mod steps;
mod stop_rule;
mod verify;
mod worker;
mod workers;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod schedule_tests;

pub use answer_check::{Verdict, compare};
pub use executor::{Executor, Failure, Lost};
pub use host::{
    default_threads, describe as describe_host, missing_feature, unused_features, utc_now,
};
pub use labels::called_as_before;
pub use plan::{CaseGroup, Cell, HOST, NO_DEVICE, Plan, Target};
pub use process::ProcessExecutor;
pub use protocol::{CellSpec, PROTOCOL, Prepared, Sampled};
pub use request::{RunError, RunRequest};
pub use resume::{open_folder, pairs_of};
pub use run::{Finished, run};
pub use schedule::{Ended, Progress};
pub use stop_rule::unmet_of_match;
pub use verify::{VerifyRequest, VerifyResult, verify};
pub use worker::serve;
pub use workers::{WorkerOptions, Workers};
