//! The tree searches by random games that all such games have: `mcts` and its baselines.

use super::random_games::on_every_board;
use crate::techniques::Technique;

/// Plain UCT on one core: [`serial`](crate::techniques::tasks::tree_search::serial).
pub const MCTS_SERIAL: Technique = on_every_board!(serial);

/// Plain UCT, with a tree on every core: [`rayon`](crate::techniques::tasks::tree_search::rayon).
pub const MCTS_RAYON: Technique = on_every_board!(rayon);

/// The tree search of `mcts`, with batches played on one core: [`batched_serial`](crate::techniques::tasks::tree_search::batched_serial).
pub const MCTS_BATCHED_SERIAL: Technique = on_every_board!(batched_serial);

/// The tree search of `mcts`, with batches played on all cores: [`batched_rayon`](crate::techniques::tasks::tree_search::batched_rayon).
pub const MCTS_BATCHED_RAYON: Technique = on_every_board!(batched_rayon);

/// The tree on the host, the playouts from its leaves on a device: [`device`](crate::techniques::tasks::tree_search::device).
pub const MCTS: Technique = on_every_board!(device);
