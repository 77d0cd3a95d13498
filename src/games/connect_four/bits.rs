use super::{COLUMNS, Column, Evaluation, Position, ROWS, WIN};
use crate::games::{Game, Stuck, TwoPlies};

/// Number of bits per column: its squares, from the bottom, and an empty bit that keeps lines from wrapping around.
pub(super) const STRIDE: u32 = ROWS as u32 + 1;

pub(super) const BOTTOM: u64 = {
    let (mut bits, mut column) = (0, 0);
    while column < COLUMNS {
        bits |= 1 << (column as u32 * STRIDE);
        column += 1;
    }
    bits
};

pub(super) const BOARD: u64 = BOTTOM * 0b11_1111;

const ABOVE: u64 = BOTTOM << ROWS;

pub(super) const COLUMN: u64 = 0b111_1111;

/// The bit that is set in a column's field of [`Gains::fields`] if a stone there wins.
pub(super) const WINS: u64 = 0b100_0000;

/// The value of a board on which the mover has lost. It is lower than any heuristic value.
pub(super) const LOST: i32 = -WIN;

/// The order in which [`Game::moves`] lists columns. It affects pruning and the choice among equal moves, but no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Columns 1 to 7.
    FromTheLeft,
    /// Columns 4, 3, 5, 2, 6, 1, 7, because more lines pass through the middle columns.
    CentreFirst,
}

impl Order {
    fn digits(self) -> u32 {
        match self {
            Order::FromTheLeft => 0o7654321,
            Order::CentreFirst => 0o7162534,
        }
    }
}

/// A board and its value. In both words, bit `7 * column + row` is a square, and each column's seventh bit stays 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    pub(super) own: u64,
    pub(super) stones: u64,
    /// The static value for the side to move, or [`LOST`].
    pub(super) value: i32,
}

impl Board {
    /// Returns the stones of the side to move and of the other side. Bit `7 * column + row` stands for a square.
    pub fn stones(&self) -> (u64, u64) {
        (self.own, self.own ^ self.stones)
    }

    /// Returns true if a column has room.
    #[inline(always)]
    pub fn has_room(&self, column: Column) -> bool {
        let top = 1 << (column.index() as u32 * STRIDE + STRIDE - 2);
        self.stones & top == 0
    }

    /// Returns true if no column has room.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.stones == BOARD
    }

    /// Returns the same stones with the other side to move. The game must not be over.
    pub fn turned(&self) -> Board {
        Board {
            own: self.own ^ self.stones,
            stones: self.stones,
            value: -self.value,
        }
    }
}

/// Connect Four on two 64-bit words. All CPU searches use this representation.
///
/// Shifted boards give the effects of a stone in all seven columns at once. Bit planes add them up. A search does this
/// once per node. Each move then takes its seven bits and looks up two numbers, so no board is evaluated from scratch.
#[derive(Clone, Debug)]
pub struct Bits {
    evaluation: Evaluation,
    order: u32,
    pub(super) squares: [i32; 64],
    /// The value of a stone's twos and threes, indexed by the low six bits of a field in [`Gains::fields`].
    pub(super) runs: [i32; 64],
    /// The value of each square, indexed by its column and the bit of its row.
    pub(super) by_drop: [[i32; 64]; 8],
    pub(super) mirrors: bool,
}

impl Bits {
    /// Creates the game with this evaluation and order of moves.
    pub fn new(evaluation: &Evaluation, order: Order) -> Bits {
        let mut squares = [0; 64];
        for (row, worths) in evaluation.squares.iter().enumerate() {
            for (column, worth) in worths.iter().enumerate() {
                squares[column * STRIDE as usize + row] = *worth;
            }
        }
        let mut by_drop = [[0; 64]; 8];
        for column in 0..COLUMNS {
            for row in 0..ROWS {
                by_drop[column][1 << row] = squares[column * STRIDE as usize + row];
            }
        }
        let runs = |field: usize| {
            let (twos, threes) = (field as i32 & 7, field as i32 >> 3);
            twos * evaluation.two + threes * evaluation.three
        };
        Bits {
            evaluation: evaluation.clone(),
            order: order.digits(),
            squares,
            runs: std::array::from_fn(runs),
            by_drop,
            mirrors: evaluation.mirrors(),
        }
    }

    /// Converts a position.
    pub fn load(&self, position: &Position) -> Board {
        let [own, stones] = position.words();
        let value = match position.winner {
            Some(_) => LOST,
            None => self.evaluation.value(position),
        };
        Board { own, stones, value }
    }

    /// Returns the leftmost column in which the mover wins at once.
    pub fn winning_column(&self, board: &Board) -> Option<Column> {
        let gains = Gains::of(board.own, board.stones);
        let wins = |column: &Column| gains.fields >> (column.index() as u32 * STRIDE) & WINS != 0;
        Column::all().find(wins)
    }

    /// Returns each move's column and new board, and whether it makes four. The board's value is static even then.
    pub fn played_on(&self, board: &Board) -> impl Iterator<Item = (Column, Board, bool)> {
        let gains = Gains::of(board.own, board.stones);
        let columns = Columns {
            order: self.order,
            drops: gains.drops,
        };
        columns.map(move |column| {
            let drop = gains.drops & COLUMN << (column.index() as u32 * STRIDE);
            let (worth, wins) = match self.gain(&gains, column) {
                (_, true) => (self.worth_of_four(board.own, drop), true),
                gain => gain,
            };
            let child = Board {
                own: board.own ^ board.stones,
                stones: board.stones | drop,
                value: -(board.value + worth),
            };
            (column, child, wins)
        })
    }

    #[inline(always)]
    pub(super) fn put(&self, board: &Board, gains: &Gains, column: Column) -> Board {
        let (worth, wins) = self.gain(gains, column);
        Board {
            own: board.own ^ board.stones,
            stones: board.stones | gains.drops & COLUMN << (column.index() as u32 * STRIDE),
            value: if wins { LOST } else { -(board.value + worth) },
        }
    }

    /// Returns how much a stone that makes four adds to the static value. [`Gains::fields`] omits its twos and threes.
    fn worth_of_four(&self, own: u64, drop: u64) -> i32 {
        let mut worth = self.squares[drop.trailing_zeros() as usize & 63];
        for step in [1, STRIDE - 1, STRIDE, STRIDE + 1] {
            // Only two stones on either side matter. The empty bit above each column ends a run.
            let before = (1..=2)
                .take_while(|far| own & drop >> (far * step) != 0)
                .count();
            let after = (1..=2)
                .take_while(|far| own & drop << (far * step) != 0)
                .count();
            let twos = i32::from(before > 0) + i32::from(after > 0);
            let both = i32::from(before > 0 && after > 0);
            let threes = i32::from(before > 1) + i32::from(after > 1) + both;
            worth += twos * self.evaluation.two + threes * self.evaluation.three;
        }
        worth
    }

    /// Returns how much a stone in a column with room increases the mover's static value, and whether the stone wins.
    #[inline(always)]
    fn gain(&self, gains: &Gains, column: Column) -> (i32, bool) {
        let shift = column.index() as u32 * STRIDE;
        let field = gains.fields >> shift;
        let square = shift + ((gains.drops >> shift) & COLUMN).trailing_zeros();
        let worth = self.squares[square as usize & 63] + self.runs[field as usize & 63];
        (worth, field & WINS != 0)
    }
}

pub(super) struct Gains {
    pub(super) drops: u64,
    /// Seven bits per column: the number of twos and the number of threes that a stone in this column makes (three bits
    /// each), and whether it makes a four. If it makes a four, the other bits are invalid.
    pub(super) fields: u64,
}

impl Gains {
    #[inline(always)]
    pub(super) fn of(own: u64, stones: u64) -> Gains {
        let drops = (stones + BOTTOM) & BOARD;
        let fields = Planes::of(own).fields_at(drops);
        Gains { drops, fields }
    }

    /// Returns the other side's effects, first on the squares where stones would land, then on the squares above them.
    #[inline(always)]
    pub(super) fn of_other(&self, other: u64) -> (u64, u64) {
        let planes = Planes::of(other);
        let above = self.drops << 1 & BOARD;
        (planes.fields_at(self.drops), planes.fields_at(above))
    }
}

/// The effects of a stone on each square, in bit planes: the numbers of twos and threes, and whether it makes a four.
struct Planes {
    twos: [u64; 3],
    threes: [u64; 3],
    wins: u64,
}

impl Planes {
    #[inline(always)]
    fn of(own: u64) -> Planes {
        let one = own << 1;
        let two = one & own << 2;
        let three = two & own << 3;
        let (left, right) = (Line::new(own, 7), Line::new(own, 6));
        let rising = Line::new(own, 8);

        let (sum_a, carry_a) = add(one, left.before, left.after);
        let (sum_b, carry_b) = add(right.before, right.after, rising.before);
        let (twos_1, carry_c) = add(sum_a, sum_b, rising.after);
        let (twos_2, twos_4) = add(carry_a, carry_b, carry_c);

        let (sum, carry) = add(left.threes(), right.threes(), rising.threes());
        let (threes_1, carry_d) = (sum ^ two, sum & two);
        Planes {
            twos: [twos_1, twos_2, twos_4],
            threes: [threes_1, carry ^ carry_d, carry & carry_d],
            wins: three | left.fours() | right.fours() | rising.fours(),
        }
    }

    /// Returns the planes' bits at `drops` (at most one square per column), in the format of [`Gains::fields`].
    #[inline(always)]
    fn fields_at(&self, drops: u64) -> u64 {
        // A column has at most one drop, so adding 63 carries it into the seventh bit.
        let seventh = |plane: u64| ((plane & drops) + BOTTOM * 63) & ABOVE;
        seventh(self.twos[0]) >> 6
            | seventh(self.twos[1]) >> 5
            | seventh(self.twos[2]) >> 4
            | seventh(self.threes[0]) >> 3
            | seventh(self.threes[1]) >> 2
            | seventh(self.threes[2]) >> 1
            | seventh(self.wins)
    }
}

/// The squares whose nearest one, two or three neighbours on each side along one direction are the mover's stones. A
/// shift by two or three columns wraps around only across an empty bit, so a nearer neighbour is then not a stone.
struct Line {
    before: u64,
    before_2: u64,
    before_3: u64,
    after: u64,
    after_2: u64,
    after_3: u64,
}

impl Line {
    #[inline(always)]
    fn new(own: u64, step: u32) -> Line {
        let (before, after) = (own << step, own >> step);
        let before_2 = before & own << (2 * step);
        let after_2 = after & own >> (2 * step);
        Line {
            before,
            before_2,
            before_3: before_2 & own << (3 * step),
            after,
            after_2,
            after_3: after_2 & own >> (3 * step),
        }
    }

    /// Returns the squares where a stone completes a three. Completing two threes on one line would make a four.
    #[inline(always)]
    fn threes(&self) -> u64 {
        self.before_2 | self.after_2 | self.before & self.after
    }

    #[inline(always)]
    fn fours(&self) -> u64 {
        self.before_3 | self.after_3 | self.before_2 & self.after | self.before & self.after_2
    }
}

#[inline(always)]
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    let odd = a ^ b;
    (odd ^ c, a & b | odd & c)
}

/// Iterator over the columns that have room, in the chosen order.
#[derive(Clone, Debug)]
pub struct Columns {
    order: u32,
    drops: u64,
}

impl Iterator for Columns {
    type Item = Column;

    #[inline(always)]
    fn next(&mut self) -> Option<Column> {
        loop {
            let index = (self.order & 7).checked_sub(1)?;
            self.order >>= 3;
            if self.drops >> (index * STRIDE) & COLUMN != 0 {
                return Column::new(index as usize);
            }
        }
    }
}

impl Game for Bits {
    type Position = Board;
    type Move = Column;
    type Moves = Columns;

    #[inline(always)]
    fn decided(&self, board: &Board, ply: u32) -> Option<i32> {
        if board.value == LOST {
            return Some(ply as i32 - WIN);
        }
        (board.stones == BOARD).then_some(0)
    }

    #[inline(always)]
    fn moves(&self, board: &Board) -> Columns {
        Columns {
            order: self.order,
            drops: (board.stones + BOTTOM) & BOARD,
        }
    }

    #[inline(always)]
    fn first(&self, _board: &Board, moves: &Columns) -> Option<Column> {
        moves.clone().next()
    }

    #[inline(always)]
    fn play(&self, board: &Board, column: Column) -> Board {
        self.put(board, &Gains::of(board.own, board.stones), column)
    }

    #[inline(always)]
    fn two_plies(&self, board: &Board, ply: u32) -> Option<TwoPlies> {
        let found = self.last_two(board, ply)?;
        let leaves = u64::from(found.ends + found.last);
        Some(TwoPlies::new(
            found.value,
            u64::from(found.inner) + leaves,
            leaves,
        ))
    }

    /// Returns the static value. It is invalid for a [decided](Game::decided) board not made by [`Bits::played_on`].
    #[inline(always)]
    fn evaluate(&self, board: &Board) -> i32 {
        board.value
    }

    fn stuck(&self, _board: &Board, _ply: u32) -> Stuck<Board> {
        Stuck::Over(0)
    }
}
