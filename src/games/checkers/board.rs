use super::squares::{JUMP_INSIDE, KING_ROWS, ROTATIONS, STEP_INSIDE};
use super::{Colour, Position};

/// A position as its mover sees it: the form in which moves are counted, picked and played.
///
/// Words that belong to a side trade places at every ply, so that no operation asks whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    /// The mover's pieces.
    pub own: u32,
    /// The opponent's.
    pub other: u32,
    /// Both sides' kings.
    pub kings: u32,
    /// All ones where the mover's men go down the board, else 0.
    pub down: u32,
}

/// In which squares which directions are open. Indices are directions in their order.
pub(super) struct Reach {
    /// From where a piece of the mover can step.
    pub steps: [u32; 4],
    /// From where one can jump.
    pub jumps: [u32; 4],
    /// From where one could jump if it stood there: an opponent, then an empty square.
    pub open: [u32; 4],
}

impl Board {
    #[inline(always)]
    pub fn of(position: &Position) -> Board {
        let (own, other, down) = match position.mover {
            Colour::Black => (position.black, position.white, !0),
            Colour::White => (position.white, position.black, 0),
        };
        Board {
            own,
            other,
            kings: position.kings,
            down,
        }
    }

    /// The position that this is, so many plies after the last capture.
    #[inline(always)]
    pub fn position(&self, quiet: u32) -> Position {
        let (white, black, mover) = if self.down == 0 {
            (self.own, self.other, Colour::White)
        } else {
            (self.other, self.own, Colour::Black)
        };
        Position {
            white,
            black,
            kings: self.kings,
            mover,
            quiet,
        }
    }

    #[inline(always)]
    pub fn reach(&self) -> Reach {
        let empty = !(self.own | self.other);
        let downward = self.own & (self.kings | self.down);
        let upward = self.own & (self.kings | !self.down);
        let movers = [downward, downward, upward, upward];
        let (mut steps, mut jumps, mut open) = ([0; 4], [0; 4], [0; 4]);
        for direction in 0..4 {
            let back = ROTATIONS[direction];
            steps[direction] =
                movers[direction] & STEP_INSIDE[direction] & empty.rotate_right(back);
            open[direction] = JUMP_INSIDE[direction]
                & self.other.rotate_right(back)
                & empty.rotate_right(2 * back);
            jumps[direction] = movers[direction] & open[direction];
        }
        Reach { steps, jumps, open }
    }

    /// The board after a piece went from one square to another and took what was there, the other
    /// side to move. Each argument is a word of squares; a king may end where it began.
    #[inline(always)]
    pub fn moved(&self, from: u32, to: u32, captured: u32) -> Board {
        let crowned = if self.kings & from != 0 {
            to
        } else {
            to & KING_ROWS
        };
        Board {
            own: self.other & !captured,
            other: self.own & !from | to,
            kings: self.kings & !(from | captured) | crowned,
            down: !self.down,
        }
    }
}

impl Reach {
    /// Whether any jump can be followed by another.
    ///
    /// This needs no more than the jumps at hand, because nothing that a first jump changes matters to
    /// the second unless it goes back over the square that was just emptied: the start is two jumps
    /// away only that way, and a landing square is never a captured piece's (both its coordinates
    /// differ from the start's by an even number, the piece's by an odd one). A man stops on the king
    /// row by itself, since no direction of his is open there.
    #[inline(always)]
    pub fn goes_on(&self, kings: u32) -> bool {
        let [a, b, c, d] = self.open;
        let landed = |direction: usize, pieces: u32| {
            (self.jumps[direction] & pieces).rotate_left(2 * ROTATIONS[direction])
        };
        let down = (landed(0, !0) | landed(1, !0)) & (a | b);
        let up = (landed(2, !0) | landed(3, !0)) & (c | d);
        // Kings turn upward from a downward jump, or downward from an upward one, except right back.
        let turned_up = landed(0, kings) & c | landed(1, kings) & d;
        let turned_down = landed(2, kings) & a | landed(3, kings) & b;
        (down | up | turned_up | turned_down) != 0
    }
}
