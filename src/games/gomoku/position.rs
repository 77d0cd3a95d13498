use super::{Colour, Size, Square};
use crate::games::sides::Player;

/// A maximal run of stones of the same colour along a row, a column or a diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub colour: Colour,
    /// Number of stones, at least 1.
    pub length: usize,
    /// Number of ends that are empty squares, 0 to 2.
    pub open: usize,
}

const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Calls `each` for every maximal run. A single stone is a run in each direction. `cells` has an entry per square.
pub(super) fn each_run(size: Size, cells: &[Option<Colour>], mut each: impl FnMut(Run)) {
    let at = |square: Option<Square>| square.map(|square| cells[square.index()]);
    for square in size.all() {
        let Some(colour) = cells[square.index()] else {
            continue;
        };
        for (dx, dy) in DIRECTIONS {
            let before = at(size.step(square, (-dx, -dy)));
            if before == Some(Some(colour)) {
                continue;
            }
            let (mut length, mut after) = (1, size.step(square, (dx, dy)));
            while let Some(next) = after
                && at(after) == Some(Some(colour))
            {
                length += 1;
                after = size.step(next, (dx, dy));
            }
            let open = [before, at(after)]
                .into_iter()
                .filter(|end| *end == Some(None))
                .count();
            each(Run {
                colour,
                length,
                open,
            });
        }
    }
}

/// A position with its moves, for reading and writing. The rules examine the board square by square. Tests compare
/// every [`Representation`](super::Representation) with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    size: Size,
    moves: Vec<Square>,
    cells: Vec<Option<Colour>>,
}

impl Position {
    /// Returns the empty board, with Black to move.
    pub fn empty(size: Size) -> Position {
        Position {
            size,
            moves: Vec::new(),
            cells: vec![None; size.squares()],
        }
    }

    /// Returns the position after "an input move", which the paper requires: Black's first stone is on (n/2, n/2).
    pub fn first_stone(size: Size) -> Position {
        let mut position = Position::empty(size);
        position.put(size.centre());
        position
    }

    /// Returns the board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the side to move.
    pub fn mover(&self) -> Colour {
        Player::at(self.moves.len() as u32).into()
    }

    /// Returns the moves in the game, starting with Black's.
    pub fn moves(&self) -> &[Square] {
        &self.moves
    }

    /// Returns the contents of all squares, by index.
    pub fn cells(&self) -> &[Option<Colour>] {
        &self.cells
    }

    /// Returns the colour of the stone on a square.
    pub fn at(&self, square: Square) -> Option<Colour> {
        self.cells[square.index()]
    }

    /// Returns true if the side that moved last has five or more in a row.
    pub fn has_five(&self) -> bool {
        let mut five = false;
        each_run(self.size, &self.cells, |run| five |= run.length >= 5);
        five
    }

    /// Returns true if a player has won or the board is full.
    pub fn is_over(&self) -> bool {
        self.moves.len() == self.size.squares() || self.has_five()
    }

    /// Returns the legal moves in search order: every empty square, or none if the game is over.
    pub fn legal_moves(&self) -> Vec<Square> {
        if self.is_over() {
            return Vec::new();
        }
        let empty = |square: &Square| self.at(*square).is_none();
        self.size.order().iter().copied().filter(empty).collect()
    }

    /// Returns the position after a move, or `None` if the move is illegal.
    pub fn play(&self, square: Square) -> Option<Position> {
        if self.at(square).is_some() || self.is_over() {
            return None;
        }
        let mut next = self.clone();
        next.put(square);
        Some(next)
    }

    /// Places the mover's stone on an empty square, even if the game is over.
    pub(super) fn put(&mut self, square: Square) {
        self.cells[square.index()] = Some(self.mover());
        self.moves.push(square);
    }
}
