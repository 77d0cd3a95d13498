//! Hard positions of Connect Four: full columns, the end of a drawn game, threats to make four, and finished games.

use crate::games::connect_four::Position;
use crate::techniques::hard::{Draw, Hard, START};
use crate::words::{Case, Task};

/// A drawn game. It fills the board without four in a row.
const DRAWN: &str = "256426457127755361771411454217542236336633";

/// An evaluation in which every square and every shape has a different value.
const UNEVEN: &str = "squares=[[1,14,27,40,53,66,79],[101,114,127,140,153,166,179],\
     [201,214,227,240,253,266,279],[301,314,327,340,353,366,379],[401,414,427,440,453,466,479],\
     [501,514,527,540,553,566,579]] two=17 three=3";

/// Searches to depths that a CPU reaches instantly.
pub const SEARCH: &[Hard] = &[
    Hard::new(Task::Search, "depth=2", all).with(UNEVEN),
    Hard::new(Task::Search, "depth=3", all),
    Hard::new(Task::Search, "depth=4", all).with(UNEVEN),
    Hard::new(Task::Search, "depth=5", all),
    Hard::new(Task::Search, "depth=6", late).with(UNEVEN),
];

/// Searches with few plies. If the local indices encode more plies, most work-items have no set.
pub const SHORT: &[Hard] = &[
    Hard::new(Task::Search, "depth=1", late),
    Hard::new(Task::Search, "depth=2", all).with(UNEVEN),
];

/// Searches that test another layout of the same kernels.
pub const SMALL: &[Hard] = &[
    Hard::new(Task::Search, "depth=4", all).with(UNEVEN),
    Hard::new(Task::Search, "depth=5", late),
];

/// Deeper searches that walk several plies below a prefix.
pub const DEEP: &[Hard] = &[
    Hard::new(Task::Search, "depth=6", all).with(UNEVEN),
    Hard::new(Task::Search, "depth=7", all),
    Hard::new(Task::Search, "depth=8", late).with(UNEVEN),
];

/// Searches that cover leaves right below the root, nodes that are evaluated in one step, and split trees.
pub const TABLE: &[Hard] = &[
    Hard::new(Task::Search, "depth=1", all),
    Hard::new(Task::Search, "depth=2", late).with(UNEVEN),
    Hard::new(Task::Search, "depth=3", all),
    Hard::new(Task::Search, "depth=4", late),
    Hard::new(Task::Search, "depth=5", all).with(UNEVEN),
    Hard::new(Task::Search, "depth=6", late),
    Hard::new(Task::Search, "depth=8", all),
    Hard::new(Task::Search, "depth=9", late).with(UNEVEN),
    Hard::new(Task::Choose, "effort=20ms", late),
];

/// Perft cases.
pub const PERFT: &[Hard] = &[
    Hard::new(Task::Perft, "depth=4", all),
    Hard::new(Task::Perft, "depth=6", all),
    Hard::new(Task::Perft, "depth=7", late),
];

/// Playout cases with single games, and with many at once.
pub const PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "playouts=1", late),
    Hard::new(Task::Playouts, "playouts=17", late),
    Hard::new(Task::Playouts, "playouts=300", all),
    Hard::new(Task::Playouts, "playouts=5001", late),
];

/// Playout cases that test another layout of the same kernel.
pub const FEW_PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "playouts=17", late),
    Hard::new(Task::Playouts, "playouts=501", all),
];

/// Choices by tree search.
pub const TREE: &[Hard] = &[
    Hard::new(Task::Choose, "effort=20", late),
    Hard::new(Task::Choose, "effort=300", all),
    Hard::new(Task::Choose, "effort=3000", late),
];

/// Choices that test another layout of the same tree.
pub const SMALL_TREE: &[Hard] = &[Hard::new(Task::Choose, "effort=200", late)];

/// Returns positions from the start, the middle and the end of games, and finished games.
fn all(_: &Case) -> Vec<String> {
    let mut draw = Draw(4);
    let mut found = vec![START.to_owned(), "444444".to_owned(), "1212127".to_owned()];
    found.extend((2..42).map(|plies| random_position(plies, &mut draw).to_string()));
    found.extend(drawn());
    found
}

fn late(_: &Case) -> Vec<String> {
    let mut draw = Draw(7);
    let mut found: Vec<String> = (0..12)
        .map(|n| random_position(12 + 2 * n, &mut draw).to_string())
        .collect();
    found.extend(drawn());
    found
}

/// Returns the last plies of the drawn game, up to the full board.
fn drawn() -> impl Iterator<Item = String> {
    [33, 36, 37, 38, 39, 40, 41, 42]
        .into_iter()
        .map(|plies| DRAWN[..plies].to_owned())
}

/// Returns the position after `plies` plies of a random game, or the final position if the game is shorter.
fn random_position(plies: usize, draw: &mut Draw) -> Position {
    let mut position = Position::start();
    for _ in 0..plies {
        let legal = position.legal_moves();
        match legal.get(draw.below(legal.len())) {
            Some(column) => position = position.play(*column).unwrap_or(position),
            None => break,
        }
    }
    position
}
