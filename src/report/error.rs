use std::path::PathBuf;

use super::chart::DrawError;
use crate::config::ConfigError;
use crate::results::ResultsError;

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run folder could not be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The experiment in the run folder is not one, or not one that this program knows.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A table could not be put together.
    #[error("table: {0}")]
    Table(#[from] csv::Error),
    /// A chart could not be drawn.
    #[error("chart: {0}")]
    Chart(String),
    /// A file of the report could not be written.
    #[error("{}: cannot be written: {error}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
    /// What an earlier report left could not be read.
    #[error("{}: cannot be read: {error}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
    /// Runs that cannot stand in one report, or a folder that it cannot be in: one line that says why.
    #[error("{0}")]
    Together(String),
    /// A table or a chart of an earlier report could not be removed.
    #[error("{}: cannot be removed: {error}", .path.display())]
    Remove {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
}

impl From<DrawError> for ReportError {
    fn from(error: DrawError) -> Self {
        ReportError::Chart(error.to_string())
    }
}
