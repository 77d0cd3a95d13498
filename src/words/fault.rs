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
    /// The kernel did not build; the text is the start of the build log.
    #[error("{0}")]
    Build(String),
    /// The driver refused a call, or the kernel said that it went wrong.
    #[error("{0}")]
    Device(String),
    /// An answer that cannot be right, seen by what asked for it: an illegal move in a match.
    #[error("{0}")]
    Wrong(String),
    /// What was asked makes no sense: a position that is not one, a depth of 0.
    #[error("{0}")]
    Input(String),
}

impl Fault {
    /// The status of a cell that ends with this fault.
    pub fn status(&self) -> Status {
        match self {
            Fault::Unsupported(_) | Fault::Input(_) => Status::Unsupported,
            Fault::Memory(_) => Status::Memory,
            Fault::Build(_) => Status::BuildFailed,
            Fault::Device(_) => Status::Crashed,
            Fault::Wrong(_) => Status::Mismatch,
        }
    }
}
