use super::Square;
use super::squares::numbered;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Starts on 21 to 32, moves up the board, and moves second.
    White,
    /// Starts on 1 to 12, moves down the board, and moves first.
    Black,
}

impl Colour {
    /// Returns the side's letter in PDN.
    pub fn letter(self) -> char {
        match self {
            Colour::White => 'W',
            Colour::Black => 'B',
        }
    }

    /// Returns the four squares on which this side's men are crowned.
    pub fn king_row(self) -> u32 {
        match self {
            Colour::White => numbered(1, 4),
            Colour::Black => numbered(29, 32),
        }
    }
}

/// Maximum number of pieces per side.
pub const MOST_PIECES: u32 = 12;

/// A position: the paper's three words (see the [module](super)), the side to move, and the plies since a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// White's pieces.
    pub white: u32,
    /// Black's pieces.
    pub black: u32,
    /// Both sides' kings.
    pub kings: u32,
    /// The side to move.
    pub mover: Colour,
    /// Number of plies since the last capture.
    pub quiet: u32,
}

impl Position {
    /// Returns the start position, with twelve men per side and Black to move.
    pub fn start() -> Position {
        Position {
            white: numbered(21, 32),
            black: numbered(1, 12),
            kings: 0,
            mover: Colour::Black,
            quiet: 0,
        }
    }

    /// Returns the owner of the piece on a square, and whether it is a king.
    pub fn at(&self, square: Square) -> Option<(Colour, bool)> {
        let bit = square.bit();
        let king = self.kings & bit != 0;
        if self.white & bit != 0 {
            Some((Colour::White, king))
        } else if self.black & bit != 0 {
            Some((Colour::Black, king))
        } else {
            None
        }
    }
}
