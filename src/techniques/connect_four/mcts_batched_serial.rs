//! `mcts-batched-serial`: the tree search of `mcts`, with batches played on one core.

use crate::games::connect_four::RandomColumns;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::batched_serial`] of Connect Four.
pub const TECHNIQUE: Technique = tree_search::batched_serial::<RandomColumns>();
