//! The game's entry in the catalogue, and what a case asks of it.

use crate::games::reversi::{
    ALLOWED_SIZES, Evaluation, Position, Size, read_mobility, read_weights,
};
use crate::techniques::list::whole_numbers;
use crate::techniques::tasks::asked::{
    Depths, axis_of, check_axis, checked, depth_playouts_effort, understood,
};
use crate::techniques::tasks::remembering::EFFORT;
use crate::techniques::tasks::{Cased, Effort, PLAYOUTS, PLIES, replay_match};
use crate::words::{AxisEntry, Case, GameEntry, ParamEntry, Params, Task, Understood, Value};

/// The game's entry in the catalogue.
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
        DEPTH.axis(),
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
            check: |value| checked(read_weights(value)),
        },
        ParamEntry {
            name: "mobility",
            allowed: "a whole number from 0 to 1000: the worth of a move more than the opponent has",
            default: "10",
            check: |value| checked(read_mobility(value)),
        },
        LINE_DEPTH,
    ],
    tasks: &Task::ALL,
    check_axis: |axis, value| {
        let first = ("board", |value: &Value| read_board(value).map(drop));
        check_axis(("reversi", axis, value), first, &DEPTH)
    },
    check: |case, options| Reversi::read(case, options).map(drop),
    understand,
    replay: replay_match::<Reversi>,
};

pub(super) const DEPTH: Depths = Depths::up_to(30, "a whole number from 1 to 30");

whole_numbers! {
    pub(super) number LINE_DEPTH, read_line_depth: "line-depth", 1..=6, "2",
        "a whole number from 1 to 6: the depth at which `serial` plays the line";
}

/// Reversi in one case, with the game's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversi {
    /// The evaluation, with its board.
    pub evaluation: Evaluation,
    /// Plies of a search or of sequences; 0 for a time or playouts.
    pub depth: u32,
    /// Playouts per sample, or 0.
    pub playouts: u64,
    /// Effort per move, if the case has one.
    pub effort: Option<Effort>,
    /// Depth of the searches that make the line of play.
    pub line_depth: u32,
}

impl Reversi {
    /// The board.
    pub fn size(&self) -> Size {
        self.evaluation.size()
    }
}

impl Cased for Reversi {
    fn read(case: &Case, options: &Params) -> Result<Reversi, String> {
        let size = read_board(axis_of(case, "board")?)?;
        let evaluation = Evaluation::new(size, options).map_err(|error| error.to_string())?;
        let line_depth = options.get(LINE_DEPTH.name);
        let (depth, playouts, effort) = depth_playouts_effort(case, &DEPTH)?;
        Ok(Reversi {
            evaluation,
            depth,
            playouts,
            effort,
            line_depth: line_depth.map_or(Ok(2), read_line_depth)? as u32,
        })
    }

    fn effort(&self) -> Option<Effort> {
        self.effort
    }

    fn playouts(&self) -> u64 {
        self.playouts
    }

    /// A side's discs are one word.
    fn takes_random_games(case: &Case) -> Result<(), String> {
        match case.get("board").map(read_board) {
            Some(Ok(size)) if size != Size::STANDARD => {
                Err(format!("board: `{size}`; random games need 8x8"))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn read_board(value: &Value) -> Result<Size, String> {
    let text = value.to_string();
    text.parse()
        .map_err(|_| format!("board: `{text}`; allowed is {ALLOWED_SIZES}"))
}

pub(super) fn understand(
    case: &Case,
    options: &Params,
    text: Option<&str>,
) -> Result<Understood, String> {
    let size = Reversi::read(case, options)?.size();
    text.map_or(Ok(Understood::start()), |text| {
        understood(Position::read(size, text))
    })
}
