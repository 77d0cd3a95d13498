//! `mcts-serial`: plain UCT on one core.

use crate::games::gomoku::LeafStones;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::serial`] of gomoku.
pub const TECHNIQUE: Technique = tree_search::serial::<LeafStones>();
