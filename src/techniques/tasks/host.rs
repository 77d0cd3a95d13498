//! Searchers without a device: any search of [`crate::search`] on any representation.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::time::Instant;

use rayon::ThreadPool;

use super::timed::{Timed, choose_until, no_answer};
use super::{Choice, Chooser, Effort, Loads, Play, Searcher, Searches};
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
pub trait Algorithm: 'static {
    /// Searches a position.
    fn search<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move>;
}

/// Names searches as types, because a function that is generic over the game cannot be passed on.
macro_rules! algorithms {
    ($($(#[$doc:meta])* $name:ident: |$game:ident, $position:ident, $depth:ident| $search:expr;)*) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl Algorithm for $name {
            fn search<G: Game>($game: &G, $position: &G::Position, $depth: u32) -> Found<G::Move> {
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

/// Runs the search `A` on the calling thread, or in a new pool; [`Runs::searcher`] takes the representation.
pub struct Runs<A>(Option<usize>, PhantomData<A>);

impl<A: Algorithm> Runs<A> {
    /// On the calling thread where there is no number of threads.
    pub fn on(threads: Option<usize>) -> Runs<A> {
        Runs(threads, PhantomData)
    }

    /// The searcher on a representation. Fails if the system refuses the threads.
    pub fn searcher<P: Play, G: Loads<P>>(self, game: G) -> Result<Box<dyn Searcher<P>>, Fault> {
        Ok(Box::new(OnHost::new(game, self.0, A::search)?))
    }
}

/// Makes a search by [`search::alpha_beta_shared`] in a new pool of this many threads, to a depth or for a time.
pub struct OnThreads(pub usize);

impl<P: Play> OnGame<P> for OnThreads {
    type Output = Result<Box<dyn Timed<P>>, Fault>;

    fn on<G: Loads<P>>(self, game: G) -> Self::Output {
        let search = SharedWindow::search;
        Ok(Box::new(OnHost::new(game, Some(self.0), search)?))
    }
}

/// An [`Algorithm`]'s search on one representation.
type Search<G> = fn(&G, &<G as Game>::Position, u32) -> Found<<G as Game>::Move>;

/// The search is a pointer, so that this is compiled once for each representation and not for each algorithm.
struct OnHost<G: Game> {
    game: G,
    positions: Vec<G::Position>,
    pool: Option<ThreadPool>,
    search: Search<G>,
}

impl<G: Game> OnHost<G> {
    fn new(game: G, threads: Option<usize>, search: Search<G>) -> Result<OnHost<G>, Fault> {
        Ok(OnHost {
            game,
            positions: Vec::new(),
            pool: threads.map(pool_of).transpose()?,
            search,
        })
    }
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
}

/// Under a clock, as [`OnThreads`] has it: whatever `search` is, [`search::alpha_beta_shared_until`].
impl<P: Play, G: Loads<P>> Chooser<P> for OnHost<G> {
    fn choose(
        &mut self,
        play: &P,
        position: &P::Position,
        effort: Effort,
    ) -> Result<Choice<P::Move>, Fault> {
        let start = Instant::now();
        choose_until(play, position, start, effort, |deadline| {
            let position = self.game.load(position);
            let mut found = None;
            enter(self.pool.as_ref(), &mut || {
                let until = search::alpha_beta_shared_until;
                found = Some(until(&self.game, &position, deadline));
            });
            found.ok_or_else(no_answer)
        })
    }
}
