use super::{Size, Square};

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Moves first.
    Black,
    /// Moves second.
    White,
}

impl Colour {
    /// The opponent.
    pub fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// The word in messages.
    pub fn word(self) -> &'static str {
        match self {
            Colour::Black => "black",
            Colour::White => "white",
        }
    }
}

/// A maximal run of stones of one colour along a row, a column or a diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Whose stones.
    pub colour: Colour,
    /// How many, at least 1.
    pub length: usize,
    /// How many of its two ends are empty squares.
    pub open: usize,
}

/// The steps along a row, a column and the two diagonals.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Hands every maximal run on a board, a single stone once in each direction, to `each`.
/// `cells` has one entry a square, by index.
pub(super) fn each_run(size: Size, cells: &[Option<Colour>], mut each: impl FnMut(Run)) {
    let step = |square: Square, (dx, dy): (isize, isize)| {
        let x = size.x(square).checked_add_signed(dx)?;
        let y = size.y(square).checked_add_signed(dy)?;
        (x < size.side() && y < size.side()).then(|| size.square(x, y))
    };
    let at = |square: Option<Square>| square.map(|square| cells[square.index()]);
    for square in size.all() {
        let Some(colour) = cells[square.index()] else {
            continue;
        };
        for (dx, dy) in DIRECTIONS {
            let before = at(step(square, (-dx, -dy)));
            if before == Some(Some(colour)) {
                continue;
            }
            let (mut length, mut after) = (1, step(square, (dx, dy)));
            while let Some(next) = after
                && at(after) == Some(Some(colour))
            {
                length += 1;
                after = step(next, (dx, dy));
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

/// A game so far: the form in which positions are written, read and handed from one technique to
/// another.
///
/// Its rules walk the board square by square. Searches use a faster
/// [`Representation`](super::Representation), and every one of those is tested against this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    size: Size,
    moves: Vec<Square>,
    cells: Vec<Option<Colour>>,
}

impl Position {
    /// The empty board, black to move.
    pub fn empty(size: Size) -> Position {
        Position {
            size,
            moves: Vec::new(),
            cells: vec![None; size.squares()],
        }
    }

    /// The paper's "given an input move": black's first stone at (n/2, n/2), white to move.
    pub fn first_stone(size: Size) -> Position {
        let mut position = Position::empty(size);
        position.put(size.centre());
        position
    }

    /// The board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The side to move.
    pub fn mover(&self) -> Colour {
        if self.moves.len().is_multiple_of(2) {
            Colour::Black
        } else {
            Colour::White
        }
    }

    /// The moves that led here, black's first.
    pub fn moves(&self) -> &[Square] {
        &self.moves
    }

    /// What stands on each square, by index.
    pub fn cells(&self) -> &[Option<Colour>] {
        &self.cells
    }

    /// Whose stone stands there.
    pub fn at(&self, square: Square) -> Option<Colour> {
        self.cells[square.index()]
    }

    /// Whether somebody has five or more in a row: the side that moved last.
    pub fn has_five(&self) -> bool {
        let mut five = false;
        each_run(self.size, &self.cells, |run| five |= run.length >= 5);
        five
    }

    /// Whether somebody has won or the board is full.
    pub fn is_over(&self) -> bool {
        self.moves.len() == self.size.squares() || self.has_five()
    }

    /// The legal moves, in search order: every empty square, or none where the game is over.
    pub fn legal_moves(&self) -> Vec<Square> {
        if self.is_over() {
            return Vec::new();
        }
        let empty = |square: &Square| self.at(*square).is_none();
        self.size.order().iter().copied().filter(empty).collect()
    }

    /// The position after a move; `None` where it is not legal.
    pub fn play(&self, square: Square) -> Option<Position> {
        if self.at(square).is_some() || self.is_over() {
            return None;
        }
        let mut next = self.clone();
        next.put(square);
        Some(next)
    }

    /// Puts the mover's stone on an empty square, whether or not the game is over.
    pub(super) fn put(&mut self, square: Square) {
        self.cells[square.index()] = Some(self.mover());
        self.moves.push(square);
    }
}
