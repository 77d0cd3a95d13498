//! Playouts on all threads of a pool.

use std::sync::Mutex;

use rayon::prelude::*;

use super::{Playouts, Tally};
use crate::games::annexation::PLAYOUTS_A_DRAW;
use crate::search::threads::lock;

/// Jobs per thread, if there are enough parts: many small jobs balance the threads at the end.
const JOBS_A_THREAD: usize = 32;

/// Players on copies of one board, one per thread of a pool, made when it first takes part. Parts are indivisible.
pub struct Crew<P> {
    model: P,
    players: Vec<Mutex<Option<P>>>,
    part: u64,
}

impl<P: Clone + Send + Sync> Crew<P> {
    /// For a pool of `threads` threads that take parts of `part` playouts, a multiple of 32: no shared draws.
    pub fn new(model: P, threads: usize, part: u64) -> Crew<P> {
        Crew {
            model,
            players: (0..threads.max(1)).map(|_| Mutex::new(None)).collect(),
            part,
        }
    }

    /// Plays the requested playouts on the threads of the current rayon pool.
    pub fn tally(
        &mut self,
        playouts: &Playouts,
        tally: impl Fn(&mut P, &Playouts) -> Tally + Sync,
    ) -> Tally {
        let begin = playouts.first - playouts.first % PLAYOUTS_A_DRAW;
        let parts = (playouts.end() - begin).div_ceil(self.part) as usize;
        let one = |index: usize| {
            let from = begin + index as u64 * self.part;
            let first = from.max(playouts.first);
            let end = from.saturating_add(self.part).min(playouts.end());
            let asked = Playouts {
                first,
                count: end - first,
                ..*playouts
            };
            // In a larger pool, threads share players and wait for each other.
            let place = rayon::current_thread_index().unwrap_or(0) % self.players.len();
            // A poisoned player is usable: every playout starts from a fresh state.
            let mut player = lock(&self.players[place]);
            tally(player.get_or_insert_with(|| self.model.clone()), &asked)
        };
        let add = |mut sum: Tally, one: Tally| {
            sum += &one;
            sum
        };
        let job = parts / (JOBS_A_THREAD * self.players.len());
        (0..parts)
            .into_par_iter()
            .with_max_len(job.max(1))
            .map(one)
            .reduce(Tally::default, add)
    }
}
