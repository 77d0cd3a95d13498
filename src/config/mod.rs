//! From a TOML file to an [`Experiment`], or to an error that says what is wrong and where.
//!
//! [`parse`] walks the file's tables with their places in the text (`reader`) and turns them into
//! domain types once; nothing past this module sees raw input. [`to_toml`] is the way back, for the
//! run folder. [`Experiment::apply`] is what the command line may change.

mod brought;
mod cases;
mod claims;
mod directions;
mod duration;
mod error;
mod experiment;
mod families;
mod overrides;
mod parse;
mod quantity;
mod reader;
mod shard;
mod suite;
mod techniques;
mod tuned;
mod views;
mod write;

pub use claims::{Claim, ClaimTest, Claimed, Claims};
pub use duration::parse_duration;
pub use error::{Complaint, ConfigError};
pub use experiment::{BASELINES, Budget, Experiment, Sampling, TableSpec, TechniqueChoice};
pub use overrides::{OverrideError, Overrides};
pub use parse::parse;
pub use quantity::{Part, Quantity, TimeUnit};
pub use shard::Shard;
pub use suite::{load, load_text};
pub use tuned::{Timing, Tried, Tuned, TunedDevice, TunedError, TunedTechnique};
pub use views::TECHNIQUE;
pub use write::to_toml;

#[cfg(test)]
mod tests;
