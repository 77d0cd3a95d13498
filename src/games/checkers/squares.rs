use std::fmt;

/// Number of dark squares. The game uses only these.
pub const SQUARES: u32 = 32;

/// Returns the rotated index of the square on file `x` and rank `y`, which must be both even or both odd.
const fn index(x: i32, y: i32) -> u32 {
    (18 + 4 * y - 3 * x).rem_euclid(32) as u32
}

const fn place(number: u32) -> (i32, i32) {
    let rank = 7 - (number / 4) as i32;
    (2 * (number % 4) as i32 + (rank & 1), rank)
}

/// The rotated index of each square, indexed by the square's number minus 1.
const INDEX: [u8; 32] = {
    let mut table = [0; 32];
    let mut number = 0;
    while number < 32 {
        let (x, y) = place(number);
        table[number as usize] = index(x, y) as u8;
        number += 1;
    }
    table
};

const NUMBER: [u8; 32] = {
    let mut table = [0; 32];
    let mut number = 0;
    while number < 32 {
        table[INDEX[number] as usize] = number as u8;
        number += 1;
    }
    table
};

/// For each direction, the left rotation that moves a set of squares by one step (index -7, -1, +1 and +7).
pub const ROTATIONS: [u32; 4] = [25, 31, 1, 7];

const STEPS: [(i32, i32); 4] = [(1, -1), (-1, -1), (1, 1), (-1, 1)];

/// Returns the squares from which `steps` steps in a direction stay on the board. From others, steps would wrap around.
const fn inside(direction: usize, steps: i32) -> u32 {
    let (dx, dy) = STEPS[direction];
    let (mut squares, mut number) = (0, 0);
    while number < 32 {
        let (x, y) = place(number);
        let (x, y) = (x + steps * dx, y + steps * dy);
        if x >= 0 && x < 8 && y >= 0 && y < 8 {
            squares |= 1 << INDEX[number as usize];
        }
        number += 1;
    }
    squares
}

/// For each direction, the squares from which a step stays on the board.
pub const STEP_INSIDE: [u32; 4] = [inside(0, 1), inside(1, 1), inside(2, 1), inside(3, 1)];

/// For each direction, the squares from which a jump stays on the board.
pub const JUMP_INSIDE: [u32; 4] = [inside(0, 2), inside(1, 2), inside(2, 2), inside(3, 2)];

pub(super) const fn numbered(first: usize, last: usize) -> u32 {
    let (mut squares, mut number) = (0, first);
    while number <= last {
        squares |= 1 << INDEX[number - 1];
        number += 1;
    }
    squares
}

/// The first and the last rank. A man can only reach its own king row, so one set serves both sides.
pub const KING_ROWS: u32 = numbered(1, 4) | numbered(29, 32);

/// A dark square. In code, it is identified by its rotated index, and in texts by its number from 1 to 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square with this PDN number, 1 to 32, or `None` for other numbers.
    pub fn numbered(number: u32) -> Option<Square> {
        let place = number.checked_sub(1)? as usize;
        INDEX.get(place).map(|index| Square(*index))
    }

    #[inline(always)]
    pub(super) fn of(bit: u32) -> Square {
        Square((bit.trailing_zeros() % SQUARES) as u8)
    }

    /// Returns every square, ordered by number.
    pub fn all() -> impl Iterator<Item = Square> {
        INDEX.into_iter().map(Square)
    }

    /// Returns the PDN number, 1 to 32.
    pub fn number(self) -> u32 {
        u32::from(NUMBER[usize::from(self.0)]) + 1
    }

    /// Returns the set that contains only this square.
    #[inline(always)]
    pub fn bit(self) -> u32 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}
