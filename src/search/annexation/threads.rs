//! Playouts on all threads of a pool.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::{Frontiers, Playouts, Sliced, Tally};
use crate::games::annexation::{PLAYOUTS_A_DRAW, PLAYOUTS_A_GROUP};

/// Jobs of a thread, as far as there are parts for so many: so that at the end none has much left of
/// which the others could take nothing.
const JOBS_A_THREAD: usize = 32;

/// Players on copies of one board, one for each thread of a pool.
///
/// A copy is made where a thread first takes part, and kept: so a choice within a time does not pay for
/// threads that it does not need, and of the playouts of an experiment the warm-up pays for all.
///
/// Parts are handed out whole. One of [`Sliced`] is a group of 1024 playouts, and costs as much with fewer:
/// 98 of them, 100,000 playouts, keep 16 threads for 7 rounds, in the last of which 14 have nothing to do. Groups
/// of 512 would end 7 % sooner there and take a third longer wherever there are many (the table of [`Sliced`]).
pub struct Crew<P> {
    model: P,
    /// By the thread's number in its pool.
    players: Vec<Mutex<Option<P>>>,
    part: u64,
}

impl Frontiers {
    /// Playouts of a part: those of one draw.
    pub const PART: u64 = PLAYOUTS_A_DRAW;
}

impl Sliced {
    /// Playouts of a part: those that are played at a time.
    pub const PART: u64 = PLAYOUTS_A_GROUP;
}

impl<P: Clone + Send + Sync> Crew<P> {
    /// For a pool of so many threads, which take parts of so many playouts: a multiple of 32, so that
    /// none draws what another draws too.
    pub fn new(model: P, threads: usize, part: u64) -> Crew<P> {
        Crew {
            model,
            players: (0..threads.max(1)).map(|_| Mutex::new(None)).collect(),
            part,
        }
    }

    /// Plays the playouts asked for on the threads of the current rayon pool.
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
            // In a larger pool threads share players, and wait for each other.
            let place = rayon::current_thread_index().unwrap_or(0) % self.players.len();
            let player = self.players[place].lock();
            // A playout begins anew whatever the one before has left.
            let mut player = player.unwrap_or_else(PoisonError::into_inner);
            tally(player.get_or_insert_with(|| self.model.clone()), &asked)
        };
        let add = |mut sum: Tally, one: Tally| {
            sum += one;
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
