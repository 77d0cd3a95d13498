//! `move-sets-serial`: the sums of all move sets on one core.

use super::takes_move_sets;
use super::{host_sets, strategy};
use crate::games::connect_four::{Bits, Board, Column};
use crate::search::{Found, move_set_sums};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The reference of every technique that sums move sets: the tree is walked once, and a node's value
/// counts for each set that passes through it.
///
/// What it costs stands at [`move_set_sums`].
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-serial",
        summary: "utilities of all move sets, summed by first move on one core; a win or a block goes first",
        paper: "Connect Four AI, \"Algorithm Description\" (the strategy); ours (one walk of the tree)",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        tasks: &[Task::Search, Task::Game, Task::Match],
        check: takes_move_sets,
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    host_sets::prepare(setup, search)
}

fn search(game: &Bits, board: &Board, depth: u32) -> Found<Column> {
    strategy::forced(game, board).unwrap_or_else(|| {
        let (sums, counters) = move_set_sums(game, board, depth);
        strategy::by_sums(game, board, depth, &sums, counters)
    })
}
