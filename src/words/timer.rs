use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether a device's event timestamps are trusted. Files hold its sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Timer {
    /// Not checked.
    #[default]
    Unknown,
    /// Trusted.
    Trusted,
    /// Untrusted, and why: `untrusted: its resolution is 0`.
    Untrusted(String),
}

impl From<String> for Timer {
    fn from(sentence: String) -> Self {
        match sentence.as_str() {
            "" => Timer::Unknown,
            "trusted" => Timer::Trusted,
            _ => Timer::Untrusted(sentence),
        }
    }
}

impl From<Timer> for String {
    fn from(timer: Timer) -> Self {
        timer.to_string()
    }
}

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timer::Unknown => Ok(()),
            Timer::Trusted => f.write_str("trusted"),
            Timer::Untrusted(sentence) => f.write_str(sentence),
        }
    }
}
