//! `mcts-batched-rayon`: the tree search of `mcts`, with batches played on all cores.

use crate::games::gomoku::LeafStones;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::batched_rayon`] of gomoku.
pub const TECHNIQUE: Technique = tree_search::batched_rayon::<LeafStones>();
