//! Implements the common tasks for checkers.

use crate::games::checkers::{
    CAPTURE_ALLOWED, Checkers, Colour, DRAW_AFTER_ALLOWED, Move, Position, Rules, read_capture,
    read_draw_after,
};
use crate::techniques::prelude::*;
pub use crate::techniques::tasks::RandomPlayer;
use crate::techniques::tasks::cased::{self, Amount, Depths, amount_of, checked, understood};
use crate::techniques::tasks::host::{Kit, OnGame, OnOrdered, SharedWindow, positions, value_of};
use crate::techniques::tasks::host_table::EFFORT;
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::{
    Cased, LineAndFacts, Lines, Loads, Made, PLAYOUTS, PLIES, Play, Playing, Turn, kept_line,
    openings_after, prepare, replay_match,
};
use crate::words::{AxisEntry, GameEntry, Understood};

/// Prepares playouts or flat Monte Carlo. `batches` is the range of batch sizes, from the first batch to the largest.
pub fn prepare_flat(
    setup: &Setup<'_>,
    batches: std::ops::Range<u64>,
    player: impl FnOnce(&Draughts) -> Playing<Draughts>,
) -> Prepared {
    prepare(setup, |play: &Draughts, _| {
        Ok(Made::Games(player(play)?, batches))
    })
}

impl Kit for Draughts {
    type SelfPlay = SharedWindow;
    const WITH_TABLE_FROM: u32 = 12;

    fn on_fastest<V: OnGame<Draughts>>(&self, visitor: V) -> V::Output {
        visitor.on(self.game)
    }

    fn on_ordered<V: OnOrdered<Draughts>>(&self, visitor: V) -> V::Output {
        visitor.on_ordered(self.game)
    }
}

impl Loads<Draughts> for Checkers {
    fn load(&self, position: &Position) -> Position {
        *position
    }
}

impl Roots<Draughts> for Checkers {
    fn root(&self, position: &Position) -> Position {
        *position
    }
}

impl Play for Draughts {
    type Position = Position;
    type Move = Move;

    const GAME: &str = self::GAME.name;
    const SEPARATOR: &str = " ";

    fn start(&self) -> Position {
        self.position
    }

    /// Returns the 302 positions after three plies.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(openings_after(self, 3))
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        self.game.parse(text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Move) -> String {
        mv.to_string()
    }

    fn find(&self, position: &Position, name: &str) -> Option<Move> {
        self.game.find_move(position, 1, name).ok()
    }

    fn first_to_move(&self, position: &Position) -> bool {
        position.mover == Colour::Black
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        if self.game.legal_moves(position).len() == 0 {
            return Turn::Over(if self.first_to_move(position) { -1 } else { 1 });
        }
        if self.game.is_over(position) {
            return Turn::Over(0);
        }
        Turn::Move
    }

    fn play(&self, position: &Position, mv: Move) -> Option<Position> {
        let game = &self.game;
        let legal = !game.is_over(position) && game.legal_moves(position).any(|own| own == mv);
        legal.then(|| game.play(position, mv))
    }

    fn moves(&self, position: &Position) -> Vec<Move> {
        match self.turn(position) {
            Turn::Move => self.game.legal_moves(position).collect(),
            _ => Vec::new(),
        }
    }

    fn value_of(&self, position: &Position, mv: Move) -> Result<i64, Fault> {
        Ok(value_of(self, position, mv))
    }

    /// Returns the game that `serial` plays against itself at the depth set by the option `line-depth`.
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<Rules, Position> = Lines::new(Default::default);
        let line = kept_line(&LINES, self, (*self.game.rules(), self.line_depth))?;
        let factor = line.branching_factor();
        let facts = vec![
            (String::new(), "branching-factor".into(), factor),
            positions(String::new(), &line),
        ];
        Ok((line, facts))
    }
}

/// The game's entry in the catalogue.
pub const GAME: GameEntry = GameEntry {
    name: "checkers",
    summary: "American checkers with forced captures, draws after plies without a capture, and terms from Samuel's evaluation",
    axes: &[
        AxisEntry {
            name: POSITION,
            allowed: POSITION_ALLOWED,
            default: Some(START),
            tasks: &[Task::Playouts, Task::Choose],
        },
        DEPTH.axis(),
        PLIES,
        EFFORT,
        PLAYOUTS,
        AxisEntry {
            name: RULES,
            allowed: RULES_ALLOWED,
            default: Some(BY_OPTIONS),
            tasks: &[],
        },
    ],
    options: &[
        ParamEntry {
            name: "capture",
            allowed: CAPTURE_ALLOWED,
            default: "longest",
            check: |value| checked(read_capture(value)),
        },
        ParamEntry {
            name: "draw-after",
            allowed: DRAW_AFTER_ALLOWED,
            default: "50",
            check: |value| checked(read_draw_after(value)),
        },
        LINE_DEPTH,
    ],
    tasks: &Task::ALL,
    check_axis,
    check: |case, options| Draughts::read(case, options).map(drop),
    understand,
    replay: replay_match::<Draughts>,
};

pub(super) fn understand(
    case: &Case,
    options: &Params,
    text: Option<&str>,
) -> Result<Understood, String> {
    let of_case = case.get(POSITION).and_then(Value::as_text);
    match text.or(of_case.filter(|text| *text != START)) {
        None => Ok(Understood::start()),
        Some(text) => understood(Draughts::read(case, options)?.game.read(text)),
    }
}

pub(super) const POSITION: &str = "position";
pub(super) const START: &str = "start";
pub(super) const POSITION_ALLOWED: &str =
    "start, or a position in PDN's FEN (`B:W21,22,K30:B1,2,K5`)";
pub(super) const DEPTH: Depths = Depths::up_to(31, "a whole number from 1 to 31");
pub(super) const RULES: &str = "rules";
pub(super) const BY_OPTIONS: &str = "options";
pub(super) const RULES_ALLOWED: &str = "longest-50 (the paper's: any of the longest captures, a draw after 50 plies without one), any-80 \
     (any complete capture, 80 plies) or options (what the options capture and draw-after say, the paper's where they \
     say nothing)";

whole_numbers! {
    pub(super) number LINE_DEPTH, read_line_depth: "line-depth", 1..=12, "6",
        "a whole number from 1 to 12: the depth at which `serial` plays the line";
}

/// Checkers, as defined by a case and the game's options.
#[derive(Clone, Debug)]
pub struct Draughts {
    /// The game with the rules of the case.
    pub game: Checkers,
    /// The position from which playouts or a choice start.
    pub position: Position,
    /// Amount of work per sample.
    pub amount: Amount,
    /// Depth of the searches that produce the line of play.
    pub line_depth: u32,
}

impl Cased for Draughts {
    fn read(case: &Case, options: &Params) -> Result<Draughts, String> {
        let rules = match case.get(RULES).map(read_rules).transpose()?.flatten() {
            None => Rules::new(options).map_err(|error| error.to_string())?,
            Some(rules) => match options.keys().find(|key| OF_RULES.contains(&key.as_str())) {
                None => rules,
                Some(key) => {
                    return Err(format!(
                        "{key}: the axis {RULES} says which; allowed is one of them"
                    ));
                }
            },
        };
        let game = Checkers::new(rules);
        let position = case.get(POSITION).map(|value| read_position(&game, value));
        let line_depth = options.get(LINE_DEPTH.name);
        Ok(Draughts {
            game,
            position: position.transpose()?.unwrap_or_else(Position::start),
            amount: amount_of(case, &DEPTH)?,
            line_depth: line_depth.map_or(Ok(6), read_line_depth)? as u32,
        })
    }

    /// Uses the position of the case for playouts and choices.
    fn of_cell(setup: &Setup<'_>) -> Result<(Draughts, Vec<Position>), Fault> {
        let mut play = Draughts::read(setup.case, setup.options).map_err(Fault::Input)?;
        if let Some(text) = setup.position {
            let text = Value::Text(text.to_owned());
            play.position = read_position(&play.game, &text).map_err(Fault::Input)?;
        }
        let positions = vec![play.position];
        Ok((play, positions))
    }

    fn amount(&self) -> Amount {
        self.amount
    }
}

/// The options that the axis `rules` replaces.
pub(super) const OF_RULES: [&str; 2] = ["capture", "draw-after"];

/// Reads a value of the axis `rules`. Returns `None` if the options define the rules.
pub(super) fn read_rules(value: &Value) -> Result<Option<Rules>, String> {
    match value.as_text() {
        Some("longest-50") => Ok(Some(Rules::default())),
        Some("any-80") => Ok(Some(Rules::any_80())),
        Some(BY_OPTIONS) => Ok(None),
        _ => Err(format!("{RULES}: `{value}`; allowed is {RULES_ALLOWED}")),
    }
}

pub(super) fn read_position(game: &Checkers, value: &Value) -> Result<Position, String> {
    match value.as_text() {
        Some(START) => Ok(Position::start()),
        Some(text) => game.parse(text).map_err(|error| error.to_string()),
        None => Err(format!(
            "{POSITION}: `{value}`; allowed is {POSITION_ALLOWED}"
        )),
    }
}

pub(super) fn check_axis(axis: &str, value: &Value) -> Result<(), String> {
    if axis == RULES {
        return read_rules(value).map(drop);
    }
    let position = |value: &Value| read_position(&Checkers::default(), value).map(drop);
    cased::check_axis((self::GAME.name, axis, value), (POSITION, position), &DEPTH)
}
