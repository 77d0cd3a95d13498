//! `mcts-rayon`: plain UCT, with a tree on every core.

use super::random_games::on_every_board;
use crate::techniques::Technique;

/// [`rayon`](crate::techniques::tasks::tree_search::rayon) of reversi.
pub const TECHNIQUE: Technique = on_every_board!(rayon);
