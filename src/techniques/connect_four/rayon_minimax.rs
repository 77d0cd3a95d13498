//! `rayon-minimax`: `serial-minimax` on all cores.

use super::tasks;
use crate::techniques::tasks::host::MinimaxParallel;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The nodes of `serial-minimax`, shared among the threads down to subtrees of four plies.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "rayon-minimax",
        summary: "minimax on all cores, without pruning",
        paper: "ours; the search is that of Connect Four AI, \"Project Description\"",
        like: "serial-minimax",
        counts: Counts::As("serial-minimax"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_threads::<MinimaxParallel>(setup)
}
