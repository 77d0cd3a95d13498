//! `move-sets-bitboard`: the paper's layout, on bitboards.

use super::device_sets::{GRID, GROUP, SetsPlan, TRIALS};
use super::takes_move_sets;
use super::tasks;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// As `move-sets`, with each set replayed on bitboards in registers: the first thing that the paper's
/// conclusion asks for.
///
/// The bound is still that every set is replayed from its first move, now at half the cost: 0.26 s for
/// the 46 M plies of depth 8 from the empty board on two cores (pocl 3.1, the best of six, other work
/// beside it), where `move-sets` takes 0.51 s. Each ply works out what a stone would bring in all seven
/// columns and uses one of them. Groups of 49x7 are as fast there.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-bitboard",
        summary: "as move-sets, with each set replayed on bitboards in registers",
        paper: "Connect Four AI, \"Conclusion\" (bitboards)",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        counts: Counts::Model,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP, GRID],
        check: takes_move_sets,
        ..TechniqueEntry::DEVICE
    },
    trials: TRIALS,
    prepare,
};

const PLAN: SetsPlan = SetsPlan {
    path: "connect_four/move_sets_bitboard.cl",
    local_bytes: |_| 0,
    optimistic: false,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| PLAN.searcher(setup, asked))
}
