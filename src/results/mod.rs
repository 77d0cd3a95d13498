//! The schema of a run folder: reading, writing, and the key that decides what a resumed run may
//! skip. Imports `words` and `stats` alone, so that a report can be made where there is no OpenCL.
//!
//! | file | what |
//! | --- | --- |
//! | `environment.toml` | [`Environment`]: format version, and an [`Invocation`] an entry: command, program, host, devices |
//! | `experiment.toml` | the resolved experiment |
//! | `samples.csv` | [`SampleRow`], one a timed repetition |
//! | `measurements.csv` | [`MeasurementRow`], one a cell |
//! | `facts.csv` | [`FactRow`], what is true of a case itself |
//! | `resources.csv` | [`ResourceRow`], what a technique takes of its device |
//! | `tables/`, `charts/`, `report.md`, `index.html` | the report, made from the files above |
//! | `published/` | the paper's numbers and claims that the report was made with |
//! | `logs/` | what compilers said of kernels that did not build, whole |
//! | `.report-files` | the names of the report's tables and charts: what the next report may remove |
//! | `verify.json` | a [`Conformance`] a device: what `bench verify` found of the run's techniques |
//! | `peaks.csv` | [`PeakRow`], what devices can do at best; in a folder of its own, beside the runs' |
//! | `lock` | held by the run that writes, with its process number |

mod agreement;
mod columns;
mod conformance;
mod csv_file;
mod environment;
mod error;
pub mod export;
mod folder;
mod given;
mod hash;
mod key;
mod older;
mod peaks;
mod rows;
mod run;
mod statistics;
mod write;

use std::ffi::OsStr;

pub use conformance::{Conformance, Conformed};
pub use environment::{DeviceRecord, Environment, Host, Invocation, Program, read_environment};
pub use error::ResultsError;
pub use folder::RunFolder;
pub use given::Given;
pub use hash::{file_hash, whole_file_hash};
pub use key::{CellIdentity, beside};
pub use peaks::{PeakRow, better, read_peaks, refuse_runs, write_peaks};
pub use rows::{FactRow, MeasurementRow, ResourceRow, SampleRow};
pub use run::Run;
pub use statistics::unlike_its_samples;
pub use write::{make_folder, write_atomically};

/// Version of the run folder's format: the meaning of its files and columns. Folders of format 1, whose
/// samples know no invocation, are read as well.
pub const FORMAT: u32 = 2;

const ENVIRONMENT: &str = "environment.toml";
const EXPERIMENT: &str = "experiment.toml";
const SAMPLES: &str = "samples.csv";
const MEASUREMENTS: &str = "measurements.csv";
const FACTS: &str = "facts.csv";
const RESOURCES: &str = "resources.csv";
const PEAKS: &str = "peaks.csv";
const LOCK: &str = "lock";
const VERIFIED: &str = "verify.json";
const LOGS: &str = "logs";
/// What a report wrote into `tables/` and `charts/`, a file a line: what the next one may remove.
pub const REPORT_FILES: &str = ".report-files";

/// Beginning of the names of files that are being written.
const UNFINISHED: &str = ".unfinished-";

/// Whether a run writes a file or a folder of that name.
fn is_ours(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    name.starts_with(UNFINISHED)
        || [
            ENVIRONMENT,
            EXPERIMENT,
            SAMPLES,
            MEASUREMENTS,
            FACTS,
            RESOURCES,
            LOCK,
            "tables",
            "charts",
            "published",
            LOGS,
            REPORT_FILES,
            "report.md",
            "index.html",
        ]
        .contains(&name)
}

#[cfg(test)]
mod tests;
