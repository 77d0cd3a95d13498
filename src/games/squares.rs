//! Squares, and board sizes as text: `c4`, `16x8`.

/// A square: `y * width + x`, so that `a1` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub u16);

impl Square {
    /// Its index in a board's array of squares.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The letters of a column, counted from 0: `a` to `z`, then `aa`, `ab` and so on.
pub(super) fn letters(column: usize) -> String {
    let letter = |n: usize| char::from(b'a' + n as u8);
    let last = letter(column % 26);
    match column / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letter(more - 1)),
    }
}

/// A square's name: column letters and row digits from 1. The arguments count from 0.
pub(super) fn name(column: usize, row: usize) -> String {
    format!("{}{}", letters(column), row + 1)
}

/// The column and the row of a square's name, in either case; `None` if it is not a name.
pub(super) fn find(name: &str) -> Option<(usize, usize)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, digits) = name.split_at(digits);
    let column = match letters.as_bytes() {
        [low] => letter(*low)?,
        [high, low] => (letter(*high)? + 1) * 26 + letter(*low)?,
        _ => return None,
    };
    if digits.starts_with('0') || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let row = digits.parse::<usize>().ok()?.checked_sub(1)?;
    Some((column, row))
}

fn letter(byte: u8) -> Option<usize> {
    byte.is_ascii_alphabetic()
        .then(|| usize::from(byte.to_ascii_lowercase() - b'a'))
}

/// The width and the height in a board size; `None` if the text is not one.
pub(super) fn sides(text: &str) -> Option<(usize, usize)> {
    let side = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    };
    let (width, height) = text.split_once('x')?;
    Some((side(width)?, side(height)?))
}
