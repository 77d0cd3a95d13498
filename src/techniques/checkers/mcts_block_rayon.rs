//! `mcts-block-rayon`: the trees of `mcts-block` on all cores.

use crate::games::checkers::Checkers;
use crate::techniques::Technique;
use crate::techniques::tasks::blocks::host;

/// [`host::technique`] of checkers.
pub const TECHNIQUE: Technique = host::technique::<Checkers>();
