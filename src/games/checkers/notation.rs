use std::fmt;

use super::{Checkers, Colour, MOST_PIECES, Move, Position, Square};
use crate::games::Game;

/// An invalid position text, and where the error is. Moves are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// An invalid side to move.
    #[error("position: the side to move is `{found}`; allowed before the first `:` is W or B")]
    Mover {
        /// The text found.
        found: String,
    },
    /// A part that is neither a side's pieces nor the plies since the last capture.
    #[error(
        "position: part `{found}`; allowed after the side to move are W and its squares, B and its \
         squares, each once, then H and the plies since the last capture, or nothing"
    )]
    Part {
        /// The part.
        found: String,
    },
    /// A side without a part.
    #[error(
        "position: no part {0} for {0}'s squares; a side without pieces is written {0} alone", .missing.letter()
    )]
    Side {
        /// The side.
        missing: Colour,
    },
    /// A piece on an invalid square.
    #[error(
        "position: `{found}` in {}'s squares; allowed is a number from 1 to 32, with K before it for a king",
        .colour.letter()
    )]
    Piece {
        /// The piece as written.
        found: String,
        /// Its side.
        colour: Colour,
    },
    /// Two pieces on one square.
    #[error(
        "position: `{found}` in {}'s squares: {} already has a piece there",
        .colour.letter(), .there.letter()
    )]
    Taken {
        /// The second piece as written.
        found: String,
        /// Its side.
        colour: Colour,
        /// The side of the first piece.
        there: Colour,
    },
    /// A man on the row where it would be a king.
    #[error(
        "position: `{found}` in {}'s squares: a man is crowned there; allowed is K{found}", .colour.letter()
    )]
    Uncrowned {
        /// The man as written.
        found: String,
        /// Its side.
        colour: Colour,
    },
    /// More than twelve pieces of a side.
    #[error(
        "position: {} has {pieces} pieces; allowed are at most {MOST_PIECES}", .colour.letter()
    )]
    Many {
        /// The side.
        colour: Colour,
        /// The number of its pieces.
        pieces: u32,
    },
    /// An invalid number of plies since the last capture.
    #[error(
        "position: `{found}` for the plies since the last capture; allowed is H and a number from 0 to {MOST_QUIET}"
    )]
    Quiet {
        /// The text found.
        found: String,
    },
    /// A word that is not a move.
    #[error(
        "position: move {number}, `{found}`; allowed is 11-15 for a step, 15x22 or 15x22x29 for a capture, \
         squares from 1 to 32"
    )]
    Move {
        /// The move's number.
        number: usize,
        /// The word.
        found: String,
    },
    /// A move that the rules do not allow.
    #[error("position: move {number}, `{found}`, is not legal for {}; allowed: {allowed}", .mover.letter())]
    Illegal {
        /// The move's number.
        number: usize,
        /// The word.
        found: String,
        /// The side to move.
        mover: Colour,
        /// The legal moves.
        allowed: String,
    },
    /// A capture given by its ends, which several captures share.
    #[error("position: move {number}, `{found}`, may be any of {allowed}; name every square")]
    Ambiguous {
        /// The move's number.
        number: usize,
        /// The word.
        found: String,
        /// The captures with these ends.
        allowed: String,
    },
}

/// Limit of the plies since the last capture: no rule needs more.
const MOST_QUIET: u32 = 2000;

impl Position {
    /// Parses a position in PDN's FEN, `B:W21,22,K30:B1,2,K5`: the side to move, then each side's squares in
    /// either order, with K before a king's. `:H12` may follow, the plies since the last capture, 0 by
    /// default. Blanks around the text are ignored.
    ///
    /// # Errors
    /// The first invalid part.
    pub fn parse_fen(text: &str) -> Result<Position, PositionError> {
        let mut parts = text.trim().split(':');
        let mover = parts.next().unwrap_or_default();
        let mover = side(mover).ok_or_else(|| PositionError::Mover {
            found: mover.to_owned(),
        })?;
        let mut position = Position {
            white: 0,
            black: 0,
            kings: 0,
            mover,
            quiet: 0,
        };
        let (mut seen, mut counted) = (Vec::new(), false);
        for part in parts {
            let wrong = || PositionError::Part {
                found: part.to_owned(),
            };
            let letter = part.chars().next().ok_or_else(wrong)?;
            let rest = &part[letter.len_utf8()..];
            let colour = side(&part[..letter.len_utf8()]);
            match colour {
                Some(colour) if !seen.contains(&colour) && !counted => {
                    seen.push(colour);
                    position.put_all(colour, rest)?;
                }
                None if letter == 'H' && seen.len() == 2 && !counted => {
                    counted = true;
                    position.quiet =
                        whole(rest, MOST_QUIET).ok_or_else(|| PositionError::Quiet {
                            found: part.to_owned(),
                        })?;
                }
                _ => return Err(wrong()),
            }
        }
        for missing in [Colour::White, Colour::Black] {
            if !seen.contains(&missing) {
                return Err(PositionError::Side { missing });
            }
        }
        Ok(position)
    }

    /// Puts a side's pieces, separated by commas, on the board.
    fn put_all(&mut self, colour: Colour, pieces: &str) -> Result<(), PositionError> {
        if pieces.is_empty() {
            return Ok(());
        }
        for piece in pieces.split(',') {
            let found = || piece.to_owned();
            let number = piece.strip_prefix('K').unwrap_or(piece);
            let king = number.len() < piece.len();
            let square = whole(number, 32)
                .and_then(Square::numbered)
                .ok_or_else(|| PositionError::Piece {
                    found: found(),
                    colour,
                })?;
            if let Some((there, _)) = self.at(square) {
                return Err(PositionError::Taken {
                    found: found(),
                    colour,
                    there,
                });
            }
            let bit = square.bit();
            if !king && colour.king_row() & bit != 0 {
                return Err(PositionError::Uncrowned {
                    found: found(),
                    colour,
                });
            }
            match colour {
                Colour::White => self.white |= bit,
                Colour::Black => self.black |= bit,
            }
            self.kings |= if king { bit } else { 0 };
        }
        let pieces = pieces.split(',').count() as u32;
        if pieces > MOST_PIECES {
            return Err(PositionError::Many { colour, pieces });
        }
        Ok(())
    }
}

/// The side with this letter.
fn side(letter: &str) -> Option<Colour> {
    match letter {
        "W" => Some(Colour::White),
        "B" => Some(Colour::Black),
        _ => None,
    }
}

/// A number written only with digits, at most `most`.
fn whole(digits: &str, most: u32) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|number| *number <= most);
    number.filter(|_| plain)
}

impl fmt::Display for Position {
    /// The format of [`Position::parse_fen`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mover.letter())?;
        for colour in [Colour::White, Colour::Black] {
            write!(f, ":{}", colour.letter())?;
            let mut comma = "";
            for square in Square::all() {
                if let Some((owner, king)) = self.at(square)
                    && owner == colour
                {
                    write!(f, "{comma}{}{square}", if king { "K" } else { "" })?;
                    comma = ",";
                }
            }
        }
        if self.quiet > 0 {
            write!(f, ":H{}", self.quiet)?;
        }
        Ok(())
    }
}

impl Checkers {
    /// Parses a position: PDN's FEN ([`Position::parse_fen`]), or the moves from the start separated by
    /// blanks, `11-15 22-18 15x22`. The empty text is the start. A capture may be written with its first and
    /// last square if that is unambiguous.
    ///
    /// # Errors
    /// The first invalid part, or the first illegal move.
    pub fn parse(&self, text: &str) -> Result<Position, PositionError> {
        if text.contains(':') {
            return Position::parse_fen(text);
        }
        let mut position = Position::start();
        for (number, word) in (1..).zip(text.split_whitespace()) {
            let mv = self.find_move(&position, number, word)?;
            position = self.play(&position, mv);
        }
        Ok(position)
    }

    /// The legal move that a word denotes.
    ///
    /// # Errors
    /// As [`Checkers::parse`]; `number` is the move's number in messages.
    pub fn find_move(
        &self,
        position: &Position,
        number: usize,
        word: &str,
    ) -> Result<Move, PositionError> {
        let (squares, capture) = read_move(word).ok_or_else(|| PositionError::Move {
            number,
            found: word.to_owned(),
        })?;
        let over = self.is_over(position);
        let legal: Vec<_> = self.legal_moves(position).filter(|_| !over).collect();
        let named = |mv: &Move| {
            let path: Vec<_> = mv.squares().collect();
            let ends = [path.first(), path.last()];
            let short = squares.len() == 2 && ends == [squares.first(), squares.last()];
            capture == (mv.captures() > 0) && (short || path == squares)
        };
        let found: Vec<_> = legal.iter().copied().filter(named).collect();
        let mut results = found.iter().map(|mv| self.play(position, *mv));
        let Some(first) = results.next() else {
            return Err(PositionError::Illegal {
                number,
                found: word.to_owned(),
                mover: position.mover(),
                allowed: allowed(&legal),
            });
        };
        // A capture of one jump is always written with all its squares, even if a longer one has the same
        // ends.
        let exact = found
            .iter()
            .find(|mv| mv.squares().eq(squares.iter().copied()));
        match exact {
            Some(mv) => Ok(*mv),
            None if results.all(|result| result == first) => Ok(found[0]),
            None => Err(PositionError::Ambiguous {
                number,
                found: word.to_owned(),
                allowed: allowed(&found),
            }),
        }
    }
}

/// The squares of a move's word, at least two, and whether it is a capture.
fn read_move(word: &str) -> Option<(Vec<Square>, bool)> {
    let capture = word.contains('x');
    let squares = word
        .split(if capture { 'x' } else { '-' })
        .map(|digits| whole(digits, 32).and_then(Square::numbered))
        .collect::<Option<Vec<_>>>()?;
    let legs = squares.len() - 1;
    (legs == 1 || capture && legs > 1).then_some((squares, capture))
}

/// Moves as text, for messages.
fn allowed(moves: &[Move]) -> String {
    if moves.is_empty() {
        return "nothing, the game is over".to_owned();
    }
    let names: Vec<_> = moves.iter().map(Move::to_string).collect();
    names.join(" ")
}
