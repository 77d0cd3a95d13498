//! The paper's search on the device: `move-sets`, its first strategy, and its layout on bitboards.

use super::device_sets::{GRID, GROUP, SetsPlan, TRIALS};
use super::{takes_move_sets, tasks};
use crate::techniques::Technique;
use crate::words::{Counts, Task, TechniqueEntry};

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
pub const MOVE_SETS: Technique = Technique {
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
    prepare: |setup| tasks::prepare(setup, |asked| PLAN.searcher(setup, asked)),
};

const PLAN: SetsPlan = SetsPlan {
    path: "connect_four/move_sets.cl",
    // The board's squares, and the set's moves.
    local_bytes: |depth| 42 + depth as usize,
    optimistic: false,
};

/// As `move-sets`, but the set that ends best decides, however much its opponent helps, and nothing is
/// forced (Connect Four AI, "Algorithm Description": "The first general strategy").
///
/// The bound is that of `move-sets`, whose replay it shares: 0.50 s for depth 8 from the empty board on
/// two cores (pocl 3.1, the best of six, other work beside it).
pub const OPTIMISTIC: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-optimistic",
        summary: "as move-sets, but the set that ends best decides: the opponent is taken to help",
        paper: "Connect Four AI, \"Algorithm Description\" (the first strategy)",
        like: "move-sets-optimistic-serial",
        reference: "move-sets-optimistic-serial",
        ..MOVE_SETS.entry
    },
    prepare: |setup| tasks::prepare(setup, |asked| OPTIMISTIC_PLAN.searcher(setup, asked)),
    ..MOVE_SETS
};

const OPTIMISTIC_PLAN: SetsPlan = SetsPlan {
    optimistic: true,
    ..PLAN
};

/// As `move-sets`, with each set replayed on bitboards in registers: the first thing that the paper's
/// conclusion asks for.
///
/// The bound is still that every set is replayed from its first move, now at half the cost: 0.26 s for
/// the 46 M plies of depth 8 from the empty board on two cores (pocl 3.1, the best of six, other work
/// beside it), where `move-sets` takes 0.51 s. Each ply works out what a stone would bring in all seven
/// columns and uses one of them. Groups of 49x7 are as fast there.
pub const BITBOARD: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-bitboard",
        summary: "as move-sets, with each set replayed on bitboards in registers",
        paper: "Connect Four AI, \"Conclusion\" (bitboards)",
        needs: "",
        ..MOVE_SETS.entry
    },
    prepare: |setup| tasks::prepare(setup, |asked| BITBOARD_PLAN.searcher(setup, asked)),
    ..MOVE_SETS
};

const BITBOARD_PLAN: SetsPlan = SetsPlan {
    path: "connect_four/move_sets_bitboard.cl",
    local_bytes: |_| 0,
    ..PLAN
};
