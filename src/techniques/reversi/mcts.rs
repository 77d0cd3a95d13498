//! `mcts`: the tree on the host, the playouts from its leaves on a device.

use super::random_games::on_every_board;
use crate::techniques::Technique;

/// [`device`](crate::techniques::tasks::tree_search::device) of reversi.
pub const TECHNIQUE: Technique = on_every_board!(device);
