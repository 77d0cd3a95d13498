use std::fmt;

use super::{Column, Position};

/// An invalid position text, and where the error is. Moves are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A character that is not a column.
    #[error("position: move {number} is `{found}`; allowed are the columns 1 to 7")]
    Column {
        /// The move's number.
        number: usize,
        /// The character found.
        found: char,
    },
    /// A move in a full column.
    #[error("position: move {number}: column {column} is full; allowed: {allowed}")]
    Full {
        /// The move's number.
        number: usize,
        /// The column.
        column: Column,
        /// The columns with room, as text.
        allowed: String,
    },
    /// A move after the game was won.
    #[error(
        "position: move {number}, {column}, follows four in a row by move {}; allowed: nothing, the game \
         is over", .number - 1
    )]
    Over {
        /// The move's number.
        number: usize,
        /// Its column.
        column: Column,
    },
}

impl Position {
    /// Parses the moves from the empty board, one digit a move, with columns counted from 1: `4435`. Blanks
    /// are ignored; the empty text is the start.
    ///
    /// # Errors
    /// The first invalid or illegal move.
    pub fn parse(text: &str) -> Result<Position, PositionError> {
        let mut position = Position::start();
        for (number, found) in (1..).zip(text.chars().filter(|c| !c.is_whitespace())) {
            let column = found
                .to_digit(10)
                .and_then(|digit| Column::new((digit as usize).wrapping_sub(1)))
                .ok_or(PositionError::Column { number, found })?;
            position = match position.play(column) {
                Some(next) => next,
                None if position.winner().is_some() => {
                    return Err(PositionError::Over { number, column });
                }
                None => {
                    return Err(PositionError::Full {
                        number,
                        column,
                        allowed: allowed(&position),
                    });
                }
            };
        }
        Ok(position)
    }
}

/// The mover's legal moves as text.
fn allowed(position: &Position) -> String {
    let columns = position.legal_moves();
    if columns.is_empty() {
        return "nothing, the board is full".to_owned();
    }
    let digits: Vec<_> = columns.iter().map(Column::to_string).collect();
    digits.join(" ")
}

impl fmt::Display for Position {
    /// The moves, in the format of [`Position::parse`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.moves().iter().try_for_each(|column| column.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::Player;
    use crate::games::connect_four::tests::DRAWN;

    fn refused(text: &str) -> String {
        Position::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn positions_read_what_they_write() {
        let position = Position::parse(" 44 35\n").unwrap();
        assert_eq!(position.to_string(), "4435");
        assert_eq!(position.mover(), Player::First);
        assert_eq!(position.at(3, 0), Some(Player::First));
        assert_eq!(position.at(3, 1), Some(Player::Second));
        assert_eq!(position.at(2, 0), Some(Player::First));
        assert_eq!(position.at(4, 0), Some(Player::Second));
        assert_eq!(position.at(4, 1), None);
        assert_eq!(Position::parse(""), Ok(Position::start()));
    }

    #[test]
    fn four_in_a_row_end_the_game_in_every_direction() {
        let vertical = "1212121";
        let horizontal = "1122334";
        let rising = "12233434414";
        let falling = "76655454474";
        for text in [vertical, horizontal, rising, falling] {
            let won = Position::parse(text).unwrap();
            assert_eq!(won.winner(), Some(Player::First), "{text}");
            assert!(won.is_over() && won.legal_moves().is_empty());
            let before = Position::parse(&text[..text.len() - 1]).unwrap();
            assert_eq!(before.winner(), None, "{text}");
            // The first move after the end is refused, whichever side's.
            let place = text.len() + 1;
            let error = refused(&format!("{text}7"));
            assert_eq!(
                error,
                format!(
                    "position: move {place}, 7, follows four in a row by move {}; allowed: nothing, the \
                     game is over",
                    place - 1
                )
            );
        }
    }

    #[test]
    fn mistakes_are_named_by_place() {
        assert_eq!(
            refused("448"),
            "position: move 3 is `8`; allowed are the columns 1 to 7"
        );
        assert!(refused("0").contains("move 1 is `0`"));
        assert!(refused("4é").contains("move 2 is `é`"));
        assert!(refused("44 -1").contains("move 3 is `-`"));
        assert_eq!(
            refused("44444414"),
            "position: move 8: column 4 is full; allowed: 1 2 3 5 6 7"
        );
        let drawn = Position::parse(DRAWN).unwrap();
        assert!(drawn.is_over() && drawn.winner().is_none());
        assert!(
            refused(&format!("{DRAWN}1"))
                .ends_with("move 43: column 1 is full; allowed: nothing, the board is full")
        );
    }
}
