use super::{Position, Size, Square};
use crate::games::Game;

/// A representation of reversi positions for searches. All have the same moves in the same order, and the same values.
pub trait Representation: Game<Move = Square> + Send + 'static {
    /// The board's size.
    fn size(&self) -> Size;

    /// Converts a position of this board.
    fn load(&self, position: &Position) -> Self::Position;

    /// The discs on one rank, the mover's and the opponent's: bit `file` for a square.
    fn rank(&self, position: &Self::Position, rank: usize) -> (u64, u64);
}
