//! `mcts-serial`: plain UCT on one core.

use crate::games::connect_four::RandomColumns;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::serial`] of Connect Four.
pub const TECHNIQUE: Technique = tree_search::serial::<RandomColumns>();
