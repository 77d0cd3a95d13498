//! A part of a sample. Several devices share a sample in parts.

use std::ops::Range;

/// How several devices divide a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Each device does a range of the work. The answer does not depend on the division.
    Ranges,
    /// Each device grows a tree from its own random numbers: the answer depends on the number of devices.
    Trees,
}

/// A range of a sample's work, within 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

impl Part {
    /// The whole sample.
    pub const WHOLE: Part = Part { from: 0.0, to: 1.0 };

    /// Its share of `count` things, 2^53 at most. Parts that cover the sample have each thing once.
    pub fn of_things(&self, count: u64) -> Range<u64> {
        let place = |at: f64| (count as f64 * at) as u64;
        place(self.from)..place(self.to)
    }
}
