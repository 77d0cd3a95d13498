//! Hard cases of Annexation: few or no turns, every kind of board, mid-game positions, and players with many cells.

use crate::games::annexation::{Board, write_board};
use crate::techniques::hard::{Hard, START, listed};
use crate::words::{Case, Task};

/// Playout cases for every technique.
pub const PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "board=hex7 turns=auto playouts=1", start),
    Hard::new(Task::Playouts, "board=hex7 turns=0 playouts=33", start),
    Hard::new(Task::Playouts, "board=hex7 turns=1 playouts=64", hex7),
    Hard::new(Task::Playouts, "board=hex7 turns=5 playouts=77", hex7).with("boards=3"),
    Hard::new(Task::Playouts, "board=hex7 turns=auto playouts=200", hex7).with("boards=2"),
    Hard::new(Task::Playouts, "board=hex7 turns=50 playouts=45", own),
    Hard::new(Task::Playouts, "board=hex200 turns=30 playouts=37", hex200),
    Hard::new(
        Task::Playouts,
        "board=hex200-merged turns=auto playouts=33",
        start,
    ),
    Hard::new(Task::Playouts, "board=hex1000 turns=60 playouts=3", start),
];

/// Cases with many playouts, for techniques that play in batches.
pub const MANY: &[Hard] = &[
    Hard::new(Task::Playouts, "board=hex7 turns=auto playouts=5000", hex7),
    Hard::new(
        Task::Playouts,
        "board=hex200 turns=auto playouts=2100",
        hex200,
    ),
];

/// Playout cases on small boards. They use another layout of the same kernels.
pub const SMALL: &[Hard] = &[
    Hard::new(Task::Playouts, "board=hex7 turns=5 playouts=77", hex7).with("boards=3"),
    Hard::new(Task::Playouts, "board=hex7 turns=auto playouts=300", hex7),
    Hard::new(Task::Playouts, "board=hex7 turns=50 playouts=45", own),
    Hard::new(Task::Playouts, "board=hex200 turns=40 playouts=70", hex200),
];

/// Choices by flat Monte Carlo.
pub const FLAT: &[Hard] = &[
    Hard::new(Task::Choose, "board=hex7 turns=auto effort=100", hex7),
    Hard::new(Task::Choose, "board=hex7 turns=21 effort=70", own),
];

/// Choices by tree search.
pub const TREE: &[Hard] = &[
    Hard::new(Task::Choose, "board=hex7 turns=5 effort=40", hex7),
    Hard::new(Task::Choose, "board=hex7 turns=auto effort=200", hex7),
    Hard::new(Task::Choose, "board=hex7 turns=50 effort=60", own),
    Hard::new(Task::Choose, "board=hex200 turns=60 effort=60", hex200),
];

fn start(_: &Case) -> Vec<String> {
    listed(&[START])
}

fn hex7(_: &Case) -> Vec<String> {
    listed(&[START, "hex7/1@0123", "hex7/2@7", "hex7/3@0-1"])
}

fn hex200(_: &Case) -> Vec<String> {
    listed(&[START, "hex200/4@0123456712345670", "hex200/5@012345671"])
}

/// Builds a board with cells that have one or about thirty neighbours, and with adjacent cells of the same colour.
fn own(_: &Case) -> Vec<String> {
    let mut edges: Vec<[u64; 2]> = (1..40).map(|cell| [cell - 1, cell]).collect();
    edges.extend((41..70).flat_map(|cell| [[40, cell], [cell, cell - 41]]));
    edges.extend((2..30).map(|cell| [1, cell]));
    let colours: Vec<u64> = (0..70).map(|cell| cell * cell / 5 % 8).collect();
    let Ok(board) = Board::new(&colours, &edges, [0, 69]) else {
        return Vec::new();
    };
    let text = write_board(&board);
    vec![format!("{text}@0123456701234"), text]
}
