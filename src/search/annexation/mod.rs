//! Random playouts of [`crate::games::annexation`] on the host's processor.
//!
//! Every function here counts the same [`Playouts`], so that all give the same [`Tally`], except
//! those that name only colours which annex something: these are playouts of their own.

mod counters;
mod leaves;
mod rows;
mod serial;
mod sliced;
mod state;
#[cfg(test)]
mod tests;
mod threads;
mod turn;

pub use leaves::{SlicedLeaves, playouts_within};
pub use rows::{BANDS_A_LOOK, HEAD, MOVES_A_LOOK, Rows, moves_to, rows_of};
pub use serial::Frontiers;
pub use sliced::Sliced;
pub use threads::{tally_on_threads, tally_sliced_on_threads};

pub use crate::games::annexation::{Playouts, Tally, Unowned};
