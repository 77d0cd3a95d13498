//! American checkers, by the rules of the paper "CUDA Warcaby" ("Zasady gry") or by the official rules.
//!
//! Black starts on squares 1 to 12, moves down the board, and moves first. White starts on 21 to 32. Men step and jump
//! forward. Kings also move backward. A step is one square long. A side must capture if it can, and a capture continues
//! while a jump is possible. [`Rules`] define which captures are legal. A man that reaches the king row by a jump stops
//! there. Captured pieces are removed at once, so a king may return to its start. A side without a move has lost. After
//! [`Rules::draw_after`] plies without a capture, the game is drawn, unless the side to move has just lost.
//!
//! # Squares
//!
//! The diagrams show the paper's rotated index ("Plansza") and PDN's square numbers. White is at the bottom.
//!
//! ```text
//!    11    05    31    25           1     2     3     4
//! 10    04    30    24           5     6     7     8
//!    03    29    23    17           9    10    11    12
//! 02    28    22    16          13    14    15    16
//!    27    21    15    09          17    18    19    20
//! 26    20    14    08          21    22    23    24
//!    19    13    07    01          25    26    27    28
//! 18    12    06    00          29    30    31    32
//! ```
//!
//! On every square, a step up and to the right adds 1 to the index, and a step up and to the left adds 7. One rotation
//! of a word therefore moves a whole set of squares by one step. The square on file x and rank y, both counted from 0,
//! has the index 18 + 4y - 3x, modulo 32. The word wraps around like a torus, so each direction has a mask of the
//! squares from which a step stays on the board.
//!
//! # The order of moves
//!
//! Direction 0 is a step of -7 (down right), 1 is -1 (down left), 2 is +1 (up right), and 3 is +7 (up left). Moves are
//! ordered by the direction of their first step or jump, then by the index of the source. Captures with the same first
//! jump are ordered depth first, by the direction of each jump. If only the longest captures are legal, they keep this
//! order. A random move is selected by its number in this order. The bits of one word are the sources of all moves in
//! one direction. Population counts therefore give the number of moves and find a move by its number without a list.

mod board;
mod captures;
mod evaluation;
mod game;
mod lane_captures;
mod lanes;
#[cfg(test)]
mod leaves_tests;
mod moves;
mod notation;
mod one_move;
mod playouts;
mod position;
mod rules;
mod squares;
mod straight;

#[cfg(test)]
pub(crate) mod naive;
#[cfg(test)]
mod notation_tests;
#[cfg(test)]
pub(crate) mod tests;

pub use super::WIN;
pub use super::played::{Ending, Played};
pub use game::Checkers;
pub use moves::Moves;
pub use one_move::Move;
pub use playouts::{LeafGames, Playouts};
pub use position::{Colour, MOST_PIECES, Position};
pub use rules::{
    CAPTURE_ALLOWED, Capture, DRAW_AFTER_ALLOWED, Rules, read_capture, read_draw_after,
};
pub use squares::{JUMP_INSIDE, KING_ROWS, ROTATIONS, SQUARES, STEP_INSIDE, Square};
pub use straight::{
    STRAIGHT_EVEN_ROWS, STRAIGHT_EVEN_STEPS, STRAIGHT_JUMP_INSIDE, STRAIGHT_KING_ROWS,
    STRAIGHT_ODD_STEPS, STRAIGHT_STEP_INSIDE, StraightPlayouts,
};
