use std::fmt::Debug;
use std::ops::BitOrAssign;

use super::windows::{BLACK, Change, REACH, WALL, WHITE, Windows};
use super::{Colour, Evaluation, MOST, MoveRule, Position, Representation, Size, Square, lost};
use crate::games::{Game, Stuck};

/// A line on a board, with two bits per square. It has at least five wall squares, because rotated windows may wrap.
pub trait Line: Copy + Eq + Debug + Send + Sync + BitOrAssign + 'static {
    /// Number of squares that fit into the type, including walls.
    const SQUARES: usize;
    /// A line without stones or walls.
    const ZERO: Self;

    /// Returns a line with the given content on one square. `at` counts from the start of the first square's window.
    fn square(what: u8, at: usize) -> Self;
    /// Returns the window around a square in the low bits. The higher bits are arbitrary.
    fn window(self, shift: u8) -> u32;
}

macro_rules! line {
    ($($word:ty),*) => {$(
        impl Line for $word {
            const SQUARES: usize = <$word>::BITS as usize / 2;
            const ZERO: Self = 0;

            #[inline(always)]
            fn square(what: u8, at: usize) -> Self {
                <$word>::from(what) << (2 * at)
            }
            #[inline(always)]
            fn window(self, shift: u8) -> u32 {
                self.rotate_right(u32::from(shift)) as u32
            }
        }
    )*};
}

line!(u32, u64, u128);

/// Represents a position by a word of type `T` for each of the `L` rows, columns and diagonals, in arrays on the stack.
///
/// A stone changes the balance of shapes only within the four windows through its square. Each window takes one
/// rotation and three table look-ups, and no branch. A leaf's value takes only these windows, without a new position. A
/// sibling's position is created by repairing four lines of the previous one. Empty squares are bits in `W` words.
#[derive(Clone, Debug)]
pub struct Lines<T: Line, const L: usize, const W: usize> {
    pub(super) evaluation: Evaluation,
    pub(super) windows: Box<Windows>,
    pub(super) order: &'static [Square],
    pub(super) places: Vec<Place>,
    /// For each square, the squares that a stone there brings into play. Empty if all squares are always in play.
    near: Vec<[u64; W]>,
    empty: BoardOfLines<T, L, W>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    lines: [u8; 4],
    /// The rotations that extract the window: one for a row or diagonal, one for a column.
    shifts: [u8; 2],
    /// Index of the square in move order.
    pub order: u16,
}

impl Place {
    #[inline(always)]
    pub fn lines(self) -> [(usize, u8); 4] {
        let [row, column, falling, rising] = self.lines;
        let [along, across] = self.shifts;
        [
            (usize::from(row), along),
            (usize::from(column), across),
            (usize::from(falling), along),
            (usize::from(rising), along),
        ]
    }
}

/// A position as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardOfLines<T, const L: usize, const W: usize> {
    pub(super) lines: [T; L],
    free: [u64; W],
    /// The squares in play, in move order. If no bit is set, all squares are in play.
    near: [u64; W],
    /// The mover's shapes minus the opponent's shapes.
    pub(super) balance: i32,
    pub(super) left: u16,
    pub(super) mover: u8,
    /// True if the side that moved last has five in a row.
    pub(super) five: bool,
}

/// Iterator over the squares that are left to try, in order.
#[derive(Clone, Debug)]
pub struct MovesOfLines<const W: usize> {
    words: [u64; W],
    word: usize,
    order: &'static [Square],
}

impl<const W: usize> Iterator for MovesOfLines<W> {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        while self.word < W {
            let left = self.words[self.word];
            if left != 0 {
                self.words[self.word] = left & (left - 1);
                return Some(self.order[64 * self.word + left.trailing_zeros() as usize]);
            }
            self.word += 1;
        }
        None
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self
            .words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum();
        (left, Some(left))
    }
}

impl<T: Line, const L: usize, const W: usize> Lines<T, L, W> {
    /// Creates the representation for an evaluation. Panics if a line with its walls does not fit into `T`, or if there
    /// are more than `L` lines or `W` words.
    pub fn new(evaluation: &Evaluation) -> Lines<T, L, W> {
        let size = evaluation.size();
        let side = size.side();
        assert!(
            side + REACH <= T::SQUARES && 6 * side - 2 <= L && size.squares() <= 64 * W,
            "{size} does not fit"
        );
        let mut places = vec![
            Place {
                lines: [0; 4],
                shifts: [0; 2],
                order: 0,
            };
            size.squares()
        ];
        for (order, square) in size.order().iter().enumerate() {
            let (x, y) = (size.x(*square), size.y(*square));
            let falling = 2 * side + (side - 1 + x - y);
            let rising = 4 * side - 1 + x + y;
            places[square.index()] = Place {
                lines: [y, side + x, falling, rising].map(|line| line as u8),
                shifts: [x, y].map(|at| 2 * at as u8),
                order: order as u16,
            };
        }
        let mut game = Lines {
            evaluation: evaluation.clone(),
            windows: Windows::new(&evaluation.shapes),
            order: size.order(),
            near: vec![[0; W]; size.squares()],
            empty: empty_board(size, &places, evaluation.moves),
            places,
        };
        if evaluation.moves == MoveRule::Adjacent {
            for square in size.all() {
                for neighbour in size.neighbours(square) {
                    let order = usize::from(game.places[neighbour.index()].order);
                    game.near[square.index()][order / 64] |= 1 << (order % 64);
                }
            }
        }
        game
    }

    #[inline(always)]
    pub(super) fn change(&self, board: &BoardOfLines<T, L, W>, place: Place) -> Change {
        let colour = usize::from(board.mover & 1);
        // This does not use an array's `map`, because the compiler does not inline it.
        let on = |(line, shift): (usize, u8)| {
            self.windows.change(colour, board.lines[line].window(shift))
        };
        let [row, column, falling, rising] = place.lines();
        Change(on(row) + on(column) + on(falling) + on(rising))
    }

    /// Places a stone. The result overwrites `next`, which must already have the lines of `board`.
    #[inline(always)]
    fn put_on(
        &self,
        board: &BoardOfLines<T, L, W>,
        next: &mut BoardOfLines<T, L, W>,
        square: Square,
    ) {
        let place = self.places[square.index()];
        let change = self.change(board, place);
        let stone = [BLACK, WHITE][usize::from(board.mover & 1)];
        for (line, shift) in place.lines() {
            next.lines[line] |= T::square(stone, usize::from(shift) / 2 + REACH);
        }
        let order = usize::from(place.order);
        let near = &self.near[square.index()];
        for word in 0..W {
            // Write every word. The next reader loads a vector, and processors cannot forward partial stores to it.
            let taken = u64::from(word == order / 64) << (order % 64);
            next.free[word] = board.free[word] & !taken;
            next.near[word] = board.near[word] | near[word];
        }
        next.balance = -(board.balance + change.worth());
        next.left = board.left - 1;
        next.mover = board.mover ^ 1;
        next.five = change.is_five();
        debug_assert_eq!(next.balance, self.recounted(next), "{square:?}");
    }

    fn recounted(&self, board: &BoardOfLines<T, L, W>) -> i32 {
        let size = self.evaluation.size();
        let cells: Vec<_> = size.all().map(|at| self.stone(board, at)).collect();
        let mover = [Colour::Black, Colour::White][usize::from(board.mover)];
        self.evaluation.balance(&cells, mover)
    }
}

/// Returns a board without stones. It has walls wherever a line has no square.
fn empty_board<T: Line, const L: usize, const W: usize>(
    size: Size,
    places: &[Place],
    moves: MoveRule,
) -> BoardOfLines<T, L, W> {
    let mut on_board = [[false; 64]; L];
    let mut free = [0; W];
    for place in places {
        for (line, shift) in place.lines() {
            on_board[line][usize::from(shift) / 2 + REACH] = true;
        }
        free[usize::from(place.order) / 64] |= 1 << (place.order % 64);
    }
    let walled = |squares: [bool; 64]| {
        let mut line = T::ZERO;
        for at in (0..T::SQUARES).filter(|at| !squares[*at]) {
            line |= T::square(WALL, at);
        }
        line
    };
    BoardOfLines {
        lines: on_board.map(walled),
        free,
        near: match moves {
            MoveRule::All => [u64::MAX; W],
            MoveRule::Adjacent => [0; W],
        },
        balance: 0,
        left: size.squares() as u16,
        mover: 0,
        five: false,
    }
}

impl<T: Line, const L: usize, const W: usize> Game for Lines<T, L, W> {
    type Position = BoardOfLines<T, L, W>;
    type Move = Square;
    type Moves = MovesOfLines<W>;

    const REPLAYS: bool = true;

    #[inline(always)]
    fn decided(&self, board: &BoardOfLines<T, L, W>, ply: u32) -> Option<i32> {
        if board.five {
            Some(lost(ply))
        } else if board.left == 0 {
            Some(0)
        } else {
            None
        }
    }

    #[inline(always)]
    fn moves(&self, board: &BoardOfLines<T, L, W>) -> MovesOfLines<W> {
        let mut words = board.free;
        if board.near != [0; W] {
            for word in 0..W {
                words[word] &= board.near[word];
            }
        }
        MovesOfLines {
            words,
            word: 0,
            order: self.order,
        }
    }

    fn first(&self, _board: &BoardOfLines<T, L, W>, moves: &MovesOfLines<W>) -> Option<Square> {
        moves.clone().next()
    }

    #[inline]
    fn play(&self, board: &BoardOfLines<T, L, W>, mv: Square) -> BoardOfLines<T, L, W> {
        let mut next = board.clone();
        self.put_on(board, &mut next, mv);
        next
    }

    /// Repairs the four lines that the previous stone changed, and rewrites everything else.
    #[inline]
    fn replay(
        &self,
        board: &BoardOfLines<T, L, W>,
        child: &mut BoardOfLines<T, L, W>,
        last: Square,
        mv: Square,
    ) {
        for (line, _) in self.places[last.index()].lines() {
            child.lines[line] = board.lines[line];
        }
        self.put_on(board, child, mv);
    }

    #[inline(always)]
    fn evaluate(&self, board: &BoardOfLines<T, L, W>) -> i32 {
        board.balance.clamp(-MOST, MOST)
    }

    #[inline(always)]
    fn value_after(&self, board: &BoardOfLines<T, L, W>, mv: Square, ply: u32) -> i32 {
        let change = self.change(board, self.places[mv.index()]);
        let value = if change.is_five() {
            lost(ply)
        } else if board.left == 1 {
            0
        } else {
            (-(board.balance + change.0)).clamp(-MOST, MOST)
        };
        debug_assert_eq!(value, {
            let next = self.play(board, mv);
            self.decided(&next, ply)
                .unwrap_or_else(|| self.evaluate(&next))
        });
        value
    }

    fn stuck(&self, _board: &BoardOfLines<T, L, W>, _ply: u32) -> Stuck<BoardOfLines<T, L, W>> {
        Stuck::Over(0)
    }
}

impl<T: Line, const L: usize, const W: usize> Representation for Lines<T, L, W> {
    fn size(&self) -> Size {
        self.evaluation.size()
    }

    fn load(&self, position: &Position) -> BoardOfLines<T, L, W> {
        position
            .moves()
            .iter()
            .fold(self.empty.clone(), |board, mv| self.play(&board, *mv))
    }

    #[inline(always)]
    fn stone(&self, board: &BoardOfLines<T, L, W>, square: Square) -> Option<Colour> {
        let [(row, shift), ..] = self.places[square.index()].lines();
        match (board.lines[row].window(shift) >> (2 * REACH)) as u8 & WALL {
            BLACK => Some(Colour::Black),
            WHITE => Some(Colour::White),
            _ => None,
        }
    }

    #[inline(always)]
    fn balance(&self, board: &BoardOfLines<T, L, W>) -> i32 {
        board.balance
    }
}
