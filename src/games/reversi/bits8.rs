#![allow(
    clippy::needless_range_loop,
    reason = "side by side, the arrays read as vectors"
)]

use super::{Evaluation, Position, Representation, Size, Square, final_value};
use crate::games::{Game, OrderedGame, Stuck, mixed};

/// Represents 8x8 positions by a 64-bit word per side, in which bit `rank * 8 + file` is a square. A parallel-prefix
/// fill in all eight directions at once finds moves and flips. The sum of weights is updated incrementally.
#[derive(Clone, Debug)]
pub struct Bits8 {
    directions: Directions,
    weights: [i32; 64],
    sums: Box<[[i32; 256]; 8]>,
    mobility: i32,
}

/// An 8x8 position, from the point of view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board8 {
    own: u64,
    other: u64,
    /// The weight of the mover's discs minus the weight of the opponent's discs.
    weight: i32,
}

/// Iterator over the squares that are left to try, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Moves8(u64);

impl Iterator for Moves8 {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square(self.0.trailing_zeros() as u16);
        self.0 &= self.0 - 1;
        Some(square)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

/// The eight directions, as vectors. If they were constants, the compiler would not vectorise the loops.
#[derive(Clone, Debug)]
struct Directions {
    /// Rotations that move every square to its neighbour. AVX-512 rotates eight words with one instruction.
    steps: [u64; 8],
    /// Squares that can be inside a run: all except the edges at which the direction enters or leaves the board.
    inner: [u64; 8],
}

impl Directions {
    fn new() -> Directions {
        const FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;
        const RANKS: u64 = 0x00ff_ffff_ffff_ff00;
        const BOTH: u64 = FILES & RANKS;
        Directions {
            steps: [1, 8, 7, 9, 63, 56, 57, 55],
            inner: [FILES, RANKS, BOTH, BOTH, FILES, RANKS, BOTH, BOTH],
        }
    }

    /// Returns, per direction, the discs of `other` (at most six) in unbroken runs that start next to `from`.
    #[inline(always)]
    fn runs(&self, from: u64, other: u64) -> [u64; 8] {
        let mut runs = [0; 8];
        for d in 0..8 {
            let (step, inner) = (self.steps[d], other & self.inner[d]);
            let pairs = inner & turn(inner, step);
            let one = inner & turn(from, step);
            let two = one | inner & turn(one, step);
            let four = two | pairs & turn(two, 2 * step);
            runs[d] = four | pairs & turn(four, 2 * step);
        }
        runs
    }

    #[inline(always)]
    fn moves(&self, own: u64, other: u64) -> u64 {
        let mut ends = self.runs(own, other);
        for d in 0..8 {
            ends[d] = turn(ends[d], self.steps[d]);
        }
        union(ends) & !(own | other)
    }

    /// Returns the discs that a move on an empty square flips, or none if the move is illegal.
    ///
    /// A disc is flipped if it is in a run that starts next to the square, and in an opposite run that starts next to
    /// one of the mover's discs. The opposite runs, `back`, are the same for all moves in a position.
    #[inline(always)]
    fn flips(&self, back: &[u64; 8], other: u64, square: usize) -> u64 {
        let mut turned = self.runs(1 << square, other);
        for d in 0..8 {
            turned[d] &= back[(d + 4) % 8];
        }
        union(turned)
    }
}

#[inline(always)]
fn turn(board: u64, step: u64) -> u64 {
    board.rotate_left(step as u32)
}

#[inline(always)]
fn union(boards: [u64; 8]) -> u64 {
    boards.into_iter().fold(0, |union, board| union | board)
}

impl Bits8 {
    /// Creates the representation for an evaluation of the 8x8 board. Panics for any other size.
    pub fn new(evaluation: &Evaluation) -> Bits8 {
        assert_eq!(evaluation.size(), Size::STANDARD);
        let mut weights = [0; 64];
        weights.copy_from_slice(&evaluation.weights);
        let mut sums = Box::new([[0; 256]; 8]);
        for (rank, sums) in sums.iter_mut().enumerate() {
            for (set, sum) in sums.iter_mut().enumerate() {
                *sum = (0..8)
                    .filter(|file| set >> file & 1 != 0)
                    .map(|file| weights[rank * 8 + file])
                    .sum();
            }
        }
        Bits8 {
            directions: Directions::new(),
            weights,
            sums,
            mobility: evaluation.mobility,
        }
    }

    #[inline(always)]
    fn put(&self, board: &Board8, back: &[u64; 8], mv: Square) -> Board8 {
        let square = mv.index() & 63;
        let turned = self.directions.flips(back, board.other, square);
        debug_assert_ne!(turned, 0, "a legal move turns a disc");
        Board8 {
            own: board.other & !turned,
            other: board.own | turned | 1 << square,
            weight: -(board.weight + 2 * self.sum(turned) + self.weights[square]),
        }
    }

    #[inline(always)]
    fn sum(&self, squares: u64) -> i32 {
        let bytes = squares.to_le_bytes();
        (0..8)
            .map(|rank| self.sums[rank][usize::from(bytes[rank])])
            .sum()
    }
}

impl Game for Bits8 {
    type Position = Board8;
    type Move = Square;
    type Moves = Moves8;

    #[inline(always)]
    fn moves(&self, board: &Board8) -> Moves8 {
        Moves8(self.directions.moves(board.own, board.other))
    }

    fn first(&self, _board: &Board8, moves: &Moves8) -> Option<Square> {
        super::heaviest(*moves, |square| self.weights[square.index()])
    }

    #[inline(always)]
    fn play(&self, board: &Board8, mv: Square) -> Board8 {
        self.put(board, &self.directions.runs(board.own, board.other), mv)
    }

    #[inline(always)]
    fn evaluate(&self, board: &Board8) -> i32 {
        if self.mobility == 0 {
            return board.weight;
        }
        let own = self.directions.moves(board.own, board.other).count_ones() as i32;
        let other = self.directions.moves(board.other, board.own).count_ones() as i32;
        board.weight + self.mobility * (own - other)
    }

    fn stuck(&self, board: &Board8, _ply: u32) -> Stuck<Board8> {
        let passed = Board8 {
            own: board.other,
            other: board.own,
            weight: -board.weight,
        };
        if self.directions.moves(passed.own, passed.other) != 0 {
            return Stuck::Pass(passed);
        }
        Stuck::Over(final_value(
            board.own.count_ones() as i32 - board.other.count_ones() as i32,
        ))
    }
}

impl OrderedGame for Bits8 {
    /// With 3, searches would visit fewer nodes but take longer.
    const ORDERED_FROM: u32 = 4;
    const ORDERS_BY_VALUE: bool = true;
    const KEEPS_CHILDREN: bool = true;
    /// For each direction, the opponent's discs in unbroken runs that start next to one of the mover's discs.
    type Analysis = [u64; 8];

    #[inline(always)]
    fn key(&self, board: &Board8) -> u64 {
        mixed(board.own, board.other)
    }

    #[inline(always)]
    fn analyse(&self, board: &Board8) -> [u64; 8] {
        self.directions.runs(board.own, board.other)
    }

    #[inline(always)]
    fn play_after(&self, board: &Board8, analysis: &[u64; 8], mv: Square) -> Board8 {
        self.put(board, analysis, mv)
    }

    #[inline(always)]
    fn order_score(
        &self,
        _board: &Board8,
        _analysis: &[u64; 8],
        _mv: Square,
        child: Option<&Board8>,
        _ply: u32,
    ) -> i32 {
        child.map_or(0, |child| -self.evaluate(child))
    }
}

impl Representation for Bits8 {
    fn size(&self) -> Size {
        Size::STANDARD
    }

    fn load(&self, position: &Position) -> Board8 {
        let [own, other] = position.words();
        Board8 {
            own,
            other,
            weight: self.sum(own) - self.sum(other),
        }
    }

    #[inline]
    fn rank(&self, board: &Board8, rank: usize) -> (u64, u64) {
        let row = |discs: u64| discs >> (8 * rank) & 0xff;
        (row(board.own), row(board.other))
    }
}
