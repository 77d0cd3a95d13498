//! The game's entry in the catalogue, and what a case asks of it.

use crate::games::connect_four::{
    Bits, Evaluation, Order, Position, SQUARES_ALLOWED, WORTH_ALLOWED, read_squares, read_worth,
};
use crate::search::LONGEST_MOVE_SETS;
use crate::techniques::list::whole_numbers;
use crate::techniques::tasks::asked::{
    Depths, check_axis, checked, depth_playouts_effort, understood,
};
use crate::techniques::tasks::remembering::EFFORT;
use crate::techniques::tasks::{Cased, Effort, PLAYOUTS, PLIES, replay_match};
use crate::words::{AxisEntry, Case, GameEntry, ParamEntry, Params, Task, Understood, Value};

/// The game's entry in the catalogue.
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
        DEPTH.axis(),
        PLIES,
        EFFORT,
        PLAYOUTS,
    ],
    options: &[
        ParamEntry {
            name: "squares",
            allowed: SQUARES_ALLOWED,
            default: "the lines of four through each square, 3 to 13",
            check: |value| checked(read_squares(value)),
        },
        ParamEntry {
            name: "two",
            allowed: WORTH_ALLOWED,
            default: "10",
            check: |value| checked(read_worth("two", value)),
        },
        ParamEntry {
            name: "three",
            allowed: WORTH_ALLOWED,
            default: "50",
            check: |value| checked(read_worth("three", value)),
        },
        LINE_DEPTH,
    ],
    tasks: &Task::ALL,
    check_axis: |axis, value| {
        let first = (STAGE, |value: &Value| Stage::read(value).map(drop));
        check_axis(("connect-four", axis, value), first, &DEPTH)
    },
    check: |case, options| ConnectFour::read(case, options).map(drop),
    understand,
    replay: replay_match::<ConnectFour>,
};

pub(super) const STAGE: &str = "stage";
pub(super) const STAGES_ALLOWED: &str = "what the task `game` searches: first (the empty board), last (the last position of the line of \
     play) or average (all of its positions)";

pub(super) const DEPTH: Depths = Depths::up_to(20, "a whole number from 1 to 20");

whole_numbers! {
    pub(super) number LINE_DEPTH, read_line_depth: "line-depth", 1..=12, "8",
        "a whole number from 1 to 12: the depth at which `serial` plays the line";
}

/// Positions of the line that the task `game` searches: the rows of the paper's timings ("Results").
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

    /// Word on the axis.
    pub fn word(self) -> &'static str {
        match self {
            Stage::First => "first",
            Stage::Last => "last",
            Stage::Average => "average",
        }
    }
}

/// Connect Four in one case, with the game's options.
#[derive(Clone)]
pub struct ConnectFour {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// The game of the host's searches, centre first.
    pub game: Bits,
    /// Positions of the line that the task `game` searches.
    pub stage: Stage,
    /// Plies of a search or of sequences; 0 for a time or playouts.
    pub depth: u32,
    /// Playouts per sample, or 0.
    pub playouts: u64,
    /// Effort per move, if the case has one.
    pub effort: Option<Effort>,
    /// Depth of the searches that make the line of play.
    pub line_depth: u32,
}

impl Cased for ConnectFour {
    fn read(case: &Case, options: &Params) -> Result<ConnectFour, String> {
        let line_depth = options.get(LINE_DEPTH.name);
        let (depth, playouts, effort) = depth_playouts_effort(case, &DEPTH)?;
        let evaluation = Evaluation::new(options).map_err(|error| error.to_string())?;
        Ok(ConnectFour {
            game: Bits::new(&evaluation, Order::CentreFirst),
            evaluation,
            stage: case.get(STAGE).map_or(Ok(Stage::First), Stage::read)?,
            depth,
            playouts,
            effort,
            line_depth: line_depth.map_or(Ok(8), read_line_depth)? as u32,
        })
    }

    fn effort(&self) -> Option<Effort> {
        self.effort
    }

    fn playouts(&self) -> u64 {
        self.playouts
    }
}

/// [`TechniqueEntry::check`](crate::words::TechniqueEntry::check) against depths whose sums may overflow 64 bits.
pub(super) fn takes_move_sets(case: &Case, _params: &Params) -> Result<(), String> {
    match case.int("depth") {
        Some(depth) if depth > i64::from(LONGEST_MOVE_SETS) => Err(format!(
            "depth: `{depth}`; it goes through all sequences, at most {LONGEST_MOVE_SETS} plies"
        )),
        _ => Ok(()),
    }
}

pub(super) fn understand(_: &Case, _: &Params, text: Option<&str>) -> Result<Understood, String> {
    text.map_or(Ok(Understood::start()), |text| {
        understood(Position::read(text))
    })
}
