//! Annexation: two players divide up a graph of coloured cells ("The awesome GPU", 2021).
//!
//! Each player starts with one cell. Player 1, red in the paper, moves first, and player 2 is blue. In a turn, the
//! mover names one of the eight colours and gets every unowned cell of that colour that was adjacent to one of the
//! mover's cells before the turn. After T turns, the player with more cells wins. Equal numbers are a draw. A colour
//! that annexes nothing is allowed.
//!
//! Random playouts name the same colours ([`Draws`]) on every host and device.

mod board;
mod draws;
mod file;
mod kind;
mod lanes;
#[cfg(test)]
mod plain;
mod position;
mod tally;
#[cfg(test)]
mod tests;

pub use crate::games::sides::Player;
pub use board::{Board, BoardError, COLOURS, MOST_CELLS};
pub use draws::{COLOUR_BITS, Draws, PLAYOUTS_A_DRAW, colour_of, named};
pub use file::{FileError, read_board, write_board};
pub use kind::{BOARDS_A_KIND, Kind};
pub use lanes::{LANE_WORDS, Lanes, PLAYOUTS_A_GROUP};
#[cfg(test)]
pub(crate) use plain::Plain;
pub use position::Position;
pub use tally::Playouts;
