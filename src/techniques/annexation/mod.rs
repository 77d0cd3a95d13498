//! Annexation: its entry in the catalogue, and its techniques.

mod children;
mod device;
mod facts;
mod groups;
pub mod hard;
mod host_leaves;
mod items;
pub mod kernels;
mod leaves;
#[cfg(test)]
mod mcts_tests;
mod notation;
mod play;
mod shapes;
pub mod tasks;
#[cfg(test)]
mod tests;

pub use notation::Standing;
pub use play::Annexation;

use super::list::{techniques, whole_numbers};
use super::tasks::{Effort, replay_match};
use crate::games::annexation::{BOARDS_A_KIND, Board, Kind};
use crate::games::text::Form;
use crate::words::{AxisEntry, Case, GameEntry, Params, Task, Understood, Value};

techniques! {
    host(SERIAL, RAYON, SERIAL_SLICED, RAYON_SLICED, SERIAL_LEGAL),
    frames(FRAMES, BUFFER, READBACK),
    sliced,
    trees(SERIAL, BATCHED_SERIAL, MCTS),
}

/// The game's entry in the catalogue.
pub const GAME: GameEntry = GameEntry {
    name: "annexation",
    summary: "the colour game on a graph of cells: name a colour, own its cells next to yours; random playouts",
    axes: &[
        AxisEntry {
            name: BOARD,
            allowed: BOARD_ALLOWED,
            default: Some("hex200"),
            tasks: &[],
        },
        AxisEntry {
            name: TURNS,
            allowed: TURNS_ALLOWED,
            default: Some(AUTO),
            tasks: &[],
        },
        AxisEntry {
            name: PLAYOUTS,
            allowed: PLAYOUTS_ALLOWED,
            default: None,
            tasks: &[Task::Playouts],
        },
        AxisEntry {
            name: EFFORT,
            allowed: Effort::ALLOWED,
            default: None,
            tasks: &[Task::Choose, Task::Match],
        },
    ],
    options: &[BOARDS],
    tasks: &[Task::Playouts, Task::Choose, Task::Match],
    check_axis,
    check: |case, options| Asked::new(case, options).map(drop),
    understand,
    replay: replay_match::<Annexation>,
};

fn understand(_: &Case, _: &Params, text: Option<&str>) -> Result<Understood, String> {
    let Some(text) = text else {
        return Ok(Understood::start());
    };
    Ok(Understood {
        form: Form::Board.word(),
        position: Some(Standing::parse(text)?.to_string()),
        note: "",
    })
}

const BOARD: &str = "board";
const BOARD_ALLOWED: &str = "hex7, hex200, hex1000, hex200-merged or hex1000-merged";
const TURNS: &str = "turns";
const AUTO: &str = "auto";
const TURNS_ALLOWED: &str = "both players' turns of a game: auto (60 below 50 cells, 200 below 500, else 400), or a \
     whole number from 0 to 65535";
const PLAYOUTS: &str = "playouts";
const PLAYOUTS_ALLOWED: &str = "of each board, a whole number from 0 to 10^12";
const MOST_PLAYOUTS: i64 = 1_000_000_000_000;
const EFFORT: &str = "effort";
const _: () = assert!(BOARDS_A_KIND == 16);

whole_numbers! {
    number BOARDS, read_boards: "boards", 1..=16, "1", "how many boards of the kind, from 1 to 16";
}

/// A case with the game's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The kind of the boards.
    pub kind: Kind,
    /// Number of boards, numbered from 0.
    pub boards: u32,
    /// Turns of a game; `None` for [`Board::default_turns`].
    pub turns: Option<u32>,
    /// Playouts per board and sample, or 0.
    pub playouts: u64,
    /// Effort per move, if the case has one.
    pub effort: Option<Effort>,
}

impl Asked {
    /// Reads a case and the game's options. Fails with one line that names the key, the value and the allowed values.
    pub fn new(case: &Case, options: &Params) -> Result<Asked, String> {
        Ok(Asked {
            kind: case.get(BOARD).map_or(Ok(Kind::Hex200), read_kind)?,
            boards: options.get(BOARDS.name).map_or(Ok(1), read_boards)? as u32,
            turns: case.get(TURNS).map_or(Ok(None), read_turns)?,
            playouts: case.get(PLAYOUTS).map_or(Ok(0), read_playouts)?,
            effort: case.get(EFFORT).map(Effort::read).transpose()?,
        })
    }

    /// Turns per game on a board.
    pub fn turns_on(&self, board: &Board) -> u32 {
        self.turns.unwrap_or_else(|| board.default_turns())
    }
}

fn read_kind(value: &Value) -> Result<Kind, String> {
    let kind = value.as_text().and_then(Kind::parse);
    kind.ok_or_else(|| format!("{BOARD}: `{value}`; allowed is {BOARD_ALLOWED}"))
}

fn read_turns(value: &Value) -> Result<Option<u32>, String> {
    match (value.as_text(), value.as_int()) {
        (Some(AUTO), _) => Ok(None),
        (_, Some(turns @ 0..=65_535)) => Ok(Some(turns as u32)),
        _ => Err(format!("{TURNS}: `{value}`; allowed are {TURNS_ALLOWED}")),
    }
}

fn read_playouts(value: &Value) -> Result<u64, String> {
    match value.as_int() {
        Some(count @ 0..=MOST_PLAYOUTS) => Ok(count as u64),
        _ => Err(format!(
            "{PLAYOUTS}: `{value}`; allowed is {PLAYOUTS_ALLOWED}"
        )),
    }
}

fn check_axis(axis: &str, value: &Value) -> Result<(), String> {
    match axis {
        BOARD => read_kind(value).map(drop),
        TURNS => read_turns(value).map(drop),
        PLAYOUTS => read_playouts(value).map(drop),
        EFFORT => Effort::read(value).map(drop),
        _ => Err(format!(
            "{axis}: no axis of annexation; allowed are {BOARD}, {TURNS}, {PLAYOUTS} and {EFFORT}"
        )),
    }
}
