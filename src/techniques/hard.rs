//! Hard cases for `bench verify`. Each game lists its cases. Each technique selects some of them and sets parameters.

use crate::techniques::prelude::*;

/// A group of hard positions with the same task, case and options.
#[derive(Clone, Copy, Debug)]
pub struct Hard {
    /// The task.
    pub task: Task,
    /// The case, for example `board=6x6 depth=3`. It sets every axis without a default, and the amount of work.
    pub case: &'static str,
    /// The game's options, in the same format. Empty for the defaults.
    pub options: &'static str,
    /// Returns the positions in the game's notation, simplest first. [`START`] stands for the start position.
    pub positions: fn(&Case) -> Vec<String>,
    /// Seeds, which are assigned to the positions in turn.
    pub seeds: &'static [u64],
}

/// Stands for the start position in a list of positions.
pub const START: &str = "start";

/// Seeds with few bits set, with many bits set, and with no bit set among the lowest 32.
const SEEDS: &[u64] = &[1, 77, u64::MAX, 1 << 40, 0x9e37_79b9_7f4a_7c15];

impl Hard {
    /// Creates hard cases with the default options.
    pub const fn new(task: Task, case: &'static str, positions: fn(&Case) -> Vec<String>) -> Hard {
        Hard {
            task,
            case,
            options: "",
            positions,
            seeds: SEEDS,
        }
    }

    /// Returns the same hard cases with other options.
    pub const fn with(self, options: &'static str) -> Hard {
        Hard { options, ..self }
    }
}

/// The hard cases of a technique with one set of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The technique's parameters, for example `group=5 lanes=1`. Empty for the defaults.
    pub params: &'static str,
    /// The hard cases.
    pub hard: &'static [Hard],
}

impl Trial {
    /// Combines hard cases with parameters.
    pub const fn new(params: &'static str, hard: &'static [Hard]) -> Trial {
        Trial { params, hard }
    }
}

/// Parses `key=value` pairs separated by spaces. The error quotes the text if a word has no `=`.
pub fn read(text: &str) -> Result<Params, String> {
    let case = Case::parse(text).ok_or_else(|| format!("`{text}`; allowed are KEY=VALUE"))?;
    Ok(case.0.into_iter().collect())
}

/// Converts texts to a list of owned strings.
pub fn listed(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Returns `count` evenly spaced elements of a list, starting with the first.
pub fn some<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    let kept = count.min(all.len());
    (0..kept)
        .map(|place| all[place * all.len() / kept].clone())
        .collect()
}

/// A linear congruential generator with Knuth's MMIX constants. It has no dependencies, so the positions never change.
pub struct Draw(pub u64);

impl Draw {
    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}
