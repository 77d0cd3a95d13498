//! Reversi: the techniques of Strnad and Guid, "Parallel Alpha-Beta Algorithm on the GPU" (2011),
//! and the baselines beside them.

pub mod device_board;
mod device_perft;
mod device_siblings;
pub mod hard;
pub mod kernels;
mod launches;
mod random_games;
pub mod tasks;

pub use device_perft::DevicePerft;
pub use device_siblings::DeviceSiblings;
pub use launches::launches;
pub use pv_split_as_published::mapping;
pub use tasks::line;

use crate::games::reversi::{ALLOWED_SIZES, Evaluation, Size, read_mobility, read_weights};
use crate::techniques::list::techniques;
use crate::techniques::tasks::remembering::{EFFORT, effort_of, read_effort};
use crate::techniques::tasks::{Effort, PLAYOUTS, PLIES, read_playouts, read_plies};
use crate::words::{AxisEntry, Case, GameEntry, ParamEntry, Params, Task, Value};

techniques! {
    host(SERIAL_AS_PUBLISHED, SERIAL, SERIAL_TABLE, RAYON, RAYON_SHARED, RAYON_TABLE),
    pv_split_as_published,
    pv_split,
    table_search,
    flat_refill,
    mcts_serial,
    mcts_rayon,
    mcts_batched_serial,
    mcts_batched_rayon,
    mcts,
}

/// The game, as an experiment may name it.
pub const GAME: GameEntry = GameEntry {
    name: "reversi",
    summary: "Reversi (Othello) on boards from 4x4 to 64x64, weighted squares and mobility",
    axes: &[
        AxisEntry {
            name: "board",
            allowed: ALLOWED_SIZES,
            default: Some("8x8"),
            tasks: &[],
        },
        AxisEntry {
            name: "depth",
            allowed: DEPTHS_ALLOWED,
            // With one, a match may do without: it has an effort then.
            default: Some("6"),
            tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        },
        PLIES,
        EFFORT,
        PLAYOUTS,
    ],
    options: &[
        ParamEntry {
            name: "weights",
            allowed: "8 lists of 8 whole numbers from -1000 to 1000: the 8x8 squares' weights x 100, by rows; \
                      other boards use the matrix's symmetrised form by distance from the edges",
            default: "Szubert, Jaskowski and Krawiec's",
            check: |value| {
                read_weights(value)
                    .map(drop)
                    .map_err(|error| error.to_string())
            },
        },
        ParamEntry {
            name: "mobility",
            allowed: "a whole number from 0 to 1000: the worth of a move more than the opponent has",
            default: "10",
            check: |value| {
                read_mobility(value)
                    .map(drop)
                    .map_err(|error| error.to_string())
            },
        },
        ParamEntry {
            name: LINE_DEPTH,
            allowed: LINE_DEPTHS_ALLOWED,
            default: "2",
            check: |value| line_depth(Some(value)).map(drop),
        },
    ],
    tasks: &[
        Task::Search,
        Task::Game,
        Task::Playouts,
        Task::Choose,
        Task::Match,
        Task::Perft,
    ],
    check_axis,
    check,
};

const LINE_DEPTH: &str = "line-depth";
const LINE_DEPTHS_ALLOWED: &str =
    "a whole number from 1 to 6: the depth at which `serial` plays the line";
const DEPTHS_ALLOWED: &str = "a whole number from 1 to 30";

/// What a case and its options ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The evaluation, with the board that it is for.
    pub evaluation: Evaluation,
    /// Plies to search, or to count sequences of; 0 where a time or playouts are asked for instead.
    pub depth: u32,
    /// Playouts of a sample; 0 where the case does not say.
    pub playouts: u64,
    /// The time of a move.
    pub effort: Option<Effort>,
    /// The depth at which the line of play is played.
    pub line_depth: u32,
}

impl Asked {
    /// Reads a case and the game's options.
    ///
    /// # Errors
    /// One line that names the key, the value and what is allowed.
    pub fn new(case: &Case, options: &Params) -> Result<Asked, String> {
        let axis = |name| {
            case.get(name)
                .ok_or_else(|| format!("{name}: the case does not say"))
        };
        let size = read_board(axis("board")?)?;
        let evaluation = Evaluation::new(size, options).map_err(|error| error.to_string())?;
        let effort = effort_of(case)?;
        let playouts = case.get(PLAYOUTS.name).map(read_playouts).transpose()?;
        let depth = match (effort, playouts) {
            (None, None) => read_depth(axis("depth")?)?,
            _ => 0,
        };
        Ok(Asked {
            evaluation,
            depth,
            playouts: playouts.unwrap_or(0),
            effort,
            line_depth: line_depth(options.get(LINE_DEPTH))?,
        })
    }

    /// The board.
    pub fn size(&self) -> Size {
        self.evaluation.size()
    }
}

fn read_board(value: &Value) -> Result<Size, String> {
    let text = value.to_string();
    text.parse()
        .map_err(|_| format!("board: `{text}`; allowed is {ALLOWED_SIZES}"))
}

fn read_depth(value: &Value) -> Result<u32, String> {
    within(value, 1..=30).ok_or_else(|| format!("depth: `{value}`; allowed is {DEPTHS_ALLOWED}"))
}

fn line_depth(value: Option<&Value>) -> Result<u32, String> {
    let wrong = |value| format!("{LINE_DEPTH}: `{value}`; allowed is {LINE_DEPTHS_ALLOWED}");
    value.map_or(Ok(2), |value| {
        within(value, 1..=6).ok_or_else(|| wrong(value))
    })
}

fn within(value: &Value, allowed: std::ops::RangeInclusive<i64>) -> Option<u32> {
    value
        .as_int()
        .filter(|number| allowed.contains(number))
        .map(|number| number as u32)
}

fn check_axis(axis: &str, value: &Value) -> Result<(), String> {
    match axis {
        "board" => read_board(value).map(drop),
        "depth" => read_depth(value).map(drop),
        "plies" => read_plies(value).map(drop),
        "effort" => read_effort(value).map(drop),
        "playouts" => read_playouts(value).map(drop),
        _ => Err(format!(
            "{axis}: no axis of reversi; allowed are board, depth, plies, effort and playouts"
        )),
    }
}

fn check(case: &Case, options: &Params) -> Result<(), String> {
    Asked::new(case, options).map(drop)
}

#[cfg(test)]
mod tests;
