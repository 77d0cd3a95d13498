//! `mcts-block` and `mcts-block-rayon`: a tree per work-group, on the device and on all cores.

use super::hard::{SMALL_TREE, TREE};
use crate::games::connect_four::{RandomColumns, Stones};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::boards::BlockBoard;
use crate::techniques::tasks::blocks::{host, trees};

/// [`trees::technique`] of Connect Four.
pub const TECHNIQUE: Technique = trees::technique::<RandomColumns>();

/// [`host::technique`] of the same boards.
pub const RAYON: Technique = host::technique::<RandomColumns>();

impl BlockBoard for RandomColumns {
    const BLOCK_KERNEL: &'static str = "connect_four/mcts_block.cl";
    const PARTS: usize = 2;
    const BLOCK_TRIALS: &'static [Trial] = &[
        Trial::new("groups=2 group=1 nodes=4096", TREE),
        Trial::new("groups=3 group=1 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=4 group=32 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=3 group=64 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=1 group=16 lanes=8 nodes=300", SMALL_TREE),
    ];

    fn parts(&self, stones: &Stones, words: &mut Vec<u64>) {
        words.extend([stones.own, stones.all]);
    }
}
