use std::fmt;
use std::str::FromStr;

use crate::games::squares::{self, Square};

/// A board's width and height, both even, from 4 to 64. `16x8` is 16 files wide, 8 ranks high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

/// Allowed sizes, for messages.
pub const ALLOWED_SIZES: &str = "WIDTHxHEIGHT, both even, from 4x4 to 64x64";

/// An invalid size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("board `{text}` is not one of {ALLOWED_SIZES}")]
pub struct SizeError {
    text: String,
}

impl Size {
    /// The board of the standard game.
    pub const STANDARD: Size = Size {
        width: 8,
        height: 8,
    };

    /// The size with these sides, if allowed.
    pub fn new(width: usize, height: usize) -> Result<Size, SizeError> {
        let allowed = |side: usize| (4..=64).contains(&side) && side.is_multiple_of(2);
        if allowed(width) && allowed(height) {
            Ok(Size {
                width: width as u8,
                height: height as u8,
            })
        } else {
            Err(SizeError {
                text: format!("{width}x{height}"),
            })
        }
    }

    /// Number of files.
    #[inline(always)]
    pub fn width(self) -> usize {
        usize::from(self.width)
    }

    /// Number of ranks.
    #[inline(always)]
    pub fn height(self) -> usize {
        usize::from(self.height)
    }

    /// Number of squares.
    #[inline(always)]
    pub fn squares(self) -> usize {
        self.width() * self.height()
    }

    /// The square on a file and a rank, both from 0; they must be on the board.
    #[inline(always)]
    pub fn square(self, file: usize, rank: usize) -> Square {
        debug_assert!(file < self.width() && rank < self.height());
        Square((rank * self.width() + file) as u16)
    }

    /// The file of a square, from 0.
    #[inline(always)]
    pub fn file(self, square: Square) -> usize {
        square.index() % self.width()
    }

    /// The rank of a square, from 0.
    #[inline(always)]
    pub fn rank(self, square: Square) -> usize {
        square.index() / self.width()
    }

    /// A square's name: file letters and rank digits from 1. After file `z` come `aa` to `bl`.
    pub fn name(self, square: Square) -> String {
        squares::name(self.file(square), self.rank(square))
    }

    /// The square with this name, in either case; `None` if the board has none.
    pub fn find(self, name: &str) -> Option<Square> {
        let (file, rank) = squares::find(name)?;
        (file < self.width() && rank < self.height()).then(|| self.square(file, rank))
    }

    /// Every square, in order.
    pub fn all(self) -> impl Iterator<Item = Square> {
        (0..self.squares() as u16).map(Square)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size, SizeError> {
        squares::sides(text)
            .and_then(|(width, height)| Size::new(width, height).ok())
            .ok_or_else(|| SizeError {
                text: text.to_owned(),
            })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_even_and_from_4_to_64() {
        for text in ["4x4", "8x8", "16x8", "10x14", "64x64"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
        let wrong = "|8|8x|x8|7x8|8x9|2x8|8x66|+8x8|8x8x8|0x0|8 x8|99999999999999999999x8";
        for text in wrong.split('|') {
            let error = text.parse::<Size>().unwrap_err().to_string();
            let part = format!("`{text}`");
            assert!(error.contains(&part) && error.contains("even"), "{error}");
        }
    }

    #[test]
    fn names_run_both_ways_past_z() {
        let size = Size::new(64, 32).unwrap();
        for square in size.all() {
            assert_eq!(size.find(&size.name(square)), Some(square));
        }
        let named = |file, rank| size.name(size.square(file, rank));
        assert_eq!(named(0, 0), "a1");
        assert_eq!(named(25, 9), "z10");
        assert_eq!(named(26, 0), "aa1");
        assert_eq!(named(51, 0), "az1");
        assert_eq!(named(52, 0), "ba1");
        assert_eq!(named(63, 31), "bl32");
        for wrong in [
            "", "a", "1", "a0", "a01", "a33", "bm1", "aaa1", "a1b", "é1", "-1", "a+1",
        ] {
            assert_eq!(size.find(wrong), None, "{wrong}");
        }
        assert_eq!(Size::STANDARD.find("F5"), Size::STANDARD.find("f5"));
        assert_eq!(Size::STANDARD.find("i1"), None);
    }
}
