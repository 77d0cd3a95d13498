//! Defines Annexation's catalogue entry, and lists its techniques.

mod groups;
pub mod hard;
pub mod kernels;
mod leaves;
#[cfg(test)]
mod mcts_tests;
mod notation;
mod play;
mod shapes;
pub mod tasks;
#[cfg(test)]
mod tests;

pub use notation::Standing;
pub use play::{Annexation, Asked, GAME};

use super::hard::Trial;
use super::list::techniques;
use super::{GameKit, program};

techniques! {
    host(SERIAL, RAYON, SERIAL_SLICED, RAYON_SLICED, SERIAL_LEGAL),
    frames(FRAMES, BUFFER, READBACK),
    sliced,
    trees(SERIAL, BATCHED_SERIAL, MCTS),
}

/// The game with its techniques.
pub static KIT: GameKit = GameKit {
    entry: GAME,
    techniques: TECHNIQUES,
    brought: &[
        &[program::technique::<Annexation>(
            GAME,
            &[Trial::new("", hard::PLAYOUTS)],
        )],
        kernels::KERNELS,
    ],
    models: &[],
};
