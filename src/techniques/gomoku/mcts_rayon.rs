//! `mcts-rayon`: plain UCT, with a tree on every core.

use crate::games::gomoku::LeafStones;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::rayon`] of gomoku.
pub const TECHNIQUE: Technique = tree_search::rayon::<LeafStones>();
