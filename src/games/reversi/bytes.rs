use super::{Colour, Evaluation, Position, Representation, Size, Square, final_value};
use crate::games::{Game, Stuck};

/// Represents positions as programs did in 2011, by a byte per square. Moves copy the board and update no values.
///
/// The board has a border of one square, so that walks along a line need no test for the edge. Legal moves are marked
/// in an array of the same shape, as in the paper's kernel. Both arrays have length `N`, at least `(width + 2) *
/// (height + 2)`.
#[derive(Clone, Debug)]
pub struct Bytes<const N: usize> {
    size: Size,
    stride: usize,
    used: usize,
    steps: [isize; 8],
    weights: Vec<i32>,
    mobility: i32,
}

const EMPTY: u8 = 0;
const BLACK: u8 = 1;
const WHITE: u8 = 2;
const BORDER: u8 = 3;

/// A board of bytes with its border, and the colour of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardOfBytes<const N: usize> {
    cells: [u8; N],
    mover: u8,
}

/// Iterator over the marked squares that are left to try.
#[derive(Clone, Debug)]
pub struct Marks<const N: usize> {
    marks: [bool; N],
    size: Size,
    next: usize,
    end: usize,
}

impl<const N: usize> Iterator for Marks<N> {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        let ahead = self.marks[self.next..self.end]
            .iter()
            .position(|mark| *mark)?;
        let place = self.next + ahead;
        self.next = place + 1;
        let stride = self.size.width() + 2;
        Some(self.size.square(place % stride - 1, place / stride - 1))
    }
}

impl<const N: usize> Bytes<N> {
    /// Creates the game with this evaluation. Panics if the board with its border has more than `N` squares.
    pub fn new(evaluation: &Evaluation) -> Bytes<N> {
        let size = evaluation.size();
        let stride = size.width() + 2;
        let used = stride * (size.height() + 2);
        assert!(
            used <= N,
            "{size} with its border needs {used} bytes, not {N}"
        );
        let down = stride as isize;
        let mut game = Bytes {
            size,
            stride,
            used,
            steps: [-down - 1, -down, -down + 1, -1, 1, down - 1, down, down + 1],
            weights: vec![0; N],
            mobility: evaluation.mobility,
        };
        for square in size.all() {
            let place = game.place(square);
            game.weights[place] = evaluation.weights[square.index()];
        }
        game
    }

    fn place(&self, square: Square) -> usize {
        (self.size.y(square) + 1) * self.stride + self.size.x(square) + 1
    }

    /// Returns the range of array indices that contains the board and a part of the border.
    fn inside(&self) -> std::ops::Range<usize> {
        self.stride + 1..self.used - self.stride - 1
    }

    #[inline]
    fn run(&self, cells: &[u8; N], place: usize, step: isize, own: u8) -> usize {
        let other = BLACK + WHITE - own;
        let mut here = place.wrapping_add_signed(step);
        let mut length = 0;
        while cells[here] == other {
            here = here.wrapping_add_signed(step);
            length += 1;
        }
        if cells[here] == own { length } else { 0 }
    }

    fn legal(&self, cells: &[u8; N], place: usize, own: u8) -> bool {
        cells[place] == EMPTY
            && self
                .steps
                .iter()
                .any(|step| self.run(cells, place, *step, own) > 0)
    }

    fn count(&self, cells: &[u8; N], own: u8) -> i32 {
        self.inside()
            .filter(|place| self.legal(cells, *place, own))
            .count() as i32
    }
}

impl<const N: usize> Game for Bytes<N> {
    type Position = BoardOfBytes<N>;
    type Move = Square;
    type Moves = Marks<N>;

    fn moves(&self, board: &BoardOfBytes<N>) -> Marks<N> {
        let mut marks = [false; N];
        for place in self.inside() {
            marks[place] = self.legal(&board.cells, place, board.mover);
        }
        Marks {
            marks,
            size: self.size,
            next: self.inside().start,
            end: self.inside().end,
        }
    }

    fn first(&self, _board: &BoardOfBytes<N>, moves: &Marks<N>) -> Option<Square> {
        super::heaviest(moves.clone(), |square| self.weights[self.place(square)])
    }

    fn play(&self, board: &BoardOfBytes<N>, mv: Square) -> BoardOfBytes<N> {
        let mut next = board.clone();
        let place = self.place(mv);
        for step in self.steps {
            let mut here = place;
            for _ in 0..self.run(&board.cells, place, step, board.mover) {
                here = here.wrapping_add_signed(step);
                next.cells[here] = board.mover;
            }
        }
        next.cells[place] = board.mover;
        next.mover = BLACK + WHITE - board.mover;
        next
    }

    fn evaluate(&self, board: &BoardOfBytes<N>) -> i32 {
        let (own, other) = (board.mover, BLACK + WHITE - board.mover);
        let mut value = 0;
        for place in self.inside() {
            let weight = self.weights[place];
            if board.cells[place] == own {
                value += weight;
            } else if board.cells[place] == other {
                value -= weight;
            }
        }
        if self.mobility == 0 {
            return value;
        }
        value + self.mobility * (self.count(&board.cells, own) - self.count(&board.cells, other))
    }

    fn stuck(&self, board: &BoardOfBytes<N>, _ply: u32) -> Stuck<BoardOfBytes<N>> {
        let (own, other) = (board.mover, BLACK + WHITE - board.mover);
        if self
            .inside()
            .any(|place| self.legal(&board.cells, place, other))
        {
            return Stuck::Pass(BoardOfBytes {
                mover: other,
                ..board.clone()
            });
        }
        let discs = |side| board.cells.iter().filter(|cell| **cell == side).count() as i32;
        Stuck::Over(final_value(discs(own) - discs(other)))
    }
}

impl<const N: usize> Representation for Bytes<N> {
    fn size(&self) -> Size {
        self.size
    }

    fn load(&self, position: &Position) -> BoardOfBytes<N> {
        let byte = |colour| match colour {
            Colour::Black => BLACK,
            Colour::White => WHITE,
        };
        let mut board = BoardOfBytes {
            cells: [BORDER; N],
            mover: byte(position.mover),
        };
        for square in self.size.all() {
            board.cells[self.place(square)] = position.at(square).map_or(EMPTY, byte);
        }
        board
    }

    fn rank(&self, board: &BoardOfBytes<N>, rank: usize) -> (u64, u64) {
        let row = |side| {
            (0..self.size.width())
                .filter(|file| board.cells[self.place(self.size.square(*file, rank))] == side)
                .fold(0, |row, file| row | 1 << file)
        };
        (row(board.mover), row(BLACK + WHITE - board.mover))
    }
}
