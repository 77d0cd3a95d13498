use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::games::squares::{self, Square};

/// The side of a square board, from 5 to 32, written `12x12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    side: u8,
}

/// Allowed sizes, for messages.
pub const ALLOWED_SIZES: &str = "NxN, N from 5 to 32";

const LONGEST: usize = 32;

/// An invalid size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("board `{text}` is not one of {ALLOWED_SIZES}")]
pub struct SizeError {
    text: String,
}

impl Size {
    /// The size with this side, if allowed.
    pub fn new(side: usize) -> Result<Size, SizeError> {
        if (5..=LONGEST).contains(&side) {
            Ok(Size { side: side as u8 })
        } else {
            Err(SizeError {
                text: format!("{side}x{side}"),
            })
        }
    }

    /// Number of columns, and of rows.
    #[inline(always)]
    pub fn side(self) -> usize {
        usize::from(self.side)
    }

    /// Number of squares.
    #[inline(always)]
    pub fn squares(self) -> usize {
        self.side() * self.side()
    }

    /// The square in a column and a row, both from 0; they must be on the board.
    #[inline(always)]
    pub fn square(self, x: usize, y: usize) -> Square {
        debug_assert!(x < self.side() && y < self.side());
        Square((y * self.side() + x) as u16)
    }

    /// The column of a square, from 0.
    #[inline(always)]
    pub fn x(self, square: Square) -> usize {
        square.index() % self.side()
    }

    /// The row of a square, from 0.
    #[inline(always)]
    pub fn y(self, square: Square) -> usize {
        square.index() / self.side()
    }

    /// The square of the first stone in the paper's experiments: (n/2, n/2), rounded down.
    pub fn centre(self) -> Square {
        self.square(self.side() / 2, self.side() / 2)
    }

    /// Every square, by index.
    pub fn all(self) -> impl Iterator<Item = Square> {
        (0..self.squares() as u16).map(Square)
    }

    /// Every square in the search order of moves: by distance from the centre, (2x - n + 1)² + (2y - n + 1)², then by
    /// index. Kept for the life of the process.
    pub fn order(self) -> &'static [Square] {
        static ORDERS: [OnceLock<Vec<Square>>; LONGEST + 1] =
            [const { OnceLock::new() }; LONGEST + 1];
        let distance = |square: &Square| {
            let from_centre = |at: usize| (2 * at + 1).abs_diff(self.side());
            from_centre(self.x(*square)).pow(2) + from_centre(self.y(*square)).pow(2)
        };
        ORDERS[self.side()].get_or_init(|| {
            let mut order: Vec<_> = self.all().collect();
            order.sort_by_key(distance);
            order
        })
    }

    /// The adjacent squares, diagonals included, by index.
    pub fn neighbours(self, square: Square) -> impl Iterator<Item = Square> {
        let near = move |at: usize| at.saturating_sub(1)..=(at + 1).min(self.side() - 1);
        let (columns, rows) = (near(self.x(square)), near(self.y(square)));
        rows.flat_map(move |y| columns.clone().map(move |x| self.square(x, y)))
            .filter(move |neighbour| *neighbour != square)
    }

    /// A square's name: column letters and row digits from 1. After column `z` come `aa` to `af`.
    pub fn name(self, square: Square) -> String {
        squares::name(self.x(square), self.y(square))
    }

    /// The letters of the last column.
    pub fn last_column(self) -> String {
        squares::letters(self.side() - 1)
    }

    /// The square with this name, in either case; `None` if the board has none.
    pub fn find(self, name: &str) -> Option<Square> {
        let (x, y) = squares::find(name)?;
        (x < self.side() && y < self.side()).then(|| self.square(x, y))
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size, SizeError> {
        squares::sides(text)
            .filter(|(width, height)| width == height)
            .and_then(|(side, _)| Size::new(side).ok())
            .ok_or_else(|| SizeError {
                text: text.to_owned(),
            })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0}", self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_square_and_from_5_to_32() {
        for text in ["5x5", "6x6", "15x15", "24x24", "32x32"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
        let wrong = "|8|8x|x8|x|12x13|4x4|33x33|+8x+8|8x8x8|0x0|8 x8|\
            99999999999999999999x99999999999999999999";
        for text in wrong.split('|') {
            let error = text.parse::<Size>().unwrap_err().to_string();
            let expected = format!("board `{text}` is not one of NxN, N from 5 to 32");
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn names_run_both_ways_past_z() {
        let size = Size::new(32).unwrap();
        for square in size.all() {
            assert_eq!(size.find(&size.name(square)), Some(square));
        }
        let named = |x, y| size.name(size.square(x, y));
        assert_eq!(named(0, 0), "a1");
        assert_eq!(named(25, 9), "z10");
        assert_eq!(named(26, 0), "aa1");
        assert_eq!(named(31, 31), "af32");
        assert_eq!(size.find("H8"), Some(size.square(7, 7)));
        for wrong in [
            "", "a", "1", "a0", "a01", "a33", "ag1", "ba1", "aaa1", "a1b", "é1", "-1", "a+1",
        ] {
            assert_eq!(size.find(wrong), None, "{wrong}");
        }
        assert_eq!(Size::new(15).unwrap().find("p1"), None);
    }
}
