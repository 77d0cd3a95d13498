//! Looks up the effect of a stone along one line in tables.
//!
//! A window consists of the five squares on each side of a square along a line, with two bits per square. Unless a
//! player has a five, a stone on that square affects nothing along the line outside the window.

use super::Shapes;

pub(super) const EMPTY: u8 = 0;
pub(super) const BLACK: u8 = 1;
pub(super) const WHITE: u8 = 2;
pub(super) const WALL: u8 = 3;

/// Number of squares in a window on each side of the middle square.
pub(super) const REACH: usize = 5;

const SIDE_BITS: usize = 2 * REACH;

/// Added to the change if the stone makes a five. Larger than any change without a five along four lines.
const FIVE: i32 = 1 << 27;

/// The change that a stone makes to the mover's balance, summed over lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change(pub i32);

impl Change {
    #[inline(always)]
    pub fn is_five(self) -> bool {
        self.0 >= FIVE / 2
    }

    /// Returns the change with fives counted as 0.
    #[inline(always)]
    pub fn worth(self) -> i32 {
        ((self.0 + FIVE / 2) & (FIVE - 1)) - FIVE / 2
    }
}

#[derive(Clone, Debug)]
pub(super) struct Windows {
    /// For each colour to move: the code of the [`Reading`] of each possible lower side of a window, then of each upper
    /// side. A lower side has its nearest square in the highest bits, and an upper side in the lowest bits.
    readings: [[[u8; 1 << SIDE_BITS]; 2]; 2],
    changes: [i32; CODES * CODES],
}

/// Number of readings, rounded up to a power of two.
const CODES: usize = 32;

/// Describes one side of a window: a run of `length` stones (0 to 4). `open` is 1 if the next square is empty,
/// otherwise 0. A run of the opponent has at least one stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    is_own: bool,
    length: usize,
    open: usize,
}

impl Reading {
    fn of(squares: [u8; REACH], own: u8) -> Reading {
        let is_own = squares[0] != BLACK + WHITE - own;
        let colour = if is_own { own } else { squares[0] };
        // Longer runs do not occur, because the game would be over.
        let run = squares.iter().take_while(|square| **square == colour);
        let length = run.count().min(REACH - 1);
        Reading {
            is_own,
            length,
            open: usize::from(squares[length] == EMPTY),
        }
    }

    fn code(self) -> usize {
        8 * usize::from(!self.is_own) + 2 * self.length + self.open
    }

    fn all() -> impl Iterator<Item = Reading> {
        let all = (0..4 * REACH).map(|number| Reading {
            is_own: number < 2 * REACH,
            length: number / 2 % REACH,
            open: number % 2,
        });
        all.filter(|reading| reading.is_own || reading.length > 0)
    }

    /// Returns the length of the run that the new stone joins on this side, and 1 if its far end is open, otherwise 0.
    fn joined(self) -> (usize, usize) {
        if self.is_own {
            (self.length, self.open)
        } else {
            (0, 0)
        }
    }

    /// Returns the value to subtract for this side's run when the mover's stone closes its near end. A run of the mover
    /// joins the new one, so this is its whole value. For an opponent's run, it is the change in value.
    fn lost(self, shapes: &Shapes) -> i32 {
        let before = shapes.worth(self.length, 1 + self.open);
        if self.is_own {
            before
        } else {
            shapes.worth(self.length, self.open) - before
        }
    }
}

fn change(sides: [Reading; 2], shapes: &Shapes) -> i32 {
    let [(low, low_open), (high, high_open)] = sides.map(Reading::joined);
    let length = low + 1 + high;
    let made = if length >= 5 {
        FIVE
    } else {
        shapes.worth(length, low_open + high_open)
    };
    made - sides[0].lost(shapes) - sides[1].lost(shapes)
}

impl Windows {
    pub(super) fn new(shapes: &Shapes) -> Box<Windows> {
        let mut windows = Box::new(Windows {
            readings: [[[0; 1 << SIDE_BITS]; 2]; 2],
            changes: [0; CODES * CODES],
        });
        for (colour, readings) in windows.readings.iter_mut().enumerate() {
            let own = [BLACK, WHITE][colour];
            for side in 0..1 << SIDE_BITS {
                let upper: [u8; REACH] = std::array::from_fn(|at| (side >> (2 * at) & 3) as u8);
                let mut lower = upper;
                lower.reverse();
                readings[0][side] = Reading::of(lower, own).code() as u8;
                readings[1][side] = Reading::of(upper, own).code() as u8;
            }
        }
        for low in Reading::all() {
            for high in Reading::all() {
                windows.changes[low.code() * CODES + high.code()] = change([low, high], shapes);
            }
        }
        windows
    }

    /// Returns the change along one line if a stone of colour 0 (black) or 1 (white) is placed in the middle of a
    /// window. The window's first square is in the lowest bits. Higher bits are ignored.
    #[inline(always)]
    pub(super) fn change(&self, colour: usize, window: u32) -> i32 {
        let readings = &self.readings[colour];
        let sides = (1 << SIDE_BITS) - 1;
        let low = readings[0][window as usize & sides];
        let high = readings[1][window as usize >> (SIDE_BITS + 2) & sides];
        self.changes[(usize::from(low) * CODES + usize::from(high)) % (CODES * CODES)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the change if an `X` is placed in the middle of a window drawn as text. `#` is a square off the board.
    fn drawn(window: &str) -> Change {
        let windows = Windows::new(&Shapes::default());
        let bits = |window: &str, flip: bool| {
            let square = |c| match (c, flip) {
                ('.', _) => EMPTY,
                ('#', _) => WALL,
                ('X', false) | ('O', true) => BLACK,
                _ => WHITE,
            };
            let squares = window.chars().enumerate();
            squares.fold(0, |bits, (at, c)| bits | u32::from(square(c)) << (2 * at))
        };
        assert_eq!(window.len(), 2 * REACH + 1);
        let change = windows.change(0, bits(window, false));
        let flipped = windows.change(1, bits(window, true));
        assert_eq!(flipped, change, "colours are alike");
        let mirrored: String = window.chars().rev().collect();
        let found = windows.change(0, bits(&mirrored, false));
        assert_eq!(found, change, "sides are alike");
        Change(change)
    }

    #[test]
    fn changes_by_hand() {
        assert_eq!(drawn("..........."), Change(0));
        assert_eq!(drawn("....X......"), Change(100));
        assert_eq!(drawn("...OX......"), Change(10));
        assert_eq!(drawn("####X......"), Change(10));
        assert_eq!(drawn("###.X......"), Change(100));
        assert_eq!(drawn("...XX......"), Change(1_000 - 100));
        assert_eq!(drawn("#OXXX......"), Change(1_000 - 100));
        // The stone joins a pair and a single stone into a live four.
        assert_eq!(drawn("...XX.X...."), Change(10_000 - 100));
        // The stone closes the opponent's runs: a live three becomes dead, and a dead two loses its value.
        assert_eq!(drawn("..OOO......"), Change(1_000 - 100));
        assert_eq!(drawn("#OO....OO#."), Change(0));
        assert_eq!(drawn("..#OO.OOO.."), Change(10 + 1_000 - 100));
    }

    #[test]
    fn fives_are_marked_and_worth_nothing() {
        assert!(!drawn("...XX.X....").is_five());
        let five = drawn("#XXXX......");
        assert!(five.is_five());
        assert_eq!(five.worth(), -1_000);
        let nine = drawn("OXXXX.XXXX.");
        assert!(nine.is_five());
        assert_eq!(nine.worth(), -1_000 - 10_000);
        // Four lines at once, and a sum of changes that is below zero without a five.
        let four = Change(4 * nine.0);
        assert!(four.is_five());
        assert_eq!(four.worth(), -44_000);
        assert!(!Change(-44_000).is_five());
        assert_eq!(Change(-44_000).worth(), -44_000);
    }
}
