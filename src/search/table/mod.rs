//! Alpha-beta that remembers positions and orders moves, on one thread or several.

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

/// Entries that a search begins with: 256 KiB, which the second-level cache of any processor of today
/// holds, and which are cleared in some microseconds.
const FIRST_ENTRIES: usize = 1 << 14;

/// Entries that there is room for, for each position that the next iteration is expected to put there.
const ROOM: f64 = 1.5;

/// The time of an iteration from which the next one, several times as long, is shared among threads:
/// about as long as it takes to wake them.
const WORTH_SHARING: Duration = Duration::from_micros(40);

/// How many times as many positions an iteration a ply deeper is expected to put into the table.
const GROWTH: f64 = 2.5;

/// The smallest table, bytes: one bucket.
pub const LEAST_TABLE: usize = Table::BUCKET_BYTES;

/// Iterative deepening with null windows, a transposition table and an order of moves.
///
/// Values are those of [`alpha_beta`](super::alpha_beta) at every depth, and so is that of the best
/// move; which of several best moves it is may differ. What makes it so: an entry counts only for
/// exactly its remaining depth, and what stands in it is the position's value at that depth or a bound of
/// it, whatever window or thread it came from. A position's value does not depend on the way to it: a
/// pass costs a ply like a move and leaves a position of its own; a side to move is part of a
/// position; and where a value tells the ply of a win ([`Keyed`]) the ply follows from the stones, as
/// entries live for one root only. Leaves are not kept, nor anything below
/// [`Keyed::ORDERED_FROM`].
///
/// What it took on reversi 8x8, sixteen positions to depth 12, processor time of one core of an AMD EPYC
/// (Zen 5) built for it: 0.70 s and 27.7 M nodes, where `serial` takes 17.4 s for 736 M. Both are 40 M nodes a
/// second, and going through all moves without a value or a window is 45 to 50 M: what is left is fewer
/// nodes, not faster ones.
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
/// On two threads of the same machine, when nothing else ran, 1.9 times one on reversi to depth 12, 1.6 on
/// Connect Four to depth 14, 1.6 to 1.8 on gomoku to depth 5.
///
/// One search begins with an empty table of some hundred kilobytes, which is widened between iterations as
/// they grow, up to the limit it was made with; so clearing takes time in proportion to what is
/// searched.
pub struct Remembering {
    table: Table,
    busy: Option<Busy>,
    without: Option<Idea>,
}

impl Remembering {
    /// With a table of at most so many bytes, for so many threads, those of the rayon pool that it is
    /// called in.
    pub fn new(most_bytes: usize, threads: usize, without: Option<Idea>) -> Remembering {
        Remembering {
            table: Table::new(most_bytes),
            busy: (threads > 1).then(Busy::new),
            without,
        }
    }

    /// Searches a position to a fixed depth of at most 31.
    pub fn search<G: Keyed>(
        &mut self,
        game: &G,
        position: &G::Position,
        depth: u32,
    ) -> Found<G::Move> {
        // Iterations of one parity: the side that moves last has the better of a static value, so that
        // one ply more or less often changes the best move back and forth.
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

    /// Searches a position deeper and deeper until the time is up. What the last
    /// iteration that ended found, and its depth: 0, with the first move, where none did.
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

    /// One iteration. `None` where its time was up.
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
                // The first one to end stops the others.
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
