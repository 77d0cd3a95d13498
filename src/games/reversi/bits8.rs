use super::{Colour, Evaluation, Position, Representation, Size, Square, final_value};
use crate::games::{Game, Stuck};

/// Reversi on 8x8: one word a side, bit `rank * 8 + file`.
///
/// Moves come from a parallel-prefix fill in four directions each way, laid out as arrays of four
/// so that the compiler keeps each in one vector register; flips from the carry of an addition
/// along the rays of the square, upwards as they are and downwards on the byte-swapped or reversed
/// board. The sum of weights is carried along and changed by what a move turns.
#[derive(Clone, Debug)]
pub struct Bits8 {
    weights: [i32; 64],
    /// The weight of every set of squares of each rank.
    sums: Box<[[i32; 256]; 8]>,
    mobility: i32,
}

/// An 8x8 position, from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board8 {
    own: u64,
    other: u64,
    /// Weights of own discs less those of the opponent's.
    weight: i32,
}

/// Squares not yet yielded, lowest first.
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

/// Steps to the next square: along the rank, the file and both diagonals.
const STEPS: [u32; 4] = [1, 8, 7, 9];

/// Squares that a run of discs can lie on in each of those directions: a run that is open at both
/// ends touches neither edge file, except along the file.
const INNER: [u64; 4] = [
    0x7e7e_7e7e_7e7e_7e7e,
    u64::MAX,
    0x7e7e_7e7e_7e7e_7e7e,
    0x7e7e_7e7e_7e7e_7e7e,
];

/// For each square and each of the four directions: the squares above it (higher bits), and those
/// below.
const RAYS: [[[u64; 4]; 2]; 64] = rays();

const fn rays() -> [[[u64; 4]; 2]; 64] {
    let mut rays = [[[0; 4]; 2]; 64];
    let files: [i32; 4] = [1, 0, -1, 1];
    let ranks: [i32; 4] = [0, 1, 1, 1];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let mut way = 0;
            while way < 2 {
                let sign = if way == 0 { 1 } else { -1 };
                let mut file = square as i32 % 8 + sign * files[direction];
                let mut rank = square as i32 / 8 + sign * ranks[direction];
                while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                    rays[square][way][direction] |= 1 << (rank * 8 + file);
                    file += sign * files[direction];
                    rank += sign * ranks[direction];
                }
                way += 1;
            }
            direction += 1;
        }
        square += 1;
    }
    rays
}

/// The moves of the side with the discs `own`.
#[inline(always)]
fn moves(own: u64, other: u64) -> u64 {
    let mut ends = [0; 4];
    for d in 0..4 {
        let (s, inner) = (STEPS[d], other & INNER[d]);
        let mut up = inner & (own << s);
        let mut down = inner & (own >> s);
        up |= inner & (up << s);
        down |= inner & (down >> s);
        let (pair_up, pair_down) = (inner & (inner << s), inner & (inner >> s));
        up |= pair_up & (up << (2 * s));
        down |= pair_down & (down >> (2 * s));
        up |= pair_up & (up << (2 * s));
        down |= pair_down & (down >> (2 * s));
        ends[d] = (up << s) | (down >> s);
    }
    (ends[0] | ends[1] | ends[2] | ends[3]) & !(own | other)
}

/// The discs that a move on an empty square turns; none where it is not legal.
#[inline(always)]
fn flips(own: u64, other: u64, square: usize) -> u64 {
    let [above, below] = &RAYS[square];
    let mut turned = [0; 4];
    for d in 0..4 {
        // Upwards: adding one to the ray's opponents, every square off the ray set, carries to
        // the first square of the ray that is not the opponent's.
        let ray = above[d];
        let end = (other | !ray).wrapping_add(1) & ray & own;
        let run = end.wrapping_sub(u64::from(end != 0)) & ray;
        // Downwards: the highest square of the ray that is not the opponent's.
        let ray = below[d];
        let stop = ray & !other;
        let end = ((1 << 63) >> (stop | 1).leading_zeros()) & stop & own;
        let run_down = (end.wrapping_neg() << 1) & ray;
        turned[d] = run | run_down;
    }
    turned[0] | turned[1] | turned[2] | turned[3]
}

impl Bits8 {
    /// For an evaluation of the 8x8 board.
    ///
    /// # Panics
    /// Where the evaluation is for another board.
    pub fn new(evaluation: &Evaluation) -> Bits8 {
        assert_eq!(evaluation.size(), Size::STANDARD);
        let mut weights = [0; 64];
        weights.copy_from_slice(evaluation.weights());
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
            weights,
            sums,
            mobility: evaluation.mobility(),
        }
    }

    /// The weight of a set of squares.
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
        Moves8(moves(board.own, board.other))
    }

    fn first(&self, _board: &Board8, moves: &Moves8) -> Option<Square> {
        super::heaviest(*moves, |square| self.weights[square.index()])
    }

    #[inline(always)]
    fn play(&self, board: &Board8, mv: Square) -> Board8 {
        let square = mv.index() & 63;
        let turned = flips(board.own, board.other, square);
        debug_assert_ne!(turned, 0, "a legal move turns a disc");
        Board8 {
            own: board.other & !turned,
            other: board.own | turned | 1 << square,
            weight: -(board.weight + 2 * self.sum(turned) + self.weights[square]),
        }
    }

    #[inline(always)]
    fn evaluate(&self, board: &Board8) -> i32 {
        if self.mobility == 0 {
            return board.weight;
        }
        let own = moves(board.own, board.other).count_ones() as i32;
        let other = moves(board.other, board.own).count_ones() as i32;
        board.weight + self.mobility * (own - other)
    }

    fn stuck(&self, board: &Board8, _ply: u32) -> Stuck<Board8> {
        let passed = Board8 {
            own: board.other,
            other: board.own,
            weight: -board.weight,
        };
        if moves(passed.own, passed.other) != 0 {
            return Stuck::Pass(passed);
        }
        Stuck::Over(final_value(
            board.own.count_ones() as i32 - board.other.count_ones() as i32,
        ))
    }
}

impl Representation for Bits8 {
    fn size(&self) -> Size {
        Size::STANDARD
    }

    fn load(&self, position: &Position) -> Board8 {
        let pack = |colour: Colour| {
            position
                .rows(colour)
                .iter()
                .rev()
                .fold(0, |board, row| board << 8 | (row & 0xff))
        };
        let (own, other) = (pack(position.mover()), pack(position.mover().other()));
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
