//! Implements [`Play`] for Annexation.

use std::sync::Arc;

use super::notation::{PASS, Standing};
use crate::games::annexation::{BOARDS_A_KIND, Board, COLOURS, Kind, Player};
use crate::games::text::Form;
use crate::techniques::prelude::*;
use crate::techniques::tasks::cased::{Amount, understood};
use crate::techniques::tasks::{Cased, Effort, PLAYOUTS, Play, Turn, read_playouts, replay_match};
use crate::words::{AxisEntry, GameEntry, Understood};

/// Annexation, as defined by a case.
#[derive(Clone, Debug)]
pub struct Annexation {
    /// The case and its options.
    pub asked: Asked,
    /// The first position.
    pub start: Standing,
    /// The boards at the start. Later in a game, the remaining boards are never larger.
    pub boards: Vec<Arc<Board>>,
}

/// Returns the start positions of the first `count` boards of the case's kind.
pub(super) fn starts(asked: &Asked, count: u32) -> Result<Vec<Standing>, Fault> {
    let start = |number| Standing::start(asked.kind, number).map_err(Fault::Input);
    (0..count).map(start).collect()
}

impl Annexation {
    fn is_over(&self, standing: &Standing) -> bool {
        let position = standing.position();
        position.turn >= self.asked.turns_on(position.board()) || position.is_decided()
    }
}

impl Cased for Annexation {
    fn read(case: &Case, options: &Params) -> Result<Annexation, String> {
        let asked = Asked::new(case, options)?;
        let start = Standing::start(asked.kind, 0)?;
        Ok(Annexation {
            asked,
            boards: vec![Arc::clone(start.position().board())],
            start,
        })
    }

    fn of_cell(setup: &Setup<'_>) -> Result<(Annexation, Vec<Standing>), Fault> {
        let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
        let positions = match setup.position {
            Some(text) => vec![Standing::parse(text).map_err(Fault::Input)?],
            None => starts(&asked, asked.boards)?,
        };
        // A match uses all boards of the kind.
        let mut all = match setup.task {
            Task::Playouts => Vec::new(),
            _ => starts(&asked, BOARDS_A_KIND)?,
        };
        all.extend_from_slice(&positions);
        let board = |standing: &Standing| Arc::clone(standing.position().board());
        let play = Annexation {
            asked,
            start: positions[0].clone(),
            boards: all.iter().map(board).collect(),
        };
        Ok((play, positions))
    }

    fn amount(&self) -> Amount {
        self.asked.amount
    }
}

impl Play for Annexation {
    type Position = Standing;
    type Move = u8;

    const GAME: &str = self::GAME.name;

    fn start(&self) -> Standing {
        self.start.clone()
    }

    fn openings(&self) -> Result<Vec<Standing>, Fault> {
        starts(&self.asked, BOARDS_A_KIND)
    }

    fn parse(&self, text: &str) -> Result<Standing, String> {
        Standing::parse(text)
    }

    fn name(&self, mv: u8) -> String {
        mv.to_string()
    }

    fn find(&self, _: &Standing, name: &str) -> Option<u8> {
        (0..COLOURS as u8).find(|colour| colour.to_string() == name)
    }

    fn first_to_move(&self, standing: &Standing) -> bool {
        standing.position().mover() == Player::First
    }

    fn turn(&self, standing: &Standing) -> Turn<Standing> {
        if self.is_over(standing) {
            return Turn::Over(standing.lead());
        }
        if standing.colours().is_empty() {
            return Turn::Pass(standing.pass(), PASS);
        }
        Turn::Move
    }

    fn play(&self, standing: &Standing, mv: u8) -> Option<Standing> {
        let legal = !self.is_over(standing) && standing.colours().contains(&mv);
        legal.then(|| standing.play(mv))
    }

    /// Returns only the legal colours, because any other colour would waste the turn.
    fn moves(&self, standing: &Standing) -> Vec<u8> {
        if self.is_over(standing) {
            return Vec::new();
        }
        standing.colours()
    }
}

/// The game's entry in the catalogue.
pub const GAME: GameEntry = GameEntry {
    name: "annexation",
    summary: "a game on a graph of cells, in which players name colours to annex adjacent cells",
    axes: AXES,
    options: &[BOARDS],
    tasks: &[Task::Playouts, Task::Choose, Task::Match],
    check_axis,
    check: |case, options| Asked::new(case, options).map(drop),
    understand: |_, _, text| {
        let board = |text| Standing::parse(text).map(|position| (position, Form::Board));
        text.map_or(Ok(Understood::start()), |text| understood(board(text)))
    },
    replay: replay_match::<Annexation>,
};

const AXES: &[AxisEntry] = &[
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
        allowed: "a whole number per board from 0 to 10^12",
        ..PLAYOUTS
    },
    AxisEntry {
        name: EFFORT,
        allowed: Effort::ALLOWED,
        default: None,
        tasks: &[Task::Choose, Task::Match],
    },
];

pub(super) const BOARD: &str = "board";
const BOARD_ALLOWED: &str = "hex7, hex200, hex1000, hex200-merged or hex1000-merged";
pub(super) const TURNS: &str = "turns";
const AUTO: &str = "auto";
const TURNS_ALLOWED: &str = "turns of both players per game: auto (60 below 50 cells, 200 below 500, else 400), or a \
     whole number from 0 to 65535";
const EFFORT: &str = "effort";
const _: () = assert!(BOARDS_A_KIND == 16);

whole_numbers! {
    pub(super) number BOARDS, read_boards: "boards", 1..=16, "1", "the number of boards of the kind, from 1 to 16";
}

/// A case with the game's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Kind of the boards.
    pub kind: Kind,
    /// Number of boards, numbered from 0.
    pub boards: u32,
    /// Number of turns per game, or `None` for [`Board::default_turns`].
    pub turns: Option<u32>,
    /// Amount of work per sample. The number of playouts is per board.
    pub amount: Amount,
}

impl Asked {
    /// Reads a case and the game's options. The error is one line with the key, the value and the allowed values.
    pub fn new(case: &Case, options: &Params) -> Result<Asked, String> {
        let kind = |value: &Value| {
            let kind = value.as_text().and_then(Kind::parse);
            kind.ok_or_else(|| format!("{BOARD}: `{value}`; allowed is {BOARD_ALLOWED}"))
        };
        let turns = |value: &Value| match (value.as_text(), value.as_int()) {
            (Some(AUTO), _) => Ok(None),
            (_, Some(turns @ 0..=65_535)) => Ok(Some(turns as u32)),
            _ => Err(format!("{TURNS}: `{value}`; allowed are {TURNS_ALLOWED}")),
        };
        let playouts = case.get(PLAYOUTS.name).map(read_playouts).transpose()?;
        Ok(Asked {
            kind: case.get(BOARD).map_or(Ok(Kind::Hex200), kind)?,
            boards: options.get(BOARDS.name).map_or(Ok(1), read_boards)? as u32,
            turns: case.get(TURNS).map_or(Ok(None), turns)?,
            amount: Amount {
                depth: 0,
                playouts: playouts.unwrap_or(0),
                effort: case.get(EFFORT).map(Effort::read).transpose()?,
            },
        })
    }

    /// Returns the number of turns per game on a board.
    pub fn turns_on(&self, board: &Board) -> u32 {
        self.turns.unwrap_or_else(|| board.default_turns())
    }
}

fn check_axis(axis: &str, value: &Value) -> Result<(), String> {
    if AXES.iter().all(|entry| entry.name != axis) {
        let names = AXES.iter().map(|entry| entry.name).collect::<Vec<_>>();
        let names = names.join(", ");
        return Err(format!(
            "{axis}: no axis of annexation; allowed are {names}"
        ));
    }
    let case = Case(vec![(axis.to_owned(), value.clone())]);
    Asked::new(&case, &Params::new()).map(drop)
}
