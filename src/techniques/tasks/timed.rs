//! Searches that choose within a time, by iterative deepening.

use std::time::Instant;

use super::{Choice, Chooser, Effort, Play, Searcher, Turn};
use crate::search::Found;
use crate::words::Fault;

/// A searcher that can also choose within a time.
pub trait Timed<P: Play>: Searcher<P> + Chooser<P> {}

impl<P: Play, S: Searcher<P> + Chooser<P>> Timed<P> for S {}

/// A choice by iterative deepening until a deadline; returns the result and its depth.
pub fn choose_until<P: Play>(
    play: &P,
    position: &P::Position,
    start: Instant,
    effort: Effort,
    search: impl FnOnce(Instant) -> Result<(Found<P::Move>, u32), Fault>,
) -> Result<Choice<P::Move>, Fault> {
    let Effort::Time(time) = effort else {
        return Err(no_iterations(effort));
    };
    if !matches!(play.turn(position), Turn::Move) {
        return Ok(Choice::none());
    }
    let (found, depth) = search(start + time)?;
    Ok(Choice {
        best: found.best,
        tree_depth: depth.into(),
        counters: found.counters,
        ..Choice::none()
    })
}

fn no_iterations(effort: Effort) -> Fault {
    Fault::Unsupported(format!(
        "{effort}: it searches for a time, not for a number of iterations"
    ))
}

/// What a search that did not run has found.
pub(super) fn no_answer() -> Fault {
    Fault::Wrong("the search ended without an answer".into())
}
