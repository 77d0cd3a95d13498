//! Alpha-beta with a transposition table and move ordering, on one thread or several.

mod busy;
mod crew;
mod entries;
mod node;

use std::time::Instant;

use self::busy::Busy;
use self::crew::Crew;
pub use self::crew::Leader;
use self::entries::{MOST_DEPTH, Table};
pub use self::node::Idea;
use super::Found;
use crate::games::Keyed;
use crate::words::Counters;

/// The smallest table, bytes: one bucket.
pub const LEAST_TABLE: usize = Table::BUCKET_BYTES;

/// Iterative deepening with null windows, a transposition table and move ordering.
///
/// Values equal those of [`alpha_beta`](super::alpha_beta) at every depth, and so does the value of the best
/// move; which of several best moves is found may differ. This holds because an entry is used only for
/// exactly its remaining depth, and contains the position's value at that depth or a bound of it, whichever
/// window or thread it came from. A position's value does not depend on the path to it: a pass costs a ply
/// like a move and leads to a distinct position; the side to move is part of a position; and if a value
/// depends on the ply of a win ([`Keyed`]), the stones determine the ply, because entries live for one root
/// only. Leaves are not stored, nor any node below [`Keyed::ORDERED_FROM`].
///
/// Measured on reversi 8x8, sixteen positions to depth 12, processor time of one core of an AMD EPYC (Zen 5)
/// in a build for it: 0.70 s and 27.7 M nodes, against 17.4 s and 736 M for `serial`. Both visit 40 M nodes a
/// second; generating all moves without values or windows runs at 45 to 50 M. So the gain is fewer nodes, not
/// faster ones.
///
/// - Without the order 56 M nodes and 1.9 times the time; without deepening 57 M and 1.8; without looking
///   children up 2 % more nodes, and no more time.
/// - Deepening by one ply, 1.2 times; by none, 1.8.
/// - Order and table from remaining depth 3 on, 1.3 times the time for a quarter fewer nodes; from 5 on, 1.3.
/// - Making the children once, for their order, and the runs of the mover's discs once for all, 0.86.
/// - No gain: the last refuting move of a ply first (1.3); corners and edges first in the last plies (an
///   eighth fewer nodes at half the rate); asking for an entry's memory before it is wanted; an order of
///   all children rather than the first sixteen.
///
/// On two threads of the same machine, otherwise idle: 1.9 times the speed of one on reversi to depth 12, 1.6
/// on Connect Four to depth 14, 1.6 to 1.8 on gomoku to depth 5.
///
/// On 16 threads of a Xeon (Sapphire Rapids), one invocation a game, sums over positions, medians in ms (M nodes):
///
/// | | `serial` | one thread | 16 threads |
/// | --- | --- | --- | --- |
/// | reversi, 16 positions to depth 10 | 1,523 | 186 (5.6) | 32.4 (12.8) |
/// | to depth 12 | | 863 (27.7) | 124 (52.6) |
/// | Connect Four, 7 positions to depth 12 | 435 | 7.1 (1.1) | 3.3 (2.3) |
/// | to depth 14 | | 29.2 (4.1) | 8.6 (8.9) |
/// | to depth 16 | | 116 (9.5) | 21.1 (23.6) |
/// | gomoku 15x15, 4 positions to depth 4 | 29.3 | 4.4 | 3.0 |
/// | to depth 5 | 1,374 | 147 | 18.7 |
///
/// # What was tried on 16 threads
///
/// Connect Four, one invocation, ms (M nodes): three positions to depth 12, one to 14 and to 16.
///
/// | variant | 12 | 14 | 16 |
/// | --- | --- | --- | --- |
/// | one thread | 3.71 (0.63) | 6.61 (1.04) | 13.06 (1.69) |
/// | all threads woken for each iteration, one thread widens the table | 2.33 (1.07) | 2.78 (2.21) | 6.01 (3.34) |
/// | first children of all-nodes may be deferred, threads return to deferred ones at different places | 2.25 | 2.69 | 5.78 |
/// | threads awake from one iteration to the next | 1.93 | 2.59 | 5.62 |
/// | and all widen the table | 1.76 | 2.41 | 3.80 |
/// | and deferred first children | 1.63 | 2.29 | 3.72 |
/// | **and nodes shared from three plies above the ordered ones** | 1.60 (1.26) | 2.22 (2.57) | 3.50 (3.95) |
/// | the last but one, and the node itself looked up again | 1.66 | 2.35 | 3.73 |
///
/// Three plies instead of one are Connect Four's alone ([`Keyed::SHARED_FROM`]).
///
/// A search starts with an empty table of some hundred kilobytes, which grows between iterations up to the
/// limit given to `new`; so the cost of clearing is proportional to the search.
pub struct Remembering {
    table: Table,
    busy: Option<Busy>,
    without: Option<Idea>,
}

impl Remembering {
    /// A search with a table of at most `most_bytes` bytes, on `threads` threads of the caller's rayon pool.
    pub fn new(most_bytes: usize, threads: usize, without: Option<Idea>) -> Remembering {
        Remembering {
            table: Table::new(most_bytes),
            busy: (threads > 1).then(Busy::new),
            without,
        }
    }

    /// Searches a position to a fixed depth, at most 31.
    pub fn search<G: Keyed>(
        &mut self,
        game: &G,
        position: &G::Position,
        depth: u32,
    ) -> Found<G::Move> {
        let mut found = None;
        self.search_each(game, std::iter::once(position), depth, |one, _| {
            found = Some(one);
        });
        found.unwrap_or_else(|| Found::new(0, None, Counters::default()))
    }

    /// Searches positions one after another as [`Remembering::search`] does, and calls `done` with each result
    /// and the time when its search started. Threads stay awake between two positions for a short time.
    pub fn search_each<'p, G: Keyed>(
        &mut self,
        game: &G,
        positions: impl Iterator<Item = &'p G::Position> + Send,
        depth: u32,
        mut done: impl FnMut(Found<G::Move>, Instant) + Send,
    ) where
        G::Position: 'p,
    {
        self.lead(game, |leader| {
            for position in positions {
                let start = Instant::now();
                let (found, _) = leader.search((position, 0), depth, &mut |_, _| true);
                done(found, start);
            }
        });
    }

    /// The value of one move, as [`value_of_move`](super::value_of_move) has it, from the side to move. `depth` is
    /// that of the position before it, at least 1.
    pub fn value_of_move<G: Keyed>(
        &mut self,
        game: &G,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
    ) -> i64 {
        let child = game.play(position, mv);
        let search = |leader: &Leader<'_, '_, G>| {
            leader.search((&child, 1), depth.saturating_sub(1), &mut |_, _| true)
        };
        -self.lead(game, search).0.value
    }

    /// Calls `work` with the search of the calling thread, whose other threads stay awake for a short time
    /// between two searches.
    pub fn lead<'a, G: Keyed, T: Send>(
        &'a mut self,
        game: &'a G,
        work: impl FnOnce(&Leader<'_, 'a, G>) -> T + Send,
    ) -> T {
        let (mut work, mut done) = (Some(work), None);
        let crew = Crew::new(game, &mut self.table, self.busy.as_ref(), self.without);
        crew.lead(&mut |leader| done = work.take().map(|work| work(leader)));
        done.expect("a crew's leader does the work before the others return")
    }

    /// Searches deeper and deeper until `deadline`: the result of the last completed iteration, and its
    /// depth. If none completed, the first move and depth 0.
    pub fn search_until<G: Keyed>(
        &mut self,
        game: &G,
        position: &G::Position,
        deadline: Instant,
    ) -> (Found<G::Move>, u32) {
        let (mut found, depth) = self.lead(game, |leader| {
            let depths = &mut (1..=MOST_DEPTH);
            leader.deepen((position, 0), depths, Some(deadline), &mut |_, _| true)
        });
        found.best = found.best.or_else(|| game.moves(position).next());
        (found, depth)
    }
}
