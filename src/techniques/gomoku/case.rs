//! The game's entry in the catalogue, and what a case asks of it.

use crate::games::gomoku::{
    ALLOWED_SIZES, Evaluation, LONGEST_RANDOM, Position, Size, read_moves, read_shapes,
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
    name: "gomoku",
    summary: "Gomoku on boards from 5x5 to 32x32, seven shapes of stones; white replies to the first stone",
    axes: &[
        AxisEntry {
            name: "board",
            allowed: ALLOWED_SIZES,
            default: Some("15x15"),
            tasks: &[],
        },
        DEPTH.axis(),
        PLIES,
        EFFORT,
        PLAYOUTS,
    ],
    options: &[
        ParamEntry {
            name: "shapes",
            allowed: "6 whole numbers from 0 to 100000: the worth of a live four, dead four, live three, dead \
                      three, live two, dead two",
            default: "[10000, 1000, 1000, 100, 100, 10]",
            check: |value| checked(read_shapes(value)),
        },
        ParamEntry {
            name: "moves",
            allowed: "all (every empty square) or adjacent (those next to a stone)",
            default: "all",
            check: |value| checked(read_moves(value)),
        },
        LINE_DEPTH,
    ],
    tasks: &Task::ALL,
    check_axis: |axis, value| {
        let first = ("board", |value: &Value| read_board(value).map(drop));
        check_axis(("gomoku", axis, value), first, &DEPTH)
    },
    check: |case, options| Gomoku::read(case, options).map(drop),
    understand,
    replay: replay_match::<Gomoku>,
};

pub(super) const DEPTH: Depths = Depths::up_to(8, "a whole number from 1 to 8");

whole_numbers! {
    pub(super) number LINE_DEPTH, read_line_depth: "line-depth", 1..=8, "the case's depth",
        "a whole number from 1 to 8: the depth at which `serial` plays the line";
}

/// Gomoku in one case, with the game's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    /// The evaluation, with its board and the moves to try.
    pub evaluation: Evaluation,
    /// Plies of a search or of sequences; 0 for a time or playouts.
    pub depth: u32,
    /// Depth of the searches that make the line of play.
    pub line_depth: u32,
    /// Playouts per sample, or 0.
    pub playouts: u64,
    /// Effort per move, if the case has one.
    pub effort: Option<Effort>,
}

impl Cased for Gomoku {
    fn read(case: &Case, options: &Params) -> Result<Gomoku, String> {
        let size = read_board(axis_of(case, "board")?)?;
        let evaluation = Evaluation::new(size, options).map_err(|error| error.to_string())?;
        let line_depth = options.get(LINE_DEPTH.name);
        let (depth, playouts, effort) = depth_playouts_effort(case, &DEPTH)?;
        let play = Gomoku {
            evaluation,
            depth,
            line_depth: line_depth.map_or(Ok(depth as usize), read_line_depth)? as u32,
            playouts,
            effort,
        };
        if case.get(PLAYOUTS.name).is_some() {
            play.takes_random_games()?;
        }
        Ok(play)
    }

    fn effort(&self) -> Option<Effort> {
        self.effort
    }

    fn playouts(&self) -> u64 {
        self.playouts
    }
}

impl Gomoku {
    /// Refuses a board without random games.
    pub(super) fn takes_random_games(&self) -> Result<(), String> {
        let size = self.size();
        if size.side() <= LONGEST_RANDOM {
            return Ok(());
        }
        Err(format!(
            "board: `{size}`; random games are played on boards of at most {LONGEST_RANDOM}x{LONGEST_RANDOM}"
        ))
    }

    /// The board.
    pub fn size(&self) -> Size {
        self.evaluation.size()
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
    let size = Gomoku::read(case, options)?.size();
    match text {
        Some(text) => understood(Position::read(size, text)),
        None => Ok(Understood {
            note: "from the board with black's first stone; --position empty is the empty board",
            ..Understood::start()
        }),
    }
}
