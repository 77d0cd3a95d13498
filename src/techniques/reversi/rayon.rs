//! `rayon`: PV-split on all cores, with the window fixed when the siblings start.

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::tasks::{self, Searcher};
use crate::games::reversi::{Position, Representation, Square, Visit, fastest};
use crate::search::{FixedWindow, Found, perft_parallel, pv_split};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Fault, Kind, Task, TechniqueEntry};

/// The like of `pv-split` on threads: the same nodes, on every run.
///
/// What the fixed window costs, over mid-game positions of the 8x8 line: 1.64 times the nodes of
/// `serial` at depth 8, 1.43 times at depth 9. On two cores it was 1.10 to 1.16 times as fast as
/// `serial` at depth 8 and 1.16 to 1.31 times at depths 9 and 10. On 16x16 at depth 5 it searches 2.5 times the nodes, and two cores
/// do not make up for that.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "rayon",
        kind: Kind::Threads,
        summary: "PV-split on threads: the siblings of each principal-variation node with a fixed window",
        paper: "Strnad and Guid, section 3 (figure 1)",
        needs: "",
        like: "rayon",
        reference: "serial",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        params: &[],
    },
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        Ok(fastest(
            &asked.evaluation,
            OnThreads::<Fixed>::new(setup.threads)?,
        ))
    })
}

/// A parallel search, whatever the representation.
pub(super) trait Parallel: Send + 'static {
    /// Searches on the current rayon pool.
    fn search<R: Representation>(game: &R, position: &R::Position, depth: u32) -> Found<Square>;
}

/// PV-split with a fixed window.
enum Fixed {}

impl Parallel for Fixed {
    fn search<R: Representation>(game: &R, position: &R::Position, depth: u32) -> Found<Square> {
        match pv_split(game, position, depth, &mut FixedWindow) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }
}

/// Makes a searcher that runs a parallel search in a pool of its own.
pub(super) struct OnThreads<P> {
    pool: ThreadPool,
    search: std::marker::PhantomData<P>,
}

impl<P> OnThreads<P> {
    /// # Errors
    /// Where the system does not give so many threads.
    pub(super) fn new(threads: usize) -> Result<OnThreads<P>, Fault> {
        let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
        let refused = |error| Fault::Unsupported(format!("no pool of {threads} threads: {error}"));
        Ok(OnThreads {
            pool: pool.map_err(refused)?,
            search: std::marker::PhantomData,
        })
    }
}

impl<P: Parallel> Visit for OnThreads<P> {
    type Output = Box<dyn Searcher>;

    fn visit<R: Representation>(self, game: R) -> Box<dyn Searcher> {
        Box::new(Pooled {
            threads: self,
            game,
            positions: Vec::new(),
        })
    }
}

struct Pooled<R: Representation, P> {
    threads: OnThreads<P>,
    game: R,
    positions: Vec<R::Position>,
}

impl<R: Representation, P: Parallel> Searcher for Pooled<R, P> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions.clear();
        self.positions
            .extend(positions.iter().map(|position| self.game.load(position)));
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        let (game, position) = (&self.game, &self.positions[index]);
        Ok(self
            .threads
            .pool
            .install(|| P::search(game, position, depth)))
    }

    /// The pool is entered once for all, not once a position.
    fn search_each(
        &mut self,
        indices: &[usize],
        depth: u32,
        found: &mut Vec<Found<Square>>,
    ) -> Result<(), Fault> {
        let (game, positions) = (&self.game, &self.positions);
        self.threads.pool.install(|| {
            found.extend(
                indices
                    .iter()
                    .map(|index| P::search(game, &positions[*index], depth)),
            );
        });
        Ok(())
    }

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        let (game, position) = (&self.game, &self.positions[index]);
        Ok(self
            .threads
            .pool
            .install(|| perft_parallel(game, position, depth)))
    }
}
