//! Statistics of samples: medians, quartiles, confidence intervals from passes and from samples, ratios and
//! verdicts.
//!
//! Samples are whole nanoseconds, in any order. Callers seed all randomness, so that two reports of one run
//! folder are identical to the byte. Imports no other module.

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
