//! A sample in parts, one part per device.

use std::ops::Range;

use crate::words::{Answer, Counters};

/// How a technique's sample is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Units to divide: playouts, iterations, or shares of an enumeration.
    pub units: u64,
    /// By what rule.
    pub division: Division,
}

/// The rule by which units are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// By the devices' measured rates: the answer is the same for all divisions.
    ByRate,
    /// Evenly: each device works until the time is over, on units of its own.
    Even,
    /// Evenly: each device grows a tree of its own with its own random numbers, so that the answer depends on the
    /// number of devices and on nothing else.
    Trees,
}

/// A part of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its units.
    pub units: Range<u64>,
    /// Units of the whole sample.
    pub of: u64,
}

impl Part {
    /// The whole sample.
    pub const WHOLE: Part = Part::whole(1);

    /// All of these units.
    pub const fn whole(of: u64) -> Part {
        Part { units: 0..of, of }
    }

    /// Whether it is the whole sample.
    pub fn is_whole(&self) -> bool {
        self.units == (0..self.of)
    }

    /// Its share of `count` things: parts that cover all units have all things, each once.
    pub fn of_things(&self, count: u64) -> Range<u64> {
        let place = |unit: u64| {
            let at = u128::from(count) * u128::from(unit) / u128::from(self.of.max(1));
            at as u64
        };
        place(self.units.start)..place(self.units.end)
    }
}

/// The answer to a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The part's own answer.
    pub answer: Answer,
    /// Its counters.
    pub counters: Counters,
    /// Further numbers from which the whole answer is made, by position and move: wins less losses, or sums.
    pub by_move: Vec<Vec<i64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_every_thing_once() {
        for count in [0, 1, 7, 1_000, u64::MAX] {
            let mut next = 0;
            for (from, to) in [(0, 3), (3, 3), (3, 10), (10, 16)] {
                let part = Part {
                    units: from..to,
                    of: 16,
                };
                let things = part.of_things(count);
                assert_eq!(things.start, next);
                next = things.end;
            }
            assert_eq!(next, count);
        }
    }
}
