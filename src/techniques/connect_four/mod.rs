//! Connect Four: the techniques of the student report "Connect Four AI", the wishes of its conclusion, and baselines.

pub mod device_board;
pub mod device_prefixes;
pub mod hard;
pub mod kernels;
pub mod tasks;

pub use host_sets::{replayed_as_published, replayed_bests, replayed_sums};

use crate::games::connect_four::RandomColumns;
use crate::techniques::list::techniques;
use crate::techniques::tasks::{blocks, flat_refill, tree_search};
use tasks::takes_move_sets;
pub use tasks::{GAME, Stage};

techniques! {
    host(SERIAL_MINIMAX, SERIAL, SERIAL_TABLE, RAYON_MINIMAX, RAYON, RAYON_TABLE),
    host_sets(AS_PUBLISHED_SERIAL, SERIAL, OPTIMISTIC_SERIAL),
    root_split,
    move_sets_as_published,
    move_sets(OPTIMISTIC, MOVE_SETS, BITBOARD),
    move_sets_even,
    prefix_sharing(MINIMAX, SUMS),
    table_search,
    = flat_refill::technique::<tasks::ConnectFour, RandomColumns>(),
    = tree_search::serial::<RandomColumns>(),
    = tree_search::rayon::<RandomColumns>(),
    = tree_search::batched_serial::<RandomColumns>(),
    = tree_search::batched_rayon::<RandomColumns>(),
    = tree_search::device::<RandomColumns>(),
    = blocks::trees::technique::<RandomColumns>(),
    = blocks::host::technique::<RandomColumns>(),
    random,
}

#[cfg(test)]
mod tests;
