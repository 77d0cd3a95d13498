use super::{Carried, Cells, Colour, Evaluation, Lines, Position, Size, Square};
use crate::games::{Game, OrderedGame};

/// A representation of gomoku positions for searches. Moves, their order and values are the same in all of them.
pub trait Representation: Game<Move = Square> + Send + 'static {
    /// Returns the board's size.
    fn size(&self) -> Size;

    /// Converts a position on this board.
    fn load(&self, position: &Position) -> Self::Position;

    /// Returns the colour of the stone on a square.
    fn stone(&self, position: &Self::Position, square: Square) -> Option<Colour>;

    /// Returns the mover's shapes minus the opponent's on the whole board, not limited to ±[`MOST`](super::MOST).
    fn balance(&self, position: &Self::Position) -> i32;
}

/// Visits a representation. A visitor is generic, because the type of the representation depends on the board.
pub trait Visit {
    /// Type of the result.
    type Output;

    /// Runs the visitor's computation.
    fn visit<R: Representation>(self, game: R) -> Self::Output;
}

/// Calls a visitor with the smallest [`Lines`] for the board. This is the fastest representation.
pub fn fastest<V: Visit>(evaluation: &Evaluation, visitor: V) -> V::Output {
    match evaluation.size().side() {
        ..=6 => visitor.visit(Lines::<u32, 34, 1>::new(evaluation)),
        7..=9 => visitor.visit(Lines::<u32, 52, 2>::new(evaluation)),
        10..=12 => visitor.visit(Lines::<u64, 70, 3>::new(evaluation)),
        13..=15 => visitor.visit(Lines::<u64, 88, 4>::new(evaluation)),
        16..=18 => visitor.visit(Lines::<u64, 106, 6>::new(evaluation)),
        19..=21 => visitor.visit(Lines::<u64, 124, 7>::new(evaluation)),
        22..=24 => visitor.visit(Lines::<u64, 142, 9>::new(evaluation)),
        25..=27 => visitor.visit(Lines::<u64, 160, 12>::new(evaluation)),
        _ => visitor.visit(Lines::<u128, 190, 16>::new(evaluation)),
    }
}

/// Calls a visitor with [`Cells`] in the smallest array for the board.
pub fn as_published<V: Visit>(evaluation: &Evaluation, visitor: V) -> V::Output {
    match evaluation.size().squares() {
        ..=36 => visitor.visit(Cells::<36>::new(evaluation)),
        37..=81 => visitor.visit(Cells::<81>::new(evaluation)),
        82..=144 => visitor.visit(Cells::<144>::new(evaluation)),
        145..=225 => visitor.visit(Cells::<225>::new(evaluation)),
        226..=324 => visitor.visit(Cells::<324>::new(evaluation)),
        325..=441 => visitor.visit(Cells::<441>::new(evaluation)),
        442..=576 => visitor.visit(Cells::<576>::new(evaluation)),
        _ => visitor.visit(Cells::<1024>::new(evaluation)),
    }
}

/// Visits a representation that is an [`OrderedGame`].
pub trait VisitOrdered {
    /// Type of the result.
    type Output;

    /// Runs the visitor's computation.
    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) -> Self::Output;
}

/// Calls a visitor with the smallest [`Carried`] for the board. There are few sizes, to save compile time.
pub fn carried<V: VisitOrdered>(evaluation: &Evaluation, visitor: V) -> V::Output {
    match evaluation.size().side() {
        ..=9 => visitor.visit_ordered(Carried::<u32, 52, 2, 81>::new(evaluation)),
        10..=15 => visitor.visit_ordered(Carried::<u64, 88, 4, 225>::new(evaluation)),
        16..=21 => visitor.visit_ordered(Carried::<u64, 124, 7, 441>::new(evaluation)),
        22..=27 => visitor.visit_ordered(Carried::<u64, 160, 12, 729>::new(evaluation)),
        _ => visitor.visit_ordered(Carried::<u128, 190, 16, 1024>::new(evaluation)),
    }
}
