//! Annexation: its entry in the catalogue, and its techniques.

mod groups;
pub mod hard;
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
pub use play::Asked;

use play::{
    AUTO, BOARD, BOARD_ALLOWED, BOARDS, EFFORT, NAME, PLAYOUTS, PLAYOUTS_ALLOWED, TURNS,
    TURNS_ALLOWED, check_axis,
};

use super::list::techniques;
use super::tasks::{Effort, replay_match};
use crate::games::text::Form;
use crate::words::{AxisEntry, Case, GameEntry, Params, Task, Understood};

techniques! {
    host(SERIAL, RAYON, SERIAL_SLICED, RAYON_SLICED, SERIAL_LEGAL),
    frames(FRAMES, BUFFER, READBACK),
    sliced,
    trees(SERIAL, BATCHED_SERIAL, MCTS),
}

/// The game's entry in the catalogue.
pub const GAME: GameEntry = GameEntry {
    name: NAME,
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
