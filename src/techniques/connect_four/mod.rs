//! Connect Four: the techniques of the student report "Connect Four AI", techniques that it suggests, and baselines.

pub mod device_board;
pub mod device_prefixes;
pub mod hard;
pub mod kernels;
pub mod tasks;

use super::hard::Trial;
use super::{GameKit, program};
use crate::games::connect_four::RandomColumns;
use crate::techniques::list::techniques;
use crate::techniques::tasks::flat_refill;
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
    trees(RandomColumns),
    random,
}

/// The game with its techniques.
pub static KIT: GameKit = GameKit {
    entry: GAME,
    techniques: TECHNIQUES,
    brought: &[
        &[program::technique::<tasks::ConnectFour>(
            GAME,
            &[
                Trial::new("", hard::SEARCH),
                Trial::new("", hard::PERFT),
                Trial::new("", hard::PLAYOUTS),
            ],
        )],
        kernels::KERNELS,
    ],
    models: &[
        (
            &["move-sets", "move-sets-bitboard", "move-sets-even"],
            host_sets::replayed_sums,
        ),
        (&["move-sets-optimistic"], host_sets::replayed_bests),
        (
            &["move-sets-as-published"],
            host_sets::replayed_as_published,
        ),
    ],
};

#[cfg(test)]
mod tests;
