//! Makes tables, charts and pages from run folders alone. The same folder yields the same bytes on every machine.
//!
//! A report has `tables/`, `charts/`, `report.md` and `index.html`. A site ([`make`]) has all runs and a landing page.
//!
//! A speedup is a ratio of medians with an interval. Its baseline is a technique on the same host or device, or a role.
//! The two roles are the fastest single-core program and the fastest CPU program on the host, with the same reference.

mod analysis;
mod block;
pub mod chart;
mod claims;
pub mod compare;
mod data;
mod document;
mod figure;
mod files;
mod format;
mod grid;
mod headline;
mod known;
mod ladder;
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
pub(crate) use headline::in_words;
pub use known::{Few, MARKS, meaning};
pub use ratios::mark_of;
pub use sections::complexity_file;
pub(crate) use site::DeviceRate;
pub use site::{Site, make, resolved};
pub use terminal::closing_summary;
pub(crate) use terminal::{Lines, Table, over_best_cpu};

use crate::config::ConfigError;
use crate::results::ResultsError;

/// The reason why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run folder is unreadable, or a file of the report could not be written, read or removed.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The run folder's experiment is invalid or unknown to this program.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The runs cannot be combined, or a folder or page is unsuitable. The text is one line with the reason.
    #[error("{0}")]
    Together(String),
}
