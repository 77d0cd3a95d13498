//! `move-sets-optimistic`: the paper's first strategy on the device.

use super::device_sets::{GRID, GROUP, SetsPlan, TRIALS};
use super::takes_move_sets;
use super::tasks;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// As `move-sets`, but the set that ends best decides, however much its opponent helps, and nothing is
/// forced (Connect Four AI, "Algorithm Description": "The first general strategy").
///
/// The bound is that of `move-sets`, whose replay it shares: 0.50 s for depth 8 from the empty board on
/// two cores (pocl 3.1, the best of six, other work beside it).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets-optimistic",
        summary: "as move-sets, but the set that ends best decides: the opponent is taken to help",
        paper: "Connect Four AI, \"Algorithm Description\" (the first strategy)",
        needs: "local memory: at depth 8, 3.0 KB for 7x7 work-items, 21.3 KB for 49x7",
        like: "move-sets-optimistic-serial",
        reference: "move-sets-optimistic-serial",
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
    optimistic: true,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| PLAN.searcher(setup, asked))
}
