//! Connect Four on the standard board with seven columns of six squares. Four in a row wins. [`Position`] is the plain
//! implementation, and searches use [`Bits`].

mod bits;
mod evaluation;
mod keys;
mod last_two;
mod notation;
mod position;
mod random_game;
mod random_leaves;
#[cfg(test)]
pub(crate) mod tests;

pub use super::WIN;
pub use crate::games::sides::Player;
pub use bits::{Bits, Board, Columns, Order};
pub use evaluation::{Evaluation, SQUARES_ALLOWED, WORTH_ALLOWED, read_squares, read_worth};
pub use position::{COLUMNS, Column, Position, ROWS};
pub use random_game::{RandomBoard, RandomColumns};
