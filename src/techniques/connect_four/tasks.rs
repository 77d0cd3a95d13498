//! Connect Four for the tasks that all games share: its notation, its line of play, and what a
//! technique starts from.

use std::sync::Arc;

use rayon::ThreadPool;

use super::hard::{SMALL_TREE, TREE};
use super::{Asked, Stage};
use crate::games::connect_four::{
    Bits, Board, COLUMNS, Column, Evaluation, Order, Player, Position, RandomBoard, RandomColumns,
    Stones,
};
use crate::games::random_games::Root;
use crate::search::value_of_move;
use crate::techniques::hard::Trial;
use crate::techniques::program::prepare_searched;
use crate::techniques::tasks::host::{Algorithm, Runs, SharedWindow};
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::random_games::{self, Rooted, on_host};
use crate::techniques::tasks::remembering::{self, needs_depth, remembering, value_with_table};
use crate::techniques::tasks::tree_search::TreeGame;
use crate::techniques::tasks::{
    self, Effort, Line, LineAndFacts, Lines, Loads, Play, RandomPlayer, Timed, Turn,
    openings_after, self_play,
};
use crate::techniques::{Sampler, Setup};
use crate::words::Fault;

/// How a technique of Connect Four searches.
pub use crate::techniques::tasks::Searcher;

/// Connect Four as it is played in one case.
pub struct ConnectFour {
    pub(super) asked: Asked,
    /// What the searches on the host work on: the centre first, as every minimax here.
    pub(super) game: Bits,
}

/// The depth from which a move's value is searched with a table: without one, depth 20 takes more than a minute.
const WITH_TABLE_FROM: u32 = 13;

impl ConnectFour {
    fn new(asked: Asked) -> ConnectFour {
        ConnectFour {
            game: Bits::new(&asked.evaluation, Order::CentreFirst),
            asked,
        }
    }
}

/// Makes a technique ready for a cell: reads what is asked, makes its searcher and loads the
/// positions.
///
/// # Errors
/// [`Fault::Input`] where the case, an option or the position makes no sense, and what `searcher`
/// fails with.
pub fn prepare(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&Asked) -> Result<Box<dyn Searcher<ConnectFour>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    needs_depth(asked.effort)?;
    tasks::prepare(setup, ConnectFour::new(asked), |play| searcher(&play.asked))
}

/// [`prepare`] for a technique that also searches for a time.
///
/// # Errors
/// As [`prepare`].
pub(super) fn prepare_timed(
    setup: &Setup<'_>,
    searcher: impl FnOnce(&ConnectFour) -> Result<Box<dyn Timed<ConnectFour>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let effort = asked.effort;
    remembering::prepare_timed(setup, ConnectFour::new(asked), effort, searcher)
}

/// [`prepare`] for a technique with a table of positions: on one core where `threads` is `None`, or else
/// in a pool of its own; the centre first.
pub(super) fn prepare_table(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_timed(setup, |play| remembering(play.game.clone(), threads, setup))
}

/// [`prepare`] for a technique that runs `A`, the centre first: on one core where `threads` is `None`, or else in a
/// pool of its own.
pub(super) fn prepare_on_host<A: Algorithm>(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |asked| {
        let game = Bits::new(&asked.evaluation, Order::CentreFirst);
        Runs::<A>::on(threads).searcher(game)
    })
}

/// Makes a technique that plays at random ready for the task `playouts`.
///
/// # Errors
/// As [`prepare`].
pub(super) fn prepare_random(
    setup: &Setup<'_>,
    player: impl FnOnce(&Position, u64) -> Result<Box<dyn RandomPlayer<ConnectFour>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let count = asked.playouts;
    random_games::prepare(setup, ConnectFour::new(asked), count, |start| {
        player(start, count)
    })
}

/// [`prepare_random`] for the host: one core, or a pool of its own.
pub(super) fn prepare_random_on_host(
    setup: &Setup<'_>,
    pool: Option<ThreadPool>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_random(setup, |_, _| Ok(on_host(RandomColumns, setup.seed, pool)))
}

impl Rooted<ConnectFour> for RandomColumns {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomColumns::root(self, position)
    }
}

impl Roots<ConnectFour> for RandomColumns {
    fn root(&self, position: &Position) -> Stones {
        self.stones(position)
    }
}

impl TreeGame for RandomColumns {
    type Play = ConnectFour;

    const GAME: &'static str = super::GAME.name;
    const KERNEL: &'static str = "connect_four/leaf_playouts.cl";
    const TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5 trees=3", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 lanes=1 group=48", SMALL_TREE),
        Trial::new("leaves=50 playouts=9 lanes=8 blocks=3", SMALL_TREE),
    ];

    fn asked(setup: &Setup<'_>) -> Result<(ConnectFour, RandomColumns, Option<Effort>), Fault> {
        let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
        let effort = asked.effort;
        Ok((ConnectFour::new(asked), RandomColumns, effort))
    }
}

/// Makes a program ready for a cell.
///
/// # Errors
/// As [`prepare`], and where the program fails.
pub fn prepare_program(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let rules = || ConnectFour::new(asked.clone());
    prepare_searched(setup, rules, asked.playouts, asked.effort)
}

impl Loads<ConnectFour> for Bits {
    fn load(&self, position: &Position) -> Board {
        Bits::load(self, position)
    }
}

/// The columns' names.
const NAMES: [&str; COLUMNS] = ["1", "2", "3", "4", "5", "6", "7"];

impl Play for ConnectFour {
    type Position = Position;
    type Move = Column;

    fn game(&self) -> &'static str {
        super::GAME.name
    }

    fn depth(&self) -> u32 {
        self.asked.depth
    }

    fn start(&self) -> Position {
        Position::start()
    }

    fn identity(&self, position: &Position) -> String {
        format!("{:?}", self.game.load(position).stones())
    }

    /// The different positions after three plies, in an order that was drawn once for all.
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
        NAMES[mv.index()].to_owned()
    }

    fn find(&self, _: &Position, name: &str) -> Option<Column> {
        Column::new(NAMES.iter().position(|known| *known == name)?)
    }

    fn first_to_move(&self, position: &Position) -> bool {
        position.mover() == Player::First
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        match position.winner() {
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
        let (board, depth) = (self.game.load(position), self.asked.depth);
        Ok(if depth < WITH_TABLE_FROM {
            value_of_move(&self.game, &board, mv, depth).into()
        } else {
            value_with_table(&self.game, &board, mv, depth)
        })
    }

    /// The game that `serial` plays against itself at the option `line-depth`: the same for every
    /// depth of the case, so that the times of two depths are of the same positions. The stage
    /// says which of them are searched.
    fn line(&self) -> Result<LineAndFacts<Position>, Fault> {
        static LINES: Lines<(Evaluation, u32), Position> = Lines::new();
        let Asked {
            evaluation,
            stage,
            line_depth,
            ..
        } = &self.asked;
        let whole = LINES.get((evaluation.clone(), *line_depth), || {
            self_play::<SharedWindow, _, _>(self, &self.game, *line_depth)
        });
        let last = whole.positions.len().saturating_sub(1);
        let line = match stage {
            Stage::First => part(&whole, 0..1),
            Stage::Last => part(&whole, last..last + 1),
            Stage::Average => whole,
        };
        let case = format!("stage={}", stage.word());
        let facts = vec![
            (
                case.clone(),
                "positions".into(),
                line.positions.len() as f64,
            ),
            (case, "branching-factor".into(), line.branching_factor()),
        ];
        Ok((line, facts))
    }
}

/// Some of a line's positions; the moves stay those of the whole game.
fn part(whole: &Line<Position>, places: std::ops::Range<usize>) -> Arc<Line<Position>> {
    Arc::new(Line {
        positions: whole.positions[places.clone()].to_vec(),
        choices: whole.choices[places].to_vec(),
        moves: whole.moves.clone(),
    })
}
