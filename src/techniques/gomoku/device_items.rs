//! Common host parts of techniques whose work-items search alone (`cl/gomoku/item.clh`).

use super::device_board::{pack_relative, packed_len, square_word};
use crate::games::gomoku::{Evaluation, Position, Size, Square, lost};
use crate::search::Found;
use crate::techniques::list::whole_numbers;
use crate::words::Counters;

whole_numbers! {
    /// The parameter `group`.
    pub auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto`, or the number of work-items in a work-group, from 1 to 1024";
}

/// A root in the kernels' form.
pub struct Root {
    /// Its lines, its empty squares and its moves.
    pub words: Vec<u32>,
    /// Its empty squares, in the order of moves.
    pub empty: Vec<Square>,
    /// The mover's shapes less the opponent's.
    pub balance: i32,
    /// The moves to try, in order; empty if the game is over.
    pub moves: Vec<Square>,
    /// Its value if the game is over.
    pub decided: Option<i32>,
}

/// Marks an empty square beside a stone, above the square's number (`NEAR_ROOT`).
const NEAR: u32 = 1 << 10;

impl Root {
    /// Converts a position.
    pub fn new(evaluation: &Evaluation, position: &Position) -> Root {
        let size = evaluation.size();
        let mut words = Vec::with_capacity(Root::most_words(size));
        pack_relative(position, &mut words);
        let stone = |square| position.at(square).is_some();
        let empty = size.order().iter().copied();
        let empty: Vec<_> = empty.filter(|square| !stone(*square)).collect();
        words.extend(empty.iter().map(|square| {
            let near = size.neighbours(*square).any(stone);
            square_word(size, *square) | if near { NEAR } else { 0 }
        }));
        let moves = evaluation.candidates(position);
        words.extend(moves.iter().map(|mv| square_word(size, *mv)));
        Root {
            words,
            empty,
            balance: evaluation.balance(position.cells(), position.mover()),
            moves,
            decided: value_of_end(position),
        }
    }

    /// Most words of a root on a board.
    pub fn most_words(size: Size) -> usize {
        packed_len(size) + 2 * size.squares()
    }
}

/// The value of a finished game; `None` for others.
pub(super) fn value_of_end(position: &Position) -> Option<i32> {
    let value = if position.has_five() { lost(0) } else { 0 };
    position.is_over().then_some(value)
}

/// The search result of a finished game.
pub(super) fn decided(value: i32) -> Found<Square> {
    Found::new(value, None, Counters::of_leaves(1))
}
