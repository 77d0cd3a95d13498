//! Reversi on boards of every even width and height from 4 to 64.
//!
//! Black moves first. A pass counts as a ply. It is legal only if the side to move has no move and the other side has
//! one. The plain implementation is [`Position`]. Searches use the [`Representation`] from [`fastest`].

mod bits8;
mod bytes;
mod evaluation;
mod notation;
mod position;
mod random_game;
mod random_leaves;
mod rows;
mod size;
#[cfg(test)]
pub(crate) mod tests;
mod visit;
mod word;

pub use super::WIN;
pub use crate::games::options::OptionError;
pub use crate::games::sides::Colour;
pub use crate::games::squares::Square;
pub use bits8::Bits8;
pub use bytes::Bytes;
pub use evaluation::{Evaluation, read_mobility, read_weights};
pub use notation::PASS;
pub use position::Position;
pub use random_game::{RandomBoard, RandomSquares};
pub use rows::Rows;
pub use size::{ALLOWED_SIZES, Size};
pub use visit::{Representation, Visit, VisitOrdered, as_published, fastest};
pub use word::{Bits, Word};

/// Returns a finished game's value for a side that leads by `difference` discs: ±[`WIN`] plus `difference`, or 0.
#[inline]
pub fn final_value(difference: i32) -> i32 {
    difference.signum() * WIN + difference
}

/// Returns the move to search first at a principal-variation node: the first square with the largest weight.
#[inline]
fn heaviest(moves: impl Iterator<Item = Square>, weight: impl Fn(Square) -> i32) -> Option<Square> {
    moves.reduce(|best, square| {
        if weight(square) > weight(best) {
            square
        } else {
            best
        }
    })
}
