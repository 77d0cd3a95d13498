use super::board::Board;
use super::squares::{JUMP_INSIDE, ROTATIONS};
use super::{Capture, Move};

/// A piece in the midst of a capture.
#[derive(Clone, Copy)]
pub(super) struct Jumper {
    /// Where it stands.
    at: u32,
    /// The opponent's pieces that are left.
    other: u32,
    empty: u32,
    /// Bit d set: it may go in direction d. A man that is crowned stays what it was until the move
    /// ends, and from the king row none of its directions leads anywhere.
    ways: u32,
}

/// The complete captures that lie before a [`Jumper`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paths {
    /// Jumps of the longest.
    pub longest: u32,
    /// How many a side may choose from: with [`Capture::Longest`] the longest, else all.
    pub count: u32,
}

impl Paths {
    const NONE: Paths = Paths {
        longest: 0,
        count: 0,
    };

    /// These and other paths from the same square.
    fn and(self, others: Paths, capture: Capture) -> Paths {
        let longest = self.longest.max(others.longest);
        let counted = |paths: Paths| match capture {
            Capture::Longest if paths.longest < longest => 0,
            _ => paths.count,
        };
        Paths {
            longest,
            count: counted(self) + counted(others),
        }
    }
}

impl Jumper {
    /// A piece of the mover about to jump; its square is free from then on.
    pub fn new(board: &Board, at: u32) -> Jumper {
        let ways = match (board.kings & at != 0, board.down != 0) {
            (true, _) => 0b1111,
            (false, true) => 0b0011,
            (false, false) => 0b1100,
        };
        Jumper {
            at,
            other: board.other,
            empty: !(board.own | board.other) | at,
            ways,
        }
    }

    /// The piece after a jump, where it can.
    #[inline(always)]
    fn jump(&self, direction: usize) -> Option<Jumper> {
        let over = self.at.rotate_left(ROTATIONS[direction]);
        let to = over.rotate_left(ROTATIONS[direction]);
        let inside = self.at & JUMP_INSIDE[direction] != 0;
        let may = self.ways >> direction & 1 != 0;
        (may && inside && over & self.other != 0 && to & self.empty != 0).then_some(Jumper {
            at: to,
            other: self.other & !over,
            empty: self.empty | over,
            ..*self
        })
    }

    /// The ways to complete the capture from here; one of no jumps where there is none.
    fn paths(&self, capture: Capture) -> Paths {
        let mut paths = Paths::NONE;
        for direction in 0..4 {
            if let Some(next) = self.jump(direction) {
                paths = paths.and(next.paths_after_jump(capture), capture);
            }
        }
        Paths {
            count: paths.count.max(1),
            ..paths
        }
    }

    fn paths_after_jump(&self, capture: Capture) -> Paths {
        let Paths { longest, count } = self.paths(capture);
        Paths {
            longest: longest + 1,
            count,
        }
    }
}

/// All captures of a board whose first jumps these are.
pub(super) fn count(board: &Board, jumps: &[u32; 4], capture: Capture) -> Paths {
    let mut paths = Paths::NONE;
    for (direction, at) in firsts(jumps) {
        if let Some(next) = Jumper::new(board, at).jump(direction) {
            paths = paths.and(next.paths_after_jump(capture), capture);
        }
    }
    paths
}

/// Number `index` of the captures that [`count`] counted as `paths`.
pub(super) fn pick(
    board: &Board,
    jumps: &[u32; 4],
    capture: Capture,
    paths: Paths,
    mut index: u32,
) -> Option<Move> {
    for (direction, at) in firsts(jumps) {
        let mut piece = Jumper::new(board, at);
        let mut next = step(&piece, direction, capture, paths.longest, &mut index);
        let (mut directions, mut length) = (direction as u32, 0);
        while let Some(landed) = next {
            piece = landed;
            length += 1;
            let left = paths.longest - length;
            next = None;
            for direction in 0..4 {
                next = step(&piece, direction, capture, left, &mut index);
                if next.is_some() {
                    directions |= (direction as u32) << (2 * length);
                    break;
                }
            }
        }
        if length > 0 {
            return Some(Move::capture(at, length, directions));
        }
    }
    None
}

/// The piece after a jump if capture number `index` begins with it; else the captures that do are
/// taken off the index. `longest` is the number of jumps that the longest capture has from here.
fn step(
    piece: &Jumper,
    direction: usize,
    capture: Capture,
    longest: u32,
    index: &mut u32,
) -> Option<Jumper> {
    let next = piece.jump(direction)?;
    let paths = next.paths_after_jump(capture);
    if capture == Capture::Longest && paths.longest < longest {
        return None;
    }
    if *index < paths.count {
        return Some(next);
    }
    *index -= paths.count;
    None
}

/// First jumps in order: by direction, then by square.
fn firsts(jumps: &[u32; 4]) -> impl Iterator<Item = (usize, u32)> {
    jumps.iter().enumerate().flat_map(|(direction, squares)| {
        let mut left = *squares;
        std::iter::from_fn(move || {
            let lowest = left & left.wrapping_neg();
            left ^= lowest;
            (lowest != 0).then_some((direction, lowest))
        })
    })
}

/// Plays a capture's jumps: where the piece ends, and what it took on the way.
#[inline(always)]
pub(super) fn follow(from: u32, length: u32, directions: u32) -> (u32, u32) {
    let (mut at, mut captured) = (from, 0);
    for jump in 0..length {
        let rotation = ROTATIONS[(directions >> (2 * jump) & 3) as usize];
        let over = at.rotate_left(rotation);
        captured |= over;
        at = over.rotate_left(rotation);
    }
    (at, captured)
}
