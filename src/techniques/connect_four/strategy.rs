//! The rules by which move sets choose a move without sums.

use crate::games::Game;
use crate::games::connect_four::{Bits, Board, Column};
use crate::search::{Forced, Found};
pub use crate::search::{best_set as by_bests, largest_sum as by_sums};
use crate::words::Counters;

/// The answer for a root that needs no sums: a finished game, a win, a block or the only move.
pub fn forced(game: &Bits, board: &Board) -> Option<Found<Column>> {
    if let Some(over) = over(game, board) {
        return Some(over);
    }
    Some(Forced::at(game, board)?.choice())
}

/// The answer for a finished game: no move, and no set.
pub fn over(game: &Bits, board: &Board) -> Option<Found<Column>> {
    game.decided(board, 0)?;
    let counters = Counters {
        nodes: 1,
        ..Counters::default()
    };
    Some(Found::new(0, None, counters))
}

/// The answer for a root without need for the optimistic strategy: a finished game, or a win at once.
pub fn certain(game: &Bits, board: &Board) -> Option<Found<Column>> {
    if let Some(over) = over(game, board) {
        return Some(over);
    }
    let column = game.winning_column(board)?;
    Some(Forced::Win(column).choice())
}
