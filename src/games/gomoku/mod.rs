//! Gomoku on boards from 5x5 to 32x32, by the rules of Kawakami and Wang.
//!
//! Black moves first. Five or more in a row wins, and a full board is a draw. The plain implementation is [`Position`].
//! Searches use the [`Representation`] from [`fastest`] or [`as_published`]. All implementations order moves from the
//! centre outwards ([`Size::order`]).

mod carried;
mod cells;
mod evaluation;
mod lines;
mod notation;
mod position;
mod random_game;
mod random_leaves;
mod shapes;
mod size;
#[cfg(test)]
pub(crate) mod tests;
mod visit;
mod windows;

pub use super::{WIN, lost};
pub use crate::games::sides::Colour;
pub use crate::games::squares::Square;
pub use carried::{Carried, Threats};
pub use cells::Cells;
pub use evaluation::Evaluation;
pub use lines::{Line, Lines};
pub use position::Position;
pub use random_game::{LONGEST_RANDOM, RANDOM_BOARD_WORDS, RandomBoard, RandomStones, Stones};
pub use random_leaves::LeafStones;
pub use shapes::{MoveRule, Shapes, read_moves, read_shapes};
pub use size::{ALLOWED_SIZES, Size};
pub use visit::{Representation, Visit, VisitOrdered, as_published, carried, fastest};

/// The largest heuristic value, to which sums of shapes are limited. It is lower than the value of a five at any ply.
pub const MOST: i32 = WIN - 32 * 32 - 1;
