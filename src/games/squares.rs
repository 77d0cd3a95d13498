//! Defines squares and sizes of boards, and their notation: `c4`, `16x8`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::text::whole_number;

/// A square, as `y * width + x`, so that `a1` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub u16);

impl Square {
    /// Returns the index in a board's array of squares.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Returns the letters of a column, counted from 0: `a` to `z`, then `aa`, `ab` and so on.
pub(super) fn letters(column: usize) -> String {
    let letter = |n: usize| char::from(b'a' + n as u8);
    let last = letter(column % 26);
    match column / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letter(more - 1)),
    }
}

/// Returns the column and row that a square's name gives, in upper or lower case, or `None` for any other text.
fn find(name: &str) -> Option<(usize, usize)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, digits) = name.split_at(digits);
    let column = match letters.as_bytes() {
        [low] => letter(*low)?,
        [high, low] => (letter(*high)? + 1) * 26 + letter(*low)?,
        _ => return None,
    };
    let row = whole_number(digits).filter(|_| !digits.starts_with('0'))?;
    Some((column, row.checked_sub(1)?))
}

fn letter(byte: u8) -> Option<usize> {
    byte.is_ascii_alphabetic()
        .then(|| usize::from(byte.to_ascii_lowercase() - b'a'))
}

fn sides(text: &str) -> Option<(usize, usize)> {
    let (width, height) = text.split_once('x')?;
    Some((whole_number(width)?, whole_number(height)?))
}

/// Defines the board sizes of a game.
pub trait Sizes {
    /// The allowed sizes, for error messages.
    const ALLOWED: &'static str;

    /// Returns true if a board may have this width and height.
    fn allow(width: usize, height: usize) -> bool;
}

/// An invalid size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("board `{text}` is not one of {allowed}")]
pub struct SizeError {
    text: String,
    allowed: &'static str,
}

/// The width and height of a board. `16x8` has 16 columns and 8 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size<S> {
    pub(super) width: u8,
    pub(super) height: u8,
    pub(super) sizes: PhantomData<S>,
}

impl<S: Sizes> Size<S> {
    /// Returns the size with these sides, if allowed.
    pub(super) fn of(width: usize, height: usize) -> Result<Size<S>, SizeError> {
        if S::allow(width, height) {
            Ok(Size {
                width: width as u8,
                height: height as u8,
                sizes: PhantomData,
            })
        } else {
            Err(Size::<S>::wrong(format!("{width}x{height}")))
        }
    }

    fn wrong(text: String) -> SizeError {
        let allowed = S::ALLOWED;
        SizeError { text, allowed }
    }
}

impl<S: Copy> Size<S> {
    /// Returns the number of columns.
    #[inline(always)]
    pub fn width(self) -> usize {
        usize::from(self.width)
    }

    /// Returns the number of rows.
    #[inline(always)]
    pub fn height(self) -> usize {
        usize::from(self.height)
    }

    /// Returns the number of squares.
    #[inline(always)]
    pub fn squares(self) -> usize {
        self.width() * self.height()
    }

    /// Returns the square in a column and a row, both counted from 0. It must be on the board.
    #[inline(always)]
    pub fn square(self, x: usize, y: usize) -> Square {
        debug_assert!(x < self.width() && y < self.height());
        Square((y * self.width() + x) as u16)
    }

    /// Returns the column of a square, from 0.
    #[inline(always)]
    pub fn x(self, square: Square) -> usize {
        square.index() % self.width()
    }

    /// Returns the row of a square, from 0.
    #[inline(always)]
    pub fn y(self, square: Square) -> usize {
        square.index() / self.width()
    }

    /// Returns every square, ordered by index.
    pub fn all(self) -> impl Iterator<Item = Square> {
        (0..self.squares() as u16).map(Square)
    }

    /// Returns the neighbouring square in a direction, or `None` beyond the edge.
    pub(super) fn step(self, square: Square, (dx, dy): (isize, isize)) -> Option<Square> {
        let x = self.x(square).checked_add_signed(dx)?;
        let y = self.y(square).checked_add_signed(dy)?;
        (x < self.width() && y < self.height()).then(|| self.square(x, y))
    }

    /// Returns a square's name, with column letters and row digits from 1. After column `z` come `aa`, `ab` and so on.
    pub fn name(self, square: Square) -> String {
        format!("{}{}", letters(self.x(square)), self.y(square) + 1)
    }

    /// Returns the square with this name, in either case, or `None` if there is no such square on the board.
    pub fn find(self, name: &str) -> Option<Square> {
        let (x, y) = find(name)?;
        (x < self.width() && y < self.height()).then(|| self.square(x, y))
    }
}

impl<S: Sizes> FromStr for Size<S> {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size<S>, SizeError> {
        sides(text)
            .and_then(|(width, height)| Size::of(width, height).ok())
            .ok_or_else(|| Size::<S>::wrong(text.to_owned()))
    }
}

impl<S> fmt::Display for Size<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}
