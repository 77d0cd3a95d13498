//! Playouts on the host's processor, for any representation of a board.

use std::ops::Range;

use rayon::ThreadPool;

use super::play::Annexation;
use super::tasks::{RandomPlayer, Root, Wanted, in_words};
use super::{Asked, Standing};
use crate::games::annexation::Board;
use crate::search::annexation::{Crew, Playouts, Tally};
use crate::search::in_pool;
use crate::techniques::pool_of;
use crate::words::{self, Fault};

/// A representation of boards, and its playouts.
pub struct Way<B> {
    /// Converts a board.
    pub lay_out: fn(&Board) -> B,
    /// Plays the requested playouts.
    pub tally: fn(&mut B, &Playouts) -> Tally,
}

/// Plays on the calling core, or in a pool.
pub struct OnHost<B> {
    way: Way<B>,
    asked: Asked,
    seed: u64,
    /// The pool, and the number of playouts in a thread's part.
    pool: Option<(ThreadPool, u64)>,
    /// For each position, its players and its turns.
    loaded: Vec<(Players<B>, u32)>,
}

enum Players<B> {
    One(B),
    Many(Crew<B>),
}

impl<B> OnHost<B> {
    /// On the calling core.
    pub fn on_one_core(way: Way<B>, wanted: &Wanted<'_>) -> OnHost<B> {
        OnHost {
            way,
            asked: *wanted.asked,
            seed: wanted.seed,
            pool: None,
            loaded: Vec::new(),
        }
    }

    /// In a pool of `threads` threads, which take parts of `part` playouts.
    ///
    /// # Errors
    /// If the system refuses the threads.
    pub fn on_threads(
        way: Way<B>,
        wanted: &Wanted<'_>,
        threads: usize,
        part: u64,
    ) -> Result<OnHost<B>, Fault> {
        Ok(OnHost {
            pool: Some((pool_of(threads)?, part)),
            ..OnHost::on_one_core(way, wanted)
        })
    }
}

impl<B: Clone + Send + Sync> RandomPlayer<Annexation> for OnHost<B> {
    fn load(&mut self, positions: &[Standing]) -> Result<(), Fault> {
        self.loaded.clear();
        for position in positions {
            let Root { board, turns } = Root::new(&self.asked, position);
            let laid_out = (self.way.lay_out)(&board);
            let players = match &self.pool {
                Some((pool, part)) => {
                    Players::Many(Crew::new(laid_out, pool.current_num_threads(), *part))
                }
                None => Players::One(laid_out),
            };
            self.loaded.push((players, turns));
        }
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<words::Tally, Fault> {
        let (players, turns) = &mut self.loaded[index];
        let asked = Playouts {
            seed: self.seed,
            first: playouts.start,
            count: playouts.end.saturating_sub(playouts.start),
            turns: *turns,
        };
        let tally = self.way.tally;
        Ok(in_words(match (players, &self.pool) {
            (Players::One(board), _) => tally(board, &asked),
            (Players::Many(crew), pool) => in_pool(pool.as_ref().map(|(pool, _)| pool), || {
                crew.tally(&asked, tally)
            }),
        }))
    }
}
