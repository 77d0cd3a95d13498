//! `mcts-block` and `mcts-block-rayon`: a tree per work-group, on the device and on all cores.

use super::check_board;
use super::hard::{SMALL_TREE, TREE};
use crate::games::reversi::{Discs, RandomSquares};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::boards::BlockBoard;
use crate::techniques::tasks::blocks::{host, trees};
use crate::words::Case;

/// [`trees::technique`] of reversi on 8x8, with a word per side.
pub const TECHNIQUE: Technique = trees::technique::<RandomSquares>();

/// [`host::technique`] of the same boards.
pub const RAYON: Technique = host::technique::<RandomSquares>();

impl BlockBoard for RandomSquares {
    const BLOCK_KERNEL: &'static str = "reversi/mcts_block.cl";
    const PARTS: usize = 2;
    const BLOCK_NEEDS: &'static str = "8x8; 32 bytes of global memory for each node of each group";
    const BLOCK_TRIALS: &'static [Trial] = &[
        Trial::new("groups=2 group=1 nodes=4096", TREE),
        Trial::new("groups=3 group=1 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=4 group=32 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=3 group=64 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=1 group=16 lanes=8 nodes=300", SMALL_TREE),
    ];

    fn takes(case: &Case) -> Result<(), String> {
        check_board(case)
    }

    fn parts(&self, discs: &Discs, words: &mut Vec<u64>) {
        words.extend([discs.own, discs.other]);
    }
}
