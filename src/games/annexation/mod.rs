//! Annexation: a graph of coloured cells that two players divide between them ("The awesome GPU",
//! 2021).
//!
//! Each player begins with one cell. A turn: the mover names one of the eight colours, and every
//! unowned cell of that colour next to one of the mover's cells, as owned before the turn, becomes
//! the mover's. After T turns the player with more cells has won; equal is a draw. A colour that
//! annexes nothing may be named as well, and in the paper's playouts it is.
//!
//! [`Board`] is the graph, [`Kind`] makes the boards of the experiments, [`Position`] is the plain
//! form of the rules, and [`Draws`] says which colours a random playout names: the same ones in
//! every technique and on every device.

mod board;
mod draws;
mod file;
mod kind;
mod lanes;
mod light;
mod position;
mod tally;
#[cfg(test)]
mod tests;

pub use board::{Board, BoardError, COLOURS, MOST_CELLS};
pub use draws::{COLOUR_BITS, Draws, PLAYOUTS_A_DRAW, colour_of, named};
pub use file::{FileError, read_board, write_board};
pub use kind::{BOARDS_A_KIND, Kind};
pub use lanes::{LANE_WORDS, Lanes, PLAYOUTS_A_GROUP};
pub use light::{Ground, Light, LightGame};
pub use position::{Player, Position};
pub use tally::{Playouts, Tally, Unowned};
