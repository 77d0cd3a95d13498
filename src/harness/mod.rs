//! Plans an experiment's cells, schedules them on workers, verifies their answers, and writes a run folder.
//!
//! The parent handles the files, the deadlines, the statistics and the terminal. Each worker process uses one device.
//! If a driver crashes, hangs or loses its device, only one cell is lost.

mod answer_check;
mod cell;
pub(crate) mod channel;
mod clock;
mod executor;
mod host;
mod machine;
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
mod stop_rule;
mod verify;
mod worker;
mod workers;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod schedule_tests;

pub use answer_check::{Verdict, compare};
pub(crate) use executor::{Executor, Failure, Lost};
pub(crate) use host::{
    default_threads, describe as describe_host, missing_feature, unused_features, utc_now,
};
pub(crate) use plan::{CaseGroup, Cell, HOST, NO_DEVICE, Plan, Target, called_as_before};
pub(crate) use protocol::{CellSpec, PROTOCOL};
pub(crate) use request::{RunError, RunRequest};
pub(crate) use resume::{open_folder, pairs_of};
pub(crate) use run::{paired_plan, run, run_paired};
pub(crate) use schedule::{Ended, Progress};
pub(crate) use stop_rule::unmet_of_match;
#[cfg(test)]
pub(crate) use verify::VerifyResult;
pub(crate) use verify::{Subject, VerifyRequest, verify};
pub(crate) use worker::serve;
pub(crate) use workers::{WorkerOptions, Workers};
