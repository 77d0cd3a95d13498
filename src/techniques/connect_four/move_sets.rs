//! `move-sets`: the paper's search on the device.

use super::device_sets::{GRID, GROUP, SetsPlan, TRIALS};
use super::takes_move_sets;
use super::tasks;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// A work-item replays a whole move set on a board of bytes in local memory; utilities are summed in
/// the group, then in shares of the grid, then over the grid (Connect Four AI, "Algorithm
/// Description").
///
/// As published are the groups of 7x7, the grid of 343x343 of them at depth 8, the board and the moves
/// in local memory, and a score a first move that each group writes (6.3 MiB of them, the paper's "6.28
/// megabytes of global memory"; ours are 7.2 MiB, as they hold a counter too). Changed is what was a
/// race: the paper's first group sums what other groups may not have written yet; here the second and
/// the third stage are a launch of their own. The paper's evaluation looks at the whole board after
/// each ply; here the value follows each stone, as in every technique of the game.
///
/// The bound is the replay itself: 7^8 sets are 46 M plies from the empty board, where the tree that
/// they make has 6.6 M nodes. They take 0.51 s on two cores (pocl 3.1, the best of five, other work
/// beside it); `move-sets-serial`, which walks the tree once, takes 25 ms on one. Groups of 49x7 are
/// as fast there.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets",
        summary: "a work-item a move set, replayed on bytes in local memory; sums of group, sub-grid and grid",
        paper: "Connect Four AI, \"Algorithm Description\" and \"Results\"",
        needs: "local memory: at depth 8, 3.0 KB for 7x7 work-items, 21.3 KB for 49x7",
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
    path: "connect_four/move_sets.cl",
    // The board's squares, and the set's moves.
    local_bytes: |depth| 42 + depth as usize,
    optimistic: false,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| PLAN.searcher(setup, asked))
}
