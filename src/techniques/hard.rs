//! The hard cases for `bench verify`. A game lists them. A technique names the cases that it uses, with parameters.

use crate::techniques::prelude::*;

/// Positions that share a task, a case and a set of options.
#[derive(Clone, Copy, Debug)]
pub struct Hard {
    /// The task.
    pub task: Task,
    /// The case, as `board=6x6 depth=3`. It has every axis without a default, and one for the amount of work.
    pub case: &'static str,
    /// The options of the game in the same format, or empty for the defaults.
    pub options: &'static str,
    /// The positions in the game's notation, simplest first. [`START`] is the start.
    pub positions: fn(&Case) -> Vec<String>,
    /// Seeds, assigned to the positions in turn.
    pub seeds: &'static [u64],
}

/// The word for the start position.
pub const START: &str = "start";

/// Few bits, many bits, bits above the 32nd only.
const SEEDS: &[u64] = &[1, 77, u64::MAX, 1 << 40, 0x9e37_79b9_7f4a_7c15];

impl Hard {
    /// A hard case with default options.
    pub const fn new(task: Task, case: &'static str, positions: fn(&Case) -> Vec<String>) -> Hard {
        Hard {
            task,
            case,
            options: "",
            positions,
            seeds: SEEDS,
        }
    }

    /// The same hard case with other options.
    pub const fn with(self, options: &'static str) -> Hard {
        Hard { options, ..self }
    }
}

/// The hard cases of a technique with one set of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The parameters of the technique, as `group=5 lanes=1`, or empty for the defaults.
    pub params: &'static str,
    /// The hard cases.
    pub hard: &'static [Hard],
}

impl Trial {
    /// Combines these hard cases with these parameters.
    pub const fn new(params: &'static str, hard: &'static [Hard]) -> Trial {
        Trial { params, hard }
    }
}

/// Parses `key=value` pairs, separated by blanks. The error is the text, if a word has no `=`.
pub fn read(text: &str) -> Result<Params, String> {
    let case = Case::parse(text).ok_or_else(|| format!("`{text}`; allowed are KEY=VALUE"))?;
    Ok(case.0.into_iter().collect())
}

/// Converts texts to a list of positions.
pub fn listed(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// `count` evenly spaced elements of a list, including the first.
pub fn some<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    let kept = count.min(all.len());
    (0..kept)
        .map(|place| all[place * all.len() / kept].clone())
        .collect()
}

/// A private linear congruential generator (Knuth's MMIX constants), so that the positions never change.
pub struct Draw(pub u64);

impl Draw {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}
