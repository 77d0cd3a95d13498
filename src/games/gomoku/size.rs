use std::sync::OnceLock;

use crate::games::squares::{self, SizeError, Sizes, Square};

/// Allows square boards from 5x5 to 32x32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Squares {}

/// The side of a square board, from 5 to 32, written `12x12`.
pub type Size = squares::Size<Squares>;

/// Allowed sizes, for error messages.
pub const ALLOWED_SIZES: &str = "NxN, N from 5 to 32";

const LONGEST: usize = 32;

impl Sizes for Squares {
    const ALLOWED: &'static str = ALLOWED_SIZES;

    fn allow(width: usize, height: usize) -> bool {
        width == height && (5..=LONGEST).contains(&width)
    }
}

impl Size {
    /// Returns the size with this side, or an error if it is not allowed.
    pub fn new(side: usize) -> Result<Size, SizeError> {
        Size::of(side, side)
    }

    /// Returns the number of columns, which is also the number of rows.
    #[inline(always)]
    pub fn side(self) -> usize {
        self.width()
    }

    /// Returns the square of the first stone in the paper's experiments: (n/2, n/2), rounded down.
    pub fn centre(self) -> Square {
        self.square(self.side() / 2, self.side() / 2)
    }

    /// Returns every square in the order in which searches try them: by distance from the centre, then by index. The
    /// distance is (2x - n + 1)² + (2y - n + 1)². The list is never freed.
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

    /// Returns the adjacent squares, including diagonal ones, in the order of their indices.
    pub fn neighbours(self, square: Square) -> impl Iterator<Item = Square> {
        let near = move |at: usize| at.saturating_sub(1)..=(at + 1).min(self.side() - 1);
        let (columns, rows) = (near(self.x(square)), near(self.y(square)));
        rows.flat_map(move |y| columns.clone().map(move |x| self.square(x, y)))
            .filter(move |neighbour| *neighbour != square)
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
