//! `mcts`: the tree on the host, the playouts from its leaves on a device.

use crate::games::gomoku::LeafStones;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::device`] of gomoku.
pub const TECHNIQUE: Technique = tree_search::device::<LeafStones>();
