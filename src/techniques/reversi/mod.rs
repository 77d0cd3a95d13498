//! Reversi: the techniques of Strnad and Guid, "Parallel Alpha-Beta Algorithm on the GPU" (2011), and baselines.

pub mod device_board;
pub mod hard;
pub mod kernels;
pub mod tasks;

pub use pv_split::DevicePerft;
pub use pv_split::DeviceSiblings;
pub use pv_split_as_published::mapping;

use super::hard::Trial;
use super::{GameKit, program};
use crate::games::reversi::RandomSquares;
use crate::techniques::list::techniques;
use crate::techniques::tasks::flat_refill;
pub use tasks::GAME;
use tasks::read_board;

techniques! {
    host(SERIAL_AS_PUBLISHED, SERIAL, SERIAL_TABLE, RAYON, RAYON_SHARED, RAYON_TABLE),
    pv_split_as_published,
    pv_split,
    table_search,
    = flat_refill::technique::<tasks::Reversi, RandomSquares>(),
    trees(RandomSquares),
}

/// The game with its techniques.
pub static KIT: GameKit = GameKit {
    entry: GAME,
    techniques: TECHNIQUES,
    brought: &[
        &[program::technique::<tasks::Reversi>(
            GAME,
            &[
                Trial::new("", hard::SEARCH),
                Trial::new("", hard::PERFT),
                Trial::new("", hard::PLAYOUTS),
            ],
        )],
        kernels::KERNELS,
    ],
    models: &[],
};

#[cfg(test)]
mod tests;
