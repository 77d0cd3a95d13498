//! `mcts-block-rayon`: the trees of `mcts-block` on all cores.

use crate::games::reversi::RandomSquares;
use crate::techniques::Technique;
use crate::techniques::tasks::blocks::host;

/// [`host::technique`] of reversi on 8x8.
pub const TECHNIQUE: Technique = host::technique::<RandomSquares>();
