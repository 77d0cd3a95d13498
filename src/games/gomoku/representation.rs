use super::{Colour, Position, Size, Square};
use crate::games::Game;

/// A form of gomoku positions that a search can work on.
///
/// All of them have the same moves, in the same order, and the same values; they differ in speed.
pub trait Representation: Game<Move = Square> + Send + 'static {
    /// The board.
    fn size(&self) -> Size;

    /// Lays out a position of this board.
    fn load(&self, position: &Position) -> Self::Position;

    /// Whose stone stands on a square.
    fn stone(&self, position: &Self::Position, square: Square) -> Option<Colour>;

    /// The mover's shapes less the opponent's over the whole board, not cut to
    /// ±[`MOST`](super::MOST).
    fn balance(&self, position: &Self::Position) -> i32;
}
