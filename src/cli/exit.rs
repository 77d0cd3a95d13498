use std::process::ExitCode;

use crate::config::ConfigError;
use crate::harness::RunError;
use crate::report::ReportError;
use crate::results::ResultsError;

/// The exit codes of `bench`. Scripts may rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success, even if cells were skipped, unsupported or out of memory.
    Good = 0,
    /// Wrong usage or an invalid experiment file.
    Usage = 1,
    /// A technique gave a wrong answer.
    WrongAnswer = 2,
    /// A kernel did not build, a cell timed out, crashed or could not start, or no requested cell has an answer.
    Failed = 3,
    /// A file could not be read or written.
    Files = 4,
    /// No device matched.
    NoDevice = 5,
    /// A cell is slower than `bench compare --fail-over` allows, or lost its answer.
    Slower = 6,
    /// Interrupted by the user.
    Interrupted = 130,
}

impl Exit {
    /// Returns this exit code if the condition is true, otherwise [`Exit::Good`].
    pub fn when(self, is_so: bool) -> Exit {
        if is_so { self } else { Exit::Good }
    }

    /// Returns the worse of two exit codes. A wrong answer is worse than a crash, although its code is smaller.
    pub fn worse(self, other: Exit) -> Exit {
        let gravity = |exit| match exit {
            Exit::Failed => (Exit::WrongAnswer as u8, 0),
            Exit::WrongAnswer => (Exit::WrongAnswer as u8, 1),
            exit => (exit as u8, 0),
        };
        std::cmp::max_by_key(other, self, |exit| gravity(*exit))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub error: anyhow::Error,
}

impl Failure {
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        let error = error.into();
        Self { exit, error }
    }

    pub fn files(error: impl Into<anyhow::Error>) -> Self {
        Self::new(Exit::Files, error)
    }
}

/// An error without a code is a usage error.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::new(Exit::Usage, error)
    }
}

/// Converts errors from other modules. Errors that match the pattern are usage errors. All others are file errors.
macro_rules! failures {
    ($($error:ty $(=> $of_usage:pat)?,)*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                let exit = match error {
                    $($of_usage => Exit::Usage,)?
                    _ => Exit::Files,
                };
                Self::new(exit, error)
            }
        }
    )*};
}

failures! {
    ResultsError,
    RunError => RunError::OtherExperiment { .. } | RunError::OtherOrigin { .. } | RunError::OtherRules { .. },
    ConfigError => ConfigError::At(_),
    ReportError => ReportError::Together(_),
}

pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::new)?;
    println!("{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_outweighs_a_crash_and_an_interrupt_everything() {
        let worst = |exits: &[Exit]| exits.iter().copied().fold(Exit::Good, Exit::worse);
        assert_eq!(worst(&[]), Exit::Good);
        assert_eq!(worst(&[Exit::Failed, Exit::Good]), Exit::Failed);
        assert_eq!(worst(&[Exit::WrongAnswer, Exit::Failed]), Exit::WrongAnswer);
        assert_eq!(worst(&[Exit::Failed, Exit::WrongAnswer]), Exit::WrongAnswer);
        assert_eq!(worst(&[Exit::Interrupted, Exit::Failed]), Exit::Interrupted);
    }
}
