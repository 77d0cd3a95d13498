use std::fmt;

use super::{Colour, Position, Size};

/// An invalid position text, and where the error is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// An entry that is not a square of the board.
    #[error(
        "position: move {number}, `{found}`, is no square of the {size} board; allowed are letters a to {} and \
         a row from 1 to {}", .size.last_column(), .size.side()
    )]
    Square {
        /// The move's number, from 1.
        number: usize,
        /// The text found.
        found: String,
        /// The board.
        size: Size,
    },
    /// A square that an earlier move occupied.
    #[error("position: move {number}, {found}, repeats move {earlier}; allowed is an empty square")]
    Taken {
        /// The move's number, from 1.
        number: usize,
        /// The square.
        found: String,
        /// The number of the earlier move, from 1.
        earlier: usize,
    },
    /// A move after the game was won.
    #[error(
        "position: move {number}, {found}, is one too many; allowed is nothing after {}'s five in a row", .winner.word()
    )]
    Over {
        /// The move's number, from 1.
        number: usize,
        /// The square.
        found: String,
        /// The winner.
        winner: Colour,
    },
}

impl Position {
    /// Parses the moves from the empty board, black's first: `h8i9g7`. Blanks and case are ignored; the empty
    /// text is the empty board.
    ///
    /// A move is letters followed by digits, so the next letter starts the next move.
    ///
    /// # Errors
    /// The first move that is not a square, repeats one, or comes after the end of the game.
    pub fn parse(size: Size, text: &str) -> Result<Position, PositionError> {
        let text: String = text.split_whitespace().collect();
        let mut position = Position::empty(size);
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let number = position.moves().len() + 1;
            let (word, after) = split_move(rest);
            rest = after;
            let found = || word.to_owned();
            let square = size.find(word).ok_or_else(|| PositionError::Square {
                number,
                found: found(),
                size,
            })?;
            if position.has_five() {
                return Err(PositionError::Over {
                    number,
                    found: found(),
                    winner: position.mover().other(),
                });
            }
            if let Some(earlier) = position.moves().iter().position(|taken| *taken == square) {
                return Err(PositionError::Taken {
                    number,
                    found: found(),
                    earlier: earlier + 1,
                });
            }
            position.put(square);
        }
        Ok(position)
    }
}

/// The first move of a list, and the rest: letters followed by digits, or a single character if it is
/// neither.
fn split_move(text: &str) -> (&str, &str) {
    let letters = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let digits = text[letters..]
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len() - letters);
    let first = text.chars().next().map_or(0, char::len_utf8);
    text.split_at((letters + digits).max(first))
}

impl fmt::Display for Position {
    /// The moves, in the format of [`Position::parse`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.moves()
            .iter()
            .try_for_each(|square| f.write_str(&self.size().name(*square)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::gomoku::tests::full_board;

    fn size(side: usize) -> Size {
        Size::new(side).unwrap()
    }

    fn refused(side: usize, text: &str) -> String {
        Position::parse(size(side), text).unwrap_err().to_string()
    }

    #[test]
    fn moves_read_and_write() {
        let position = Position::parse(size(15), " h8 I9g7").unwrap();
        assert_eq!(position.to_string(), "h8i9g7");
        assert_eq!(position.mover(), Colour::White);
        let at = |name| position.at(size(15).find(name).unwrap());
        assert_eq!(
            [at("h8"), at("i9"), at("g7"), at("a1")],
            [
                Some(Colour::Black),
                Some(Colour::White),
                Some(Colour::Black),
                None
            ]
        );
        assert_eq!(position.legal_moves().len(), 222);
        assert_eq!(Position::parse(size(15), ""), Ok(Position::empty(size(15))));
        assert_eq!(
            Position::parse(size(12), "g7"),
            Ok(Position::first_stone(size(12)))
        );
        assert_eq!(Position::first_stone(size(9)).to_string(), "e5");
        // Columns with two letters are read as one move.
        let wide = Position::parse(size(32), "a1aa1af32z9").unwrap();
        assert_eq!(wide.moves().len(), 4);
        assert_eq!(wide.to_string(), "a1aa1af32z9");
    }

    #[test]
    fn five_ends_the_game_and_so_does_a_full_board() {
        let won = Position::parse(size(6), "a1a2b1b2c1c2d1d2e1").unwrap();
        assert!(won.has_five() && won.is_over());
        assert!(won.legal_moves().is_empty());
        assert_eq!(won.play(size(6).find("f6").unwrap()), None);
        // Six in a row win as well; the gap is filled last.
        let six = Position::parse(size(6), "a1a2b1b2c1c2d1d2f1f2e1").unwrap();
        assert!(six.has_five());
        let full = full_board();
        assert!(full.is_over() && !full.has_five());
        assert!(full.legal_moves().is_empty());
    }

    #[test]
    fn mistakes_are_named_by_place() {
        assert_eq!(
            refused(12, "g7m1"),
            "position: move 2, `m1`, is no square of the 12x12 board; allowed are letters a to l and a row from \
             1 to 12"
        );
        assert_eq!(
            refused(12, "g7h8g7"),
            "position: move 3, g7, repeats move 1; allowed is an empty square"
        );
        assert_eq!(
            refused(6, "a1a2b1b2c1c2d1d2e1e2"),
            "position: move 10, e2, is one too many; allowed is nothing after black's five in a row"
        );
        assert!(refused(5, &format!("{}a1", full_board())).contains("move 26, a1, repeats"));
        assert!(refused(12, "7g").contains("move 1, `7`"));
        assert!(refused(12, "g7é6").contains("move 2, `é`"));
        assert!(refused(12, "g7h").contains("move 2, `h`"));
        assert!(refused(12, "g13").contains("`g13`"));
        assert!(refused(32, "ag1").contains("letters a to af"));
    }
}
