//! Computes statistics of samples. Samples are whole nanoseconds, in any order. Callers provide all seeds.

mod bootstrap;
pub mod passes;
mod ratio;
mod share;
mod summary;

pub use bootstrap::{median_interval, relative_half_width};
pub use ratio::{Ratio, Verdict, WIDEST, ratio_of_medians};
pub use share::share_interval;
pub use summary::{mean, median, quartiles};
