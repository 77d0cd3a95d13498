//! Reversi: the techniques of Strnad and Guid, "Parallel Alpha-Beta Algorithm on the GPU" (2011), and baselines.

pub mod device_board;
pub mod hard;
pub mod kernels;
pub mod tasks;

pub use pv_split::DevicePerft;
pub use pv_split::DeviceSiblings;
pub use pv_split_as_published::mapping;

use crate::games::reversi::RandomSquares;
use crate::techniques::list::techniques;
use crate::techniques::tasks::{blocks, flat_refill, tree_search};
pub use tasks::GAME;
use tasks::read_board;

techniques! {
    host(SERIAL_AS_PUBLISHED, SERIAL, SERIAL_TABLE, RAYON, RAYON_SHARED, RAYON_TABLE),
    pv_split_as_published,
    pv_split,
    table_search,
    = flat_refill::technique::<tasks::Reversi, RandomSquares>(),
    = tree_search::serial::<RandomSquares>(),
    = tree_search::rayon::<RandomSquares>(),
    = tree_search::batched_serial::<RandomSquares>(),
    = tree_search::batched_rayon::<RandomSquares>(),
    = tree_search::device::<RandomSquares>(),
    = blocks::trees::technique::<RandomSquares>(),
    = blocks::host::technique::<RandomSquares>(),
}

#[cfg(test)]
mod tests;
