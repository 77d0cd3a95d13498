//! `rayon`: PV-split on all cores, with the window fixed when the siblings start.

use super::random_games;
use super::tasks::{self, Reversi, Searcher};
use crate::games::reversi::{Representation, Visit, fastest};
use crate::techniques::tasks::host::{Algorithm, FixedWindow, on_threads};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

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
        summary: "PV-split on threads: the siblings of each principal-variation node with a fixed window",
        paper: "Strnad and Guid, section 3 (figure 1)",
        counts: Counts::Own,
        tasks: &[
            Task::Search,
            Task::Game,
            Task::Playouts,
            Task::Match,
            Task::Perft,
        ],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    if setup.task == Task::Playouts {
        return random_games::prepare_random_on_host(setup, Some(setup.pool()?));
    }
    tasks::prepare(setup, |asked| {
        fastest(
            &asked.evaluation,
            OnThreads::<FixedWindow>::new(setup.threads),
        )
    })
}

/// Makes a searcher that runs a parallel search in a pool of its own, on whatever representation it
/// visits.
pub(super) struct OnThreads<A> {
    threads: usize,
    algorithm: std::marker::PhantomData<A>,
}

impl<A> OnThreads<A> {
    pub(super) fn new(threads: usize) -> OnThreads<A> {
        OnThreads {
            threads,
            algorithm: std::marker::PhantomData,
        }
    }
}

impl<A: Algorithm> Visit for OnThreads<A> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        on_threads::<_, A, _>(game, self.threads)
    }
}
