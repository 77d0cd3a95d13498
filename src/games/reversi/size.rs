use std::marker::PhantomData;

use crate::games::squares::{self, SizeError, Sizes};

/// Allows boards with even sides from 4 to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Even {}

/// The width and height of a board, both even, from 4 to 64.
pub type Size = squares::Size<Even>;

/// Allowed sizes, for error messages.
pub const ALLOWED_SIZES: &str = "WIDTHxHEIGHT, both even, from 4x4 to 64x64";

impl Sizes for Even {
    const ALLOWED: &'static str = ALLOWED_SIZES;

    fn allow(width: usize, height: usize) -> bool {
        let is_even = |side: usize| (4..=64).contains(&side) && side.is_multiple_of(2);
        is_even(width) && is_even(height)
    }
}

impl Size {
    /// The size of the standard board.
    pub const STANDARD: Size = Size {
        width: 8,
        height: 8,
        sizes: PhantomData,
    };

    /// Returns the size with these sides, or an error if it is not allowed.
    pub fn new(width: usize, height: usize) -> Result<Size, SizeError> {
        Size::of(width, height)
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
