//! From a TOML file to an [`Experiment`], or to an error that says what is wrong and where.
//!
//! [`parse`] walks the file's tables with their places in the text (`reader`) and turns them into
//! domain types once; nothing past this module sees raw input. [`to_toml`] is the way back, for the
//! run folder. [`Experiment::apply`] is what the command line may change.

mod cases;
mod claims;
mod directions;
mod error;
mod experiment;
mod overrides;
mod parse;
mod quantity;
mod reader;
mod suite;
mod techniques;
mod tuned;
mod views;
mod write;

use std::ops::RangeInclusive;
use std::time::Duration;

pub use claims::{Claim, ClaimTest, Claimed, Claims};
pub use error::{Complaint, ConfigError};
pub use experiment::{Budget, ChartSpec, Experiment, Sampling, TableSpec, TechniqueChoice};
pub use overrides::{OverrideError, Overrides, parse_duration};
pub use parse::parse;
pub use quantity::{Part, Quantity, TimeUnit};
pub use suite::load;
pub use techniques::BASELINES;
pub use tuned::{Timing, Tried, Tuned, TunedDevice, TunedError, TunedTechnique};
pub use views::TECHNIQUE;
pub use write::to_toml;

/// Budgets that make sense.
const DURATIONS: RangeInclusive<Duration> =
    Duration::from_millis(1)..=Duration::from_secs(30 * 24 * 3600);

/// The same, in words.
const DURATIONS_ALLOWED: &str = "a time from \"1ms\" to \"30days\", such as \"20s\" or \"5m\"";

#[cfg(test)]
mod tests;
