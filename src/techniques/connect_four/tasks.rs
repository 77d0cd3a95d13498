//! Implements the common tasks for Connect Four.

use std::sync::Arc;

use super::hard::{FEW_PLAYOUTS, PLAYOUTS as GAMES, SMALL_TREE, TREE};
use crate::games::connect_four::{
    Bits, Board, COLUMNS, Column, Evaluation, Order, Player, Position, RandomBoard, RandomColumns,
    SQUARES_ALLOWED, WORTH_ALLOWED, read_squares, read_worth,
};
use crate::games::random_games::Root;
use crate::search::LONGEST_MOVE_SETS;
use crate::techniques::prelude::*;
use crate::techniques::tasks::blocks::{BlockGame, board_layout, halves, trials};
use crate::techniques::tasks::cased::{Amount, Depths, amount_of, check_axis, checked, understood};
use crate::techniques::tasks::device_leaves::GamesLayout;
use crate::techniques::tasks::flat_refill::{self, RefillGame};
use crate::techniques::tasks::host::{Kit, OnGame, OnOrdered, SharedWindow, positions, value_of};
use crate::techniques::tasks::host_table::EFFORT;
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::random_games::Rooted;
use crate::techniques::tasks::tree_search::BoardTree;
use crate::techniques::tasks::{
    Cased, LineAndFacts, Lines, Loads, PLAYOUTS, PLIES, Play, Turn, kept_line, openings_after,
    replay_match,
};
pub use crate::techniques::tasks::{Searcher, prepare_search};
use crate::words::{AxisEntry, GameEntry, Understood};

impl Kit for ConnectFour {
    type SelfPlay = SharedWindow;
    const WITH_TABLE_FROM: u32 = 13;

    fn on_fastest<V: OnGame<ConnectFour>>(&self, visitor: V) -> V::Output {
        visitor.on(self.game.clone())
    }

    fn on_ordered<V: OnOrdered<ConnectFour>>(&self, visitor: V) -> V::Output {
        visitor.on_ordered(self.game.clone())
    }
}

impl Rooted<ConnectFour> for RandomColumns {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomColumns::root(self, position)
    }
}

impl RefillGame<ConnectFour> for RandomColumns {
    const RULES: RandomColumns = RandomColumns;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        needs: "local memory for three words per first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", GAMES),
        Trial::new("lanes=1 group=48", FEW_PLAYOUTS),
        Trial::new("lanes=8", FEW_PLAYOUTS),
        Trial::new("lanes=16 group=16", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "connect_four/flat_refill.cl";

    fn most_moves(&self) -> usize {
        COLUMNS
    }

    fn child_words(&self) -> usize {
        4
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.stones, board.live, board.won]);
    }
}

impl Roots<ConnectFour> for RandomColumns {
    fn root(&self, position: &Position) -> [u64; 2] {
        position.words()
    }
}

impl BoardTree for RandomColumns {
    type Play = ConnectFour;

    const LEAF_KERNEL: &'static str = "connect_four/leaf_playouts.cl";
    const LEAF_TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 lanes=1 group=48", SMALL_TREE),
        Trial::new("leaves=50 playouts=9 lanes=8", SMALL_TREE),
    ];

    fn rules(_: &ConnectFour) -> Result<RandomColumns, Fault> {
        Ok(RandomColumns)
    }
}

impl BlockGame for RandomColumns {
    const KERNEL: &'static str = "connect_four/mcts_block.cl";
    const WORDS: usize = 4;
    const TRIALS: &'static [Trial] =
        &trials(TREE, SMALL_TREE, "groups=1 group=16 lanes=8 nodes=300");

    fn pack(&self, stones: &[u64; 2], words: &mut Vec<u32>) {
        words.extend(halves(*stones));
    }

    fn layout(&self, params: &Params, device: &Device) -> Result<(GamesLayout, String), Fault> {
        board_layout::<Self>(params, device, Defines::new())
    }
}

impl Loads<ConnectFour> for Bits {
    fn load(&self, position: &Position) -> Board {
        Bits::load(self, position)
    }
}

impl Play for ConnectFour {
    type Position = Position;
    type Move = Column;

    const GAME: &str = self::GAME.name;

    fn start(&self) -> Position {
        Position::start()
    }

    fn identity(&self, position: &Position) -> String {
        format!("{:?}", self.game.load(position).stones())
    }

    /// Returns the distinct positions after three plies, in a fixed random order.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(openings_after(self, 3))
    }

    fn moves(&self, position: &Position) -> Vec<Column> {
        position.legal_moves().into_iter().collect()
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        Position::parse(text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Column) -> String {
        (mv.index() + 1).to_string()
    }

    fn find(&self, _: &Position, name: &str) -> Option<Column> {
        Column::all().find(|column| self.name(*column) == name)
    }

    fn first_to_move(&self, position: &Position) -> bool {
        position.mover() == Player::First
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        match position.winner {
            Some(Player::First) => Turn::Over(1),
            Some(Player::Second) => Turn::Over(-1),
            None if position.is_over() => Turn::Over(0),
            None => Turn::Move,
        }
    }

    fn play(&self, position: &Position, mv: Column) -> Option<Position> {
        position.play(mv)
    }

    fn value_of(&self, position: &Position, mv: Column) -> Result<i64, Fault> {
        Ok(value_of(self, position, mv))
    }

    /// Returns the game that `serial` plays against itself at depth `line-depth`, limited to the stage's positions.
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<Evaluation, Position> = Lines::new(Default::default);
        let whole = kept_line(&LINES, self, (self.evaluation.clone(), self.line_depth))?;
        let last = whole.positions.len().saturating_sub(1);
        let line = match self.stage {
            Stage::First => Arc::new(whole.at(&[0])?),
            Stage::Last => Arc::new(whole.at(&[last])?),
            Stage::Average => whole,
        };
        let case = format!("stage={}", self.stage.word());
        let factor = line.branching_factor();
        let facts = vec![
            positions(case.clone(), &line),
            (case, "branching-factor".into(), factor),
        ];
        Ok((line, facts))
    }
}

/// The game's entry in the catalogue.
pub const GAME: GameEntry = GameEntry {
    name: "connect-four",
    summary: "Connect Four on seven columns of six squares, with values for squares, twos and threes",
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
    understand: |_, _, text| {
        text.map_or(Ok(Understood::start()), |text| {
            understood(Position::read(text))
        })
    },
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

/// Selects the positions that the task `game` searches. The paper's timings have a row for each variant ("Results").
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

    /// Returns the name of the stage on the axis.
    pub fn word(self) -> &'static str {
        match self {
            Stage::First => "first",
            Stage::Last => "last",
            Stage::Average => "average",
        }
    }
}

/// Connect Four, as defined by a case and the game's options.
#[derive(Clone)]
pub struct ConnectFour {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// The game for searches on the host, which try the centre first.
    pub game: Bits,
    /// Selects the positions that the task `game` searches.
    pub stage: Stage,
    /// Amount of work per sample.
    pub amount: Amount,
    /// Depth of the searches that produce the line of play.
    pub line_depth: u32,
}

impl Cased for ConnectFour {
    fn read(case: &Case, options: &Params) -> Result<ConnectFour, String> {
        let line_depth = options.get(LINE_DEPTH.name);
        let amount = amount_of(case, &DEPTH)?;
        let evaluation = Evaluation::new(options).map_err(|error| error.to_string())?;
        Ok(ConnectFour {
            game: Bits::new(&evaluation, Order::CentreFirst),
            evaluation,
            stage: case.get(STAGE).map_or(Ok(Stage::First), Stage::read)?,
            amount,
            line_depth: line_depth.map_or(Ok(8), read_line_depth)? as u32,
        })
    }

    fn amount(&self) -> Amount {
        self.amount
    }
}

/// Refuses depths at which sums may overflow. Serves as [`TechniqueEntry::check`](crate::words::TechniqueEntry::check).
pub(super) fn takes_move_sets(case: &Case, _params: &Params) -> Result<(), String> {
    match case.int("depth") {
        Some(depth) if depth > i64::from(LONGEST_MOVE_SETS) => Err(format!(
            "depth: `{depth}`; it goes through all sequences, at most {LONGEST_MOVE_SETS} plies"
        )),
        _ => Ok(()),
    }
}
