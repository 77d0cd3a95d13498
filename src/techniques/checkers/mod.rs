//! American checkers: its entry in the catalogue, and its techniques.

mod device_games;
mod device_perft;
pub mod hard;
pub mod kernels;
pub mod tasks;
#[cfg(test)]
mod tests;
mod trees;

use super::list::techniques;
use super::tasks::{blocks, tree_search};
use crate::games::checkers::Checkers;
pub use tasks::{Draughts, GAME};

techniques! {
    host(SERIAL, SERIAL_TABLE, RAYON, RAYON_TABLE),
    flat(FLAT),
    flat_refill,
    = tree_search::serial::<Checkers>(),
    = tree_search::rayon::<Checkers>(),
    = tree_search::batched_serial::<Checkers>(),
    = tree_search::batched_rayon::<Checkers>(),
    = tree_search::device::<Checkers>(),
    = blocks::trees::technique::<Checkers>(),
    = blocks::host::technique::<Checkers>(),
    xorshift(SERIAL, FLAT),
    = host::STRAIGHT,
    lists(LISTS_8, LISTS_16, LISTS_STRAIGHT),
}
