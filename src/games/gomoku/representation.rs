use super::{Colour, Position, Size, Square};
use crate::games::Game;

/// A representation of gomoku positions for searches. All have the same moves in the same order, and the same values.
pub trait Representation: Game<Move = Square> + Send + 'static {
    /// The board's size.
    fn size(&self) -> Size;

    /// Converts a position of this board.
    fn load(&self, position: &Position) -> Self::Position;

    /// The colour of the stone on a square.
    fn stone(&self, position: &Self::Position, square: Square) -> Option<Colour>;

    /// The mover's shapes less the opponent's over the whole board, not limited to ±[`MOST`](super::MOST).
    fn balance(&self, position: &Self::Position) -> i32;
}
