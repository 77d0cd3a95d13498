use std::fmt;

use super::{Colour, Position, Size, Square};

/// A pass in a list of moves.
pub const PASS: &str = "--";

/// An invalid position text, and where the error is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A character of a board string that is not one of the three letters.
    #[error("position: square {square} is `{found}`; allowed are X, O and -")]
    Letter {
        /// The square's name.
        square: String,
        /// The character found.
        found: char,
    },
    /// A board string that is too short.
    #[error(
        "position: ends after {given} of the {size} board's {} squares; allowed is one letter X, O or - for \
         each square from a1 rank by rank, then the side to move", .size.squares()
    )]
    Short {
        /// The number of squares read.
        given: usize,
        /// The board.
        size: Size,
    },
    /// The text after the last square is not a single `X` or `O`.
    #[error(
        "position: the side to move is `{found}`; allowed after the {squares} squares is X or O"
    )]
    Mover {
        /// The text found.
        found: String,
        /// The number of squares of the board.
        squares: usize,
    },
    /// An entry of a move list that is not a square of the board.
    #[error(
        "position: move {number}, `{found}`, is no square of the {size} board; allowed are letters a to \
         {last} and a rank from 1 to {}, or {PASS} for a pass", .size.height()
    )]
    Square {
        /// The move's number, from 1.
        number: usize,
        /// The text found.
        found: String,
        /// The board.
        size: Size,
        /// Its last file.
        last: String,
    },
    /// An illegal move or pass.
    #[error("position: move {number}, {found}, is not legal for {}; allowed: {allowed}", .mover.letter())]
    Illegal {
        /// The move's number, from 1.
        number: usize,
        /// The move.
        found: String,
        /// The side to move.
        mover: Colour,
        /// The legal moves.
        allowed: String,
    },
}

impl Position {
    /// Parses a position in one of two formats, which may contain blanks.
    ///
    /// - One letter a square from `a1` to the last, rank by rank, `X` black, `O` white, `-` empty, then the
    ///   side to move, `X` or `O`.
    /// - The moves from the start, `f5d6c3`; a pass is `--`, and may be left out. The empty list is the
    ///   start.
    ///
    /// A text that is empty or contains a digit is a list of moves.
    pub fn parse(size: Size, text: &str) -> Result<Position, PositionError> {
        let text: String = text.split_whitespace().collect();
        if text.is_empty() || text.contains(|c: char| c.is_ascii_digit()) {
            parse_moves(size, &text)
        } else {
            parse_board(size, &text)
        }
    }
}

fn parse_board(size: Size, text: &str) -> Result<Position, PositionError> {
    let mut position = Position::empty(size, Colour::Black);
    let mut letters = text.chars();
    for square in size.all() {
        match letters.next() {
            Some('X') => position.put(square, Colour::Black),
            Some('O') => position.put(square, Colour::White),
            Some('-') => {}
            Some(found) => {
                return Err(PositionError::Letter {
                    square: size.name(square),
                    found,
                });
            }
            None => {
                return Err(PositionError::Short {
                    given: square.index(),
                    size,
                });
            }
        }
    }
    position.mover = match letters.as_str() {
        "X" => Colour::Black,
        "O" => Colour::White,
        found => {
            let found = found.to_owned();
            return Err(PositionError::Mover {
                found,
                squares: size.squares(),
            });
        }
    };
    Ok(position)
}

fn parse_moves(size: Size, text: &str) -> Result<Position, PositionError> {
    let mut position = Position::start(size);
    let mut rest = text;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let (word, after) = split_move(rest);
        rest = after;
        let legal = position.legal_moves();
        let illegal = |position: &Position, legal: &[Square]| PositionError::Illegal {
            number,
            found: word.to_owned(),
            mover: position.mover,
            allowed: allowed(position, legal),
        };
        if word == PASS {
            if !legal.is_empty() || position.is_over() {
                return Err(illegal(&position, &legal));
            }
            position = position.pass();
            continue;
        }
        let square = size.find(word).ok_or_else(|| PositionError::Square {
            number,
            found: word.to_owned(),
            size,
            last: file_name(size),
        })?;
        let mover = if legal.is_empty() {
            position.pass()
        } else {
            position.clone()
        };
        position = mover
            .play(square)
            .ok_or_else(|| illegal(&position, &legal))?;
    }
    Ok(position)
}

/// The first move of a list, and the rest: a pass, letters followed by digits, or a single character if it is
/// neither.
fn split_move(text: &str) -> (&str, &str) {
    if let Some(rest) = text.strip_prefix(PASS) {
        return (PASS, rest);
    }
    let letters = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let digits = text[letters..]
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len() - letters);
    let first = text.chars().next().map_or(0, char::len_utf8);
    text.split_at((letters + digits).max(first))
}

/// The letters of the last file.
fn file_name(size: Size) -> String {
    let name = size.name(size.square(size.width() - 1, 0));
    name.trim_end_matches(|c: char| c.is_ascii_digit())
        .to_owned()
}

/// The mover's legal moves as text.
fn allowed(position: &Position, legal: &[Square]) -> String {
    if !legal.is_empty() {
        let names: Vec<_> = legal
            .iter()
            .map(|square| position.size.name(*square))
            .collect();
        names.join(" ")
    } else if position.is_over() {
        "nothing, the game is over".to_owned()
    } else {
        format!("{PASS} (no move)")
    }
}

impl fmt::Display for Position {
    /// The board string, in the format of [`Position::parse`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(self.size.squares() + 1);
        text.extend(
            self.size
                .all()
                .map(|square| self.at(square).map_or('-', Colour::letter)),
        );
        text.push(self.mover.letter());
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO---------------------------X";

    fn refused(size: Size, text: &str) -> String {
        Position::parse(size, text).unwrap_err().to_string()
    }

    #[test]
    fn the_start_reads_and_writes() {
        let start = Position::start(Size::STANDARD);
        assert_eq!(start.to_string(), START);
        assert_eq!(Position::parse(Size::STANDARD, START), Ok(start.clone()));
        assert_eq!(Position::parse(Size::STANDARD, ""), Ok(start.clone()));
        let moves = start.legal_moves();
        let names: Vec<_> = moves
            .iter()
            .map(|square| Size::STANDARD.name(*square))
            .collect();
        assert_eq!(names, ["d3", "c4", "f5", "e6"]);
    }

    #[test]
    fn a_move_list_plays_from_the_start() {
        let after = Position::parse(Size::STANDARD, "f5 D6c3").unwrap();
        // By hand: f5 flips e5, d6 flips d5, c3 flips d4.
        let by_hand = "------------------X--------XX------OXX-----O--------------------O";
        let mut replayed = Position::start(Size::STANDARD);
        for name in ["f5", "d6", "c3"] {
            replayed = replayed.play(Size::STANDARD.find(name).unwrap()).unwrap();
        }
        assert_eq!(after, replayed);
        assert_eq!(after.to_string(), by_hand);
    }

    /// The first game with a pass among those that always choose move number `choice`.
    fn game_to_a_pass(size: Size) -> (String, Position) {
        for choice in 0..9 {
            let (mut moves, mut position) = (String::new(), Position::start(size));
            let mut legal = position.legal_moves();
            while !legal.is_empty() {
                let square = legal[choice % legal.len()];
                moves += &size.name(square);
                position = position.play(square).unwrap();
                legal = position.legal_moves();
            }
            if !position.is_over() {
                return (moves, position);
            }
        }
        panic!("no pass on {size}");
    }

    #[test]
    fn a_pass_is_written_or_left_out() {
        let size = Size::new(4, 4).unwrap();
        let (moves, position) = game_to_a_pass(size);
        let next = position.pass().legal_moves()[0];
        let played = position.pass().play(next).unwrap();
        let next = size.name(next);
        assert_eq!(
            Position::parse(size, &format!("{moves}--{next}")),
            Ok(played.clone())
        );
        assert_eq!(Position::parse(size, &format!("{moves}{next}")), Ok(played));
        assert_eq!(
            Position::parse(size, &format!("{moves}--")),
            Ok(position.pass())
        );
        let twice = refused(size, &format!("{moves}----"));
        assert!(
            twice.contains("not legal for") && twice.contains(&next),
            "{twice}"
        );
    }

    #[test]
    fn mistakes_are_named_by_place() {
        let board = Size::STANDARD;
        assert_eq!(
            refused(board, "f5f5"),
            "position: move 2, f5, is not legal for O; allowed: f4 d6 f6"
        );
        assert_eq!(
            refused(board, "f5i9"),
            "position: move 2, `i9`, is no square of the 8x8 board; allowed are letters a to h and a rank \
             from 1 to 8, or -- for a pass"
        );
        assert!(
            refused(board, "--f5").contains("move 1, --, is not legal for X; allowed: d3 c4 f5 e6")
        );
        assert!(refused(board, "5f").contains("move 1, `5`"));
        assert!(refused(board, "f5é6").contains("move 2, `é`"));
        assert!(
            refused(board, &START[..20]).contains("ends after 20 of the 8x8 board's 64 squares")
        );
        assert!(refused(board, &START[..64]).contains("side to move is ``"));
        assert!(refused(board, &format!("{START}X")).contains("side to move is `XX`"));
        assert!(refused(board, &START.replacen('-', "Q", 1)).contains("square a1 is `Q`"));
        assert!(refused(Size::new(64, 64).unwrap(), "bm1").contains("letters a to bl"));
    }
}
