use super::Capture;
use super::board::Board;
use super::one_move::Move;
use super::squares::{JUMP_INSIDE, ROTATIONS};

#[derive(Clone, Copy)]
pub(super) struct Jumper {
    at: u32,
    other: u32,
    empty: u32,
    /// Bit d is set if direction d is allowed. A man that reaches the king row stays a man until the move is over.
    ways: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paths {
    pub longest: u32,
    /// Number of legal captures. With [`Capture::Longest`], only the longest captures are legal.
    pub count: u32,
}

impl Paths {
    const NONE: Paths = Paths {
        longest: 0,
        count: 0,
    };

    #[inline(always)]
    fn add(&mut self, jumps: u32, capture: Capture) {
        if capture == Capture::Longest && jumps > self.longest {
            self.count = 0;
        }
        self.longest = self.longest.max(jumps);
        self.count += u32::from(capture == Capture::Any || jumps == self.longest);
    }
}

impl Jumper {
    /// Creates the state of one of the mover's pieces before its first jump. The piece's square counts as empty.
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

    /// Calls `wanted` for each way to complete the capture, in order, until a call returns true.
    fn complete(
        self,
        jumps: u32,
        directions: u32,
        wanted: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        let mut complete = true;
        for direction in 0..4 {
            if let Some(next) = self.jump(direction) {
                complete = false;
                let directions = directions | (direction as u32) << (2 * jumps);
                if next.complete(jumps + 1, directions, wanted) {
                    return true;
                }
            }
        }
        complete && wanted(jumps, directions)
    }
}

/// Counts the captures that start with these `jumps`.
pub(super) fn count(board: &Board, jumps: &[u32; 4], capture: Capture) -> Paths {
    let mut paths = Paths::NONE;
    for (direction, at) in firsts(jumps) {
        if let Some(next) = Jumper::new(board, at).jump(direction) {
            next.complete(1, direction as u32, &mut |jumps, _| {
                paths.add(jumps, capture);
                false
            });
        }
    }
    paths
}

/// Returns legal capture number `index`. `paths` is the result of [`count`] for the same board.
pub(super) fn pick(
    board: &Board,
    jumps: &[u32; 4],
    capture: Capture,
    paths: Paths,
    index: u32,
) -> Option<Move> {
    let mut left = index;
    let mut found = None;
    for (direction, at) in firsts(jumps) {
        if let Some(next) = Jumper::new(board, at).jump(direction) {
            next.complete(1, direction as u32, &mut |jumps, directions| {
                if capture == Capture::Longest && jumps < paths.longest {
                    return false;
                }
                if left == 0 {
                    found = Some(Move::capture(at, jumps, directions));
                }
                left = left.wrapping_sub(1);
                found.is_some()
            });
        }
        if found.is_some() {
            break;
        }
    }
    found
}

/// Iterates over the first jumps, ordered by direction and then by square.
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
