//! `move-sets-as-published-serial`: the sums of the paper's pseudocode on one core.

use super::takes_move_sets;
use super::{host_sets, strategy};
use crate::games::connect_four::{Bits, Board, Column};
use crate::search::{Found, move_sets_as_published};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The reference of `move-sets-as-published`: its rules by one walk of the tree, as `move-sets-serial` is of
/// `move-sets`.
///
/// A move that makes four adds nothing to its set, where in `move-sets-serial` it adds what a win is worth; nothing else
/// differs in strength, as both win or block at once where they can.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-as-published-serial",
        summary: "as move-sets-serial by the paper's pseudocode: a winning move adds nothing, and its set goes on",
        paper: "Connect Four AI, \"Algorithm Description\" (the pseudocode); ours (one walk of the tree)",
        like: "move-sets-as-published-serial",
        reference: "move-sets-as-published-serial",
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
    strategy::over(game, board).unwrap_or_else(|| {
        let sets = move_sets_as_published(game, board, depth);
        strategy::as_published(board, &sets, sets.counters)
    })
}
