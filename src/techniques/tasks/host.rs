//! Searchers without a device: any search of [`crate::search`] on any representation.

use std::time::Instant;

use rayon::ThreadPool;

use super::remembering::{Timed, choose_until};
use super::{Choice, Chooser, Effort, Loads, Play, Searcher, Searches};
use crate::games::Game;
use crate::search::{self, Found, in_pool};
use crate::techniques::pool_of;
use crate::words::{Counters, Fault, Task};

/// What the baselines `serial` and `rayon` of a game that is searched do.
pub const BASELINE: &[Task] = &[
    Task::Search,
    Task::Game,
    Task::Playouts,
    Task::Match,
    Task::Perft,
];

/// A search on the host.
pub trait Algorithm: 'static {
    /// Searches a position.
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move>;
}

/// [`search::alpha_beta`] and [`search::perft`] on one core.
pub enum Serial {}

impl Algorithm for Serial {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        search::alpha_beta(game, position, depth)
    }
}

/// [`search::minimax`] on one core.
pub enum Minimax {}

impl Algorithm for Minimax {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        search::minimax(game, position, depth)
    }
}

/// [`search::minimax_parallel`] in a pool.
pub enum MinimaxParallel {}

impl Algorithm for MinimaxParallel {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        search::minimax_parallel(game, position, depth)
    }
}

/// PV-split in a pool, with siblings searched with their initial window.
pub enum FixedWindow {}

impl Algorithm for FixedWindow {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        match search::pv_split(game, position, depth, &mut search::FixedWindow) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }
}

/// [`search::alpha_beta_shared`] in a pool.
pub enum SharedWindow {}

impl Algorithm for SharedWindow {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        search::alpha_beta_shared(game, position, depth)
    }
}

/// PV-split in a pool, with siblings searched with null windows at the current bound.
pub enum NullWindow {}

impl Algorithm for NullWindow {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        match search::pv_split(game, position, depth, &mut search::NullWindow) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }
}

/// [`search::full_window_root`] on one core.
pub enum FullWindowRoot {}

impl Algorithm for FullWindowRoot {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        search::full_window_root(game, position, depth)
    }
}

/// [`search::full_window_root_parallel`] in a pool.
pub enum FullWindowRootParallel {}

impl Algorithm for FullWindowRootParallel {
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
        search::full_window_root_parallel(game, position, depth)
    }
}

/// A searcher that runs `A` on the calling thread, or in a new pool of `threads` threads.
///
/// # Errors
/// If the system refuses the threads.
pub fn searcher<P: Play, A: Algorithm, G: Loads<P>>(
    game: G,
    threads: Option<usize>,
) -> Result<Box<dyn Searcher<P>>, Fault> {
    Ok(Box::new(OnHost::<G, A>::new(game, threads)?))
}

/// A searcher that runs [`search::alpha_beta_shared`] in a new pool of `threads` threads, to a depth or for a
/// time.
///
/// # Errors
/// If the system refuses the threads.
pub fn timed<P: Play, G: Loads<P>>(game: G, threads: usize) -> Result<Box<dyn Timed<P>>, Fault> {
    Ok(Box::new(OnHost::<G, SharedWindow>::new(
        game,
        Some(threads),
    )?))
}

struct OnHost<G: Game, A> {
    game: G,
    positions: Vec<G::Position>,
    pool: Option<ThreadPool>,
    algorithm: std::marker::PhantomData<A>,
}

impl<G: Game, A> OnHost<G, A> {
    fn new(game: G, threads: Option<usize>) -> Result<OnHost<G, A>, Fault> {
        Ok(OnHost {
            game,
            positions: Vec::new(),
            pool: threads.map(pool_of).transpose()?,
            algorithm: std::marker::PhantomData,
        })
    }

    /// Calls `work` with the game and the loaded positions, in the pool if there is one.
    fn run<T: Send>(&self, work: impl FnOnce(&G, &[G::Position]) -> T + Send) -> T {
        let (game, positions) = (&self.game, self.positions.as_slice());
        in_pool(self.pool.as_ref(), || work(game, positions))
    }
}

impl<P: Play, A: Algorithm, G: Loads<P>> Searcher<P> for OnHost<G, A> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.positions.clear();
        self.positions
            .extend(positions.iter().map(|position| self.game.load(position)));
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        Ok(self.run(|game, positions| A::search(game, &positions[index], depth)))
    }

    /// Enters the pool once for all positions.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<P::Move>,
    ) -> Result<(), Fault> {
        self.run(|game, positions| {
            for index in indices {
                let start = Instant::now();
                let found = A::search(game, &positions[*index], depth);
                done.add(found, start.elapsed());
            }
        });
        Ok(())
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let in_pool = self.pool.is_some();
        Ok(self.run(|game, positions| match in_pool {
            true => search::perft_parallel(game, &positions[index], depth),
            false => search::perft(game, &positions[index], depth),
        }))
    }
}

impl<P: Play, G: Loads<P>> Chooser<P> for OnHost<G, SharedWindow> {
    fn choose(
        &mut self,
        play: &P,
        position: &P::Position,
        effort: Effort,
    ) -> Result<Choice<P::Move>, Fault> {
        let start = Instant::now();
        choose_until(play, position, start, effort, |deadline| {
            let position = self.game.load(position);
            Ok(self.run(|game, _| search::alpha_beta_shared_until(game, &position, deadline)))
        })
    }
}
