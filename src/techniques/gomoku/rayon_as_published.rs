//! `rayon-as-published`: the paper's OpenMP loop.

use super::tasks::{self, OnThreads};
use crate::games::gomoku::as_published;
use crate::techniques::tasks::host::FullWindowRootParallel;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The nodes of `serial-as-published`, the moves of the root shared among the threads.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "rayon-as-published",
        summary: "the paper's OpenMP loop: root moves in parallel, each with the full window",
        paper: "Kawakami and Wang, section 4",
        like: "serial-as-published",
        counts: Counts::As("serial-as-published"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        as_published(
            &asked.evaluation,
            OnThreads::<FullWindowRootParallel>::new(setup.threads),
        )
    })
}
