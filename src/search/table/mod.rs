//! Alpha-beta with a transposition table and move ordering, on one thread or several.

mod busy;
mod entries;
mod node;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use self::busy::Busy;
use self::entries::{MOST_DEPTH, Table};
pub use self::node::Idea;
use self::node::{Shared, Worker};
use super::Found;
use super::threads::Tally;
use crate::games::Keyed;
use crate::words::Counters;

/// Initial entries of a search: 256 KiB, which fits the second-level cache of current processors and is
/// cleared in some microseconds.
const FIRST_ENTRIES: usize = 1 << 14;

/// Capacity per position that the next iteration is expected to store.
const ROOM: f64 = 1.5;

/// An iteration this long makes the next one, which takes several times as long, use several threads: about
/// the time that it takes to wake them.
const WORTH_SHARING: Duration = Duration::from_micros(40);

/// Expected growth, per ply, of the positions that an iteration stores.
const GROWTH: f64 = 2.5;

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
/// On 16 threads of a Xeon (Sapphire Rapids), one invocation, few samples, sums over positions, ms:
///
/// | | `serial` | one thread | 16 threads |
/// | --- | --- | --- | --- |
/// | reversi, 16 positions to depth 12 | 18,860 | 908 | 154 |
/// | Connect Four, 7 positions to depth 12 | 464 | 7.0 | 5.1 |
/// | to depth 14 | 4,112 | 27.2 | 13.1 |
/// | to depth 16 | | 70.2 | 33.0 |
/// | gomoku 15x15, 4 positions to depth 4 | 36.3 | 5.1 | 3.1 |
/// | to depth 5 | 571 | 127 | 19.5 |
///
/// In Connect Four to depth 16 the threads visit 2.3 times the nodes of one, at 24 ns of a thread for 7 ns: searches of
/// some milliseconds end before many threads are of use, and their entries move between the caches of cores.
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
        // Iterations have the same parity: the static value favours the side that moves last, so a step of
        // one ply would make the best move alternate.
        let step = match self.without {
            Some(Idea::Table | Idea::Deepening) => depth.max(1),
            _ => 2,
        };
        let first = if depth.is_multiple_of(step) {
            step
        } else {
            depth % step
        };
        let depths = (first.min(depth)..=depth).step_by(step as usize);
        let (found, _) = self.deepen(game, position, depths, None);
        found
    }

    /// Searches deeper and deeper until `deadline`: the result of the last completed iteration, and its
    /// depth. If none completed, the first move and depth 0.
    pub fn search_until<G: Keyed>(
        &mut self,
        game: &G,
        position: &G::Position,
        deadline: Instant,
    ) -> (Found<G::Move>, u32) {
        let (mut found, depth) = self.deepen(game, position, 1..=MOST_DEPTH, Some(deadline));
        found.best = found.best.or_else(|| game.moves(position).next());
        (found, depth)
    }

    fn deepen<G: Keyed>(
        &mut self,
        game: &G,
        position: &G::Position,
        depths: impl Iterator<Item = u32>,
        deadline: Option<Instant>,
    ) -> (Found<G::Move>, u32) {
        self.table.clear(FIRST_ENTRIES);
        let mut found = Found::new(0, None, Counters::default());
        let (mut reached, mut took, mut kept) = (0, Duration::ZERO, 0);
        for depth in depths {
            assert!(depth <= MOST_DEPTH, "depth {depth} does not fit an entry");
            if deadline.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            let expected = kept as f64 * GROWTH.powi((depth - reached) as i32);
            self.table.widen((expected * ROOM) as usize);
            let searched = Tally::default();
            let start = Instant::now();
            let keeps = AtomicU64::new(0);
            let outcome = self.iterate(
                game,
                position,
                depth,
                found.best,
                took,
                deadline,
                (&searched, &keeps),
            );
            let counters = searched.total();
            (took, kept) = (start.elapsed(), keeps.into_inner());
            found.counters += counters;
            let Some((value, best)) = outcome else {
                break;
            };
            found = Found::new(value, best, found.counters);
            reached = depth;
        }
        (found, reached)
    }

    /// One iteration; `None` if its time ended first.
    #[allow(clippy::too_many_arguments, reason = "all of one call")]
    fn iterate<G: Keyed>(
        &mut self,
        game: &G,
        position: &G::Position,
        depth: u32,
        first: Option<G::Move>,
        before: Duration,
        deadline: Option<Instant>,
        (searched, keeps): (&Tally, &AtomicU64),
    ) -> Option<(i32, Option<G::Move>)> {
        let busy = self.busy.as_ref().filter(|_| before >= WORTH_SHARING);
        let shared = Shared {
            table: &self.table,
            busy,
            stop: AtomicBool::new(false),
            deadline,
            without: self.without,
        };
        let outcome = Mutex::new(None);
        let work = || {
            let mut worker = Worker::new(game, &shared);
            if let Some(found) = worker.root(position, depth, first) {
                // The first thread to finish stops the others.
                outcome
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(found);
                shared.stop.store(true, Relaxed);
            }
            searched.add(worker.counters);
            keeps.fetch_add(worker.kept, Relaxed);
        };
        match busy {
            Some(busy) => {
                busy.clear();
                rayon::broadcast(|_| work());
            }
            None => work(),
        }
        outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
