//! `mcts-rayon`: plain UCT, with a tree on every core.

use crate::games::reversi::RandomSquares;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// [`tree_search::rayon`] of reversi on 8x8.
pub const TECHNIQUE: Technique = tree_search::rayon::<RandomSquares>();
