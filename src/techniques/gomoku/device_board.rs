//! Common host code for gomoku's kernels (`cl/gomoku/board.clh`, `evaluate.clh`).

use crate::games::gomoku::{Colour, Evaluation, MOST, Position, Shapes, Size, Square, WIN, lost};
use crate::techniques::prelude::*;

/// Number of squares in a window on each side of its middle (`REACH` in the kernels).
pub(super) const REACH: usize = 5;
const SIDE_WINDOWS: usize = 1 << (2 * REACH);
const JOINED_BITS: usize = 5;
/// Amount added to the change in balance if a stone makes a five (`FIVE`). It exceeds any change without a five.
const FIVE: i32 = 1 << 27;

/// Returns the constants for all kernels on a board.
pub fn defines(evaluation: &Evaluation) -> Defines {
    vec![
        ("SIDE", evaluation.size().side().to_string()),
        ("WIN", WIN.to_string()),
        ("MOST", MOST.to_string()),
    ]
}

/// Returns a square in the kernels' form: its column, plus 32 times its row.
pub fn square_word(size: Size, square: Square) -> u32 {
    (size.x(square) | size.y(square) << 5) as u32
}

/// Returns all squares in move order, in the kernels' form.
pub fn order_words(size: Size) -> Vec<u32> {
    let order = size.order().iter();
    order.map(|square| square_word(size, *square)).collect()
}

/// Returns the number of rows, columns and diagonals in both directions (`LINES`).
pub fn lines(size: Size) -> usize {
    6 * size.side() - 2
}

/// Returns the number of words per board. A line has 32 bits per colour, or 64 on boards larger than 27x27.
pub fn packed_len(size: Size) -> usize {
    2 * lines(size) * halves(size)
}

fn halves(size: Size) -> usize {
    if size.side() + REACH <= 32 { 1 } else { 2 }
}

/// Appends a board in the kernels' form.
pub fn pack(position: &Position, packed: &mut Vec<u32>) {
    pack_colours(position, [Colour::Black, Colour::White], packed);
}

/// Appends a board on which the side to move counts as black.
pub fn pack_relative(position: &Position, packed: &mut Vec<u32>) {
    let mover = position.mover();
    pack_colours(position, [mover, mover.other()], packed);
}

/// Returns the lines through a square, and the index of the square on each line.
pub(super) fn through(side: usize, x: usize, y: usize) -> [(usize, usize); 4] {
    [
        (y, x),
        (side + x, y),
        (3 * side - 1 + x - y, x),
        (4 * side - 1 + x + y, x),
    ]
}

fn pack_colours(position: &Position, colours: [Colour; 2], packed: &mut Vec<u32>) {
    let size = position.size();
    let side = size.side();
    // Outside the board, both colours are set (walls).
    let mut words = vec![[u64::MAX; 2]; lines(size)];
    for square in size.all() {
        let (x, y) = (size.x(square), size.y(square));
        let stone = position.at(square);
        for (line, place) in through(side, x, y) {
            for (colour, word) in colours.into_iter().zip(&mut words[line]) {
                if stone != Some(colour) {
                    *word &= !(1 << (place + REACH));
                }
            }
        }
    }
    for word in words.as_flattened() {
        let halves = [*word as u32, (*word >> 32) as u32].into_iter();
        packed.extend(halves.take(self::halves(size)));
    }
}

/// One half of a window, from the nearest square outwards, as the side that places the stone sees it.
#[derive(Clone, Copy)]
struct Outlook {
    /// Whether the run next to the stone belongs to the stone's side or is empty.
    own: bool,
    /// Number of stones in the run, from 0 to 4. A longer run would have ended the game.
    length: usize,
    /// Whether the square after the run is empty.
    open: bool,
}

impl Outlook {
    /// Analyses half a window. Bit i of `own` and `other` is the square i + 1 steps away. Walls are set in both.
    fn new(own: usize, other: usize) -> Outlook {
        let run = |this: usize, that: usize| (this & !that).trailing_ones() as usize;
        let closed = own | other;
        let (own, length) = match run(other, own) {
            0 => (true, run(own, other)),
            length => (false, length),
        };
        let length = length.min(REACH - 1);
        Outlook {
            own,
            length,
            open: closed >> length & 1 == 0,
        }
    }

    /// Returns the side's loss in balance, because its run joins the new run or an opponent's run loses an open end.
    fn lost(self, shapes: &Shapes) -> i32 {
        let open = usize::from(self.open);
        let before = shapes.worth(self.length, 1 + open);
        if self.own {
            before
        } else {
            shapes.worth(self.length, open) - before
        }
    }

    /// Encodes the run that joins the new run: three times the number of stones, plus 1 for an open end.
    fn joined(self) -> i32 {
        if self.own {
            3 * self.length as i32 + i32::from(self.open)
        } else {
            0
        }
    }
}

/// Returns the tables for `cl/gomoku/evaluate.clh`.
pub fn tables(shapes: &Shapes) -> Vec<i32> {
    let mut tables = Vec::with_capacity(4 * SIDE_WINDOWS + (1 << JOINED_BITS));
    let mirrored = |side: usize| side.reverse_bits() >> (usize::BITS as usize - REACH);
    for colour in [0, 1] {
        for lower in [true, false] {
            tables.extend((0..SIDE_WINDOWS).map(|window| {
                let mut sides = [window & ((1 << REACH) - 1), window >> REACH];
                if lower {
                    sides = sides.map(mirrored);
                }
                let outlook = Outlook::new(sides[colour], sides[1 - colour]);
                outlook.lost(shapes) << JOINED_BITS | outlook.joined()
            }));
        }
    }
    tables.extend((0..1 << JOINED_BITS).map(|joined| match 1 + joined / 3 {
        length if length >= 5 => FIVE,
        length => shapes.worth(length, joined % 3),
    }));
    tables
}

whole_numbers! {
    /// The parameter `group`.
    pub auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto` or the number of work-items per group, from 1 to 1024";
}

/// A root in the kernels' form.
pub struct Root {
    /// The lines, the empty squares and the moves, as words.
    pub words: Vec<u32>,
    /// The empty squares, in move order.
    pub empty: Vec<Square>,
    /// The balance: the mover's shapes minus the opponent's shapes.
    pub balance: i32,
    /// The moves to try, in order. Empty if the game is over.
    pub moves: Vec<Square>,
    /// The value if the game is over.
    pub decided: Option<i32>,
}

/// A flag above the bits of a square's number. It marks an empty square next to a stone (`NEAR_ROOT`).
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

    /// Returns the maximum number of words for a root on this board.
    pub fn most_words(size: Size) -> usize {
        packed_len(size) + 2 * size.squares()
    }
}

pub(super) fn value_of_end(position: &Position) -> Option<i32> {
    let value = if position.has_five() { lost(0) } else { 0 };
    position.is_over().then_some(value)
}

pub(super) fn decided(value: i32) -> Found<Square> {
    Found::new(value, None, Counters::of_leaves(1))
}
