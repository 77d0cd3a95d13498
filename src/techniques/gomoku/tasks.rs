//! Implements the common tasks for gomoku.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS as GAMES, SMALL_TREE, TREE};
use crate::games::gomoku::{
    ALLOWED_SIZES, Colour, Evaluation, LONGEST_RANDOM, LeafStones, Position, RANDOM_BOARD_WORDS,
    RandomBoard, RandomStones, Representation, Size, Square, Stones, Visit, VisitOrdered, carried,
    fastest, read_moves, read_shapes,
};
use crate::games::random_games::Root;
use crate::techniques::prelude::*;
use crate::techniques::tasks::blocks::{BlockGame, board_layout, halves, trials};
use crate::techniques::tasks::cased::{
    Amount, Depths, amount_of, axis_of, check_axis, checked, understood,
};
use crate::techniques::tasks::device_leaves::GamesLayout;
use crate::techniques::tasks::flat_refill::{self, GROUP, RefillGame};
use crate::techniques::tasks::host::{Kit, NullWindow, OnGame, OnOrdered, positions, value_of};
use crate::techniques::tasks::host_table::EFFORT;
use crate::techniques::tasks::mcts::{self, LEAVES, Roots};
use crate::techniques::tasks::random_games::Rooted;
use crate::techniques::tasks::tree_search::BoardTree;
use crate::techniques::tasks::{
    Cased, LineAndFacts, Lines, Loads, PLAYOUTS, PLIES, Play, Turn, kept_line, openings_after,
    replay_match,
};
pub use crate::techniques::tasks::{Searcher, prepare_search};
use crate::words::{AxisEntry, GameEntry, Understood};

/// Calls an [`OnGame`] with the representation of a board.
pub(super) struct On<V>(pub V);

impl<V: OnGame<Gomoku>> Visit for On<V> {
    type Output = V::Output;

    fn visit<R: Representation>(self, game: R) -> V::Output {
        self.0.on(game)
    }
}

impl<V: OnOrdered<Gomoku>> VisitOrdered for On<V> {
    type Output = V::Output;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> V::Output {
        self.0.on_ordered(game)
    }
}

impl Kit for Gomoku {
    type SelfPlay = NullWindow;
    const WITH_TABLE_FROM: u32 = 6;

    fn on_fastest<V: OnGame<Gomoku>>(&self, visitor: V) -> V::Output {
        fastest(&self.evaluation, On(visitor))
    }

    fn on_ordered<V: OnOrdered<Gomoku>>(&self, visitor: V) -> V::Output {
        carried(&self.evaluation, On(visitor))
    }
}

impl Rooted<Gomoku> for RandomStones {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomStones::root(self, position)
    }
}

/// For each game, local memory holds the empty squares and the lines (632 bytes).
impl RefillGame<Gomoku> for RandomStones {
    const RULES: RandomStones = RandomStones;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        summary: "random games from all moves in one launch, in which idle work-items take the next game (up to 16x16)",
        needs: "local memory: 632 bytes per game, and three words per first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", GAMES),
        Trial::new("lanes=1 group=48", FEW_PLAYOUTS),
        Trial::new("lanes=8", FEW_PLAYOUTS),
        Trial::new("group=16", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "gomoku/flat_refill.cl";
    const WORDS: usize = 16;

    fn most_moves(&self) -> usize {
        LONGEST_RANDOM * LONGEST_RANDOM
    }

    fn child_words(&self) -> usize {
        RANDOM_BOARD_WORDS / 2
    }

    fn room_bytes(&self) -> usize {
        4 * (RANDOM_BOARD_WORDS - 2)
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        let pairs = board.words();
        let pairs = pairs.as_chunks::<2>().0.iter();
        words.extend(pairs.map(|[low, high]| u64::from(*low) | u64::from(*high) << 32));
    }
}

impl Roots<Gomoku> for LeafStones {
    fn root(&self, position: &Position) -> Stones {
        Stones::of(position)
    }
}

impl BoardTree for LeafStones {
    type Play = Gomoku;

    const LEAF_KERNEL: &'static str = "gomoku/leaf_playouts.cl";
    const LEAF_PARAMS: &'static [ParamEntry] = &[LEAVES, mcts::PLAYOUTS, GROUP, DEVICES];
    const LEAF_TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 group=48", SMALL_TREE),
    ];

    fn rules(play: &Gomoku) -> Result<LeafStones, Fault> {
        play.takes_random_games().map_err(Fault::Unsupported)?;
        let game = LeafStones::new(play.size());
        game.ok_or_else(|| Fault::Unsupported("board: too large".into()))
    }
}

impl BlockGame for LeafStones {
    const KERNEL: &'static str = "gomoku/mcts_block.cl";
    const WORDS: usize = 16;
    const NEEDS: &'static str =
        "80 bytes of global memory for each node of each group; local memory for a game, 632 bytes";
    const TRIALS: &'static [Trial] =
        &trials(TREE, SMALL_TREE, "groups=1 group=4 lanes=8 nodes=300");

    fn pack(&self, stones: &Stones, words: &mut Vec<u32>) {
        for rows in [&stones.own, &stones.other] {
            let fours = rows.as_chunks::<4>().0.iter();
            words.extend(halves(fours.map(|rows| {
                let rows = rows.iter().rev();
                rows.fold(0, |word, row| word << 16 | u64::from(*row))
            })));
        }
    }

    fn tables(&self, words: &mut Vec<u32>) {
        let mut squares: Vec<u8> = self.squares().collect();
        squares.resize(squares.len().next_multiple_of(8), 0);
        let fours = squares.as_chunks().0.iter();
        words.extend(fours.map(|four| u32::from_le_bytes(*four)));
    }

    fn layout(&self, params: &Params, device: &Device) -> Result<(GamesLayout, String), Fault> {
        board_layout::<Self>(
            params,
            device,
            vec![("SQUARES", self.squares().count().to_string())],
        )
    }
}

impl<R: Representation> Loads<Gomoku> for R {
    fn load(&self, position: &Position) -> R::Position {
        Representation::load(self, position)
    }
}

impl Play for Gomoku {
    type Position = Position;
    type Move = Square;

    const GAME: &str = self::GAME.name;

    /// Returns the board after Black's first stone, the paper's "given an input move" (section 6.1).
    fn start(&self) -> Position {
        Position::first_stone(self.size())
    }

    fn identity(&self, position: &Position) -> String {
        let stones = position.size().all().map(|square| position.at(square));
        format!("{:?}", stones.collect::<Vec<_>>())
    }

    /// If the case has an effort, returns the positions after White's first stone in a fixed random order, because
    /// players would otherwise repeat a game. The record of a game starts with both stones.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(match self.amount.effort {
            Some(_) => openings_after(self, 1),
            None => vec![self.start()],
        })
    }

    fn moves(&self, position: &Position) -> Vec<Square> {
        position.legal_moves()
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        Position::parse(self.size(), text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Square) -> String {
        self.size().name(mv)
    }

    fn find(&self, _: &Position, name: &str) -> Option<Square> {
        self.size().find(name)
    }

    fn first_to_move(&self, position: &Position) -> bool {
        position.mover() == Colour::Black
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        if position.has_five() {
            let black_won = position.mover() == Colour::White;
            Turn::Over(if black_won { 1 } else { -1 })
        } else if position.is_over() {
            Turn::Over(0)
        } else {
            Turn::Move
        }
    }

    fn play(&self, position: &Position, mv: Square) -> Option<Position> {
        position.play(mv)
    }

    fn value_of(&self, position: &Position, mv: Square) -> Result<i64, Fault> {
        Ok(value_of(self, position, mv))
    }

    /// Returns the game that `serial` plays against itself at depth `line-depth` (section 7.8), for all techniques.
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<Evaluation, Position> = Lines::new(Default::default);
        let line = kept_line(&LINES, self, (self.evaluation.clone(), self.line_depth))?;
        let case = format!("board={} depth={}", self.size(), self.amount.depth);
        let facts = vec![positions(case, &line)];
        Ok((line, facts))
    }
}

/// The game's entry in the catalogue.
pub const GAME: GameEntry = GameEntry {
    name: "gomoku",
    summary: "Gomoku on boards from 5x5 to 32x32, with seven shapes of stones",
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
            allowed: "6 whole numbers from 0 to 100000: the values of a live four, dead four, live three, dead three, live two, dead two",
            default: "[10000, 1000, 1000, 100, 100, 10]",
            check: |value| checked(read_shapes(value)),
        },
        ParamEntry {
            name: "moves",
            allowed: "all (every empty square) or adjacent (squares next to a stone)",
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

/// Gomoku, as defined by a case and the game's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    /// The evaluation, which also defines the board and the moves to try.
    pub evaluation: Evaluation,
    /// Depth of the searches that produce the line of play.
    pub line_depth: u32,
    /// Amount of work per sample.
    pub amount: Amount,
}

impl Cased for Gomoku {
    fn read(case: &Case, options: &Params) -> Result<Gomoku, String> {
        let size = read_board(axis_of(case, "board")?)?;
        let evaluation = Evaluation::new(size, options).map_err(|error| error.to_string())?;
        let line_depth = options.get(LINE_DEPTH.name);
        let amount = amount_of(case, &DEPTH)?;
        let play = Gomoku {
            evaluation,
            line_depth: line_depth.map_or(Ok(amount.depth as usize), read_line_depth)? as u32,
            amount,
        };
        if case.get(PLAYOUTS.name).is_some() {
            play.takes_random_games()?;
        }
        Ok(play)
    }

    fn amount(&self) -> Amount {
        self.amount
    }
}

impl Gomoku {
    /// Refuses boards that are too large for random games.
    pub(super) fn takes_random_games(&self) -> Result<(), String> {
        let size = self.size();
        if size.side() <= LONGEST_RANDOM {
            return Ok(());
        }
        Err(format!(
            "board: `{size}`; random games are played on boards of at most {LONGEST_RANDOM}x{LONGEST_RANDOM}"
        ))
    }

    /// Returns the size of the board.
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
