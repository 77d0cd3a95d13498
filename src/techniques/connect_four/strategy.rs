//! The rules by which move sets choose a move from sums or bests.

use crate::games::Game;
use crate::games::connect_four::{Bits, Board, Column};
use crate::search::{
    Forced, Found, MoveSetBests, MoveSetSums, PublishedSets, best_set, largest_sum,
};
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

/// The first move with the largest sum, and every legal move's sum.
pub fn by_sums(
    game: &Bits,
    board: &Board,
    depth: u32,
    sums: &MoveSetSums,
    counters: Counters,
) -> Found<Column> {
    let legal = Column::all().filter(|column| board.has_room(*column));
    let by_move = legal.map(|column| sums[column.index()]).collect();
    Found {
        by_move,
        ..largest_sum(game, board, depth, sums, counters)
    }
}

/// The first move with the best set, and the best set of every legal move.
pub fn by_bests(
    game: &Bits,
    board: &Board,
    depth: u32,
    bests: &MoveSetBests,
    counters: Counters,
) -> Found<Column> {
    let bests_of_legal = bests.iter().flatten();
    let by_move = bests_of_legal.map(|best| i64::from(*best)).collect();
    Found {
        by_move,
        ..best_set(game, board, depth, bests, counters)
    }
}

/// The move that the published rules assign or sum up to, and every legal move's sum.
pub fn as_published(board: &Board, sets: &PublishedSets, counters: Counters) -> Found<Column> {
    let legal = Column::all().filter(|column| board.has_room(*column));
    let by_move = legal.map(|column| sets.sums[column.index()]).collect();
    Found {
        by_move,
        ..sets.choice(board, counters)
    }
}
