//! Random games of reversi on 8x8, and trees grown by them.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS, SMALL_TREE, TREE};
use super::tasks::Reversi;
use crate::games::random_games::Root;
use crate::games::reversi::{Position, RandomBoard, RandomSquares};
use crate::opencl::{Defines, Device};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::{BlockGame, BlockLayout, board_layout, halves, trials};
use crate::techniques::tasks::flat_refill::{self, OnDevice};
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::random_games::Rooted;
use crate::techniques::tasks::tree_search::BoardTree;
use crate::words::{Fault, Params, TechniqueEntry};

impl Rooted<Reversi> for RandomSquares {
    fn root(&self, position: &Position) -> Root<RandomBoard> {
        RandomSquares::root(self, position)
    }
}

impl OnDevice<Reversi> for RandomSquares {
    const RULES: RandomSquares = RandomSquares;
    const ENTRY: TechniqueEntry = TechniqueEntry {
        needs: "8x8; local memory for three words per first move",
        ..flat_refill::ENTRY
    };
    const TRIALS: &'static [Trial] = &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48", FEW_PLAYOUTS),
        Trial::new("lanes=8", FEW_PLAYOUTS),
        Trial::new("lanes=16 group=16", FEW_PLAYOUTS),
    ];
    const PATH: &'static str = "reversi/flat_refill.cl";

    /// Above the maximum of legal positions, 33.
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

    const GAME: &'static str = super::GAME.name;
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

    fn layout(&self, params: &Params, device: &Device) -> Result<BlockLayout, Fault> {
        board_layout::<Self>(params, device, Defines::new())
    }
}
