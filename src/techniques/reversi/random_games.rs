//! Random games of reversi and trees grown by them, on every board.

use rayon::ThreadPool;

use super::Asked;
use super::hard::{SMALL_TREE, TREE};
use super::tasks::{Reversi, prepare_random};
use crate::games::random_games::Root;
use crate::games::reversi::{
    Discs, Position, RandomBoard, RandomRows, RandomRowsBoard, RandomSquares, Size, TreeRows, Word,
};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::OnDevice;
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::random_games::{Rooted, on_host};
use crate::techniques::tasks::tree_search::TreeGame;
use crate::techniques::tasks::{Effort, RandomPlayer};
use crate::techniques::{Sampler, Setup};
use crate::words::Fault;

/// [`prepare_random`] for the host: one core, or a pool of its own.
pub(super) fn prepare_random_on_host(
    setup: &Setup<'_>,
    pool: Option<ThreadPool>,
) -> Result<Box<dyn Sampler>, Fault> {
    let seed = setup.seed;
    prepare_random(setup, |start, _| {
        Ok(random_game_of(start.size(), OnHost { seed, pool }))
    })
}

/// Makes the player of whatever random game it visits.
struct OnHost {
    seed: u64,
    pool: Option<ThreadPool>,
}

impl VisitRandom for OnHost {
    type Output = Box<dyn RandomPlayer<Reversi>>;

    fn visit<G: OnDevice<Reversi>>(self, game: G) -> Self::Output {
        on_host(game, self.seed, self.pool)
    }
}

/// What is done with the random game of a board.
pub(super) trait VisitRandom {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<G: OnDevice<Reversi>>(self, game: G) -> Self::Output;
}

/// Visits the random game of boards of a size: a word for 8x8, a word a rank for the others.
pub(super) fn random_game_of<V: VisitRandom>(size: Size, visitor: V) -> V::Output {
    match (size.width(), size.height()) {
        (8, 8) => visitor.visit(RandomSquares),
        (..=16, _) => visitor.visit(RandomRows::<u16>::new(size)),
        (..=32, _) => visitor.visit(RandomRows::<u32>::new(size)),
        _ => visitor.visit(RandomRows::<u64>::new(size)),
    }
}

impl<W: Word> Rooted<Reversi> for RandomRows<W> {
    fn root(&self, position: &Position) -> Root<RandomRowsBoard> {
        RandomRows::root(self, position)
    }
}

impl Rooted<Reversi> for RandomSquares {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomSquares::root(self, position)
    }
}

impl Roots<Reversi> for RandomSquares {
    fn root(&self, position: &Position) -> Discs {
        self.discs(position)
    }
}

impl<W: Word, const H: usize> Roots<Reversi> for TreeRows<W, H> {
    fn root(&self, position: &Position) -> Self::Position {
        self.load(position)
    }
}

/// Boards from the smallest to those of a rank of two words.
const TREES: &[Trial] = &[
    Trial::new("", TREE),
    Trial::new("leaves=100 playouts=5 trees=3", SMALL_TREE),
    Trial::new("leaves=7 playouts=64 lanes=1 group=48", SMALL_TREE),
    Trial::new("leaves=50 playouts=9 lanes=8 blocks=3", SMALL_TREE),
];

fn asked_of_tree(setup: &Setup<'_>) -> Result<(Reversi, Option<Effort>), Fault> {
    let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
    let effort = asked.effort;
    Ok((Reversi { asked }, effort))
}

impl TreeGame for RandomSquares {
    type Play = Reversi;

    const GAME: &'static str = super::GAME.name;
    const KERNEL: &'static str = "reversi/leaf_playouts.cl";
    const TRIALS: &'static [Trial] = TREES;

    fn asked(setup: &Setup<'_>) -> Result<(Reversi, RandomSquares, Option<Effort>), Fault> {
        let (play, effort) = asked_of_tree(setup)?;
        Ok((play, RandomSquares, effort))
    }
}

impl<W: Word, const H: usize> TreeGame for TreeRows<W, H> {
    type Play = Reversi;

    const GAME: &'static str = super::GAME.name;
    const KERNEL: &'static str = "reversi/leaf_playouts_rows.cl";
    const TRIALS: &'static [Trial] = TREES;

    fn asked(setup: &Setup<'_>) -> Result<(Reversi, TreeRows<W, H>, Option<Effort>), Fault> {
        let (play, effort) = asked_of_tree(setup)?;
        let rules = TreeRows::new(&play.asked.evaluation);
        Ok((play, rules, effort))
    }
}

/// A technique's preparation.
type Prepare = fn(&Setup<'_>) -> Result<Box<dyn Sampler>, Fault>;

/// Prepares a tree search on the cell's board: the preparations are for 8x8, and for other boards of at most 16, 32 and 64
/// files and ranks.
///
/// # Errors
/// As the one that is taken.
pub(super) fn prepare_on_board(
    setup: &Setup<'_>,
    [standard, to_16, to_32, to_64]: [Prepare; 4],
) -> Result<Box<dyn Sampler>, Fault> {
    let size = asked_of_tree(setup)?.0.asked.size();
    let prepare = match (size.width(), size.height()) {
        (8, 8) => standard,
        (..=16, ..=16) => to_16,
        (..=32, ..=32) => to_32,
        _ => to_64,
    };
    prepare(setup)
}

/// A tree search of reversi on every board, made by a function of [`tree_search`](crate::techniques::tasks::tree_search).
macro_rules! on_every_board {
    ($of:ident) => {{
        use crate::games::reversi::{RandomSquares, TreeRows};
        use crate::techniques::tasks::tree_search;
        crate::techniques::Technique {
            prepare: |setup| {
                let all = [
                    tree_search::$of::<RandomSquares>().prepare,
                    tree_search::$of::<TreeRows<u16, 16>>().prepare,
                    tree_search::$of::<TreeRows<u32, 32>>().prepare,
                    tree_search::$of::<TreeRows<u64, 64>>().prepare,
                ];
                crate::techniques::reversi::random_games::prepare_on_board(setup, all)
            },
            ..tree_search::$of::<RandomSquares>()
        }
    }};
}
pub(super) use on_every_board;
