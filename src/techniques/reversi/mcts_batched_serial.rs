//! `mcts-batched-serial`: the tree search of `mcts`, with batches played on one core.

use super::random_games::on_every_board;
use crate::techniques::Technique;

/// [`batched_serial`](crate::techniques::tasks::tree_search::batched_serial) of reversi.
pub const TECHNIQUE: Technique = on_every_board!(batched_serial);
