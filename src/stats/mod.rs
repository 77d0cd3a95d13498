//! Statistics of samples: medians, quartiles, intervals of passes and of samples, ratios and what they say.
//!
//! Samples are whole nanoseconds, in any order. Everything random is seeded by the caller, so that
//! a report made twice from one run folder is the same to the byte. Imports nothing of ours.

mod bootstrap;
pub mod levels;
mod median;
pub mod passes;
mod ratio;
mod share;
mod summary;

pub use bootstrap::{Interval, RESAMPLES, median_interval};
pub use median::median;
pub use ratio::{Ratio, Verdict, WIDEST, ratio_of_medians};
pub use share::share_interval;
pub use summary::Summary;
