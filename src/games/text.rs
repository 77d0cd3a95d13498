//! Reads positions that were pasted as text: identifies their form, reads moves and boards, and locates errors.

use std::fmt;

use super::sides::Player;
use crate::words::worded;

/// The form in which a position was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The start position, given by its name or an empty text.
    Start,
    /// A board without stones.
    Empty,
    /// Moves from the start.
    Moves,
    /// Moves and a score, as in a line of Pons' Connect Four test sets.
    Scored,
    /// The squares of a board, the side to move, and optional moves.
    Board,
    /// A line from an Edax `.obf` file: a board and the values of moves.
    Obf,
    /// A position in the FEN of PDN, and optional moves.
    Fen,
    /// A game in PDN, with tags, move numbers, comments or a result.
    Pdn,
    /// A game in Piskvork's `.psq` format.
    Psq,
    /// A game in GGF.
    Ggf,
}

worded! {
    Form {
        Start "start"
        Empty "empty"
        Moves "moves"
        Scored "moves-and-score"
        Board "board"
        Obf "obf"
        Fen "fen"
        Pdn "pdn"
        Psq "psq"
        Ggf "ggf"
    }
}

/// The error for an invalid position text. It locates the error in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("position: character {at}, {found}: {problem}")]
pub struct PositionError {
    /// Number of the first invalid character, counted from 1 and including blanks.
    pub at: usize,
    /// The invalid part in backquotes, or the words `the end` or `the end of the line`.
    pub found: String,
    /// The error and the allowed values.
    pub problem: String,
}

const SHOWN: usize = 40;

/// A text that can locate parts of itself.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t>(pub &'t str);

impl<'t> Text<'t> {
    /// Returns the error for a part, which must be a slice of this text.
    pub fn refuse(self, part: &str, problem: impl fmt::Display) -> PositionError {
        let start = part.as_ptr().addr().wrapping_sub(self.0.as_ptr().addr());
        let before = self.0.get(..start).unwrap_or(self.0);
        let shown = match part.split_whitespace().next() {
            Some(word) if part.starts_with(word) => word,
            _ => part,
        };
        let shown: String = shown.chars().take(SHOWN).collect();
        PositionError {
            at: before.chars().count() + 1,
            found: match (shown.as_str(), self.0[before.len()..].chars().next()) {
                ("", None) => "the end".to_owned(),
                ("", Some('\n' | '\r')) => "the end of the line".to_owned(),
                ("", Some(next)) => format!("`{}`", next.escape_debug()),
                (shown, _) => format!("`{}`", shown.escape_debug()),
            },
            problem: problem.to_string(),
        }
    }

    /// Returns the value or, if it is missing, the error for a part.
    pub fn require<T>(
        self,
        value: Option<T>,
        part: &str,
        problem: impl fmt::Display,
    ) -> Result<T, PositionError> {
        value.ok_or_else(|| self.refuse(part, problem))
    }

    /// Returns the error for a part if `wrong` is true.
    pub fn refuse_if(
        self,
        wrong: bool,
        part: &str,
        problem: impl fmt::Display,
    ) -> Result<(), PositionError> {
        self.require((!wrong).then_some(()), part, problem)
    }

    /// Fails if the rest of this text is not blank. The error refers to the rest.
    pub fn nothing(self, rest: &str) -> Result<(), PositionError> {
        let (more, problem) = (
            rest.trim(),
            "after the end of the position; allowed is nothing",
        );
        self.refuse_if(!more.is_empty(), more, problem)
    }

    /// Reads the squares of a board at the start of a part of this text, either in lines or all on one line. `column`
    /// returns a column's name, to recognise a heading. Fails at the first invalid square or row of the wrong length.
    pub fn board(
        self,
        part: &'t str,
        (columns, rows): (usize, usize),
        column: impl Fn(usize) -> String,
    ) -> Result<Grid<'t>, PositionError> {
        let part = after_heading(part, columns, column).unwrap_or(part);
        let mut grid = Grid {
            text: self,
            columns,
            cells: Vec::with_capacity(columns * rows),
            places: Vec::with_capacity(columns * rows),
            letters: [None; 2],
            upward: false,
            rest: part.trim_start(),
        };
        let (_, line) = row_label(grid.rest.lines().next().unwrap_or_default());
        if run(line) > columns {
            grid.read_flat(rows)?;
        } else {
            grid.read_lines(rows)?;
        }
        Ok(grid)
    }
}

const SQUARES: &str =
    "allowed are X, x or * for the first side, O or o for the second, - or . for an empty square";

/// Returns the content of a square, or `None` if the character does not stand for a square.
fn square(letter: char) -> Option<Option<Player>> {
    match letter {
        'X' | 'x' | '*' => Some(Some(Player::First)),
        'O' | 'o' => Some(Some(Player::Second)),
        '-' | '.' => Some(None),
        _ => None,
    }
}

fn is_gap(letter: char) -> bool {
    letter.is_whitespace() || letter == '|'
}

/// Returns the number of squares before the first character that is neither a square nor a gap between squares.
fn run(text: &str) -> usize {
    let letters = text.chars().filter(|letter| !is_gap(*letter));
    letters
        .take_while(|letter| square(*letter).is_some())
        .count()
}

/// Returns true if a text begins with the squares of a board, and not with a move such as `o5` or a pass.
pub fn begins_with_board(text: &str, columns: usize, column: impl Fn(usize) -> String) -> bool {
    let squares = after_heading(text, columns, column).unwrap_or(text);
    let squares = squares.trim_start();
    let squares = match row_label(squares) {
        (_, after) if squares.contains('\n') => after,
        _ => squares,
    };
    let others = |letter: char| !is_gap(letter) && square(letter).is_none();
    run(squares) >= 3 || run(squares) > 0 && !squares.contains(others)
}

/// Returns the text after a heading with the names of all columns, if squares follow the heading.
fn after_heading(text: &str, columns: usize, column: impl Fn(usize) -> String) -> Option<&str> {
    let (line, rest) = text.trim_start().split_once('\n')?;
    let (_, squares) = row_label(rest.trim_start());
    (run(squares) > 0 && is_heading(line, columns, column)).then_some(rest)
}

/// Returns true if a line consists of the names of all columns, in order.
pub fn is_heading(line: &str, columns: usize, column: impl Fn(usize) -> String) -> bool {
    let line: String = line.split_whitespace().collect();
    let names: String = (0..columns).map(column).collect();
    line.eq_ignore_ascii_case(&names)
}

fn row_label(line: &str) -> (&str, &str) {
    let (label, rest) = split_while(line, |letter| letter.is_ascii_digit());
    (label, rest.trim_start_matches(is_gap))
}

/// Splits a text before the first letter for which `has` returns false.
pub(super) fn split_while(text: &str, has: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|letter: char| !has(letter));
    text.split_at(end.unwrap_or(text.len()))
}

/// Parses a whole number that consists only of digits.
pub(super) fn whole_number(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// The squares of a board.
#[derive(Clone, Debug)]
pub struct Grid<'t> {
    text: Text<'t>,
    columns: usize,
    /// The squares in the order of the text, row by row.
    pub cells: Vec<Option<Player>>,
    /// The slice of the text that contains each square.
    pub places: Vec<&'t str>,
    letters: [Option<char>; 2],
    /// True if the rows are numbered and the first line has the highest number.
    pub upward: bool,
    /// The text after the squares.
    pub rest: &'t str,
}

impl<'t> Grid<'t> {
    /// Returns the square in a column and a row, counted from 0. If the rows have numbers, `row` follows these numbers.
    pub fn at(&self, column: usize, row: usize) -> Option<Player> {
        let rows = self.cells.len() / self.columns;
        let line = if self.upward { rows - 1 - row } else { row };
        self.cells[line * self.columns + column]
    }

    /// Takes the side to move from the text after the squares. A letter before a digit is part of a move, not a side.
    pub fn take_mover(&mut self) -> Option<Player> {
        let rest = self.rest.trim_start();
        let mut letters = rest.chars();
        let side = square(letters.next()?)??;
        if letters
            .clone()
            .next()
            .is_some_and(|next| next.is_ascii_digit())
        {
            return None;
        }
        self.rest = letters.as_str();
        Some(side)
    }

    /// Derives the side to move from the numbers of stones. The text after the squares may also name it. Fails if no
    /// game has these numbers of stones, or if the text names the other side.
    pub fn mover_by_count(&mut self) -> Result<Player, PositionError> {
        let [first, second] = [Player::First, Player::Second].map(|side| {
            let cells = self.cells.iter();
            cells.filter(|cell| **cell == Some(side)).count()
        });
        let place = self.rest.trim_start();
        let mover = match first.checked_sub(second) {
            Some(0) => Some(Player::First),
            Some(1) => Some(Player::Second),
            _ => None,
        };
        let problem = format_args!(
            "the board before it has {first} stones of the first side (X, x or *) and {second} of the second; allowed \
             are equal numbers, or one more of the first"
        );
        let mover = self.text.require(mover, place, problem)?;
        let wrong = self.take_mover().is_some_and(|named| named != mover);
        let problem = format_args!(
            "the other side is to move by the number of stones, {first} and {second}; allowed is nothing"
        );
        self.text.refuse_if(wrong, place, problem)?;
        Ok(mover)
    }

    /// Reads one square at the start of a text, and returns the text after it.
    fn take(&mut self, text: &'t str) -> Result<&'t str, PositionError> {
        let letter = text.chars().next().unwrap_or('\n');
        let (place, rest) = text.split_at(letter.len_utf8());
        let problem = format_args!("no square of a board; {SQUARES}");
        let cell = self.text.require(square(letter), place, problem)?;
        if let Some(side) = cell {
            let known = *self.letters[side as usize].get_or_insert(letter);
            let problem = format_args!(
                "the same side is `{known}` before it; allowed is one letter per side"
            );
            self.text.refuse_if(known != letter, place, problem)?;
        }
        self.cells.push(cell);
        self.places.push(place);
        Ok(rest)
    }

    /// Reads all squares from one line. There may be blanks between rows, or between all squares.
    fn read_flat(&mut self, rows: usize) -> Result<(), PositionError> {
        let all = self.columns * rows;
        let (mut rest, mut group) = (self.rest, 0);
        while self.cells.len() < all {
            let squares = rest.trim_start_matches(is_gap);
            let problem = format_args!(
                "the board has {} of its {all} squares; {SQUARES}",
                self.cells.len()
            );
            self.text.refuse_if(squares.is_empty(), squares, problem)?;
            if squares.len() < rest.len() {
                let over = self.cells.len() % self.columns;
                let row = self.cells.len() / self.columns + 1;
                let problem = format_args!(
                    "row {row} has {over} of its {} squares before the blank; allowed are blanks between rows, or \
                     between all squares",
                    self.columns
                );
                let wrong = self.cells.len() - group > 1 && over > 0;
                self.text.refuse_if(wrong, squares, problem)?;
                group = self.cells.len();
            }
            rest = self.take(squares)?;
        }
        self.rest = rest;
        Ok(())
    }

    /// Reads one row per line. A row's number may precede and follow the row.
    fn read_lines(&mut self, rows: usize) -> Result<(), PositionError> {
        let columns = self.columns;
        let mut first = None;
        for row in 0..rows {
            let lines = self.rest.trim_start();
            let line = lines.split('\n').next().unwrap_or(lines);
            let (label, mut squares) = row_label(line.trim_start_matches(is_gap));
            let number = match (row, label.parse::<usize>().ok()) {
                (0, number) => {
                    first = number;
                    self.upward = number.is_some_and(|number| number > 1);
                    number.map(|_| if self.upward { rows } else { 1 })
                }
                _ => first.map(|_| if self.upward { rows - row } else { row + 1 }),
            };
            if label != number.map_or(String::new(), |number| number.to_string()) {
                let allowed = number.map_or("no number, as before".to_owned(), |n| n.to_string());
                let problem = format!("not the number of this row; allowed is {allowed}");
                return Err(self.text.refuse(line, problem));
            }
            for given in 0..columns {
                let problem = format_args!("row {} has {given} of its {columns} squares", row + 1);
                self.text.refuse_if(squares.is_empty(), squares, problem)?;
                squares = self
                    .take(squares)?
                    .trim_start_matches([' ', '\t', '\r', '|']);
            }
            if !label.is_empty()
                && let Some(after) = squares.strip_prefix(label)
                && !after.starts_with(|letter: char| letter.is_ascii_alphanumeric())
            {
                squares = after;
            }
            let problem = format_args!("row {} has its {columns} squares before it", row + 1);
            let wrong = row + 1 < rows && !squares.trim().is_empty();
            self.text.refuse_if(wrong, squares, problem)?;
            self.rest = if row + 1 < rows {
                &lines[line.len()..]
            } else {
                &lines[line.len() - squares.len()..]
            };
        }
        Ok(())
    }
}

/// Splits a list of moves. A move is a pass, letters with digits, or any other single character. Blanks and commas
/// before a move are ignored.
pub fn moves(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (word, rest) = next_move(text)?;
        text = rest;
        Some(word)
    })
}

fn next_move(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',');
    let first = text.chars().next()?;
    let passes = PASSES.iter().find(|pass| {
        let start = text.get(..pass.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(pass))
    });
    if let Some(pass) = passes {
        return Some(text.split_at(pass.len()));
    }
    let (letters, rest) = split_while(text, |letter| letter.is_ascii_alphabetic());
    let (digits, _) = split_while(rest, |letter| letter.is_ascii_digit());
    let end = match letters.len() {
        0 => first.len_utf8(),
        letters => letters + digits.len(),
    };
    Some(text.split_at(end))
}

/// The words for a pass. No square's name begins with any of them.
const PASSES: [&str; 4] = ["--", "pass", "pa", "ps"];

/// Returns true if a word in a list of moves is a pass.
pub fn is_pass(word: &str) -> bool {
    PASSES.iter().any(|pass| word.eq_ignore_ascii_case(pass))
}
