//! `mcts-serial`: plain UCT on one core.

use super::random_games::on_every_board;
use crate::techniques::Technique;

/// [`serial`](crate::techniques::tasks::tree_search::serial) of reversi.
pub const TECHNIQUE: Technique = on_every_board!(serial);
