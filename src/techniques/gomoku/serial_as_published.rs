//! `serial-as-published`: the paper's serial program.

use super::tasks::{self, OnOneCore};
use crate::games::gomoku::as_published;
use crate::techniques::tasks::host::FullWindowRoot;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The baseline of the paper's own factors: Algorithms 2 and 3, an array of integers for a board
/// (section 8), and the whole board evaluated at every leaf.
///
/// Section 2.3 calls the search once for each move of the root, each time with the full window, so
/// that nothing learnt at one move is used at the next.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "serial-as-published",
        summary: "the paper's program: every root move with the full window, the whole board evaluated at each leaf",
        paper: "Kawakami and Wang, sections 2.2 and 2.3",
        like: "serial-as-published",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        Ok(as_published(
            &asked.evaluation,
            OnOneCore::<FullWindowRoot>::new(),
        ))
    })
}
