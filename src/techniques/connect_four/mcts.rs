//! `mcts`: the tree on the host, the playouts from its leaves on a device.

use crate::games::connect_four::RandomColumns;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::device`] of Connect Four.
pub const TECHNIQUE: Technique = tree_search::device::<RandomColumns>();
