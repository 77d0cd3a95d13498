//! Gomoku: the techniques of Kawakami and Wang, "Parallel Game Tree Search: Gomoku", and baselines.

pub mod device_board;
mod device_cells;
pub mod hard;
pub mod kernels;
pub mod tasks;

pub use dynamic::{DeviceTree, MOST_LEVELS, TreePlan};
pub use splitting::{DeviceSiblings, Turns};

use super::hard::Trial;
use super::{GameKit, program};
use crate::games::gomoku::{LeafStones, RandomStones};
use crate::techniques::list::techniques;
use crate::techniques::tasks::flat_refill;
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
    trees(LeafStones),
}

/// The game with its techniques.
pub static KIT: GameKit = GameKit {
    entry: GAME,
    techniques: TECHNIQUES,
    brought: &[
        &[program::technique::<tasks::Gomoku>(
            GAME,
            &[Trial::new("", hard::SEARCH), Trial::new("", hard::PLAYOUTS)],
        )],
        kernels::KERNELS,
    ],
    models: &[(
        &["sequential-parallel-as-published"],
        sequential_parallel_as_published::model,
    )],
};
