use serde::{Deserialize, Serialize};

/// How far a device's event timestamps can be trusted. Files store the sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(from = "String", into = "String")]
pub enum Timer {
    /// Not checked.
    #[default]
    #[error("")]
    Unknown,
    /// Trusted.
    #[error("trusted")]
    Trusted,
    /// Trusted, with steps of more than 1 ns.
    #[error("trusted, in steps of {0} ns")]
    Stepped(u64),
    /// Untrusted, with the reason: `untrusted: its resolution is 0`.
    #[error("{0}")]
    Untrusted(String),
}

impl Timer {
    /// Returns true if the timestamps can be used.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Timer::Trusted | Timer::Stepped(_))
    }
}

impl From<String> for Timer {
    fn from(sentence: String) -> Self {
        let step = sentence.strip_prefix("trusted, in steps of ");
        let step = step.and_then(|step| step.strip_suffix(" ns")?.parse().ok());
        match sentence.as_str() {
            "" => Timer::Unknown,
            "trusted" => Timer::Trusted,
            _ => step.map_or(Timer::Untrusted(sentence), Timer::Stepped),
        }
    }
}

impl From<Timer> for String {
    fn from(timer: Timer) -> Self {
        timer.to_string()
    }
}
