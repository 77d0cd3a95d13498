//! Tree searches by random games on 8x8: `mcts` and its baselines.

use crate::games::reversi::RandomSquares;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// Plain UCT on one core: [`serial`](tree_search::serial).
pub const MCTS_SERIAL: Technique = tree_search::serial::<RandomSquares>();

/// Plain UCT, with a tree on every core: [`rayon`](tree_search::rayon).
pub const MCTS_RAYON: Technique = tree_search::rayon::<RandomSquares>();

/// The tree search of `mcts`, with batches played on one core: [`batched_serial`](tree_search::batched_serial).
pub const MCTS_BATCHED_SERIAL: Technique = tree_search::batched_serial::<RandomSquares>();

/// The tree search of `mcts`, with batches played on all cores: [`batched_rayon`](tree_search::batched_rayon).
pub const MCTS_BATCHED_RAYON: Technique = tree_search::batched_rayon::<RandomSquares>();

/// The tree on the host, the playouts from its leaves on a device: [`device`](tree_search::device).
pub const MCTS: Technique = tree_search::device::<RandomSquares>();
