//! Defines, reads and writes run folders, and computes the keys of their rows. Works without OpenCL.
//!
//! | file | content |
//! | --- | --- |
//! | `environment.toml` | [`Environment`]: the format, and each [`Invocation`]: selection, program, host, devices |
//! | `experiment.toml` | the resolved experiment |
//! | `samples.csv` | [`Sample`], one per timed repetition; or `samples.csv.gz` |
//! | `measurements.csv` | [`MeasurementRow`], one per planned cell |
//! | `facts.csv` | [`FactRow`], properties of a case |
//! | `resources.csv` | [`ResourceRow`], device resources of a technique |
//! | `tables/`, `charts/`, `report.md`, `index.html` | the report, generated from the files above |
//! | `published/` | the paper's numbers and claims used in the report |
//! | `logs/` | complete logs of failed kernel builds |
//! | `techniques.json` | [`TechniqueRecord`](crate::words::TechniqueRecord), for readers |
//! | `lock` | held by the writing run, with its process id |

mod conformance;
mod csv_file;
mod environment;
mod error;
mod folder;
mod hash;
mod private;
mod provenance;
mod rows;
mod run;
mod seal;
mod statistics;
mod write;

use std::ffi::OsStr;

pub use crate::words::Selection;
pub use conformance::{Conformance, Conformed};
pub use csv_file::read_bytes as read_table;
pub use environment::{DeviceRecord, Environment, Host, Invocation, Program, read_environment};
pub use error::ResultsError;
pub use folder::{RunFolder, take_lock};
pub use hash::{anonymous_node, file_hash};
pub use private::Secrets;
pub use provenance::{
    ADDRESS, BUILD, Difference, HOST_MODEL, KERNELS, PROGRAM, Provenance, THREADS, beside,
};
pub use rows::{CellId, FactRow, HOST, MeasurementRow, NO_DEVICE, ResourceRow, Sample, by_cell};
pub use run::Run;
pub use seal::seal;
pub use statistics::unlike_its_samples;
pub use write::{check_output, make_folder, write_atomically, write_new};

/// Version of the run folder format.
pub const FORMAT: u32 = 3;

const ENVIRONMENT: &str = "environment.toml";
const EXPERIMENT: &str = "experiment.toml";
const TECHNIQUES: &str = "techniques.json";
const SAMPLES: &str = "samples.csv";
const SAMPLES_ZIPPED: &str = "samples.csv.gz";
const MEASUREMENTS: &str = "measurements.csv";
const FACTS: &str = "facts.csv";
const RESOURCES: &str = "resources.csv";
const LOCK: &str = "lock";
const LOGS: &str = "logs";

/// Prefix of the names of unfinished files.
const UNFINISHED: &str = ".unfinished-";

/// The files with a run's raw data, which cannot be regenerated.
const RAW: [&str; 9] = [
    ENVIRONMENT,
    EXPERIMENT,
    TECHNIQUES,
    SAMPLES,
    SAMPLES_ZIPPED,
    MEASUREMENTS,
    FACTS,
    RESOURCES,
    LOCK,
];

/// Returns true for the name of a file or folder that a run or a report writes in a run folder.
pub fn is_of_run(name: &OsStr) -> bool {
    let of_report =
        "tables charts published report.md index.html .report-files peaks.csv verify.json"
            .split(' ');
    let mut own = of_report.chain(RAW).chain([LOGS]);
    let name = name.to_str();
    name.is_some_and(|name| name.starts_with(UNFINISHED) || own.any(|own| own == name))
}

#[cfg(test)]
mod tests;
