//! `mcts-block` and `mcts-block-rayon`: a tree per work-group, on the device and on all cores.

use super::hard::{SMALL_TREE, TREE};
use crate::games::gomoku::{LeafStones, Stones};
use crate::opencl::Defines;
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::blocks::boards::BlockBoard;
use crate::techniques::tasks::blocks::{host, trees};

/// [`trees::technique`] of gomoku. Every work-item rebuilds its list of empty squares for each leaf.
pub const TECHNIQUE: Technique = trees::technique::<LeafStones>();

/// [`host::technique`] of the same boards.
pub const RAYON: Technique = host::technique::<LeafStones>();

impl BlockBoard for LeafStones {
    const BLOCK_KERNEL: &'static str = "gomoku/mcts_block.cl";
    const PARTS: usize = 8;
    const BLOCK_NEEDS: &'static str =
        "80 bytes of global memory for each node of each group; local memory for a game, 632 bytes";
    const BLOCK_TRIALS: &'static [Trial] = &[
        Trial::new("groups=2 group=1 nodes=4096", TREE),
        Trial::new("groups=3 group=1 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=4 group=32 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=3 group=64 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=1 group=4 lanes=8 nodes=300", SMALL_TREE),
    ];

    fn parts(&self, stones: &Stones, words: &mut Vec<u64>) {
        for rows in [&stones.own, &stones.other] {
            let fours = rows.as_chunks::<4>().0.iter();
            words.extend(fours.map(|rows| {
                let rows = rows.iter().rev();
                rows.fold(0, |word, row| word << 16 | u64::from(*row))
            }));
        }
    }

    fn block_tables(&self, words: &mut Vec<u32>) {
        let mut squares: Vec<u8> = self.squares().collect();
        squares.resize(squares.len().next_multiple_of(8), 0);
        let fours = squares.as_chunks().0.iter();
        words.extend(fours.map(|four| u32::from_le_bytes(*four)));
    }

    fn block_defines(&self) -> Defines {
        vec![("SQUARES", self.squares().count().to_string())]
    }
}
