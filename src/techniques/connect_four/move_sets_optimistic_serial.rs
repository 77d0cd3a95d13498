//! `move-sets-optimistic-serial`: the best move set on one core.

use super::takes_move_sets;
use super::{host_sets, strategy};
use crate::games::connect_four::{Bits, Board, Column};
use crate::search::{Found, move_set_bests};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The reference of `move-sets-optimistic`: the paper's first strategy, which takes the set that ends
/// best, with the opponent's help.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-optimistic-serial",
        summary: "the first move of the set that ends best, on one core: the opponent is taken to help",
        paper: "Connect Four AI, \"Algorithm Description\" (the first strategy); ours (one walk of the tree)",
        like: "move-sets-optimistic-serial",
        reference: "move-sets-optimistic-serial",
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
    strategy::certain(game, board).unwrap_or_else(|| {
        let (bests, counters) = move_set_bests(game, board, depth);
        strategy::by_bests(game, board, depth, &bests, counters)
    })
}
