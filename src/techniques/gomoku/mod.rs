//! Gomoku: the techniques of Kawakami and Wang, "Parallel Game Tree Search: Gomoku", and baselines.

pub mod device_board;
mod device_cells;
pub mod hard;
pub mod kernels;
pub mod tasks;

pub use sequential_parallel_as_published::model as split_on_host;

pub use dynamic::{DeviceTree, MOST_LEVELS, TreePlan};
pub use splitting::{DeviceSiblings, Turns};

use crate::games::gomoku::{LeafStones, RandomStones};
use crate::techniques::list::techniques;
use crate::techniques::tasks::{blocks, flat_refill, tree_search};
pub use tasks::GAME;
use tasks::read_board;

techniques! {
    host(SERIAL_AS_PUBLISHED, SERIAL, SERIAL_TABLE, RAYON_AS_PUBLISHED, RAYON, RAYON_TABLE),
    naive_as_published,
    sequential_parallel_as_published,
    pvs_as_published,
    splitting(PVS),
    dynamic(DYNAMIC, BY_HOST),
    table_search,
    = flat_refill::technique::<tasks::Gomoku, RandomStones>(),
    = tree_search::serial::<LeafStones>(),
    = tree_search::rayon::<LeafStones>(),
    = tree_search::batched_serial::<LeafStones>(),
    = tree_search::batched_rayon::<LeafStones>(),
    = tree_search::device::<LeafStones>(),
    = blocks::trees::technique::<LeafStones>(),
    = blocks::host::technique::<LeafStones>(),
}
