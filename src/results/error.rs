use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a run folder could not be read or written, as one line that begins with the path.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ResultsError(String);

impl ResultsError {
    pub(super) fn new(path: &Path, problem: impl Display) -> ResultsError {
        ResultsError(format!("{}: {problem}", path.display()))
    }

    /// Returns the error for a line, counted from 1.
    pub(super) fn line(path: &Path, line: u64, problem: impl Display) -> ResultsError {
        ResultsError(format!("{}:{line}: {problem}", path.display()))
    }

    /// Converts an error to one that names the path, for `map_err`. `what` is a participle such as `read` or `written`.
    pub(crate) fn io<E: Display>(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(E) -> ResultsError {
        let path = path.into();
        move |error| ResultsError::new(&path, format_args!("cannot be {what}: {error}"))
    }
}
