//! The paper's search on the device: `move-sets`, its first strategy, and its layout on bitboards.

use super::device_sets::{GRID, GROUP, SetsPlan, TRIALS};
use super::takes_move_sets;
use super::tasks::{self, ConnectFour};
use crate::techniques::Technique;
use crate::words::{Counts, Task, TechniqueEntry};

/// A work-item replays a whole move set on a board of bytes in local memory. Utilities are summed in the group, then in
/// shares of the grid, then over the grid (Connect Four AI, "Algorithm Description").
///
/// As published: groups of 7x7, a grid of 343x343 at depth 8, board and moves in local memory, one score per first move
/// and group. Scores also hold a counter: 7.2 MiB, where the paper has "6.28 megabytes of global memory". Changed: the
/// paper's first group sums scores that other groups may not have written yet, a race; here the later stages are a
/// separate launch. The value follows each stone; the paper evaluates the whole board after each ply.
pub const MOVE_SETS: Technique = Technique {
    entry: TechniqueEntry {
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
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| PLAN.searcher(setup, asked))
    },
};

const PLAN: SetsPlan = SetsPlan {
    path: "connect_four/move_sets.cl",
    // The board's squares and the set's moves.
    local_bytes: |depth| 42 + depth as usize,
    optimistic: false,
};

/// `move-sets` with the paper's "first general strategy": the set that ends best decides. No move is forced.
pub const OPTIMISTIC: Technique = Technique {
    entry: TechniqueEntry {
        name: "move-sets-optimistic",
        summary: "as move-sets, but the set that ends best decides: the opponent is taken to help",
        paper: "Connect Four AI, \"Algorithm Description\" (the first strategy)",
        like: "move-sets-optimistic-serial",
        reference: "move-sets-optimistic-serial",
        ..MOVE_SETS.entry
    },
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| OPTIMISTIC_PLAN.searcher(setup, asked))
    },
    ..MOVE_SETS
};

const OPTIMISTIC_PLAN: SetsPlan = SetsPlan {
    optimistic: true,
    ..PLAN
};

/// `move-sets` with bitboards in registers: the first wish of the paper's conclusion.
pub const BITBOARD: Technique = Technique {
    entry: TechniqueEntry {
        name: "move-sets-bitboard",
        summary: "as move-sets, with each set replayed on bitboards in registers",
        paper: "Connect Four AI, \"Conclusion\" (bitboards)",
        needs: "",
        ..MOVE_SETS.entry
    },
    prepare: |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |asked| BITBOARD_PLAN.searcher(setup, asked))
    },
    ..MOVE_SETS
};

const BITBOARD_PLAN: SetsPlan = SetsPlan {
    path: "connect_four/move_sets_bitboard.cl",
    local_bytes: |_| 0,
    ..PLAN
};
