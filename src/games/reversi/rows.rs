#![allow(
    clippy::needless_range_loop,
    reason = "ranks are numbered, and several arrays share the number"
)]

use super::word::{Bits, Word};
use super::{Colour, Evaluation, Position, Representation, Size, Square, final_value};
use crate::games::{Game, OrderedGame, Stuck, mixed};

/// Represents positions on boards of up to `H` ranks by one word of type `W` per rank and side, in arrays on the stack.
///
/// The carry of an addition finds the runs along a rank. All other runs are found in two sweeps over the occupied
/// ranks, one upward and one downward. Each step of a sweep processes a whole rank, with both sides in one word. Each
/// move updates the sum of weights with the new disc and the flipped discs.
#[derive(Clone, Debug)]
pub struct Rows<W: Word, const H: usize> {
    size: Size,
    full: W,
    /// All files except the two outermost ones, for both sides.
    inner: W::Pair,
    weights: Vec<i32>,
    mobility: i32,
}

/// A position with one word per rank and side, from the point of view of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardOfRows<W, const H: usize> {
    own: [W; H],
    other: [W; H],
    weight: i32,
    /// The range of occupied ranks: the index of the first one, and the index of the last one plus 1.
    span: (u8, u8),
}

/// Iterator over the squares that are left to try, in order.
#[derive(Clone, Debug)]
pub struct MovesOfRows<W, const H: usize> {
    ranks: [W; H],
    rank: usize,
    end: usize,
    width: u16,
}

impl<W: Word, const H: usize> Iterator for MovesOfRows<W, H> {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        while self.rank < self.end {
            let left = self.ranks[self.rank];
            if left != W::ZERO {
                self.ranks[self.rank] = left & left.minus(W::ONE);
                return Some(Square(self.rank as u16 * self.width + left.lowest() as u16));
            }
            self.rank += 1;
        }
        None
    }
}

/// The runs that reach a rank from the previous rank. The low half of each word is for the mover, and the high half for
/// the opponent.
#[derive(Clone, Copy)]
struct Sweep<P> {
    /// The discs on the previous rank that runs can start next to.
    from: P,
    /// The discs on the previous rank in runs that go towards higher files, straight ahead, and towards lower files.
    runs: [P; 3],
}

impl<P: Bits> Sweep<P> {
    const START: Self = Sweep {
        from: P::ZERO,
        runs: [P::ZERO; 3],
    };

    /// Advances to the next rank, and returns the squares at which runs end there. If such a square is empty, it is a
    /// move. `inner` has all files except the two outermost ones, so that shifts do not move a run into the other half.
    #[inline(always)]
    fn step(&mut self, [from, over]: [P; 2], inner: P) -> P {
        let [higher, straight, lower] = self.runs;
        let ends = (higher << 1) | straight | (lower >> 1);
        let slanting = over & inner;
        self.runs = [
            ((higher | self.from) << 1) & slanting,
            (straight | self.from) & over,
            ((lower | self.from) >> 1) & slanting,
        ];
        self.from = from;
        ends
    }
}

/// Returns the squares at which runs along a rank end, in the direction of higher files.
#[inline(always)]
fn ends_up<W: Word>(own: W, other: W) -> W {
    other.plus((own << 1) & other) & !other
}

impl<W: Word, const H: usize> Rows<W, H> {
    /// Creates the representation for an evaluation. Panics if the board is wider than `W` or has more than `H` ranks.
    pub fn new(evaluation: &Evaluation) -> Rows<W, H> {
        let size = evaluation.size();
        assert!(
            size.width() <= W::BITS as usize && size.height() <= H,
            "{size} does not fit"
        );
        let full = u64::MAX >> (64 - size.width());
        let inner = W::from_rank(full & full >> 1 & !1);
        Rows {
            size,
            full: W::from_rank(full),
            inner: inner.pair(inner),
            weights: evaluation.weights.to_vec(),
            mobility: evaluation.mobility,
        }
    }

    #[inline(always)]
    fn reach(&self, span: (u8, u8)) -> (usize, usize) {
        (
            usize::from(span.0).saturating_sub(1),
            (usize::from(span.1) + 1).min(self.size.height()).min(H),
        )
    }

    /// Calls `each` for each rank, from the last to the first, with the mover's and then the opponent's moves.
    #[inline(always)]
    fn each_rank(&self, board: &BoardOfRows<W, H>, mut each: impl FnMut(usize, W, W)) {
        let (low, high) = self.reach(board.span);
        let pair = |y: usize| {
            let (own, other) = (board.own[y], board.other[y]);
            [own.pair(other), other.pair(own)]
        };
        let mut ends = [[W::ZERO; H]; 2];
        for y in low..high {
            let (own, other) = (board.own[y], board.other[y]);
            let (own_m, other_m) = (own.mirrored(), other.mirrored());
            ends[0][y] = ends_up(own, other) | ends_up(own_m, other_m).mirrored();
            ends[1][y] = ends_up(other, own) | ends_up(other_m, own_m).mirrored();
        }
        let mut sweep = Sweep::START;
        for y in low..high {
            let (mine, theirs) = W::unpair(sweep.step(pair(y), self.inner));
            ends[0][y] |= mine;
            ends[1][y] |= theirs;
        }
        let mut sweep = Sweep::START;
        for y in (low..high).rev() {
            let (mine, theirs) = W::unpair(sweep.step(pair(y), self.inner));
            let empty = self.full & !(board.own[y] | board.other[y]);
            each(
                y,
                (ends[0][y] | mine) & empty,
                (ends[1][y] | theirs) & empty,
            );
        }
    }

    #[inline(always)]
    fn sum(&self, rank: usize, mut squares: W) -> i32 {
        let weights = &self.weights[rank * self.size.width()..][..self.size.width()];
        let mut sum = 0;
        while squares != W::ZERO {
            sum += weights[squares.lowest() as usize];
            squares &= squares.minus(W::ONE);
        }
        sum
    }

    /// Returns the discs on a rank that a move on the same rank flips. The move is on the file of `bit`.
    #[inline(always)]
    fn along(own: W, other: W, bit: W) -> W {
        let below = bit.minus(W::ONE);
        let mut turned = W::ZERO;
        // The run ends at the first square without an opponent's disc. It is closed if the mover has a disc there.
        let stops = !(other | below | bit);
        let end = stops & W::ZERO.minus(stops);
        if end & own != W::ZERO {
            turned |= end.minus(bit << 1);
        }
        let stops = below & !other;
        if stops != W::ZERO {
            let end = W::ONE << (W::BITS - 1 - stops.past());
            if end & own != W::ZERO {
                turned |= bit.minus(end << 1);
            }
        }
        turned
    }
}

impl<W: Word, const H: usize> Game for Rows<W, H> {
    type Position = BoardOfRows<W, H>;
    type Move = Square;
    type Moves = MovesOfRows<W, H>;

    #[inline]
    fn moves(&self, board: &BoardOfRows<W, H>) -> MovesOfRows<W, H> {
        let (rank, end) = self.reach(board.span);
        let mut ranks = [W::ZERO; H];
        self.each_rank(board, |y, mine, _| ranks[y] = mine);
        MovesOfRows {
            ranks,
            rank,
            end,
            width: self.size.width() as u16,
        }
    }

    fn first(&self, _board: &BoardOfRows<W, H>, moves: &MovesOfRows<W, H>) -> Option<Square> {
        super::heaviest(moves.clone(), |square| self.weights[square.index()])
    }

    #[inline]
    fn play(&self, board: &BoardOfRows<W, H>, mv: Square) -> BoardOfRows<W, H> {
        let (file, rank) = (self.size.x(mv), self.size.y(mv));
        let bit = W::ONE << file as u32;
        // The result is from the point of view of the other side. The flipped discs are no longer its own.
        let mut next = BoardOfRows {
            own: board.other,
            other: board.own,
            weight: 0,
            span: (
                board.span.0.min(rank as u8),
                board.span.1.max(rank as u8 + 1),
            ),
        };
        let turned = Self::along(board.own[rank], board.other[rank], bit);
        let mut gained = self.sum(rank, turned);
        next.own[rank] &= !turned;
        next.other[rank] |= turned | bit;
        let width = self.size.width() as isize;
        for (rank_step, ranks) in [(1, self.size.height().min(H) - 1 - rank), (-1, rank)] {
            for file_step in [-1, 0, 1] {
                let shift = |bit: W| match file_step {
                    -1 => bit >> 1,
                    0 => bit,
                    _ => bit << 1,
                };
                let (mut here, mut y, mut length) =
                    (shift(bit), rank.wrapping_add_signed(rank_step), 0);
                while length < ranks && board.other[y] & here != W::ZERO {
                    here = shift(here);
                    y = y.wrapping_add_signed(rank_step);
                    length += 1;
                }
                if length == 0 || length == ranks || board.own[y] & here == W::ZERO {
                    continue;
                }
                let (mut here, mut y, mut place) = (bit, rank, mv.index());
                for _ in 0..length {
                    here = shift(here);
                    y = y.wrapping_add_signed(rank_step);
                    place = place.wrapping_add_signed(rank_step * width + file_step);
                    next.own[y] &= !here;
                    next.other[y] |= here;
                    gained += self.weights[place];
                }
            }
        }
        next.weight = -(board.weight + 2 * gained + self.weights[mv.index()]);
        next
    }

    #[inline]
    fn evaluate(&self, board: &BoardOfRows<W, H>) -> i32 {
        if self.mobility == 0 {
            return board.weight;
        }
        let mut more = 0;
        self.each_rank(board, |_, mine, theirs| {
            more += mine.count() as i32 - theirs.count() as i32
        });
        board.weight + self.mobility * more
    }

    fn stuck(&self, board: &BoardOfRows<W, H>, _ply: u32) -> Stuck<BoardOfRows<W, H>> {
        let mut passes = false;
        self.each_rank(board, |_, _, theirs| passes |= theirs != W::ZERO);
        if passes {
            let (own, other) = (board.other, board.own);
            return Stuck::Pass(BoardOfRows {
                own,
                other,
                weight: -board.weight,
                span: board.span,
            });
        }
        let discs = |rows: &[W; H]| rows.iter().map(|row| row.count() as i32).sum::<i32>();
        Stuck::Over(final_value(discs(&board.own) - discs(&board.other)))
    }
}

impl<W: Word, const H: usize> OrderedGame for Rows<W, H> {
    const ORDERED_FROM: u32 = 3;
    /// On a large board, a search of two plies visits thousands of nodes, which is enough work for a thread.
    const SHARED_FROM: u32 = 0;
    const ORDERS_BY_VALUE: bool = true;
    /// Children are not kept, because a position takes up to a kilobyte.
    const KEEPS_CHILDREN: bool = false;
    type Analysis = ();

    /// Combines the words of all occupied ranks, in order.
    #[inline]
    fn key(&self, board: &BoardOfRows<W, H>) -> u64 {
        let mut key = u64::from(board.span.0);
        for y in usize::from(board.span.0)..usize::from(board.span.1).min(H) {
            let (own, other) = self.rank(board, y);
            key = mixed(key ^ own, other.wrapping_add(key));
        }
        key
    }

    fn analyse(&self, _board: &BoardOfRows<W, H>) {}

    #[inline(always)]
    fn order_score(
        &self,
        board: &BoardOfRows<W, H>,
        _analysis: &(),
        mv: Square,
        _child: Option<&BoardOfRows<W, H>>,
        _ply: u32,
    ) -> i32 {
        -self.evaluate(&self.play(board, mv))
    }
}

impl<W: Word, const H: usize> Representation for Rows<W, H> {
    fn size(&self) -> Size {
        self.size
    }

    fn load(&self, position: &Position) -> BoardOfRows<W, H> {
        let rows = |colour: Colour| {
            let mut rows = [W::ZERO; H];
            for (row, rank) in rows.iter_mut().zip(position.rows(colour)) {
                *row = W::from_rank(*rank);
            }
            rows
        };
        let (own, other) = (rows(position.mover), rows(position.mover.other()));
        let discs = |rows: &[W; H]| {
            (0..self.size.height())
                .map(|y| self.sum(y, rows[y]))
                .sum::<i32>()
        };
        let occupied = |y: &usize| own[*y] | other[*y] != W::ZERO;
        let first = (0..H).find(occupied).unwrap_or(0);
        let end = (0..H).rev().find(occupied).map_or(0, |last| last + 1);
        BoardOfRows {
            own,
            other,
            weight: discs(&own) - discs(&other),
            span: (first as u8, end as u8),
        }
    }

    #[inline]
    fn rank(&self, board: &BoardOfRows<W, H>, rank: usize) -> (u64, u64) {
        (board.own[rank].to_rank(), board.other[rank].to_rank())
    }
}
