//! The host's part of `table-search`.

use std::time::{Duration, Instant};

use rayon::ThreadPool;

use crate::games::Keyed;
use crate::search::{Found, Remembering};
use crate::techniques::Setup;
use crate::techniques::tasks::{Loads, Play};
use crate::words::Fault;

/// How many plies less deep the host searches first, to predict how long it would need.
const LESS_DEEP: u32 = 6;
/// What the host is given, where it is predicted to need no more.
const HOSTS: Duration = Duration::from_millis(4);

/// `rayon-table`, for positions that it is predicted to search soon.
pub(super) struct Host<P: Play, G> {
    game: G,
    /// How many times as long a search takes that is [`LESS_DEEP`] plies deeper.
    times_as_long: u32,
    table: Remembering,
    pool: ThreadPool,
    /// The positions of a sample.
    pub(super) positions: Vec<P::Position>,
    /// Positions that it answered since this was told last, and all.
    pub(super) answered: [u64; 2],
}

impl<P: Play, G: Loads<P> + Keyed> Host<P, G> {
    pub(super) fn new(setup: &Setup<'_>, game: G, times_as_long: u32) -> Result<Self, Fault> {
        let threads = setup.threads.max(1);
        Ok(Host {
            game,
            times_as_long,
            table: Remembering::new(256 << 20, threads, None),
            pool: setup.pool()?,
            positions: Vec::new(),
            answered: [0; 2],
        })
    }

    fn search(&mut self, index: usize, depth: u32) -> Found<P::Move> {
        let position = self.game.load(&self.positions[index]);
        let (game, table) = (&self.game, &mut self.table);
        self.pool.install(|| table.search(game, &position, depth))
    }

    /// What it finds, where it is predicted to need little time.
    pub(super) fn try_search(&mut self, index: usize, depth: u32) -> Option<Found<P::Move>> {
        self.answered[1] += 1;
        let start = Instant::now();
        let before = depth.saturating_sub(LESS_DEEP);
        let less = (before > 0).then(|| self.search(index, before));
        if start.elapsed() * self.times_as_long > HOSTS && less.is_some() {
            return None;
        }
        self.answered[0] += 1;
        let mut found = self.search(index, depth);
        if let Some(less) = less {
            found.counters += less.counters;
        }
        Some(found)
    }
}
