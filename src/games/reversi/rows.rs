use super::{Colour, Evaluation, Position, Representation, Size, Square, Word, final_value};
use crate::games::{Game, Stuck};

/// Reversi on any board: one word of type `W` a rank and side, `H` ranks, in arrays that live on
/// the stack.
///
/// Runs along a rank come from the carry of an addition. All others are followed from rank to
/// rank, once up and once down the occupied part of the board, a whole rank at a time and three
/// directions side by side. The sum of weights is carried along and changed by what a move turns.
#[derive(Clone, Debug)]
pub struct Rows<W, const H: usize> {
    size: Size,
    /// The files of the board.
    full: W,
    weights: Vec<i32>,
    mobility: i32,
}

/// A position in rows of words, from the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardOfRows<W, const H: usize> {
    own: [W; H],
    other: [W; H],
    /// Weights of own discs less those of the opponent's.
    weight: i32,
    /// The first rank with a disc, and the one after the last.
    span: (u8, u8),
}

/// Squares not yet yielded, in order.
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

/// Runs that reach a rank from the one before it, in the three directions that lead there.
#[derive(Clone, Copy)]
struct Sweep<W> {
    /// The side's discs on the rank before.
    own: W,
    /// The opponent's discs on the rank before that a run from one of `own` ends on: towards
    /// higher files, straight on, towards lower files.
    runs: [W; 3],
}

impl<W: Word> Sweep<W> {
    #[inline(always)]
    fn new() -> Self {
        Sweep {
            own: W::ZERO,
            runs: [W::ZERO; 3],
        }
    }

    /// Goes on to the next rank, and says where on it runs end: a move if the square is empty.
    #[inline(always)]
    fn step(&mut self, own: W, other: W) -> W {
        let [up, straight, down] = self.runs;
        let ends = (up << 1) | straight | (down >> 1);
        self.runs = [
            ((up | self.own) << 1) & other,
            (straight | self.own) & other,
            ((down | self.own) >> 1) & other,
        ];
        self.own = own;
        ends
    }
}

/// Where runs along a rank end, towards higher files.
#[inline(always)]
fn ends_up<W: Word>(own: W, other: W) -> W {
    other.plus((own << 1) & other) & !other
}

impl<W: Word, const H: usize> Rows<W, H> {
    /// For an evaluation of a board that fits.
    ///
    /// # Panics
    /// Where the board is wider than `W` or higher than `H`.
    pub fn new(evaluation: &Evaluation) -> Rows<W, H> {
        let size = evaluation.size();
        assert!(
            size.width() <= W::BITS as usize && size.height() <= H,
            "{size} does not fit"
        );
        let full = W::from_rank(u64::MAX >> (64 - size.width()));
        Rows {
            size,
            full,
            weights: evaluation.weights().to_vec(),
            mobility: evaluation.mobility(),
        }
    }

    /// The ranks where a move may be: the occupied ones and their neighbours.
    #[inline(always)]
    fn reach(&self, span: (u8, u8)) -> (usize, usize) {
        (
            usize::from(span.0).saturating_sub(1),
            (usize::from(span.1) + 1).min(self.size.height()).min(H),
        )
    }

    /// The moves of both sides.
    #[inline(always)]
    fn both(&self, board: &BoardOfRows<W, H>) -> (i32, i32) {
        let (low, high) = self.reach(board.span);
        let mut ends = [[W::ZERO; H]; 2];
        for y in low..high {
            let (own, other) = (board.own[y], board.other[y]);
            let (own_m, other_m) = (own.mirrored(), other.mirrored());
            ends[0][y] = ends_up(own, other) | ends_up(own_m, other_m).mirrored();
            ends[1][y] = ends_up(other, own) | ends_up(other_m, own_m).mirrored();
        }
        let mut sweeps = [Sweep::new(); 2];
        for y in low..high {
            let (own, other) = (board.own[y], board.other[y]);
            ends[0][y] |= sweeps[0].step(own, other);
            ends[1][y] |= sweeps[1].step(other, own);
        }
        let mut sweeps = [Sweep::new(); 2];
        let mut counts = (0, 0);
        for y in (low..high).rev() {
            let (own, other) = (board.own[y], board.other[y]);
            let empty = self.full & !(own | other);
            counts.0 += ((ends[0][y] | sweeps[0].step(own, other)) & empty).count();
            counts.1 += ((ends[1][y] | sweeps[1].step(other, own)) & empty).count();
        }
        (counts.0 as i32, counts.1 as i32)
    }

    /// The moves of the side with the discs `own`.
    #[inline(always)]
    fn ends(&self, own: &[W; H], other: &[W; H], span: (u8, u8)) -> [W; H] {
        let (low, high) = self.reach(span);
        let mut ends = [W::ZERO; H];
        for y in low..high {
            let mirrored = ends_up(own[y].mirrored(), other[y].mirrored()).mirrored();
            ends[y] = ends_up(own[y], other[y]) | mirrored;
        }
        let mut sweep = Sweep::new();
        for y in low..high {
            ends[y] |= sweep.step(own[y], other[y]);
        }
        let mut sweep = Sweep::new();
        for y in (low..high).rev() {
            ends[y] |= sweep.step(own[y], other[y]);
            ends[y] &= self.full & !(own[y] | other[y]);
        }
        ends
    }

    /// The weight of squares of one rank.
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

    /// The discs of a rank that a move on its file `bit` turns.
    #[inline(always)]
    fn along(own: W, other: W, bit: W) -> W {
        let below = bit.minus(W::ONE);
        let mut turned = W::ZERO;
        // Towards higher files: the first that is not the opponent's closes the run, or does not.
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
        let ranks = self.ends(&board.own, &board.other, board.span);
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
        let (file, rank) = (self.size.file(mv), self.size.rank(mv));
        let bit = W::ONE << file as u32;
        // From the other side's view at once: its discs lose what is turned.
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
        let (own, other) = self.both(board);
        board.weight + self.mobility * (own - other)
    }

    fn stuck(&self, board: &BoardOfRows<W, H>, _ply: u32) -> Stuck<BoardOfRows<W, H>> {
        let moves = self.ends(&board.other, &board.own, board.span);
        if moves.iter().any(|rank| *rank != W::ZERO) {
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
        let (own, other) = (rows(position.mover()), rows(position.mover().other()));
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
