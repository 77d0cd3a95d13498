//! Runs any search in [`crate::search`] on the host, on any representation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use rayon::ThreadPool;

use super::host_table::{searcher, value_with_table};
use super::play::line_of;
use super::random_games::Rooted;
use super::{
    Cased, Line, Loads, Play, Reached, Searcher, Searches, prepare_random_on_host, prepare_search,
    prepare_timed,
};
use crate::search::{self, enter, value_of_move};
use crate::techniques::pool_of;
use crate::techniques::prelude::*;

/// A function that works on any representation.
pub trait OnGame<P: Play> {
    /// Type of the result.
    type Output;

    /// Calls the function.
    fn on<G: Loads<P>>(self, game: G) -> Self::Output;
}

/// Tasks of the baselines `serial` and `rayon` in games with searches.
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

/// Declares a type for each search, because a function that is generic over the game cannot be passed as a value.
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
    /// Runs [`search::alpha_beta`] and [`search::perft`] on one core.
    Serial: |game, position, depth| search::alpha_beta(game, position, depth);
    /// Runs [`search::minimax`] on one core.
    Minimax: |game, position, depth| search::minimax(game, position, depth);
    /// Runs [`search::minimax_parallel`] in a pool.
    MinimaxParallel: |game, position, depth| search::minimax_parallel(game, position, depth);
    /// Runs PV-split in a pool. All siblings keep the initial window.
    FixedWindow: |game, position, depth| pv_split(game, position, depth, &mut search::FixedWindow);
    /// Runs [`search::alpha_beta_shared`] in a pool.
    SharedWindow: |game, position, depth| search::alpha_beta_shared(game, position, depth);
    /// Runs PV-split in a pool. Siblings are searched with null windows at the current bound.
    NullWindow: |game, position, depth| pv_split(game, position, depth, &mut search::NullWindow);
    /// Runs [`search::full_window_root`] on one core.
    FullWindowRoot: |game, position, depth| search::full_window_root(game, position, depth);
    /// Runs [`search::full_window_root_parallel`] in a pool.
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

/// Creates an algorithm's searcher, on the calling thread or in a new pool with this number of threads.
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

/// The search of an [`Algorithm`] on one representation.
type Search<G> = dyn Fn(&G, &<G as Game>::Position, u32) -> Found<<G as Game>::Move> + Send + Sync;

/// A searcher with a boxed search, so that its code is compiled once per representation instead of per algorithm.
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
        let search = &mut || (self.search)(&self.game, position, depth);
        in_pool(self.pool.as_ref(), search)
    }

    /// Searches positions in order, and enters the pool only once.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        done: &mut Searches<P::Move>,
    ) -> Result<(), Fault> {
        in_pool(self.pool.as_ref(), &mut || {
            for index in indices {
                let start = Instant::now();
                let found = (self.search)(&self.game, &self.positions[*index], depth);
                done.add(found, start.elapsed());
            }
        })
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let (game, position) = (&self.game, &self.positions[index]);
        match &self.pool {
            None => Ok(search::perft(game, position, depth)),
            pool => in_pool(pool.as_ref(), &mut || {
                search::perft_parallel(game, position, depth)
            }),
        }
    }

    /// Uses [`search::alpha_beta_shared_until`] regardless of the technique's algorithm.
    fn search_until(&mut self, position: &P::Position, deadline: Instant) -> Reached<P::Move> {
        let position = self.game.load(position);
        let search = &mut || search::alpha_beta_shared_until(&self.game, &position, deadline);
        in_pool(self.pool.as_ref(), search)
    }
}

/// Runs `work`, in the pool if there is one, and returns its result.
pub(super) fn in_pool<T: Send>(
    pool: Option<&ThreadPool>,
    work: &mut (dyn FnMut() -> T + Send),
) -> Result<T, Fault> {
    let mut done = None;
    enter(pool, &mut || done = Some(work()));
    done.ok_or_else(|| Fault::Wrong("the search ended without an answer".into()))
}

/// A game that can be searched on the host.
pub trait Kit: Cased {
    /// A search on all threads that finds the same moves as `serial`.
    type SelfPlay: Algorithm + Default;
    /// Minimum depth at which the search for a move's value uses a table. Without a table, it would take minutes.
    const WITH_TABLE_FROM: u32;

    /// Calls a visitor with the fastest representation of the case's board.
    fn on_fastest<V: OnGame<Self>>(&self, visitor: V) -> V::Output;

    /// Calls a visitor with the fastest representation that orders moves.
    fn on_ordered<V: OnOrdered<Self>>(&self, visitor: V) -> V::Output;
}

/// A function that works on any representation that orders moves.
pub trait OnOrdered<P: Play> {
    /// Type of the result.
    type Output;

    /// Calls the function.
    fn on_ordered<G: Loads<P> + OrderedGame + Clone>(self, game: G) -> Self::Output;
}

/// Prepares a search that runs on the calling thread or in a pool.
pub fn prepare_on_host<P: Kit>(setup: &Setup<'_>, runs: Runs<impl Algorithm>) -> Prepared {
    prepare_search(setup, |play: &P| play.on_fastest(runs))
}

/// Prepares a baseline like [`prepare_on_host`]. In the task `playouts`, it plays `random` games.
pub fn prepare_baseline<P: Kit>(
    setup: &Setup<'_>,
    runs: Runs<impl Algorithm>,
    random: impl Rooted<P>,
) -> Prepared {
    if setup.task != Task::Playouts {
        return prepare_on_host::<P>(setup, runs);
    }
    let pool = runs.1.map(pool_of).transpose()?;
    prepare_random_on_host(setup, random, pool)
}

/// Prepares a search with a transposition table on the calling thread, or in a pool.
pub fn prepare_table<P: Kit>(setup: &Setup<'_>, threads: Option<usize>) -> Prepared {
    prepare_timed(setup, |play: &P| {
        play.on_ordered(OnTable { threads, setup })
    })
}

struct OnTable<'a> {
    threads: Option<usize>,
    setup: &'a Setup<'a>,
}

impl<P: Play> OnOrdered<P> for OnTable<'_> {
    type Output = Result<Box<dyn Searcher<P>>, Fault>;

    fn on_ordered<G: Loads<P> + OrderedGame + Clone>(self, game: G) -> Self::Output {
        searcher(game, self.threads, self.setup)
    }
}

/// Implements [`Play::value_of`].
pub fn value_of<P: Kit>(play: &P, position: &P::Position, mv: P::Move) -> i64 {
    let value = ValueOf(play, position, mv);
    if play.amount().depth < P::WITH_TABLE_FROM {
        play.on_fastest(value)
    } else {
        play.on_ordered(value)
    }
}

struct ValueOf<'a, P: Cased>(&'a P, &'a P::Position, P::Move);

impl<P: Cased> OnGame<P> for ValueOf<'_, P> {
    type Output = i64;

    fn on<G: Loads<P>>(self, game: G) -> i64 {
        let ValueOf(play, position, mv) = self;
        value_of_move(&game, &game.load(position), mv, play.amount().depth).into()
    }
}

impl<P: Cased> OnOrdered<P> for ValueOf<'_, P> {
    type Output = i64;

    fn on_ordered<G: Loads<P> + OrderedGame + Clone>(self, game: G) -> i64 {
        let ValueOf(play, position, mv) = self;
        value_with_table(&game, &game.load(position), mv, play.amount().depth)
    }
}

/// Returns the game that `serial` plays against itself at a depth. All threads search with [`Kit::SelfPlay`].
pub fn own_line<P: Kit>(play: &P, depth: u32) -> Result<Line<P::Position>, Fault> {
    let mut search = play.on_fastest(Runs(P::SelfPlay::default(), None))?;
    line_of(play, |position| {
        search.load(std::slice::from_ref(position))?;
        Ok(search.search(0, depth)?.best)
    })
}

/// Returns the number of positions in a line of play, as a fact.
pub fn positions<P>(axes: String, line: &Arc<Line<P>>) -> (String, String, f64) {
    (axes, "positions".into(), line.positions.len() as f64)
}
