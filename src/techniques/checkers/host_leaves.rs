//! Random games from the leaves of a tree, on the calling core or on all.

use std::sync::mpsc::{Receiver, Sender, channel};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::games::checkers::{LeafGames, Position, Rules};
use crate::search::LeafPlayouts;
use crate::techniques::pool_of;
use crate::techniques::tasks::mcts::LeafPlayer;
use crate::techniques::tasks::random_games::{LEAST, SHARES};
use crate::words::{Fault, Telemetry};

/// Plays every batch synchronously, many games in step in the core's vectors; a single game is played scalar.
#[derive(Clone)]
pub struct OnCore {
    games: LeafGames,
    playouts: u32,
    points: Vec<u32>,
    plies: u64,
}

impl OnCore {
    /// Plays `playouts` games a leaf under a seed.
    pub fn new(rules: &Rules, playouts: u32, seed: u64) -> OnCore {
        OnCore {
            games: LeafGames::new(*rules, seed),
            playouts,
            points: Vec::new(),
            plies: 0,
        }
    }
}

impl LeafPlayouts<Position> for OnCore {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Fault> {
        let number = first * u64::from(self.playouts);
        if let ([leaf], 1) = (leaves, self.playouts) {
            let played = self.games.play(leaf, number);
            self.points.clear();
            self.points.push(played.ending.half_points());
            self.plies = u64::from(played.plies);
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

impl LeafPlayer<Position> for OnCore {}

/// A batch and its results. It goes to the pool and back, so that its memory is reused.
#[derive(Default)]
struct Batch {
    leaves: Vec<Position>,
    points: Vec<u32>,
    plies: u64,
}

/// Plays every batch on a pool of threads, while the calling thread selects the next.
///
/// The calling thread is in addition to the pool's. With 32 games a leaf it works a hundredth of the time
/// with two cores, and half of the time with sixteen.
pub struct OnThreads {
    games: LeafGames,
    playouts: u32,
    pool: ThreadPool,
    sender: Sender<Batch>,
    played: Receiver<Batch>,
    spare: Batch,
}

impl OnThreads {
    /// Plays `playouts` games a leaf under a seed, on `threads` threads.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] if the system refuses the threads.
    pub fn new(
        rules: &Rules,
        playouts: u32,
        seed: u64,
        threads: usize,
    ) -> Result<OnThreads, Fault> {
        let (sender, played) = channel();
        Ok(OnThreads {
            games: LeafGames::new(*rules, seed),
            playouts,
            pool: pool_of(threads)?,
            sender,
            played,
            spare: Batch::default(),
        })
    }
}

impl Batch {
    /// Plays the games, numbered from `number`, in shares of `share` leaves.
    fn play(&mut self, games: &LeafGames, playouts: u32, number: u64, share: usize) {
        self.points.clear();
        self.points.resize(self.leaves.len(), 0);
        let shares = self.leaves.par_chunks(share).enumerate();
        let of_shares = self.points.par_chunks_mut(share);
        let plies = shares.zip(of_shares).map(|((place, leaves), points)| {
            let first = number + (place * share) as u64 * u64::from(playouts);
            let mut found = Vec::with_capacity(leaves.len());
            let plies = games.play_each(leaves, playouts, first, &mut found);
            points.copy_from_slice(&found);
            plies
        });
        self.plies = plies.sum();
    }
}

impl LeafPlayouts<Position> for OnThreads {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Fault> {
        let (games, playouts) = (self.games, self.playouts);
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
            // Without a receiver, the search was given up.
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

impl LeafPlayer<Position> for OnThreads {
    fn telemetry(&mut self) -> Telemetry {
        let threads = self.pool.current_num_threads();
        Telemetry::noted(format!("{threads} threads play"))
    }
}
