//! `mcts-batched-rayon`: the tree search of `mcts`, with batches played on all cores.

use super::random_games::on_every_board;
use crate::techniques::Technique;

/// [`batched_rayon`](crate::techniques::tasks::tree_search::batched_rayon) of reversi.
pub const TECHNIQUE: Technique = on_every_board!(batched_rayon);
