//! Searchers without a device: any search of [`crate::search`] on any representation.

use std::convert::Infallible;
use std::time::Instant;

use rayon::ThreadPool;

use super::{Loads, Play, Searcher, Searches};
use crate::games::Game;
use crate::search::{self, Found, Siblings, enter};
use crate::techniques::pool_of;
use crate::words::{Counters, Fault, Task};

/// A function of any representation.
pub trait OnGame<P: Play> {
    /// Its result.
    type Output;

    /// Calls it.
    fn on<G: Loads<P>>(self, game: G) -> Self::Output;
}

/// What the baselines `serial` and `rayon` of a game that is searched do.
pub const BASELINE: &[Task] = &[
    Task::Search,
    Task::Game,
    Task::Playouts,
    Task::Match,
    Task::Perft,
];

/// A search on the host.
pub trait Algorithm: Send + Sync + 'static {
    /// Searches a position.
    fn search<G: Game>(&self, game: &G, position: &G::Position, depth: u32) -> Found<G::Move>;
}

/// Names searches as types, because a function that is generic over the game cannot be passed on.
macro_rules! algorithms {
    ($($(#[$doc:meta])* $name:ident: |$game:ident, $position:ident, $depth:ident| $search:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Default)]
        pub struct $name;

        impl Algorithm for $name {
            fn search<G: Game>(&self, $game: &G, $position: &G::Position, $depth: u32) -> Found<G::Move> {
                $search
            }
        }
    )*};
}

algorithms! {
    /// [`search::alpha_beta`] and [`search::perft`] on one core.
    Serial: |game, position, depth| search::alpha_beta(game, position, depth);
    /// [`search::minimax`] on one core.
    Minimax: |game, position, depth| search::minimax(game, position, depth);
    /// [`search::minimax_parallel`] in a pool.
    MinimaxParallel: |game, position, depth| search::minimax_parallel(game, position, depth);
    /// PV-split in a pool, with siblings searched with their initial window.
    FixedWindow: |game, position, depth| pv_split(game, position, depth, &mut search::FixedWindow);
    /// [`search::alpha_beta_shared`] in a pool.
    SharedWindow: |game, position, depth| search::alpha_beta_shared(game, position, depth);
    /// PV-split in a pool, with siblings searched with null windows at the current bound.
    NullWindow: |game, position, depth| pv_split(game, position, depth, &mut search::NullWindow);
    /// [`search::full_window_root`] on one core.
    FullWindowRoot: |game, position, depth| search::full_window_root(game, position, depth);
    /// [`search::full_window_root_parallel`] in a pool.
    FullWindowRootParallel: |game, position, depth| {
        search::full_window_root_parallel(game, position, depth)
    };
}

fn pv_split<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    siblings: &mut dyn Siblings<G, Fault = Infallible>,
) -> Found<G::Move> {
    let Ok(found) = search::pv_split(game, position, depth, siblings);
    found
}

/// Makes the searcher of an algorithm on the calling thread, or in a new pool of so many threads.
pub struct Runs<A>(pub A, pub Option<usize>);

impl<P: Play, A: Algorithm> OnGame<P> for Runs<A> {
    type Output = Result<Box<dyn Searcher<P>>, Fault>;

    fn on<G: Loads<P>>(self, game: G) -> Self::Output {
        let Runs(algorithm, threads) = self;
        Ok(Box::new(OnHost {
            game,
            positions: Vec::new(),
            pool: threads.map(pool_of).transpose()?,
            search: Box::new(move |game, position, depth| algorithm.search(game, position, depth)),
        }))
    }
}

/// An [`Algorithm`]'s search on one representation.
type Search<G> = dyn Fn(&G, &<G as Game>::Position, u32) -> Found<<G as Game>::Move> + Send + Sync;

/// The search is boxed, so that this is compiled once for each representation and not for each algorithm.
struct OnHost<G: Game> {
    game: G,
    positions: Vec<G::Position>,
    pool: Option<ThreadPool>,
    search: Box<Search<G>>,
}

impl<P: Play, G: Loads<P>> Searcher<P> for OnHost<G> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.positions = loaded.collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<P::Move>, Fault> {
        let position = &self.positions[index];
        let mut found = None;
        enter(self.pool.as_ref(), &mut || {
            found = Some((self.search)(&self.game, position, depth));
        });
        found.ok_or_else(no_answer)
    }

    /// Enters the pool once for all positions.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<P::Move>,
    ) -> Result<(), Fault> {
        enter(self.pool.as_ref(), &mut || {
            for index in indices {
                let start = Instant::now();
                let found = (self.search)(&self.game, &self.positions[*index], depth);
                done.add(found, start.elapsed());
            }
        });
        Ok(())
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let position = &self.positions[index];
        let Some(pool) = &self.pool else {
            return Ok(search::perft(&self.game, position, depth));
        };
        let mut counters = Counters::default();
        enter(Some(pool), &mut || {
            counters = search::perft_parallel(&self.game, position, depth);
        });
        Ok(counters)
    }

    /// [`search::alpha_beta_shared_until`], whatever `search` is.
    fn search_until(
        &mut self,
        position: &P::Position,
        deadline: Instant,
    ) -> Result<(Found<P::Move>, u32), Fault> {
        let (position, mut found) = (self.game.load(position), None);
        enter(self.pool.as_ref(), &mut || {
            let until = search::alpha_beta_shared_until;
            found = Some(until(&self.game, &position, deadline));
        });
        found.ok_or_else(no_answer)
    }
}

/// What a search that did not run has found.
pub(super) fn no_answer() -> Fault {
    Fault::Wrong("the search ended without an answer".into())
}
