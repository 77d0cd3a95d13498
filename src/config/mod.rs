//! Reads and writes experiments in TOML. No other module sees raw input. Errors give the location of the key.

mod cases;
mod claims;
mod experiment;
mod kinds;
mod parse;
mod quantity;
mod selection;
mod source;
mod suite;
mod sweep;
mod techniques;
mod views;
mod write;

pub(crate) use cases::distinct;
pub use claims::{Claim, ClaimTest, Claims};
pub use experiment::{BASELINES, Budget, Experiment, Lists, Sampling, TableSpec, TechniqueChoice};
pub use kinds::{parse_duration, parse_percentage};
pub use parse::{parse, parse_stored};
pub use quantity::Quantity;
pub(crate) use quantity::{Part, TimeUnit};
pub use selection::{Overrides, technique_pattern};
pub use source::{ConfigError, allowed, read_text};
pub use suite::{load, load_text, shared_name};
pub use sweep::{Swept, parse_sweep};
pub use views::TECHNIQUE;
pub use write::to_toml;

pub use crate::words::{Selection, Shard};

#[cfg(test)]
mod tests;
