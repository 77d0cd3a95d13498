//! What the techniques of all games have in common: the tasks, as a
//! [`Sampler`](super::Sampler) over whatever does them.
//!
//! A game brings a [`Play`], its positions as people write them. A technique brings a [`Searcher`],
//! which [`prepare`] makes the tasks of searches of; a [`RandomPlayer`], of which
//! [`prepare_playouts`] makes playouts and [`Flat`] a [`Chooser`]; or a [`Chooser`] of its own, of
//! which [`prepare_choice`] makes choices and matches. The searches that need no device are in [`host`],
//! those with a table of positions in [`remembering`].

mod cell;
mod choose;
mod flat;
pub mod host;
mod line;
mod matches;
pub mod mcts;
mod openings;
mod play;
mod playouts;
pub mod remembering;

pub use cell::prepare;
pub use choose::{Choice, Chooser, Effort, prepare_choice};
pub use flat::Flat;
pub use line::{Line, Lines, PLIES, plies_of, read_plies, self_play};
pub use openings::openings_after;
pub use play::{LineAndFacts, Play, Turn};
pub use playouts::{RandomPlayer, prepare_playouts};

use crate::search::Found;
use crate::words::{Counters, Fault, Parts, Resource};

/// How a technique searches positions of the game `P`. All that a new technique must bring.
pub trait Searcher<P: Play> {
    /// Lays positions out as the technique wants them, in place of those before. Never timed.
    ///
    /// # Errors
    /// Where a device refuses.
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault>;

    /// Searches one of the loaded positions.
    ///
    /// # Errors
    /// Where a device fails.
    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault>;

    /// Searches several of the loaded positions one after another, and adds what it finds to
    /// `found`, in order.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        found: &mut Vec<Found<P::Move>>,
    ) -> Result<(), Fault> {
        for index in indices {
            found.push(self.search(*index, depth)?);
        }
        Ok(())
    }

    /// Counts the move sequences of exactly `depth` plies from one of the loaded positions, as
    /// leaves.
    ///
    /// # Errors
    /// Where the technique cannot, or a device fails.
    fn perft(&mut self, _index: usize, _depth: u32) -> Result<Counters, Fault> {
        Err(Fault::Unsupported(
            "this technique does not count sequences".into(),
        ))
    }

    /// Where the time since the last call of this went.
    fn parts(&mut self) -> Parts {
        Parts::default()
    }

    /// Program build time, ns.
    fn build_ns(&self) -> u64 {
        0
    }

    /// What it chose or used, for the row.
    fn notes(&self) -> String {
        String::new()
    }

    /// What it takes of its device.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }
}
