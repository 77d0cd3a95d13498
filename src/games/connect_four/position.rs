use std::fmt;

use super::Player;
use super::bits::STRIDE;

/// Number of columns on the board.
pub const COLUMNS: usize = 7;

/// Number of squares in a column.
pub const ROWS: usize = 6;

/// A column. It is also a move: the stone falls to the column's lowest empty square. In texts, columns start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(u8);

impl Column {
    /// Returns column number `index`, counted from 0, or `None` if it does not exist.
    #[inline]
    pub fn new(index: usize) -> Option<Column> {
        (index < COLUMNS).then_some(Column(index as u8))
    }

    /// Returns every column, from the left.
    pub fn all() -> impl Iterator<Item = Column> {
        (0..COLUMNS as u8).map(Column)
    }

    /// Returns the index, counted from 0.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

/// A position and its moves. The rules examine the board square by square. Tests compare [`Bits`](super::Bits) with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    moves: Vec<Column>,
    stacks: [Vec<Player>; COLUMNS],
    /// The player who has four in a row, if any.
    pub winner: Option<Player>,
}

impl Position {
    /// Returns the empty board.
    pub fn start() -> Position {
        Position::default()
    }

    /// Returns the moves of the game.
    pub fn moves(&self) -> &[Column] {
        &self.moves
    }

    /// Returns the side to move.
    pub fn mover(&self) -> Player {
        Player::at(self.moves.len() as u32)
    }

    /// Returns the owner of the stone on a square, or `None` if the square is empty. Rows are counted from the bottom.
    pub fn at(&self, column: usize, row: usize) -> Option<Player> {
        self.stacks.get(column)?.get(row).copied()
    }

    /// Returns the stones of the side to move and the stones of both sides. Bit `7 * column + row` stands for a square.
    pub fn words(&self) -> [u64; 2] {
        let (mut own, mut stones) = (0, 0);
        for (column, stack) in self.stacks.iter().enumerate() {
            for (row, owner) in stack.iter().enumerate() {
                let bit = 1 << (column * STRIDE as usize + row);
                stones |= bit;
                own |= if *owner == self.mover() { bit } else { 0 };
            }
        }
        [own, stones]
    }

    /// Returns true if a player has won or the board is full.
    pub fn is_over(&self) -> bool {
        self.winner.is_some() || self.moves.len() == COLUMNS * ROWS
    }

    /// Returns the columns that have room, from the left. Returns none if the game is over.
    pub fn legal_moves(&self) -> Vec<Column> {
        Column::all()
            .filter(|column| self.winner.is_none() && self.stacks[column.index()].len() < ROWS)
            .collect()
    }

    /// Returns the position after a move, or `None` if the move is illegal.
    pub fn play(&self, column: Column) -> Option<Position> {
        if self.winner.is_some() || self.stacks[column.index()].len() == ROWS {
            return None;
        }
        let mover = self.mover();
        let mut next = self.clone();
        next.stacks[column.index()].push(mover);
        next.moves.push(column);
        let row = self.stacks[column.index()].len();
        let won = DIRECTIONS.into_iter().any(|direction| {
            let (x, y) = direction;
            1 + next.run(column, row, direction) + next.run(column, row, (-x, -y)) >= 4
        });
        next.winner = won.then_some(mover);
        Some(next)
    }

    /// Returns the length of the unbroken run of the same colour that starts next to a stone in this direction.
    fn run(&self, column: Column, row: usize, (x, y): (isize, isize)) -> usize {
        let owner = self.at(column.index(), row);
        let (mut column, mut row) = (column.index(), row);
        let mut length = 0;
        while let (Some(next), Some(above)) =
            (column.checked_add_signed(x), row.checked_add_signed(y))
        {
            (column, row) = (next, above);
            if self.at(column, row).is_none() || self.at(column, row) != owner {
                break;
            }
            length += 1;
        }
        length
    }

    /// Returns the number of lines of `length` adjacent squares that all contain stones of `player`.
    pub fn windows(&self, player: Player, length: usize) -> i32 {
        let mut count = 0;
        for column in 0..COLUMNS {
            for row in 0..self.stacks[column].len() {
                for (x, y) in DIRECTIONS {
                    let own = |step: usize| {
                        let step = step as isize;
                        let column = column.checked_add_signed(x * step);
                        let row = row.checked_add_signed(y * step);
                        column
                            .zip(row)
                            .is_some_and(|(column, row)| self.at(column, row) == Some(player))
                    };
                    count += i32::from((0..length).all(own));
                }
            }
        }
        count
    }
}

const DIRECTIONS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];
