//! Hard cases: what `bench verify` asks of a technique. A game lists the questions, a technique the
//! settings in which it is asked them.

use crate::words::{Case, Params, Task};

/// A list of positions at which one thing is asked, under one case of the game.
#[derive(Clone, Copy, Debug)]
pub struct Hard {
    /// What is asked.
    pub task: Task,
    /// The case, as `board=6x6 depth=3`: every axis of the task without a default, and one of the size
    /// (depth, playouts, effort).
    pub case: &'static str,
    /// The game's options, written alike; empty: the defaults.
    pub options: &'static str,
    /// The positions in the game's notation, [`START`] where a game begins, the simplest first.
    pub positions: fn(&Case) -> Vec<String>,
    /// Seeds of everything random; each position is asked with the next of them.
    pub seeds: &'static [u64],
}

/// The position where a game begins.
pub const START: &str = "start";

/// Few bits, many bits, bits above the 32nd alone.
const SEEDS: &[u64] = &[1, 77, u64::MAX, 1 << 40, 0x9e37_79b9_7f4a_7c15];

impl Hard {
    /// A question with the default options.
    pub const fn new(task: Task, case: &'static str, positions: fn(&Case) -> Vec<String>) -> Hard {
        Hard {
            task,
            case,
            options: "",
            positions,
            seeds: SEEDS,
        }
    }

    /// The same under other options.
    pub const fn with(self, options: &'static str) -> Hard {
        Hard { options, ..self }
    }
}

/// What a technique is asked in one of its settings.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The technique's parameters, as `group=5 lanes=1`; empty: the defaults.
    pub params: &'static str,
    /// The questions.
    pub hard: &'static [Hard],
}

impl Trial {
    /// Asks these questions with the parameters.
    pub const fn new(params: &'static str, hard: &'static [Hard]) -> Trial {
        Trial { params, hard }
    }
}

/// Reads pairs `key=value` with blanks between.
///
/// # Errors
/// The text, where a word has no `=`.
pub fn read(text: &str) -> Result<Params, String> {
    let case = Case::parse(text).ok_or_else(|| format!("`{text}`; allowed are KEY=VALUE"))?;
    Ok(case.0.into_iter().collect())
}

/// Texts as a list of positions.
pub fn listed(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// So many of a list, at even distances, the first among them.
pub fn some<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    let kept = count.min(all.len());
    (0..kept)
        .map(|place| all[place * all.len() / kept].clone())
        .collect()
}

/// A linear congruential generator (Knuth's MMIX constants), of which the high bits are used: the same
/// positions for ever.
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
