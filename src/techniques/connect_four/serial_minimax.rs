//! `serial-minimax`: the paper's algorithm for the processor.

use super::tasks;
use crate::techniques::tasks::host::Minimax;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// Minimax without pruning, the baseline of the paper's own factors ("Project Description").
///
/// The paper's board was an array; this one is what [`Bits`](crate::games::connect_four::Bits) is,
/// which says how many nodes it enters in a second.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "serial-minimax",
        summary: "minimax on one core, without pruning, on bitboards",
        paper: "Connect Four AI, \"Project Description\" (the search); ours (bitboards)",
        like: "serial-minimax",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_serial::<Minimax>(setup)
}
