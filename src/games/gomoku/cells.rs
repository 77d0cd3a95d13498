use super::{Colour, Evaluation, MOST, MoveRule, Position, Representation, Size, Square, lost};
use crate::games::{Game, Stuck};

/// Represents positions like the paper's program, with an `int` per square (Kawakami and Wang, section 8). Every move
/// copies the board, and every evaluation scans the whole board.
///
/// A single scan of a leaf finds fives and all other shapes, because the paper's scoring function covers all seven
/// shapes. `N` is the length of the array and must be at least the number of squares.
#[derive(Clone, Debug)]
pub struct Cells<const N: usize> {
    evaluation: Evaluation,
}

const EMPTY: i32 = 0;
const BLACK: i32 = 1;
const WHITE: i32 = 2;

/// A board of ints, and the colour of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardOfCells<const N: usize> {
    cells: [i32; N],
    mover: i32,
}

/// Iterator over the squares that are left to try.
#[derive(Clone, Debug)]
pub struct MovesOfCells<const N: usize> {
    open: [bool; N],
    rest: std::slice::Iter<'static, Square>,
}

impl<const N: usize> Iterator for MovesOfCells<N> {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        self.rest.find(|square| self.open[square.index()]).copied()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Scan {
    five: bool,
    /// The value of Black's shapes minus the value of White's shapes.
    balance: i32,
}

impl<const N: usize> Cells<N> {
    /// Creates the representation for an evaluation. Panics if the board has more than `N` squares.
    pub fn new(evaluation: &Evaluation) -> Cells<N> {
        let size = evaluation.size();
        assert!(size.squares() <= N, "{size} does not fit");
        Cells {
            evaluation: evaluation.clone(),
        }
    }

    #[inline]
    fn at(&self, cells: &[i32; N], x: i32, y: i32) -> Option<i32> {
        let side = self.evaluation.size().side() as i32;
        let inside = x >= 0 && y >= 0 && x < side && y < side;
        inside.then(|| cells[(y * side + x) as usize])
    }

    /// Follows each run from its first stone, in each of the four directions.
    fn scan(&self, cells: &[i32; N]) -> Scan {
        let side = self.evaluation.size().side() as i32;
        let mut scan = Scan::default();
        for y in 0..side {
            for x in 0..side {
                let stone = cells[(y * side + x) as usize];
                if stone == EMPTY {
                    continue;
                }
                for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                    let before = self.at(cells, x - dx, y - dy);
                    if before == Some(stone) {
                        continue;
                    }
                    let mut length = 1;
                    let after = loop {
                        let next = self.at(cells, x + length * dx, y + length * dy);
                        if next != Some(stone) {
                            break next;
                        }
                        length += 1;
                    };
                    scan.five |= length >= 5;
                    let open =
                        usize::from(before == Some(EMPTY)) + usize::from(after == Some(EMPTY));
                    let worth = self.evaluation.shapes.worth(length as usize, open);
                    scan.balance += if stone == BLACK { worth } else { -worth };
                }
            }
        }
        scan
    }

    fn is_full(&self, cells: &[i32; N]) -> bool {
        !cells[..self.evaluation.size().squares()].contains(&EMPTY)
    }

    fn end(&self, scan: Scan, cells: &[i32; N], ply: u32) -> Option<i32> {
        if scan.five {
            Some(lost(ply))
        } else {
            self.is_full(cells).then_some(0)
        }
    }
}

impl Scan {
    /// Returns the balance from a side's point of view.
    fn own(self, mover: i32) -> i32 {
        if mover == BLACK {
            self.balance
        } else {
            -self.balance
        }
    }

    fn value(self, mover: i32) -> i32 {
        self.own(mover).clamp(-MOST, MOST)
    }
}

impl<const N: usize> Game for Cells<N> {
    type Position = BoardOfCells<N>;
    type Move = Square;
    type Moves = MovesOfCells<N>;

    fn decided(&self, board: &BoardOfCells<N>, ply: u32) -> Option<i32> {
        self.end(self.scan(&board.cells), &board.cells, ply)
    }

    fn moves(&self, board: &BoardOfCells<N>) -> MovesOfCells<N> {
        let size = self.evaluation.size();
        let stone = |square: Square| board.cells[square.index()] != EMPTY;
        let mut open = [false; N];
        let near = self.evaluation.moves == MoveRule::Adjacent && size.all().any(stone);
        for square in size.all().filter(|square| !stone(*square)) {
            open[square.index()] = !near || size.neighbours(square).any(stone);
        }
        MovesOfCells {
            open,
            rest: size.order().iter(),
        }
    }

    fn first(&self, _board: &BoardOfCells<N>, moves: &MovesOfCells<N>) -> Option<Square> {
        moves.clone().next()
    }

    fn play(&self, board: &BoardOfCells<N>, mv: Square) -> BoardOfCells<N> {
        let mut next = board.clone();
        next.cells[mv.index()] = board.mover;
        next.mover = BLACK + WHITE - board.mover;
        next
    }

    fn evaluate(&self, board: &BoardOfCells<N>) -> i32 {
        self.scan(&board.cells).value(board.mover)
    }

    fn value_after(&self, board: &BoardOfCells<N>, mv: Square, ply: u32) -> i32 {
        let next = self.play(board, mv);
        let scan = self.scan(&next.cells);
        self.end(scan, &next.cells, ply)
            .unwrap_or_else(|| scan.value(next.mover))
    }

    fn stuck(&self, _board: &BoardOfCells<N>, _ply: u32) -> Stuck<BoardOfCells<N>> {
        Stuck::Over(0)
    }
}

impl<const N: usize> Representation for Cells<N> {
    fn size(&self) -> Size {
        self.evaluation.size()
    }

    fn load(&self, position: &Position) -> BoardOfCells<N> {
        let int = |colour| match colour {
            Colour::Black => BLACK,
            Colour::White => WHITE,
        };
        let mut cells = [EMPTY; N];
        for (cell, stone) in cells.iter_mut().zip(position.cells()) {
            *cell = stone.map_or(EMPTY, int);
        }
        BoardOfCells {
            cells,
            mover: int(position.mover()),
        }
    }

    fn stone(&self, board: &BoardOfCells<N>, square: Square) -> Option<Colour> {
        match board.cells[square.index()] {
            BLACK => Some(Colour::Black),
            WHITE => Some(Colour::White),
            _ => None,
        }
    }

    fn balance(&self, board: &BoardOfCells<N>) -> i32 {
        self.scan(&board.cells).own(board.mover)
    }
}
