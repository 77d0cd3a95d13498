//! Gomoku for the common tasks.

use super::Asked;
use super::hard::{FEW_PLAYOUTS, PLAYOUTS as GAMES, SMALL_TREE, TREE};
use crate::games::OrderedGame;
use crate::games::gomoku::{
    Colour, Evaluation, LONGEST_RANDOM, LeafStones, Position, RANDOM_BOARD_WORDS, RandomBoard,
    RandomStones, Representation, Square, Stones, Visit, VisitOrdered, carried, fastest,
};
use crate::games::random_games::Root;
use crate::opencl::Device;
use crate::search::value_of_move;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::{BlockGame, BlockLayout, board_layout, halves, trials};
use crate::techniques::tasks::flat_refill::{self, GROUP, OnDevice};
use crate::techniques::tasks::host::NullWindow;
use crate::techniques::tasks::mcts::{C, LEAVES, PLAYOUTS, Roots, TREES};
use crate::techniques::tasks::random_games::Rooted;
use crate::techniques::tasks::remembering::{remembering, value_with_table};
use crate::techniques::tasks::tree_search::{BLOCKS, BoardTree};
use crate::techniques::tasks::{
    Cased, Effort, Line, LineAndFacts, Lines, Loads, Play, Timed, Turn, openings_after,
    prepare_search, prepare_timed, self_play,
};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, DEVICES, Fault, ParamEntry, Params, TechniqueEntry};

/// Searches in gomoku.
pub use crate::techniques::tasks::Searcher;

/// Gomoku in one case.
#[derive(Clone)]
pub struct Gomoku {
    pub(super) asked: Asked,
}

impl Gomoku {
    fn new(asked: Asked) -> Gomoku {
        Gomoku { asked }
    }
}

impl Cased for Gomoku {
    fn read(case: &Case, options: &Params) -> Result<Gomoku, String> {
        Asked::new(case, options).map(Gomoku::new)
    }

    fn effort(&self) -> Option<Effort> {
        self.asked.effort
    }

    fn playouts(&self) -> u64 {
        self.asked.playouts
    }
}

/// [`prepare_search`] from the case.
pub fn prepare(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&Asked) -> Result<Box<dyn Searcher<Gomoku>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_search(setup, |play: &Gomoku| searcher(&play.asked))
}

/// [`prepare`] with a transposition table: on one core, or in a pool of `threads`.
pub(super) fn prepare_table(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_carried(setup, |_| Ok(OnTable { threads, setup }))
}

/// [`prepare`] for a technique that also searches for a time, on carried gains.
pub(super) fn prepare_carried<V>(
    setup: &Setup<'_>,
    visitor: impl FnOnce(&Gomoku) -> Result<V, Fault>,
) -> Result<Box<dyn Sampler>, Fault>
where
    V: VisitOrdered<Output = Result<Box<dyn Timed<Gomoku>>, Fault>>,
{
    prepare_timed(setup, |play: &Gomoku| {
        carried(&play.asked.evaluation, visitor(play)?)
    })
}

impl Rooted<Gomoku> for RandomStones {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomStones::root(self, position)
    }
}

/// Local memory holds 632 bytes per game: the empty squares and the lines.
impl OnDevice<Gomoku> for RandomStones {
    const RULES: RandomStones = RandomStones;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        game: "gomoku",
        summary: "random games from all moves in one launch, up to 16x16; a work-item whose game has ended takes the next",
        needs: "local memory for a game, 632 bytes, and three words a first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", GAMES),
        Trial::new("lanes=1 group=48 words=3", FEW_PLAYOUTS),
        Trial::new("lanes=8 words=5 items=4", FEW_PLAYOUTS),
        Trial::new("group=16 words=2 items=64", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "gomoku/flat_refill.cl";
    const USUAL_WORDS: usize = 16;

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

    const GAME: &'static str = super::GAME.name;
    const LEAF_KERNEL: &'static str = "gomoku/leaf_playouts.cl";
    const LEAF_PARAMS: &'static [ParamEntry] =
        &[LEAVES, PLAYOUTS, C, TREES, GROUP, BLOCKS, DEVICES];
    const LEAF_TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5 trees=3", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 group=48 blocks=1", SMALL_TREE),
    ];

    fn rules(play: &Gomoku) -> Result<LeafStones, Fault> {
        let asked = &play.asked;
        asked.takes_random_games().map_err(Fault::Unsupported)?;
        let game = LeafStones::new(asked.size());
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

    fn layout(&self, params: &Params, device: &Device) -> Result<BlockLayout, Fault> {
        board_layout(
            self,
            params,
            device,
            vec![("SQUARES", self.squares().count().to_string())],
        )
    }
}

struct OnTable<'a> {
    threads: Option<usize>,
    setup: &'a Setup<'a>,
}

impl VisitOrdered for OnTable<'_> {
    type Output = Result<Box<dyn Timed<Gomoku>>, Fault>;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> Self::Output {
        remembering(game, self.threads, self.setup)
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

    fn game(&self) -> &'static str {
        super::GAME.name
    }

    fn depth(&self) -> u32 {
        self.asked.depth
    }

    /// The paper's "given an input move" (section 6.1): black's first stone.
    fn start(&self) -> Position {
        Position::first_stone(self.asked.size())
    }

    fn identity(&self, position: &Position) -> String {
        let stones = position.size().all().map(|square| position.at(square));
        format!("{:?}", stones.collect::<Vec<_>>())
    }

    /// With an effort, the positions after white's first stone, in a fixed random order, as players open equally and
    /// differ later. A game's record starts with both stones.
    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(match self.asked.effort {
            Some(_) => openings_after(self, 1),
            None => vec![self.start()],
        })
    }

    fn moves(&self, position: &Position) -> Vec<Square> {
        position.legal_moves()
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        Position::parse(self.asked.size(), text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Square) -> String {
        self.asked.size().name(mv)
    }

    fn find(&self, _: &Position, name: &str) -> Option<Square> {
        self.asked.size().find(name)
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
        let depth = self.asked.depth;
        let value = ValueOf {
            position,
            mv,
            depth,
        };
        Ok(if depth < WITH_TABLE_FROM {
            fastest(&self.asked.evaluation, value)
        } else {
            carried(&self.asked.evaluation, value)
        })
    }

    /// The game of `serial` against itself at the case's depth (the paper's section 7.8). Every technique plays it, as
    /// all answer with the first best move.
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<(Evaluation, u32), Position> = Lines::new();
        let Asked {
            evaluation,
            depth,
            line_depth,
            ..
        } = &self.asked;
        let line = LINES.get((evaluation.clone(), *line_depth), || {
            fastest(evaluation, SelfPlay { play: self })
        });
        let case = format!("board={} depth={depth}", self.asked.size());
        let facts = vec![(case, "positions".into(), line.positions.len() as f64)];
        Ok((line, facts))
    }
}

struct SelfPlay<'a> {
    play: &'a Gomoku,
}

impl Visit for SelfPlay<'_> {
    type Output = Line<Position>;

    fn visit<R: Representation>(self, game: R) -> Line<Position> {
        self_play::<NullWindow, _, _>(self.play, &game, self.play.asked.line_depth)
    }
}

/// Depth from which a move's value is searched with a table. Without one, depth 6 on 15x15 takes minutes.
const WITH_TABLE_FROM: u32 = 6;

struct ValueOf<'a> {
    position: &'a Position,
    mv: Square,
    depth: u32,
}

impl Visit for ValueOf<'_> {
    type Output = i64;

    fn visit<R: Representation>(self, game: R) -> i64 {
        let position = Representation::load(&game, self.position);
        value_of_move(&game, &position, self.mv, self.depth).into()
    }
}

impl VisitOrdered for ValueOf<'_> {
    type Output = i64;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> i64 {
        let position = Representation::load(&game, self.position);
        value_with_table(&game, &position, self.mv, self.depth)
    }
}
