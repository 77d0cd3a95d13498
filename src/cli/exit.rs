use std::process::ExitCode;

/// The exit codes of `bench`. Scripts may rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All good; cells that are skipped, unsupported or out of memory included.
    Good = 0,
    /// Wrong usage or a wrong experiment file.
    Usage = 1,
    /// A technique gave a wrong answer.
    WrongAnswer = 2,
    /// A cell's kernel did not build, or a cell timed out or crashed.
    Failed = 3,
    /// A file could not be read or written.
    Files = 4,
    /// No device matched.
    NoDevice = 5,
    /// Interrupted by the user.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// An error with the exit code that it means.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What to tell the user, in one line.
    pub error: anyhow::Error,
}

impl Failure {
    /// Wrong usage or a wrong experiment file.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit: Exit::Usage,
            error: error.into(),
        }
    }

    /// A file could not be read or written.
    pub fn files(error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit: Exit::Files,
            error: error.into(),
        }
    }

    /// No device matched.
    pub fn no_device(error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit: Exit::NoDevice,
            error: error.into(),
        }
    }
}
