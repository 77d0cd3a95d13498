//! Tree searches by random games: `mcts` and its baselines.

use crate::games::connect_four::RandomColumns;
use crate::techniques::Technique;
use crate::techniques::tasks::tree_search;

/// Plain UCT on one core: [`tree_search::serial`].
pub const MCTS_SERIAL: Technique = tree_search::serial::<RandomColumns>();

/// Plain UCT, with a tree on every core: [`tree_search::rayon`].
pub const MCTS_RAYON: Technique = tree_search::rayon::<RandomColumns>();

/// The tree search of `mcts`, with batches played on one core: [`tree_search::batched_serial`].
pub const MCTS_BATCHED_SERIAL: Technique = tree_search::batched_serial::<RandomColumns>();

/// The tree search of `mcts`, with batches played on all cores: [`tree_search::batched_rayon`].
pub const MCTS_BATCHED_RAYON: Technique = tree_search::batched_rayon::<RandomColumns>();

/// The tree on the host, the playouts from its leaves on a device: [`tree_search::device`].
pub const MCTS: Technique = tree_search::device::<RandomColumns>();
