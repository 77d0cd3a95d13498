use super::{Colour, Size, Square};

/// A position on a board of any size, for reading and writing. The rules examine the board square by square. Tests
/// compare every [`Representation`](super::Representation) with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The board's size.
    pub size: Size,
    pub(super) black: Vec<u64>,
    pub(super) white: Vec<u64>,
    /// The side to move.
    pub mover: Colour,
}

const DIRECTIONS: [(isize, isize); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

impl Position {
    /// Returns an empty board.
    pub fn empty(size: Size, mover: Colour) -> Position {
        let rows = vec![0; size.height()];
        Position {
            size,
            black: rows.clone(),
            white: rows,
            mover,
        }
    }

    /// Returns the start position: four discs in the centre (on 8x8, White on d4 and e5), with Black to move.
    pub fn start(size: Size) -> Position {
        let (file, rank) = (size.width() / 2 - 1, size.height() / 2 - 1);
        let mut start = Position::empty(size, Colour::Black);
        start.put(size.square(file, rank), Colour::White);
        start.put(size.square(file + 1, rank + 1), Colour::White);
        start.put(size.square(file + 1, rank), Colour::Black);
        start.put(size.square(file, rank + 1), Colour::Black);
        start
    }

    /// Returns the discs of a side, in one word per rank. Bit `file` stands for a square.
    pub fn rows(&self, colour: Colour) -> &[u64] {
        match colour {
            Colour::Black => &self.black,
            Colour::White => &self.white,
        }
    }

    /// Returns the discs of the mover and of the opponent on 8x8. Bit `rank * 8 + file` stands for a square.
    pub fn words(&self) -> [u64; 2] {
        [self.mover, self.mover.other()].map(|colour| {
            let ranks = self.rows(colour).iter().enumerate();
            ranks.fold(0, |bits, (rank, row)| bits | row << (8 * rank))
        })
    }

    /// Returns the colour of the disc on a square.
    pub fn at(&self, square: Square) -> Option<Colour> {
        let (rank, bit) = (self.size.y(square), 1 << self.size.x(square));
        [Colour::Black, Colour::White]
            .into_iter()
            .find(|colour| self.rows(*colour)[rank] & bit != 0)
    }

    /// Places a disc on a square, replacing any disc there.
    pub fn put(&mut self, square: Square, colour: Colour) {
        let (rank, bit) = (self.size.y(square), 1 << self.size.x(square));
        let (own, other) = match colour {
            Colour::Black => (&mut self.black, &mut self.white),
            Colour::White => (&mut self.white, &mut self.black),
        };
        own[rank] |= bit;
        other[rank] &= !bit;
    }

    /// Returns one byte per square, in order: 0 if empty, 1 for the mover's disc, 2 for the opponent's disc.
    pub fn cells(&self) -> Vec<u8> {
        let byte = |square| match self.at(square) {
            None => 0,
            Some(colour) if colour == self.mover => 1,
            Some(_) => 2,
        };
        self.size.all().map(byte).collect()
    }

    /// Returns the discs that a move would flip, direction by direction, or none if the move is illegal.
    pub fn flips(&self, square: Square) -> Vec<Square> {
        let mut flips = Vec::new();
        if self.at(square).is_some() {
            return flips;
        }
        for direction in DIRECTIONS {
            let begin = flips.len();
            let mut here = square;
            let closed = loop {
                match self.size.step(here, direction) {
                    None => break false,
                    Some(next) => here = next,
                }
                match self.at(here) {
                    None => break false,
                    Some(colour) if colour == self.mover => break true,
                    Some(_) => flips.push(here),
                }
            };
            if !closed {
                flips.truncate(begin);
            }
        }
        flips
    }

    /// Returns the mover's legal moves, in square order.
    pub fn legal_moves(&self) -> Vec<Square> {
        self.size
            .all()
            .filter(|square| !self.flips(*square).is_empty())
            .collect()
    }

    /// Returns the position after a move, or `None` if the move is illegal.
    pub fn play(&self, square: Square) -> Option<Position> {
        let flips = self.flips(square);
        if flips.is_empty() {
            return None;
        }
        let mut next = self.clone();
        for turned in flips.into_iter().chain([square]) {
            next.put(turned, self.mover);
        }
        next.mover = self.mover.other();
        Some(next)
    }

    /// Returns the board with the other side to move. Legal only if the mover has no move and the game is not over.
    pub fn pass(&self) -> Position {
        Position {
            mover: self.mover.other(),
            ..self.clone()
        }
    }

    /// Returns true if neither side can move.
    pub fn is_over(&self) -> bool {
        self.legal_moves().is_empty() && self.pass().legal_moves().is_empty()
    }

    /// Returns the number of a side's discs.
    pub fn discs(&self, colour: Colour) -> u32 {
        self.rows(colour).iter().map(|row| row.count_ones()).sum()
    }
}
