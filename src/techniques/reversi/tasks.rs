//! Implements the common tasks for reversi.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS as GAMES, SMALL_TREE, TREE};
use crate::games::random_games::Root;
use crate::games::reversi::{
    ALLOWED_SIZES, Colour, Evaluation, PASS, Position, RandomBoard, RandomSquares, Representation,
    Size, Square, Visit, VisitOrdered, fastest, read_mobility, read_weights,
};
use crate::search::FixedWindow;
use crate::techniques::prelude::*;
pub use crate::techniques::tasks::Searcher;
use crate::techniques::tasks::blocks::{BlockGame, board_layout, halves, trials};
use crate::techniques::tasks::cased::{
    Amount, Depths, amount_of, axis_of, check_axis, checked, understood,
};
use crate::techniques::tasks::device_leaves::GamesLayout;
use crate::techniques::tasks::flat_refill::{self, RefillGame};
use crate::techniques::tasks::host::{Kit, OnGame, OnOrdered, SharedWindow, positions, value_of};
use crate::techniques::tasks::host_table::EFFORT;
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::random_games::Rooted;
use crate::techniques::tasks::tree_search::BoardTree;
use crate::techniques::tasks::{
    Cased, LineAndFacts, Lines, Loads, PLAYOUTS, PLIES, Play, Splits, Splitting, Turn, kept_line,
    openings_after, replay_match,
};
use crate::words::{AxisEntry, GameEntry, Understood};

/// Searches the siblings of principal-variation nodes on a device, for any representation of the board.
pub trait DeviceSplit: Send + 'static {
    /// Searches siblings like [`Siblings::search`]. Fails if the device fails.
    fn split<R: Representation>(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault>;

    /// Returns the telemetry since the last call.
    fn telemetry(&mut self) -> Telemetry;
}

impl<R: Representation, S: DeviceSplit> Siblings<R> for S {
    type Fault = Fault;

    fn search(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        self.split(node, scores)
    }
}

impl<R: Representation, S: DeviceSplit> Splits<R> for S {
    fn telemetry(&mut self) -> Telemetry {
        DeviceSplit::telemetry(self)
    }
}

/// Searches siblings on the threads of a pool. All siblings keep the initial window.
pub fn search_on_threads<R: Representation>(
    pool: &ThreadPool,
    node: &SplitNode<'_, R>,
    scores: &mut Vec<i32>,
) -> Result<Counters, Fault> {
    let Ok(counters) = pool.install(|| FixedWindow.search(node, scores));
    Ok(counters)
}

/// Prepares a PV-split that searches siblings with `siblings`. Fails like [`prepare_search`].
pub fn prepare_split<S: DeviceSplit>(
    setup: &Setup<'_>,
    siblings: impl FnOnce(&Reversi) -> Result<S, Fault>,
) -> Prepared {
    prepare_search(setup, |play: &Reversi| {
        let siblings = siblings(play)?;
        let depth = play.amount.depth;
        fastest(&play.evaluation, Split { siblings, depth })
    })
}

/// Creates a searcher for a PV-split to `depth` with these siblings.
pub(super) struct Split<S> {
    pub siblings: S,
    pub depth: u32,
}

impl<S: DeviceSplit> Visit for Split<S> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let start = Representation::load(&game, &Position::start(game.size()));
        Ok(Box::new(Splitting::warmed(
            game,
            Box::new(self.siblings),
            &start,
            self.depth.min(1),
        )?))
    }
}

impl<R: Representation> Loads<Reversi> for R {
    fn load(&self, position: &Position) -> R::Position {
        Representation::load(self, position)
    }
}

/// Calls an [`OnGame`] with the representation of a board.
pub(super) struct On<V>(pub V);

impl<V: OnGame<Reversi>> Visit for On<V> {
    type Output = V::Output;

    fn visit<R: Representation>(self, game: R) -> V::Output {
        self.0.on(game)
    }
}

struct Ordered<V>(V);

impl<V: OnOrdered<Reversi>> VisitOrdered for Ordered<V> {
    type Output = V::Output;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> V::Output {
        self.0.on_ordered(game)
    }
}

impl Kit for Reversi {
    type SelfPlay = SharedWindow;
    const WITH_TABLE_FROM: u32 = 11;

    fn on_fastest<V: OnGame<Reversi>>(&self, visitor: V) -> V::Output {
        fastest(&self.evaluation, On(visitor))
    }

    fn on_ordered<V: OnOrdered<Reversi>>(&self, visitor: V) -> V::Output {
        fastest(&self.evaluation, Ordered(visitor))
    }
}

impl Play for Reversi {
    type Position = Position;
    type Move = Square;

    const GAME: &str = self::GAME.name;

    fn start(&self) -> Position {
        Position::start(self.size())
    }

    /// If the case has an effort, returns the distinct positions after four plies in a fixed random order, because
    /// players would otherwise repeat a game. The record of a game starts with its board.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(match self.amount.effort {
            Some(_) => openings_after(self, 4),
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
        position.mover == Colour::Black
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        if !position.legal_moves().is_empty() {
            Turn::Move
        } else if position.is_over() {
            let discs = |colour| i64::from(position.discs(colour));
            Turn::Over(discs(Colour::Black) - discs(Colour::White))
        } else {
            Turn::Pass(position.pass(), PASS)
        }
    }

    fn play(&self, position: &Position, mv: Square) -> Option<Position> {
        position.play(mv)
    }

    fn value_of(&self, position: &Position, mv: Square) -> Result<i64, Fault> {
        Ok(value_of(self, position, mv))
    }

    /// Returns the game that `serial` plays against itself at depth `line-depth`. The paper's Table 1 counts its moves.
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<Evaluation, Position> = Lines::new(Default::default);
        let line = kept_line(&LINES, self, (self.evaluation.clone(), self.line_depth))?;
        let board = Value::Text(self.size().to_string());
        let board = Case(vec![("board".into(), board)]).to_string();
        let factor = line.branching_factor();
        let facts = vec![
            (board.clone(), "branching-factor".into(), factor),
            positions(board, &line),
        ];
        Ok((line, facts))
    }
}

/// The game's entry in the catalogue.
pub const GAME: GameEntry = GameEntry {
    name: "reversi",
    summary: "Reversi (Othello) on boards from 4x4 to 64x64, with weighted squares and mobility",
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
            allowed: "8 lists of 8 whole numbers from -1000 to 1000: the weights x 100 of the 8x8 squares, by rows; \
                      other boards use the symmetrised matrix, indexed by distance from the edges",
            default: "Szubert, Jaskowski and Krawiec's",
            check: |value| checked(read_weights(value)),
        },
        ParamEntry {
            name: "mobility",
            allowed: "a whole number from 0 to 1000: value of each legal move in excess of the opponent's",
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
    understand: |case, options, text| {
        let size = Reversi::read(case, options)?.size();
        text.map_or(Ok(Understood::start()), |text| {
            understood(Position::read(size, text))
        })
    },
    replay: replay_match::<Reversi>,
};

pub(super) const DEPTH: Depths = Depths::up_to(30, "a whole number from 1 to 30");

whole_numbers! {
    pub(super) number LINE_DEPTH, read_line_depth: "line-depth", 1..=6, "2",
        "a whole number from 1 to 6: the depth at which `serial` plays the line";
}

/// Reversi, as defined by a case and the game's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversi {
    /// The evaluation, which also defines the board.
    pub evaluation: Evaluation,
    /// Amount of work per sample.
    pub amount: Amount,
    /// Depth of the searches that produce the line of play.
    pub line_depth: u32,
}

impl Reversi {
    /// Returns the size of the board.
    pub fn size(&self) -> Size {
        self.evaluation.size()
    }
}

impl Cased for Reversi {
    fn read(case: &Case, options: &Params) -> Result<Reversi, String> {
        let size = read_board(axis_of(case, "board")?)?;
        let evaluation = Evaluation::new(size, options).map_err(|error| error.to_string())?;
        let line_depth = options.get(LINE_DEPTH.name);
        let amount = amount_of(case, &DEPTH)?;
        Ok(Reversi {
            evaluation,
            amount,
            line_depth: line_depth.map_or(Ok(2), read_line_depth)? as u32,
        })
    }

    fn amount(&self) -> Amount {
        self.amount
    }

    /// Refuses boards on which the discs of a side do not fit in one word.
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

impl Rooted<Reversi> for RandomSquares {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomSquares::root(self, position)
    }
}

impl RefillGame<Reversi> for RandomSquares {
    const RULES: RandomSquares = RandomSquares;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        needs: "8x8; local memory for three words per first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", GAMES),
        Trial::new("lanes=1 group=48", FEW_PLAYOUTS),
        Trial::new("lanes=8", FEW_PLAYOUTS),
        Trial::new("lanes=16 group=16", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "reversi/flat_refill.cl";

    /// Returns a safe limit. We found no position with more than 33 moves.
    fn most_moves(&self) -> usize {
        64
    }

    fn child_words(&self) -> usize {
        3
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.other, board.live]);
    }
}

impl Roots<Reversi> for RandomSquares {
    fn root(&self, position: &Position) -> [u64; 2] {
        position.words()
    }
}

impl BoardTree for RandomSquares {
    type Play = Reversi;

    const LEAF_KERNEL: &'static str = "reversi/leaf_playouts.cl";
    const LEAF_TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 lanes=1 group=48", SMALL_TREE),
        Trial::new("leaves=50 playouts=9 lanes=8", SMALL_TREE),
    ];

    fn rules(_: &Reversi) -> Result<RandomSquares, Fault> {
        Ok(RandomSquares)
    }
}

impl BlockGame for RandomSquares {
    const KERNEL: &'static str = "reversi/mcts_block.cl";
    const WORDS: usize = 4;
    const NEEDS: &'static str = "8x8; 32 bytes of global memory for each node of each group";
    const TRIALS: &'static [Trial] =
        &trials(TREE, SMALL_TREE, "groups=1 group=16 lanes=8 nodes=300");

    fn pack(&self, discs: &[u64; 2], words: &mut Vec<u32>) {
        words.extend(halves(*discs));
    }

    fn layout(&self, params: &Params, device: &Device) -> Result<(GamesLayout, String), Fault> {
        board_layout::<Self>(params, device, Defines::new())
    }
}
