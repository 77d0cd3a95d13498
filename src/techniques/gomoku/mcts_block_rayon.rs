//! `mcts-block-rayon`: the trees of `mcts-block` on all cores.

use crate::games::gomoku::LeafStones;
use crate::techniques::Technique;
use crate::techniques::tasks::blocks::host;

/// [`host::technique`] of gomoku.
pub const TECHNIQUE: Technique = host::technique::<LeafStones>();
