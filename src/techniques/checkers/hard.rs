//! Hard positions of checkers.

use crate::techniques::hard::{Hard, listed};
use crate::words::{Case, Task};

/// The start, middle games, captures, kings that return to their square, endgames, crownings, and nearly drawn games.
const POSITIONS: &[&str] = &[
    "start",
    "W:W18,21,22,25,26,27,29,30,31:B1,2,4,5,7,8,11,12,14",
    "B:W17,19,22,24,26,28,30,32:B3,5,6,9,10,11,13,K27",
    "W:WK32:B26,27,18,19,10,11",
    "B:WK6,7,14,15,22,23:BK2,10,K19",
    "W:WK18,K23,K30:BK6,K7,14,15,22,K26",
    "B:W10,11,18,19,26,27:B6,7,2,3,K1",
    "W:W9,K14:B1,K5,K32",
    "B:WK15,K18:BK10,K23,K32:H44",
    "W:W22,26,31:B13,15,6,8:H7",
    "B:W6,7,14,15,22,23,K24:BK2,K10,K19,K26,11",
    "W:W5,6,7,8:B25,26,27,28",
    "B:W5,6,7,8:B25,26,27,28",
    "W:W12,20,28,K4:B5,13,21,K29",
    "B:W12,20,28,K4:B5,13,21,K29",
];

/// Positions in which the mover has no pieces or no moves, a draw by the ply count, and the position one ply earlier.
const OVER: &[&str] = &[
    "B:W21:B",
    "W:W5:B1,9,14",
    "B:WK1:BK32:H50",
    "B:WK1:BK32:H49",
];

const ANY: &str = "capture=any draw-after=80";
const SHORT: &str = "capture=any draw-after=3";

/// Playout cases with one game and with many.
pub const PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "position=start playouts=1", over),
    Hard::new(Task::Playouts, "position=start playouts=17", over),
    Hard::new(Task::Playouts, "position=start playouts=300", all),
    Hard::new(Task::Playouts, "position=start playouts=300", all).with(ANY),
    Hard::new(Task::Playouts, "position=start playouts=2001", few),
    Hard::new(Task::Playouts, "position=start playouts=500", few).with(SHORT),
];

/// Playout cases that test another layout of the same kernels.
pub const FEW_PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "position=start playouts=17", over),
    Hard::new(Task::Playouts, "position=start playouts=501", all),
    Hard::new(Task::Playouts, "position=start playouts=300", few).with(ANY),
];

/// Choices by flat Monte Carlo, in several batches.
pub const FLAT: &[Hard] = &[
    Hard::new(Task::Choose, "position=start effort=4711", few),
    Hard::new(Task::Choose, "position=start effort=1000", over),
    Hard::new(Task::Choose, "position=start effort=1000", few).with(ANY),
];

/// Choices by tree search.
pub const TREE: &[Hard] = &[
    Hard::new(Task::Choose, "position=start effort=20", over),
    Hard::new(Task::Choose, "position=start effort=300", all),
    Hard::new(Task::Choose, "position=start effort=1500", few).with(ANY),
    Hard::new(Task::Choose, "position=start effort=300", few).with(SHORT),
];

/// Choices that test another layout of the same tree.
pub const SMALL_TREE: &[Hard] = &[
    Hard::new(Task::Choose, "position=start effort=200", few).with(ANY),
    Hard::new(Task::Choose, "position=start effort=100", over).with(SHORT),
];

/// Search cases.
pub const SEARCH: &[Hard] = &[
    Hard::new(Task::Search, "depth=1", over),
    Hard::new(Task::Search, "depth=3", all).with(ANY),
    Hard::new(Task::Search, "depth=4", all).with(SHORT),
    Hard::new(Task::Search, "depth=5", all),
];

/// Perft cases.
pub const PERFT: &[Hard] = &[
    Hard::new(Task::Perft, "depth=3", all),
    Hard::new(Task::Perft, "depth=5", all).with(ANY),
    Hard::new(Task::Perft, "depth=4", over).with(SHORT),
    Hard::new(Task::Perft, "depth=4", all).with(SHORT),
    Hard::new(Task::Perft, "depth=5", all).with(SHORT),
];

fn all(_: &Case) -> Vec<String> {
    listed(POSITIONS)
}

fn few(_: &Case) -> Vec<String> {
    listed(&[
        POSITIONS[0],
        POSITIONS[2],
        POSITIONS[3],
        POSITIONS[6],
        POSITIONS[8],
        POSITIONS[10],
    ])
}

fn over(_: &Case) -> Vec<String> {
    listed(OVER)
}
