//! Random games on the host, of any [`PlayoutLanes`]: on one core, or on all.

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Play, RandomPlayer};
use crate::games::random_games::{LANES, PlayoutLanes, Playouts, Root};
use crate::words::{Fault, Tally};

/// A random game that can start from the positions of a [`Play`].
pub trait Rooted<P: Play>: PlayoutLanes {
    /// Where random games from a position begin.
    fn root(&self, position: &P::Position) -> Root<Self::Board>;
}

/// Shares of a batch for each thread: one that is late then keeps the others waiting for an eighth of a share at most.
pub const SHARES: u64 = 8;

/// The fewest playouts of a share: fewer leave lanes empty most of the time.
pub const LEAST: u64 = 128;

/// A player on the calling thread, or on a pool of its own.
pub fn on_host<P: Play, G: Rooted<P>>(
    game: G,
    seed: u64,
    pool: Option<ThreadPool>,
) -> Box<dyn RandomPlayer<P>> {
    let least = G::SERIES * LANES as u64;
    let load = move |position: &P::Position| {
        let root = game.root(position);
        Playouts::new(game.clone(), root, seed)
    };
    tallying(load, Playouts::tally, pool, least)
}

/// A player that converts with `load` and plays with `tally`: on the calling thread, or in shares of `least` on a pool.
pub fn tallying<P: Play, L: Send + Sync + 'static>(
    load: impl Fn(&P::Position) -> L + Send + 'static,
    tally: fn(&L, Range<u64>) -> Tally,
    pool: Option<ThreadPool>,
    least: u64,
) -> Box<dyn RandomPlayer<P>> {
    Box::new(OnHost {
        load,
        tally,
        pool,
        least,
        loaded: Vec::new(),
    })
}

struct OnHost<F, L> {
    load: F,
    tally: fn(&L, Range<u64>) -> Tally,
    pool: Option<ThreadPool>,
    least: u64,
    loaded: Vec<L>,
}

impl<P: Play, L: Send + Sync, F: Fn(&P::Position) -> L + Send> RandomPlayer<P> for OnHost<F, L> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded = positions.iter().map(&self.load).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let (loaded, tally) = (&self.loaded[index], self.tally);
        Ok(match &self.pool {
            Some(pool) => share_out(pool, playouts, self.least, &|share| tally(loaded, share)),
            None => tally(loaded, playouts),
        })
    }
}

/// The tally of playouts that are played in shares of `least` or more on a pool of threads.
pub fn share_out(
    pool: &ThreadPool,
    playouts: Range<u64>,
    least: u64,
    tally: &(dyn Fn(Range<u64>) -> Tally + Sync),
) -> Tally {
    let count = playouts.end.saturating_sub(playouts.start);
    let shares = pool.current_num_threads() as u64 * SHARES;
    let share = count.div_ceil(shares).max(least);
    let of_share = |number: u64| {
        let from = playouts.start + number * share;
        tally(from..(from + share).min(playouts.end))
    };
    let add = |mut sum: Tally, more: Tally| {
        sum += &more;
        sum
    };
    pool.install(|| {
        let shares = (0..count.div_ceil(share)).into_par_iter();
        shares
            .map(of_share)
            .reduce(|| tally(playouts.start..playouts.start), add)
    })
}
