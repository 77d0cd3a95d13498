use super::{Bits8, Bytes, Evaluation, Position, Rows, Size, Square};
use crate::games::{Game, OrderedGame};

/// A representation of reversi positions for searches. Moves, their order and values are the same in all of them.
pub trait Representation: Game<Move = Square> + Send + 'static {
    /// Returns the board's size.
    fn size(&self) -> Size;

    /// Converts a position on this board.
    fn load(&self, position: &Position) -> Self::Position;

    /// Returns the mover's and the opponent's discs on one rank. Bit `file` stands for a square.
    fn rank(&self, position: &Self::Position, rank: usize) -> (u64, u64);
}

/// Visits a representation. A visitor is generic, because the type of the representation depends on the board.
pub trait Visit {
    /// Type of the result.
    type Output;

    /// Runs the visitor's computation.
    fn visit<R: Representation>(self, game: R) -> Self::Output;
}

/// Visits a representation that is an [`OrderedGame`], such as one from [`fastest`].
pub trait VisitOrdered {
    /// Type of the result.
    type Output;

    /// Runs the visitor's computation.
    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> Self::Output;
}

impl<V: Visit> VisitOrdered for V {
    type Output = V::Output;

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> Self::Output {
        self.visit(game)
    }
}

/// Calls a visitor with the fastest representation for the board: [`Bits8`] for 8x8, otherwise the smallest [`Rows`].
/// Unused ranks cost nothing, because only the occupied ranks are read.
pub fn fastest<V: VisitOrdered>(evaluation: &Evaluation, visitor: V) -> V::Output {
    let size = evaluation.size();
    if size == Size::STANDARD {
        return visitor.visit_ordered(Bits8::new(evaluation));
    }
    match (size.width(), size.height()) {
        (..=16, ..=16) => visitor.visit_ordered(Rows::<u16, 16>::new(evaluation)),
        (..=32, ..=16) => visitor.visit_ordered(Rows::<u32, 16>::new(evaluation)),
        (..=32, ..=32) => visitor.visit_ordered(Rows::<u32, 32>::new(evaluation)),
        (_, ..=32) => visitor.visit_ordered(Rows::<u64, 32>::new(evaluation)),
        _ => visitor.visit_ordered(Rows::<u64, 64>::new(evaluation)),
    }
}

/// Calls a visitor with [`Bytes`] in the smallest array that holds the board and its border.
pub fn as_published<V: Visit>(evaluation: &Evaluation, visitor: V) -> V::Output {
    let size = evaluation.size();
    match (size.width() + 2) * (size.height() + 2) {
        0..=100 => visitor.visit(Bytes::<100>::new(evaluation)),
        101..=180 => visitor.visit(Bytes::<180>::new(evaluation)),
        181..=324 => visitor.visit(Bytes::<324>::new(evaluation)),
        325..=612 => visitor.visit(Bytes::<612>::new(evaluation)),
        613..=1156 => visitor.visit(Bytes::<1156>::new(evaluation)),
        1157..=2244 => visitor.visit(Bytes::<2244>::new(evaluation)),
        _ => visitor.visit(Bytes::<4356>::new(evaluation)),
    }
}
