use serde::{Deserialize, Serialize};

use super::Status;

/// Why a technique could not answer. It determines a row's status and reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The device does not support a feature: `no device-side enqueue`.
    #[error("{0}")]
    Unsupported(String),
    /// There is too little device memory: `needs 3.1 GiB, device has 2.0 GiB`.
    #[error("{0}")]
    Memory(String),
    /// The kernel did not build. Holds its name and the build log. Messages show only the first lines of the log.
    #[error("{}", first_lines(.0))]
    Build(String),
    /// The driver refused a call, or the kernel reported an error.
    #[error("{0}")]
    Device(String),
    /// The answer turned out to be wrong, for example an illegal move in a match.
    #[error("{0}")]
    Wrong(String),
    /// The host refused the input, such as an invalid position, a depth of 0 or a missing kernel file. One line.
    #[error("{}", one_line(.0))]
    Input(String),
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Maximum number of lines in a failed build's message, including the line above the log.
const LOG_LINES: usize = 13;

/// Returns the first lines of a failed build's log, and the number of lines omitted.
fn first_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let first = lines[..lines.len().min(LOG_LINES)].join("\n");
    match lines.len().saturating_sub(LOG_LINES) {
        0 => first,
        hidden => format!("{first}\n… and {hidden} more lines"),
    }
}

impl Fault {
    /// Returns the full build log, if the message omits part of it.
    pub fn log(&self) -> Option<&str> {
        match self {
            Fault::Build(log) if log.lines().count() > LOG_LINES => Some(log),
            _ => None,
        }
    }

    /// Returns the status of a cell that ends with this fault.
    pub fn status(&self) -> Status {
        match self {
            Fault::Unsupported(_) => Status::Unsupported,
            Fault::Input(_) => Status::Failed,
            Fault::Memory(_) => Status::Memory,
            Fault::Build(_) => Status::BuildFailed,
            Fault::Device(_) => Status::Crashed,
            Fault::Wrong(_) => Status::Mismatch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_cut_where_it_is_shown() {
        let of = |lines: usize| {
            let log: Vec<String> = (0..lines).map(|line| format!("line {line}")).collect();
            Fault::Build(log.join("\n"))
        };
        let expected = (13, None);
        assert_eq!((of(13).to_string().lines().count(), of(13).log()), expected);
        let long = of(20);
        assert!(long.to_string().ends_with("line 12\n… and 7 more lines"));
        assert!(long.log().is_some_and(|log| log.ends_with("line 19")));
    }
}
