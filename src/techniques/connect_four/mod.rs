//! Connect Four: the techniques of the student report "Connect Four AI", what its conclusion asks
//! for, and the baselines beside them.

pub mod device_board;
pub mod device_prefixes;
mod device_sets;
pub mod group;
pub mod hard;
pub mod kernels;
mod strategy;
pub mod tasks;

pub use host_sets::{replayed_as_published, replayed_bests, replayed_sums};

use crate::games::connect_four::{
    Evaluation, SQUARES_ALLOWED, WORTH_ALLOWED, read_squares, read_worth,
};
use crate::search::LONGEST_MOVE_SETS;
use crate::techniques::list::techniques;
use crate::techniques::tasks::remembering::{EFFORT, effort_of, read_effort};
use crate::techniques::tasks::{Effort, PLAYOUTS, PLIES, read_playouts, read_plies};
use crate::words::{AxisEntry, Case, GameEntry, ParamEntry, Params, Task, Value};

techniques! {
    host(SERIAL_MINIMAX, SERIAL, SERIAL_TABLE, RAYON_MINIMAX, RAYON, RAYON_TABLE),
    host_sets(AS_PUBLISHED_SERIAL, SERIAL, OPTIMISTIC_SERIAL),
    root_split,
    move_sets_as_published,
    move_sets(OPTIMISTIC, MOVE_SETS, BITBOARD),
    move_sets_even,
    prefix_sharing,
    prefix_sharing_sums,
    table_search,
    flat_refill,
    mcts_serial,
    mcts_rayon,
    mcts_batched_serial,
    mcts_batched_rayon,
    mcts,
    random,
}

/// The game, as an experiment may name it.
pub const GAME: GameEntry = GameEntry {
    name: "connect-four",
    summary: "Connect Four on seven columns of six squares; squares, twos and threes are worth something",
    axes: &[
        AxisEntry {
            name: STAGE,
            allowed: STAGES_ALLOWED,
            default: Some("first"),
            tasks: &[Task::Game],
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
            name: "squares",
            allowed: SQUARES_ALLOWED,
            default: "the lines of four through each square, 3 to 13",
            check: |value| {
                read_squares(value)
                    .map(drop)
                    .map_err(|error| error.to_string())
            },
        },
        ParamEntry {
            name: "two",
            allowed: WORTH_ALLOWED,
            default: "10",
            check: |value| {
                read_worth("two", value)
                    .map(drop)
                    .map_err(|error| error.to_string())
            },
        },
        ParamEntry {
            name: "three",
            allowed: WORTH_ALLOWED,
            default: "50",
            check: |value| {
                read_worth("three", value)
                    .map(drop)
                    .map_err(|error| error.to_string())
            },
        },
        ParamEntry {
            name: LINE_DEPTH,
            allowed: LINE_DEPTHS_ALLOWED,
            default: "8",
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
    check: |case, options| Asked::new(case, options).map(drop),
};

const STAGE: &str = "stage";
const STAGES_ALLOWED: &str = "what the task `game` searches: first (the empty board), last (the last position of the line of \
     play) or average (all of its positions)";
const DEPTHS: std::ops::RangeInclusive<i64> = 1..=20;
const DEPTHS_ALLOWED: &str = "a whole number from 1 to 20";
const LINE_DEPTH: &str = "line-depth";
const LINE_DEPTHS: std::ops::RangeInclusive<i64> = 1..=12;
const LINE_DEPTHS_ALLOWED: &str =
    "a whole number from 1 to 12: the depth at which `serial` plays the line";

/// Which positions of the line of play the task `game` searches: the rows of the paper's timings
/// ("Results").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// "the first move on an empty board".
    First,
    /// "the last move on the board".
    Last,
    /// "the average of times for each move in a game".
    Average,
}

impl Stage {
    fn read(value: &Value) -> Result<Stage, String> {
        match value.as_text() {
            Some("first") => Ok(Stage::First),
            Some("last") => Ok(Stage::Last),
            Some("average") => Ok(Stage::Average),
            _ => Err(format!(
                "{STAGE}: `{value}`; allowed are first (the empty board), last (the last position of \
                 the line of play) and average (all of its positions)"
            )),
        }
    }

    /// Its word on the axis.
    pub fn word(self) -> &'static str {
        match self {
            Stage::First => "first",
            Stage::Last => "last",
            Stage::Average => "average",
        }
    }
}

/// What a case and its options ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Which positions of the line the task `game` searches.
    pub stage: Stage,
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
        let effort = effort_of(case)?;
        let playouts = case.get(PLAYOUTS.name).map(read_playouts).transpose()?;
        let depth = match (effort, playouts) {
            (None, None) => read_depth(axis("depth")?)?,
            _ => 0,
        };
        Ok(Asked {
            evaluation: Evaluation::new(options).map_err(|error| error.to_string())?,
            stage: case.get(STAGE).map_or(Ok(Stage::First), Stage::read)?,
            depth,
            playouts: playouts.unwrap_or(0),
            effort,
            line_depth: line_depth(options.get(LINE_DEPTH))?,
        })
    }
}

fn read_depth(value: &Value) -> Result<u32, String> {
    let depth = value.as_int().filter(|depth| DEPTHS.contains(depth));
    depth
        .map(|depth| depth as u32)
        .ok_or_else(|| format!("depth: `{value}`; allowed is {DEPTHS_ALLOWED}"))
}

/// [`TechniqueEntry::check`](crate::words::TechniqueEntry::check) of a technique that goes through all
/// sequences of moves: deeper ones' sums may not fit 64 bits.
fn takes_move_sets(case: &Case, _params: &Params) -> Result<(), String> {
    match case.int("depth") {
        Some(depth) if depth > i64::from(LONGEST_MOVE_SETS) => Err(format!(
            "depth: `{depth}`; it goes through all sequences, at most {LONGEST_MOVE_SETS} plies"
        )),
        _ => Ok(()),
    }
}

fn line_depth(value: Option<&Value>) -> Result<u32, String> {
    let Some(value) = value else {
        return Ok(8);
    };
    let depth = value.as_int().filter(|depth| LINE_DEPTHS.contains(depth));
    depth
        .map(|depth| depth as u32)
        .ok_or_else(|| format!("{LINE_DEPTH}: `{value}`; allowed is {LINE_DEPTHS_ALLOWED}"))
}

fn check_axis(axis: &str, value: &Value) -> Result<(), String> {
    match axis {
        STAGE => Stage::read(value).map(drop),
        "depth" => read_depth(value).map(drop),
        "plies" => read_plies(value).map(drop),
        "effort" => read_effort(value).map(drop),
        "playouts" => read_playouts(value).map(drop),
        _ => Err(format!(
            "{axis}: no axis of connect-four; allowed are stage, depth, plies, effort and playouts"
        )),
    }
}

#[cfg(test)]
mod tests;
