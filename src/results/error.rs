use std::io;
use std::path::{Path, PathBuf};

/// Why a run folder could not be read or written. Each is one line that begins with the path.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The system refused. The message contains its error, so there is no `source()`.
    #[error("{}: cannot be {what}: {error}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// `read`, `written`.
        what: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// Another run writes to the folder.
    #[error(
        "{}: another run{} is writing here; wait for it to end or give another folder with --out",
        .path.display(), .holder.as_ref().map(|pid| format!(" (process {pid})")).unwrap_or_default()
    )]
    Locked {
        /// The folder.
        path: PathBuf,
        /// The other run's process, if its lock file tells.
        holder: Option<u32>,
    },
    /// The folder holds something else.
    #[error(
        "{}: not a run folder (it holds {found:?} but no {ENVIRONMENT}); give an empty or a new one",
        .path.display(), ENVIRONMENT = super::ENVIRONMENT
    )]
    NotARunFolder {
        /// The folder.
        path: PathBuf,
        /// A file in it that no run writes.
        found: String,
    },
    /// Another version of the program wrote the folder.
    #[error(
        "{}: run folder format {found}; this program reads and writes format {expected}: use --fresh \
         or another folder",
        .path.display()
    )]
    Format {
        /// `environment.toml` of the folder.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The version of this program.
        expected: u32,
    },
    /// A file is damaged.
    #[error("{}:{line}: {problem}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The fault.
        problem: String,
    },
}

impl ResultsError {
    pub(super) fn line(path: &Path, line: u64, problem: String) -> ResultsError {
        let path = path.to_owned();
        ResultsError::Line {
            path,
            line,
            problem,
        }
    }

    /// For `map_err`: an error of the system about a path.
    pub(crate) fn io(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> ResultsError {
        let path = path.into();
        move |error| ResultsError::Io { path, what, error }
    }
}
