//! `mcts-rayon`: plain UCT, with a tree on every core.

use crate::games::connect_four::RandomColumns;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::rayon`] of Connect Four.
pub const TECHNIQUE: Technique = tree_search::rayon::<RandomColumns>();
