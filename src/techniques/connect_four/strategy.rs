//! The rules by which move sets choose a move from sums or bests.

use crate::games::Game;
use crate::games::connect_four::{Bits, Board, Column};
use crate::search::{
    Choice, Forced, Found, MoveSetBests, MoveSetSums, PublishedSets, best_set, largest_sum,
};
use crate::words::Counters;

/// The answer for a root that needs no sums: a finished game, a win, a block or the only move.
pub fn forced(game: &Bits, board: &Board) -> Option<Found<Column>> {
    if let Some(over) = over(game, board) {
        return Some(over);
    }
    let choice = Forced::at(game, board)?.choice();
    Some(found(choice, Vec::new()))
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
    Some(found(Forced::Win(column).choice(), Vec::new()))
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
    found(largest_sum(game, board, depth, sums, counters), by_move)
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
    found(best_set(game, board, depth, bests, counters), by_move)
}

/// The move that the published rules assign or sum up to, and every legal move's sum.
pub fn as_published(board: &Board, sets: &PublishedSets, counters: Counters) -> Found<Column> {
    let legal = Column::all().filter(|column| board.has_room(*column));
    let by_move = legal.map(|column| sets.sums[column.index()]).collect();
    found(sets.choice(board, counters), by_move)
}

fn found(choice: Choice, by_move: Vec<i64>) -> Found<Column> {
    Found {
        value: choice.value,
        best: choice.best,
        by_move,
        counters: choice.counters,
    }
}
