//! Makes tables, charts and pages from run folders alone. The same folder gives the same bytes anywhere.
//!
//! A report has `tables/`, `charts/`, `report.md` and `index.html`. A site ([`make`]) has all runs and a landing page.
//!
//! A speedup is a ratio of medians with its interval. The baseline is a technique on the same host or device, or a
//! role. The roles, best one core and best CPU, are the fastest techniques on the host for the same question.

mod analysis;
mod block;
pub mod chart;
mod claims;
mod command;
pub mod compare;
mod data;
mod document;
mod figure;
mod files;
mod format;
mod grid;
mod headline;
mod known;
mod markdown;
mod matches;
mod page;
mod paper;
mod published;
mod ratios;
mod sections;
mod site;
mod summary;
mod table;
mod terminal;

pub use analysis::{Analysis, analyse};
pub(crate) use block::slug;
pub use data::RunData;
pub use files::{Made, write_from};
pub(crate) use format::{Unit, shortened, significant};
pub use known::{Few, MARKS, meaning};
pub use ratios::mark_of;
pub use sections::complexity_file;
pub use site::{DeviceRate, Site, make, resolved};
pub use terminal::closing_summary;
pub(crate) use terminal::{Lines, Table, over_best_cpu};

use crate::config::ConfigError;
use crate::results::ResultsError;

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run folder is unreadable, or a file in the report could not be written, read or removed.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The run folder's experiment is invalid or unknown to this program.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Runs that cannot share a report, or an invalid folder. One line that says why.
    #[error("{0}")]
    Together(String),
}
