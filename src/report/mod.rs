//! Tables, charts and pages, made only from run folders: the same folder gives the same bytes anywhere.
//!
//! A report has `tables/<id>.csv`, `charts/<id>.svg`, `report.md` and `index.html`. The site of several runs ([`make`]) has a page per run and a landing page.
//!
//! A speedup is a ratio of medians with its interval, over a technique of the same host or device, or over a role: best
//! one core and best CPU, the fastest techniques of the host that answer the same question.

mod about;
mod analysis;
mod block;
pub mod chart;
mod claims;
mod closing;
mod command;
pub mod compare;
pub mod complexity;
mod csv_table;
mod data;
mod directions;
mod document;
mod figure;
mod files;
mod grid;
mod headline;
mod known;
mod ladder;
mod markdown;
mod matches;
mod names;
mod naming;
mod number;
mod page;
mod pairs;
mod paper;
mod passes;
mod published;
mod ratios;
mod sections;
mod series;
mod site;
mod summary;
mod table;
mod terminal;

pub use analysis::{Analysis, analyse};
pub(crate) use block::slug;
pub use closing::closing_summary;
pub(crate) use closing::over_best_cpu;
pub use data::RunData;
pub use files::{Files, ReportPaths, write_from};
pub use known::{Few, MARKS, meaning};
pub(crate) use number::{Unit, significant};
pub(crate) use paper::shortened;
pub use passes::mark_of;
pub use site::{Made, Site, make};

use crate::config::ConfigError;
use crate::results::ResultsError;

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run folder is unreadable, or a file of the report could not be written, read or removed.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The run folder's experiment is invalid or unknown to this program.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A table could not be made.
    #[error("table: {0}")]
    Table(#[from] csv::Error),
    /// A chart could not be drawn.
    #[error("chart: {0}")]
    Chart(#[from] plotters::drawing::DrawingAreaErrorKind<std::io::Error>),
    /// Runs that cannot share a report, or an invalid folder: one line that says why.
    #[error("{0}")]
    Together(String),
}
