use std::fmt;

use super::Square;
use super::board::Board;
use super::squares::ROTATIONS;

/// A move without its position. Captures along different paths are different moves, even if they have equal results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    from: Square,
    /// Number of jumps, or 0 for a step. At most 9, because captured pieces are never on the edge, and all pieces
    /// captured in one move have coordinates of the same parity.
    jumps: u8,
    /// The direction of the step or of each jump, in two bits each. The first jump is in the lowest bits.
    directions: u32,
}

impl Move {
    pub(super) fn step(from: u32, direction: u32) -> Move {
        Move {
            from: Square::of(from),
            jumps: 0,
            directions: direction,
        }
    }

    pub(super) fn capture(from: u32, jumps: u32, directions: u32) -> Move {
        Move {
            from: Square::of(from),
            jumps: jumps as u8,
            directions,
        }
    }

    /// Returns the number of captured pieces.
    pub fn captures(self) -> u32 {
        u32::from(self.jumps)
    }

    /// Returns the number of plies since the last capture after this move, given the number before it.
    #[inline(always)]
    pub(super) fn quiet_after(self, quiet: u32) -> u32 {
        if self.jumps == 0 { quiet + 1 } else { 0 }
    }

    /// Returns the source, and the direction of the step or first jump.
    pub(super) fn first(self) -> (Square, u32) {
        (self.from, self.directions & 3)
    }

    /// Returns the squares on the piece's path, including the source.
    pub fn squares(self) -> impl Iterator<Item = Square> {
        let (mut at, mut directions) = (self.from.bit(), self.directions);
        let times = 1 + u32::from(self.jumps > 0);
        let legs = (0..self.jumps.max(1)).map(move |_| {
            at = at.rotate_left(times * ROTATIONS[(directions & 3) as usize]);
            directions >>= 2;
            Square::of(at)
        });
        std::iter::once(self.from).chain(legs)
    }

    #[inline(always)]
    pub(super) fn play(self, board: &Board) -> Board {
        let from = self.from.bit();
        if self.jumps == 0 {
            let to = from.rotate_left(ROTATIONS[(self.directions & 3) as usize]);
            return board.moved(from, to, 0);
        }
        let (mut at, mut captured) = (from, 0);
        for jump in 0..u32::from(self.jumps) {
            let rotation = ROTATIONS[(self.directions >> (2 * jump) & 3) as usize];
            let over = at.rotate_left(rotation);
            captured |= over;
            at = over.rotate_left(rotation);
        }
        board.moved(from, at, captured)
    }
}

impl fmt::Display for Move {
    /// Writes `11-15`, or `15x22x29` with every square on the path, so that different captures have different texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.jumps == 0 { '-' } else { 'x' };
        for (place, square) in self.squares().enumerate() {
            if place > 0 {
                write!(f, "{sign}")?;
            }
            write!(f, "{square}")?;
        }
        Ok(())
    }
}
