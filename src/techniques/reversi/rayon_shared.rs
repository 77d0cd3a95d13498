//! `rayon-shared`: PV-split on all cores, with every bound shared as it rises.

use super::tasks::{self, Reversi};
use crate::games::reversi::{Representation, Visit, fastest};
use crate::techniques::tasks::host::on_threads_timed;
use crate::techniques::tasks::remembering::Timed;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The strong parallel baseline. Its answers are those of `serial`; its nodes differ from run to
/// run.
///
/// On two cores, over mid-game positions of the 8x8 line, 1.7 to 1.8 times as fast as `serial` at
/// depths 8 to 10, with 3 to 5 % more nodes. Subtrees shared from remaining depth
/// 4 instead of 5, and bounds re-read from 3 instead of 4, gave 1.63 times: too much of the time
/// went into sharing.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "rayon-shared",
        summary: "the same with alpha re-read as it rises and subtrees shared: the strong parallel baseline",
        paper: "ours; young brothers wait: Feldmann 1993, reference 6 of the paper",
        tasks: &[
            Task::Search,
            Task::Game,
            Task::Choose,
            Task::Match,
            Task::Perft,
        ],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_timed(setup, |play| {
        fastest(&play.asked.evaluation, OnThreads(setup.threads))
    })
}

/// Makes the searcher in a pool of threads, on the representation that it visits.
struct OnThreads(usize);

impl Visit for OnThreads {
    type Output = Result<Box<dyn Timed<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        on_threads_timed(game, self.0)
    }
}
