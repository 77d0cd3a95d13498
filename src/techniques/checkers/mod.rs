//! Defines the catalogue entry of American checkers, and lists its techniques.

mod device_games;
mod device_perft;
pub mod hard;
pub mod kernels;
pub mod tasks;
#[cfg(test)]
mod tests;
mod trees;

use super::hard::Trial;
use super::list::techniques;
use super::{GameKit, program};
use crate::games::checkers::Checkers;
pub use tasks::{Draughts, GAME};

techniques! {
    host(SERIAL, SERIAL_TABLE, RAYON, RAYON_TABLE),
    flat(FLAT),
    flat_refill,
    trees(Checkers),
    xorshift(SERIAL, FLAT),
    = host::STRAIGHT,
    lists(LISTS_8, LISTS_16, LISTS_STRAIGHT),
}

/// The game with its techniques.
pub static KIT: GameKit = GameKit {
    entry: GAME,
    techniques: TECHNIQUES,
    brought: &[
        &[program::technique::<Draughts>(
            GAME,
            &[
                Trial::new("", hard::SEARCH),
                Trial::new("", hard::PLAYOUTS),
                Trial::new("", hard::PERFT),
            ],
        )],
        kernels::KERNELS,
    ],
    models: &[],
};
