//! How many samples a cell takes in a pass, and in which passes it takes part.

use std::time::Duration;

use crate::config::Sampling;
use crate::stats::passes::FEWEST_PASSES;

/// With fewer samples there is no interval: a cell whose budget does not allow them is skipped.
pub const FEWEST_SAMPLES: usize = 2;

/// Target duration of a batch of samples, ns: long enough to make the protocol's cost negligible.
pub const BATCH_NS: u64 = 20_000_000;

/// Minimum of turns in a pass for a cell with short samples, unless its budget ends: four rounds of A B B A. A
/// processor has states that last for milliseconds; with two turns a pass, the ratio of a program to itself varied two
/// to three times as much between passes as its samples explain.
pub const TURNS: u64 = 8;

/// The rule by which a cell has enough samples of a pass.
pub struct PassRule<'a> {
    pub sampling: &'a Sampling,
    pub invocation: &'a str,
    pub pass: u64,
    pub passes: u64,
    /// Whether it is a match; a resumed match counts its earlier games.
    pub is_match: bool,
    /// Time limit for the minimum of samples, trial included.
    pub budget: Duration,
    /// Time limit for a narrower interval, trial included.
    pub share: Duration,
    pub seed: u64,
}

impl PassRule<'_> {
    /// Minimum of samples in a pass.
    pub fn fewest(&self) -> usize {
        self.sampling.min_samples.div_ceil(self.passes as usize)
    }

    /// Maximum of samples in a pass.
    pub fn most(&self) -> usize {
        let share = self.sampling.max_samples.div_ceil(self.passes as usize);
        share.max(self.fewest())
    }

    /// Minimum of turns in a pass, by the duration of a sample: a long sample covers several states of the processor by
    /// itself.
    pub fn turns(&self, each: Duration) -> u64 {
        match each.as_nanos() {
            nanos if nanos <= u128::from(BATCH_NS) => TURNS,
            _ if self.passes == 1 => TURNS / 2,
            _ => TURNS / 4,
        }
    }

    /// Samples that a pass must have to say anything about a cell, however long they take.
    pub fn least(&self) -> usize {
        if self.passes == 1 { FEWEST_SAMPLES } else { 1 }
    }
}

/// Minimum of samples of a cell in a run of `passes` passes.
pub fn fewest_samples(passes: u64) -> usize {
    match passes as usize {
        FEWEST_PASSES.. => FEWEST_PASSES,
        _ => FEWEST_SAMPLES,
    }
}

/// The passes for a cell that has time for only `count` of them: the first, the last, and those that halve the widest
/// gaps. So the passes of a cell are a subset of those of every cell with more.
pub fn chosen_passes(count: u64, passes: u64) -> Vec<u64> {
    let mut chosen = vec![1];
    if passes > 1 && count > 1 {
        chosen.push(passes);
    }
    while (chosen.len() as u64) < count.min(passes) {
        let mut sorted = chosen.clone();
        sorted.sort_unstable();
        let widest = sorted.windows(2).rev().max_by_key(|pair| pair[1] - pair[0]);
        match widest {
            Some(pair) if pair[1] - pair[0] > 1 => chosen.push(pair[0].midpoint(pair[1])),
            _ => break,
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passes_of_a_long_cell_are_among_those_of_a_shorter_one() {
        for passes in 1..12 {
            let mut before: Vec<u64> = Vec::new();
            for count in 1..=passes {
                let mut chosen = chosen_passes(count, passes);
                assert_eq!(chosen.len() as u64, count, "{count} of {passes}");
                assert!(before.iter().all(|pass| chosen.contains(pass)));
                assert!(chosen.iter().all(|pass| (1..=passes).contains(pass)));
                chosen.sort_unstable();
                chosen.dedup();
                assert_eq!(chosen.len() as u64, count);
                before = chosen;
            }
        }
        assert_eq!(chosen_passes(3, 5), [1, 5, 3]);
    }
}
