//! `mcts-block-rayon`: the trees of `mcts-block` on all cores.

use crate::games::connect_four::RandomColumns;
use crate::techniques::Technique;
use crate::techniques::tasks::blocks::host;

/// [`host::technique`] of Connect Four.
pub const TECHNIQUE: Technique = host::technique::<RandomColumns>();
