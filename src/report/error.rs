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
