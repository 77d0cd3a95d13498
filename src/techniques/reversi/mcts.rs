//! `mcts`: the tree on the host, the playouts from its leaves on a device.

use crate::games::reversi::RandomSquares;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::device`] of reversi on 8x8.
pub const TECHNIQUE: Technique = tree_search::device::<RandomSquares>();
