//! `mcts-block`: a tree for each work-group, with tree and playouts on the device; and `mcts-block-rayon`, the same trees on
//! all cores.

use super::hard::{BLOCKS, SMALL_BLOCKS};
use super::read_board;
use crate::games::reversi::{Discs, RandomSquares, Size};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::boards::BlockBoard;
use crate::techniques::tasks::blocks::{host, trees};
use crate::words::Case;

/// [`trees::technique`] of reversi on 8x8, where a side's discs are one word.
///
/// On an H200, groups of 128, 0.1 s a choice from the start: 642 M games a second, 5.0 M leaves, where
/// `flat-refill` played 693 M/s in another invocation. `mcts` played 78 M/s in the same invocation,
/// 16 threads of the host with 128 games a leaf 17.5 M/s.
pub const TECHNIQUE: Technique = trees::technique::<RandomSquares>();

/// [`host::technique`] of the same boards.
pub const RAYON: Technique = host::technique::<RandomSquares>();

impl BlockBoard for RandomSquares {
    const BLOCK_KERNEL: &'static str = "reversi/mcts_block.cl";
    const PARTS: usize = 2;
    const BLOCK_NEEDS: &'static str = "8x8; 32 bytes of global memory for each node of each group";
    const BLOCK_TRIALS: &'static [Trial] = &[
        Trial::new("groups=2 group=1 nodes=4096", BLOCKS),
        Trial::new("groups=3 group=1 lanes=1 nodes=4096", SMALL_BLOCKS),
        Trial::new("groups=4 group=32 lanes=1 nodes=4096", SMALL_BLOCKS),
        Trial::new("groups=3 group=64 lanes=1 nodes=4096", SMALL_BLOCKS),
        Trial::new("groups=1 group=16 lanes=8 nodes=300", SMALL_BLOCKS),
    ];

    fn takes(case: &Case) -> Result<(), String> {
        match case.get("board").map(read_board) {
            Some(Ok(size)) if size != Size::STANDARD => {
                Err(format!("board: `{size}`; its kernel is written for 8x8"))
            }
            _ => Ok(()),
        }
    }

    fn parts(&self, discs: &Discs, words: &mut Vec<u64>) {
        words.extend([discs.own, discs.other]);
    }
}
