//! `mcts-block`: a tree for each work-group, with tree and playouts on the device; and `mcts-block-rayon`, the same trees on
//! all cores.

use super::hard::{SMALL_TREE, TREE};
use crate::games::connect_four::{RandomColumns, Stones};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::boards::BlockBoard;
use crate::techniques::tasks::blocks::{host, trees};

/// [`trees::technique`] of Connect Four.
///
/// On an H200, groups of 128, 0.1 s a choice from the empty board: 4,220 M games a second, 33 M leaves, where `flat-refill`
/// played 8,165 M/s in another invocation; selection and the wait for a leaf's longest game were not told apart. `mcts`
/// played 59 M/s in the same invocation, 16 threads of the host with 128 games a leaf 161 M/s.
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
