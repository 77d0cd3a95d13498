//! Plays random games from a tree's leaves, on the calling thread or on all cores.

use std::sync::mpsc::{Receiver, Sender, channel};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::mcts::LeafPlayer;
use super::random_games::{LEAST, SHARES};
use crate::games::leaf_games::PlaysLeaves;
use crate::search::LeafPlayouts;
use crate::techniques::pool_of;
use crate::words::{Fault, Telemetry};

/// Plays each batch synchronously. Vectors hold many games in lockstep. A batch of a single game uses no vectors.
#[derive(Clone)]
pub struct OnCore<G> {
    games: G,
    playouts: u32,
    points: Vec<u32>,
    plies: u64,
}

impl<G> OnCore<G> {
    /// Creates a player that plays `playouts` of these games per leaf.
    pub fn new(games: G, playouts: u32) -> OnCore<G> {
        OnCore {
            games,
            playouts,
            points: Vec::new(),
            plies: 0,
        }
    }
}

impl<P, G: PlaysLeaves<P>> LeafPlayouts<P> for OnCore<G> {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Fault> {
        let number = first * u64::from(self.playouts);
        if let ([leaf], 1) = (leaves, self.playouts) {
            let (points, plies) = self.games.play(leaf, number);
            self.points.clear();
            self.points.push(points);
            self.plies = u64::from(plies);
        } else {
            let points = &mut self.points;
            self.plies = self.games.play_each(leaves, self.playouts, number, points);
        }
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        std::mem::swap(points, &mut self.points);
        Ok(self.plies)
    }
}

impl<P, G: PlaysLeaves<P>> LeafPlayer<P> for OnCore<G> {}

/// A batch with its results. It moves to the pool and back, so that its memory is reused.
struct Batch<P> {
    leaves: Vec<P>,
    points: Vec<u32>,
    plies: u64,
}

impl<P> Default for Batch<P> {
    fn default() -> Batch<P> {
        Batch {
            leaves: Vec::new(),
            points: Vec::new(),
            plies: 0,
        }
    }
}

/// Plays each batch on a pool of threads, while the caller selects the next batch.
///
/// The caller's threads are not part of the pool. With 32 checkers games per leaf, they do at most 5 % of the work.
pub struct OnThreads<P, G> {
    games: G,
    playouts: u32,
    pool: ThreadPool,
    sender: Sender<Batch<P>>,
    played: Receiver<Batch<P>>,
    spare: Batch<P>,
}

impl<P, G> OnThreads<P, G> {
    /// Creates a player that plays `playouts` of these games per leaf, on `threads` threads.
    pub fn new(games: G, playouts: u32, threads: usize) -> Result<OnThreads<P, G>, Fault> {
        let (sender, played) = channel();
        Ok(OnThreads {
            games,
            playouts,
            pool: pool_of(threads)?,
            sender,
            played,
            spare: Batch::default(),
        })
    }
}

impl<P: Sync> Batch<P> {
    /// Plays the batch's games in shares of `share` leaves. The first game has the number `number`.
    fn play(&mut self, games: &impl PlaysLeaves<P>, playouts: u32, number: u64, share: usize) {
        self.points.clear();
        self.points.resize(self.leaves.len(), 0);
        let leaves = &self.leaves;
        self.plies = sum_of_shares(&mut self.points, share, &|place, points| {
            let from = place * share;
            let leaves = &leaves[from..from + points.len()];
            let first = number + from as u64 * u64::from(playouts);
            let mut found = Vec::with_capacity(leaves.len());
            let plies = games.play_each(leaves, playouts, first, &mut found);
            points.copy_from_slice(&found);
            plies
        });
    }
}

/// Calls `play` on each share of the points, in the current pool, and adds up the results. Compiled once for all games.
fn sum_of_shares(
    points: &mut [u32],
    share: usize,
    play: &(dyn Fn(usize, &mut [u32]) -> u64 + Sync),
) -> u64 {
    let shares = points.par_chunks_mut(share).enumerate();
    shares.map(|(place, points)| play(place, points)).sum()
}

impl<P, G> LeafPlayouts<P> for OnThreads<P, G>
where
    P: Clone + Send + Sync + 'static,
    G: PlaysLeaves<P>,
{
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[P]) -> Result<(), Fault> {
        let (games, playouts) = (self.games.clone(), self.playouts);
        let number = first * u64::from(playouts);
        let shares = self.pool.current_num_threads() * SHARES as usize;
        let least = LEAST.div_ceil(u64::from(playouts)) as usize;
        let share = leaves.len().div_ceil(shares).max(least);
        let mut batch = std::mem::take(&mut self.spare);
        batch.leaves.clear();
        batch.leaves.extend_from_slice(leaves);
        let sender = self.sender.clone();
        self.pool.spawn(move || {
            batch.play(&games, playouts, number, share);
            // If the receiver is gone, the caller has abandoned the search.
            let _ = sender.send(batch);
        });
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        let lost = |_| Fault::Unsupported("no thread plays any more".into());
        self.spare = self.played.recv().map_err(lost)?;
        std::mem::swap(points, &mut self.spare.points);
        Ok(self.spare.plies)
    }
}

impl<P, G> LeafPlayer<P> for OnThreads<P, G>
where
    P: Clone + Send + Sync + 'static,
    G: PlaysLeaves<P>,
{
    fn telemetry(&mut self) -> Telemetry {
        let threads = self.pool.current_num_threads();
        Telemetry::noted(format!("{threads} threads play"))
    }
}
