//! Plays random games of [`crate::games::annexation`] on the CPU. All functions play the same [`Playouts`] and return
//! the same [`Tally`]. Playouts with only legal colours are an exception, because they are different games. A tally
//! does not count plies, because a playout may end when it is decided or a few turns later.

mod counters;
mod rows;
mod serial;
mod sliced;
mod state;
#[cfg(test)]
mod tests;
mod turn;

pub use rows::{BANDS_A_LOOK, HEAD, MOVES_A_LOOK, Rows, moves_to, rows_of};
pub use serial::Frontiers;
pub use sliced::{Seat, Sliced, seats_of};
pub use state::Unowned;

pub use crate::games::annexation::Playouts;
pub use crate::words::Tally;
