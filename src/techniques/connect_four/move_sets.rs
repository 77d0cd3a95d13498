//! `move-sets`: the paper's search on the device.

use super::device_sets::{GRID, GROUP, SetsPlan};
use super::tasks;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Kind, Task, TechniqueEntry, takes_every_case};

/// A work-item replays a whole move set on a board of bytes in local memory; utilities are summed in
/// the group, then in shares of the grid, then over the grid (Connect Four AI, "Algorithm
/// Description").
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "move-sets",
        kind: Kind::Device,
        summary: "a work-item a move set, replayed on bytes in local memory; sums of group, sub-grid and grid",
        paper: "Connect Four AI, \"Algorithm Description\" and \"Results\"",
        needs: "local memory: at depth 8, 3.0 KB for 7x7 work-items, 21.3 KB for 49x7",
        like: "move-sets-serial",
        reference: "move-sets-serial",
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP, GRID],
        check: takes_every_case,
    },
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
