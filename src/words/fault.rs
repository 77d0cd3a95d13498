use serde::{Deserialize, Serialize};

use super::Status;

/// Why a technique could not answer. Each becomes a row's status and reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The device lacks something: `no device-side enqueue`.
    #[error("{0}")]
    Unsupported(String),
    /// Too little device memory: `needs 3.1 GiB, device has 2.0 GiB`.
    #[error("{0}")]
    Memory(String),
    /// The kernel did not build: which, and the build log. Only its first lines are shown.
    #[error("{}", first_lines(.0))]
    Build(String),
    /// The driver refused a call, or the kernel said that it went wrong.
    #[error("{0}")]
    Device(String),
    /// An answer that cannot be right, seen by what asked for it: an illegal move in a match.
    #[error("{0}")]
    Wrong(String),
    /// What was asked makes no sense, so the host refused it before the device was asked: a position that is not
    /// one, a depth of 0, a kernel file that is missing. What it echoes of a user's
    /// input may have line breaks; the message has none.
    #[error("{}", one_line(.0))]
    Input(String),
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Lines of a build log that are worth a row's reason, that above the log included.
const LOG_LINES: usize = 13;

/// The first lines of a failed build, and how many there are more.
fn first_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let first = lines[..lines.len().min(LOG_LINES)].join("\n");
    match lines.len().saturating_sub(LOG_LINES) {
        0 => first,
        hidden => format!("{first}\n… and {hidden} lines more"),
    }
}

impl Fault {
    /// A build's log, where its lines are more than are shown.
    pub fn log(&self) -> Option<&str> {
        match self {
            Fault::Build(log) if log.lines().count() > LOG_LINES => Some(log),
            _ => None,
        }
    }

    /// The status of a cell that ends with this fault.
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
        assert_eq!(
            (of(13).to_string().lines().count(), of(13).log()),
            (13, None)
        );
        let long = of(20);
        assert!(long.to_string().ends_with("line 12\n… and 7 lines more"));
        assert!(long.log().is_some_and(|log| log.ends_with("line 19")));
    }
}
