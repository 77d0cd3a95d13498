//! Gomoku on boards from 5x5 to 32x32, as Kawakami and Wang play it.
//!
//! Black first, a stone a ply; five or more in a row wins, a full board is a draw. [`Position`] is
//! the plain form, which reads and writes lists of moves; searches use one of the
//! [`Representation`]s, chosen for the board by [`fastest`] or [`as_published`]. All of them search
//! moves from the centre outwards ([`Size::order`]).

mod carried;
mod cells;
mod evaluation;
mod lines;
mod notation;
mod position;
mod random_game;
mod representation;
mod shapes;
mod size;
#[cfg(test)]
pub(crate) mod tests;
mod visit;
mod windows;

pub use carried::{Carried, Glance, VisitKeyed, carried};
pub use cells::Cells;
pub use evaluation::Evaluation;
pub use lines::{Line, Lines};
pub use notation::PositionError;
pub use position::{Colour, Position, Run};
pub use random_game::{LONGEST_RANDOM, RANDOM_BOARD_WORDS, RandomBoard, RandomStones};
pub use representation::Representation;
pub use shapes::{DEFAULT_SHAPES, MoveRule, OptionError, Shapes, read_moves, read_shapes};
pub use size::{ALLOWED_SIZES, Size, SizeError, Square};
pub use visit::{Visit, as_published, fastest};

/// What five in a row is worth, less the ply at which they stand.
pub const WIN: i32 = 1_000_000;

/// The largest heuristic value: below that of a five at any ply of the largest board. Sums of
/// shapes beyond it, which take a hundred live fours at the default worth, are cut to it.
pub const MOST: i32 = WIN - 32 * 32 - 1;

/// The value of a position that holds a five, from the side to move, which has lost; `ply` counts
/// from the root.
#[inline(always)]
pub fn lost(ply: u32) -> i32 {
    ply as i32 - WIN
}
