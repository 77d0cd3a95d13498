//! `mcts-batched-serial`: the tree search of `mcts`, with batches played on one core.

use crate::games::reversi::RandomSquares;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::batched_serial`] of reversi on 8x8.
pub const TECHNIQUE: Technique = tree_search::batched_serial::<RandomSquares>();
