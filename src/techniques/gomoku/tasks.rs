//! Gomoku for the common tasks.

use rayon::ThreadPool;

use super::Asked;
use super::hard::{SMALL_TREE, TREE};
use crate::games::Keyed;
use crate::games::gomoku::{
    Colour, Evaluation, LeafStones, Position, RandomBoard, RandomStones, Representation, Square,
    Stones, Visit, VisitKeyed, carried, fastest,
};
use crate::games::random_games::Root;
use crate::search::value_of_move;
use crate::techniques::hard::Trial;
use crate::techniques::program::prepare_searched;
use crate::techniques::tasks::flat_refill::GROUP;
use crate::techniques::tasks::host::NullWindow;
use crate::techniques::tasks::mcts::{C, LEAVES, PLAYOUTS, Roots, TREES};
use crate::techniques::tasks::random_games::{self, Rooted, on_host};
use crate::techniques::tasks::remembering::{
    needs_depth, prepare_timed, remembering, value_with_table,
};
use crate::techniques::tasks::tree_search::{BLOCKS, TreeGame};
use crate::techniques::tasks::{
    self, Effort, Line, LineAndFacts, Lines, Loads, Play, RandomPlayer, Timed, Turn,
    openings_after, self_play,
};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, DEVICES, Fault, ParamEntry, Params};

/// Searches in gomoku.
pub use crate::techniques::tasks::Searcher;

/// Gomoku in one case.
pub struct Gomoku {
    pub(super) asked: Asked,
}

impl Gomoku {
    fn new(asked: Asked) -> Gomoku {
        Gomoku { asked }
    }
}

/// Prepares a technique for a cell: makes its searcher and loads the positions. Fails with [`Fault::Input`] for an
/// invalid case, option or position, or as `searcher`.
pub fn prepare(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&Asked) -> Result<Box<dyn Searcher<Gomoku>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    needs_depth(asked.effort)?;
    tasks::prepare(setup, Gomoku::new(asked), |play| searcher(&play.asked))
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
    V: VisitKeyed<Output = Result<Box<dyn Timed<Gomoku>>, Fault>>,
{
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let effort = asked.effort;
    prepare_timed(setup, Gomoku::new(asked), effort, |play| {
        carried(&play.asked.evaluation, visitor(play)?)
    })
}

/// Prepares random play for the task `playouts`. Fails as [`prepare`].
pub(super) fn prepare_random(
    setup: &Setup<'_>,
    player: impl FnOnce(&Position, u64) -> Result<Box<dyn RandomPlayer<Gomoku>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let count = asked.playouts;
    random_games::prepare(setup, Gomoku::new(asked), count, |start| {
        player(start, count)
    })
}

pub(super) fn prepare_random_on_host(
    setup: &Setup<'_>,
    pool: Option<ThreadPool>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_random(setup, |_, _| Ok(on_host(RandomStones, setup.seed, pool)))
}

impl Rooted<Gomoku> for RandomStones {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomStones::root(self, position)
    }
}

impl Roots<Gomoku> for LeafStones {
    fn root(&self, position: &Position) -> Stones {
        self.stones(position)
    }
}

impl TreeGame for LeafStones {
    type Play = Gomoku;

    const GAME: &'static str = super::GAME.name;
    const KERNEL: &'static str = "gomoku/leaf_playouts.cl";
    const PARAMS: &'static [ParamEntry] = &[LEAVES, PLAYOUTS, C, TREES, GROUP, BLOCKS, DEVICES];
    const TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5 trees=3", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 group=48 blocks=1", SMALL_TREE),
    ];

    fn asked(setup: &Setup<'_>) -> Result<(Gomoku, LeafStones, Option<Effort>), Fault> {
        let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
        asked.takes_random_games().map_err(Fault::Unsupported)?;
        let game = LeafStones::new(asked.size());
        let game = game.ok_or_else(|| Fault::Unsupported("board: too large".into()))?;
        let effort = asked.effort;
        Ok((Gomoku::new(asked), game, effort))
    }
}

struct OnTable<'a> {
    threads: Option<usize>,
    setup: &'a Setup<'a>,
}

impl VisitKeyed for OnTable<'_> {
    type Output = Result<Box<dyn Timed<Gomoku>>, Fault>;

    fn visit_keyed<R: Representation + Keyed + Clone>(self, game: R) -> Self::Output {
        remembering(game, self.threads, self.setup)
    }
}

/// Prepares a program. Fails as [`prepare`], or if the program fails.
pub fn prepare_program(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let rules = || Gomoku::new(asked.clone());
    prepare_searched(setup, rules, asked.playouts, asked.effort)
}

/// Replays the games of a match. Fails with one line that names the first wrong game.
pub fn replay(case: &Case, options: &Params, games: &[(i64, String)]) -> Result<usize, String> {
    let asked = Asked::new(case, options)?;
    tasks::replay(&Gomoku::new(asked), games)
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

impl VisitKeyed for ValueOf<'_> {
    type Output = i64;

    fn visit_keyed<R: Representation + Keyed + Clone>(self, game: R) -> i64 {
        let position = Representation::load(&game, self.position);
        value_with_table(&game, &position, self.mv, self.depth)
    }
}
