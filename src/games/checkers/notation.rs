use std::fmt;

use super::{Checkers, Colour, MOST_PIECES, Move, Position, Square};
use crate::games::Game;

/// Text that is no position, and where it goes wrong. Moves are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The side to move is no side.
    #[error("position: the side to move is `{found}`; allowed before the first `:` is W or B")]
    Mover {
        /// What stands there.
        found: String,
    },
    /// A part that is not a side's pieces, nor the plies since the last capture.
    #[error(
        "position: part `{found}`; allowed after the side to move are W and its squares, B and its \
         squares, each once, then H and the plies since the last capture, or nothing"
    )]
    Part {
        /// The part.
        found: String,
    },
    /// A side is not there at all.
    #[error(
        "position: no part {0} for {0}'s squares; a side without pieces is written {0} alone", .missing.letter()
    )]
    Side {
        /// The side.
        missing: Colour,
    },
    /// A piece that stands on no square.
    #[error(
        "position: `{found}` in {}'s squares; allowed is a number from 1 to 32, with K before it for a king",
        .colour.letter()
    )]
    Piece {
        /// The piece as it is written.
        found: String,
        /// Whose it should be.
        colour: Colour,
    },
    /// Two pieces on one square.
    #[error(
        "position: `{found}` in {}'s squares: {} already has a piece there",
        .colour.letter(), .there.letter()
    )]
    Taken {
        /// The second piece as it is written.
        found: String,
        /// Whose it should be.
        colour: Colour,
        /// Whose is there.
        there: Colour,
    },
    /// A man where it would have become a king.
    #[error(
        "position: `{found}` in {}'s squares: a man is crowned there; allowed is K{found}", .colour.letter()
    )]
    Uncrowned {
        /// The man as it is written.
        found: String,
        /// Whose it is.
        colour: Colour,
    },
    /// More than twelve pieces.
    #[error(
        "position: {} has {pieces} pieces; allowed are at most {MOST_PIECES}", .colour.letter()
    )]
    Many {
        /// The side.
        colour: Colour,
        /// Its pieces.
        pieces: u32,
    },
    /// The plies since the last capture are no such number.
    #[error(
        "position: `{found}` for the plies since the last capture; allowed is H and a number from 0 to {MOST_QUIET}"
    )]
    Quiet {
        /// What stands there.
        found: String,
    },
    /// A word that is no move.
    #[error(
        "position: move {number}, `{found}`; allowed is 11-15 for a step, 15x22 or 15x22x29 for a capture, \
         squares from 1 to 32"
    )]
    Move {
        /// The move's place.
        number: usize,
        /// The word.
        found: String,
    },
    /// A move that the rules do not allow.
    #[error("position: move {number}, `{found}`, is not legal for {}; allowed: {allowed}", .mover.letter())]
    Illegal {
        /// The move's place.
        number: usize,
        /// The word.
        found: String,
        /// Whose turn it is.
        mover: Colour,
        /// The legal moves.
        allowed: String,
    },
    /// A capture by its ends alone, where several have them.
    #[error("position: move {number}, `{found}`, may be any of {allowed}; name every square")]
    Ambiguous {
        /// The move's place.
        number: usize,
        /// The word.
        found: String,
        /// The captures with these ends.
        allowed: String,
    },
}

/// The greatest number of plies since the last capture that is read: no rule asks for more.
const MOST_QUIET: u32 = 2000;

impl Position {
    /// Reads a position in PDN's FEN, `B:W21,22,K30:B1,2,K5`: the side to move, then each side's
    /// squares, K before a king's, the sides in either order. `:H12` may follow, the plies since the
    /// last capture, else they are 0. Blanks around it mean nothing.
    ///
    /// # Errors
    /// The first part that is wrong.
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

    /// Puts a side's pieces, commas between, on the board.
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

/// The side that a letter stands for.
fn side(letter: &str) -> Option<Colour> {
    match letter {
        "W" => Some(Colour::White),
        "B" => Some(Colour::Black),
        _ => None,
    }
}

/// A number of digits alone, at most `most`.
fn whole(digits: &str, most: u32) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|number| *number <= most);
    number.filter(|_| plain)
}

impl fmt::Display for Position {
    /// What [`Position::parse_fen`] reads.
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
    /// Reads a position: PDN's FEN ([`Position::parse_fen`]), or the moves from the start with blanks
    /// between, `11-15 22-18 15x22`. The empty text is the start. A capture may be written by its first
    /// and last square where that names one alone.
    ///
    /// # Errors
    /// The first part that is wrong, or the first move that the rules do not allow.
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

    /// The legal move that a word names.
    ///
    /// # Errors
    /// As for [`Checkers::parse`], for which the word is the move in the `number`th place.
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
        // A capture of one jump is written with every square even where a longer one has its ends.
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

/// The squares of a move's word, two or more, and whether it captures.
fn read_move(word: &str) -> Option<(Vec<Square>, bool)> {
    let capture = word.contains('x');
    let squares = word
        .split(if capture { 'x' } else { '-' })
        .map(|digits| whole(digits, 32).and_then(Square::numbered))
        .collect::<Option<Vec<_>>>()?;
    let legs = squares.len() - 1;
    (legs == 1 || capture && legs > 1).then_some((squares, capture))
}

/// Moves in words.
fn allowed(moves: &[Move]) -> String {
    if moves.is_empty() {
        return "nothing, the game is over".to_owned();
    }
    let names: Vec<_> = moves.iter().map(Move::to_string).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::games::checkers::tests::{any, fen, longest, random_pieces, random_position};

    fn refused(text: &str) -> String {
        any().parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_start_reads_and_writes() {
        let start = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
        assert_eq!(Position::start().to_string(), start);
        assert_eq!(any().parse(start), Ok(Position::start()));
        assert_eq!(any().parse(" \n"), Ok(Position::start()));
    }

    #[test]
    fn fen_tells_sides_kings_and_plies() {
        let position = fen(" B:W21,22,K30:B1,2,K5\n");
        assert_eq!(position.to_string(), "B:W21,22,K30:B1,2,K5");
        assert_eq!(position, fen("B:B1,K5,2:WK30,22,21:H0"));
        let at = |number| position.at(Square::numbered(number).unwrap());
        assert_eq!(at(21), Some((Colour::White, false)));
        assert_eq!(at(30), Some((Colour::White, true)));
        assert_eq!(at(5), Some((Colour::Black, true)));
        assert_eq!(at(3), None);
        assert_eq!(position.mover(), Colour::Black);
        assert_eq!(position.quiet(), 0);
        let later = fen("W:W:BK1:H17");
        assert_eq!((later.mover(), later.quiet()), (Colour::White, 17));
        assert_eq!(later.to_string(), "W:W:BK1:H17");
    }

    #[test]
    fn a_move_list_plays_from_the_start() {
        let after = any().parse("11-15 22-18\t15x22  25x18\n").unwrap();
        let by_hand = "B:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12";
        assert_eq!(after.to_string(), by_hand);
        let quiet = any().parse("11-15 22-18 15x22 25x18 8-11 29-25").unwrap();
        assert_eq!(quiet.quiet(), 2);
    }

    #[test]
    fn captures_are_found_by_their_ends_or_by_every_square() {
        let position = fen("W:W24:B10,19");
        let find = |word| any().find_move(&position, 1, word).map(|mv| mv.to_string());
        assert_eq!(find("24x15x6").as_deref(), Ok("24x15x6"));
        assert_eq!(find("24x6").as_deref(), Ok("24x15x6"));
        assert!(
            find("24x15")
                .unwrap_err()
                .to_string()
                .contains("move 1, `24x15`, is not legal for W")
        );

        // Over 27 and 19, or over 26 and 18.
        let position = fen("W:W31:B18,19,26,27");
        let find = |word| any().find_move(&position, 4, word);
        assert_eq!(
            find("31x15").unwrap_err().to_string(),
            "position: move 4, `31x15`, may be any of 31x24x15 31x22x15; name every square"
        );
        assert_eq!(
            find("31x22x15").map(|mv| mv.to_string()).as_deref(),
            Ok("31x22x15")
        );

        // The same pieces either way round: whichever, the position is the same.
        let round = fen("W:WK22:B9,10,17,18");
        assert!(any().find_move(&round, 1, "22x22").is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            (
                "X:W1:B2",
                "position: the side to move is `X`; allowed before the first `:` is W or B",
            ),
            (":W1:B2", "position: the side to move is ``;"),
            (
                "B:W33:B2",
                "position: `33` in W's squares; allowed is a number from 1 to 32, with K before",
            ),
            ("B:W0:B2", "`0` in W's squares"),
            ("B:W5,:B2", "`` in W's squares"),
            ("B:W5,+6:B2", "`+6` in W's squares"),
            ("B:WKK6:B2", "`KK6` in W's squares"),
            ("B:W99999999999:B2", "`99999999999` in W's squares"),
            ("B:W6é:B2", "`6é` in W's squares"),
            ("B:W21-24:B2", "`21-24` in W's squares"),
            (
                "B:W5,6:B2,K6",
                "position: `K6` in B's squares: W already has a piece there",
            ),
            (
                "B:W5,5:B2",
                "`5` in W's squares: W already has a piece there",
            ),
            (
                "B:W3:B2",
                "position: `3` in W's squares: a man is crowned there; allowed is K3",
            ),
            (
                "B:W5:B29",
                "`29` in B's squares: a man is crowned there; allowed is K29",
            ),
            (
                "B:W5",
                "position: no part B for B's squares; a side without pieces is written B alone",
            ),
            (
                "B:",
                "position: part ``; allowed after the side to move are",
            ),
            ("B:W5:W6", "position: part `W6`;"),
            ("B:W5:B6:B7", "part `B7`"),
            ("B:W5:Q6", "part `Q6`"),
            ("B:é5:B6", "part `é5`"),
            ("B:H3:W5:B6", "part `H3`"),
            ("B:W5:B6:H3:H3", "part `H3`"),
            (
                "B:W5:B6:H",
                "position: `H` for the plies since the last capture; allowed is H and a number",
            ),
            ("B:W5:B6:H2001", "`H2001` for the plies"),
            ("B:W5:B6:H-1", "`H-1` for the plies"),
            (
                "B:W5:B6,7,8,9,10,11,12,13,14,15,16,17,18",
                "position: B has 13 pieces; allowed are at most 12",
            ),
            (
                "11-15 x",
                "position: move 2, `x`; allowed is 11-15 for a step",
            ),
            ("11", "move 1, `11`"),
            ("11-15-18", "move 1, `11-15-18`"),
            ("11-33", "move 1, `11-33`"),
            ("11x15-18", "move 1, `11x15-18`"),
            (
                "11-15 11-15",
                "position: move 2, `11-15`, is not legal for W; allowed: 24-20 23-19 ",
            ),
            ("11x15", "move 1, `11x15`, is not legal for B"),
        ] {
            let found = refused(text);
            assert!(found.contains(expected), "{text}: {found}");
            assert!(
                found.starts_with("position: ") && !found.contains('\n'),
                "{found}"
            );
        }
        let over = fen("W:W5:B1:H3");
        let wrong = any().find_move(&over, 1, "5-1").unwrap_err().to_string();
        assert!(
            wrong.ends_with("allowed: nothing, the game is over"),
            "{wrong}"
        );
    }

    #[test]
    fn every_legal_move_is_found_by_its_name() {
        for game in [any(), longest()] {
            for seed in 0..500 {
                let position = random_pieces(seed);
                for mv in game.legal_moves(&position) {
                    assert_eq!(
                        game.find_move(&position, 1, &mv.to_string()),
                        Ok(mv),
                        "{position}"
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn positions_read_what_they_write(seed: u64, plies in 0..120_u32) {
            for position in [random_pieces(seed), random_position(&any(), plies, seed)] {
                prop_assert_eq!(any().parse(&position.to_string()), Ok(position));
            }
        }

        #[test]
        fn no_text_is_too_strange(text in "[WBKH:,x0-9 é-]{0,40}|.{0,20}") {
            if let Err(error) = any().parse(&text) {
                prop_assert!(!error.to_string().contains('\n') || text.contains('\n'));
            }
        }
    }
}
