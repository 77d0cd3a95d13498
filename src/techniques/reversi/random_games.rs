//! Random games of reversi on 8x8, and trees grown by them.

use super::hard::{SMALL_TREE, TREE};
use super::tasks::Reversi;
use super::{Asked, check_board};
use crate::games::random_games::Root;
use crate::games::reversi::{Discs, Position, RandomBoard, RandomSquares};
use crate::techniques::Setup;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::Effort;
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::random_games::Rooted;
use crate::techniques::tasks::tree_search::TreeGame;
use crate::words::Fault;

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

const TREES: &[Trial] = &[
    Trial::new("", TREE),
    Trial::new("leaves=100 playouts=5 trees=3", SMALL_TREE),
    Trial::new("leaves=7 playouts=64 lanes=1 group=48", SMALL_TREE),
    Trial::new("leaves=50 playouts=9 lanes=8 blocks=3", SMALL_TREE),
];

impl TreeGame for RandomSquares {
    type Play = Reversi;

    const GAME: &'static str = super::GAME.name;
    const KERNEL: &'static str = "reversi/leaf_playouts.cl";
    const TRIALS: &'static [Trial] = TREES;

    fn asked(setup: &Setup<'_>) -> Result<(Reversi, RandomSquares, Option<Effort>), Fault> {
        check_board(setup.case).map_err(Fault::Unsupported)?;
        let asked = Asked::new(setup.case, setup.options).map_err(Fault::Input)?;
        let effort = asked.effort;
        Ok((Reversi { asked }, RandomSquares, effort))
    }
}
