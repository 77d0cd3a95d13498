//! Connect Four on the usual board: seven columns of six squares, four in a row wins.
//!
//! [`Position`] is the plain form, in which positions are written and read; searches use [`Bits`].
//! A line ends with four in a row or with a full board.

mod bits;
mod evaluation;
mod keys;
mod last_two;
mod notation;
mod position;
mod random_game;
#[cfg(test)]
pub(crate) mod tests;

pub use bits::{Bits, Board, Columns, Order};
pub use evaluation::{
    Evaluation, EvaluationError, SQUARES_ALLOWED, WORTH_ALLOWED, read_squares, read_worth,
};
pub use keys::Look;
pub use notation::PositionError;
pub use position::{COLUMNS, Column, Player, Position, ROWS};
pub use random_game::{RandomBoard, RandomColumns};

/// What a win is worth before the plies that it took are taken off: more than any heuristic
/// value can reach, as [`Evaluation`] limits its table.
pub const WIN: i32 = 1_000_000;
