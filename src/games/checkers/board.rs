use super::squares::{JUMP_INSIDE, KING_ROWS, ROTATIONS, STEP_INSIDE};
use super::{Colour, Position};

/// A position from the mover's point of view. Each ply swaps the sides' words, so the same operations serve both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub own: u32,
    pub other: u32,
    pub kings: u32,
    /// All ones if the mover's men move down the board, otherwise 0.
    pub down: u32,
}

/// The squares from which steps and jumps are possible, for each direction.
pub(super) struct Reach {
    /// Squares from which one of the mover's pieces can step.
    pub steps: [u32; 4],
    /// Squares from which one of the mover's pieces can jump.
    pub jumps: [u32; 4],
    /// Squares from which one of the mover's kings could jump.
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

    /// Returns the same pieces, with the other side to move.
    #[inline(always)]
    pub fn turned(&self) -> Board {
        Board {
            own: self.other,
            other: self.own,
            down: !self.down,
            ..*self
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

    /// Returns the board after a piece moves from `from` to `to` and takes `captured`. A king may return to `from`.
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
    /// Returns true if another jump can follow any of these jumps.
    ///
    /// The board before the first jump is enough to decide this. A jump empties its source, but the next jump could
    /// reach that square only by going back. The captured piece is never on a landing square, because its coordinates
    /// differ from the source by odd numbers. A man stops on the king row, because no direction is open to it there.
    #[inline(always)]
    pub fn goes_on(&self, kings: u32) -> bool {
        let [a, b, c, d] = self.open;
        let landed = |direction: usize, pieces: u32| {
            (self.jumps[direction] & pieces).rotate_left(2 * ROTATIONS[direction])
        };
        let down = (landed(0, !0) | landed(1, !0)) & (a | b);
        let up = (landed(2, !0) | landed(3, !0)) & (c | d);
        // Kings may change their vertical direction, but they must not go straight back.
        let turned_up = landed(0, kings) & c | landed(1, kings) & d;
        let turned_down = landed(2, kings) & a | landed(3, kings) & b;
        (down | up | turned_up | turned_down) != 0
    }
}
