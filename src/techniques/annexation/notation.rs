//! Reads and writes positions.

use std::fmt;
use std::sync::Arc;

use crate::games::annexation::{Board, COLOURS, Kind, Player, Position, read_board, write_board};
use crate::games::text::Text;

/// Separates a board from the moves on it.
const MOVES: char = '@';

/// Stands for a turn that annexes nothing.
pub const PASS: &str = "-";

/// The name used in errors for a board given as text.
const GIVEN: &str = "position";

/// A position with its history. In the notation `hex200/3@0715`, a kind and a board number precede the named colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    named: Arc<str>,
    moves: String,
    position: Position,
}

impl Standing {
    /// Returns the start position of board `number` of the given kind. Never fails for the existing kinds.
    pub fn start(kind: Kind, number: u32) -> Result<Standing, String> {
        let (board, _) = kind.board(number).map_err(|error| error.to_string())?;
        Ok(Standing {
            named: format!("{kind}/{number}").into(),
            moves: String::new(),
            position: Position::start(&Arc::new(board), u32::MAX),
        })
    }

    /// Parses the notation. A kind without a number means board 0, and the moves are optional. The error is one line.
    pub fn parse(text: &str) -> Result<Standing, String> {
        let (whole, trimmed) = (Text(text), text.trim());
        let refuse = |part, problem| whole.refuse(part, problem).to_string();
        let end = |letter: char| ['/', MOVES].contains(&letter) || letter.is_whitespace();
        let (name, after) = trimmed.split_at(trimmed.find(end).unwrap_or(trimmed.len()));
        let (mut standing, moves) = match Kind::parse(name) {
            Some(kind) => {
                let (mut number, mut after) = (0, after);
                if let Some(digits) = after.strip_prefix('/') {
                    after = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
                    let digits = &digits[..digits.len() - after.len()];
                    number = digits.parse().map_err(|_| {
                        let most = u32::MAX;
                        let what = "no number of a board; allowed is a whole number from 0 to";
                        refuse(digits, format!("{what} {most}"))
                    })?;
                }
                let after = after.trim_start();
                let moves = after.strip_prefix(MOVES);
                if moves.is_none() {
                    whole.nothing(after).map_err(|error| error.to_string())?;
                }
                (Standing::start(kind, number)?, moves.unwrap_or(after))
            }
            // The text of a board contains assignments. The name of a kind does not.
            None if !text.contains('=') => {
                let kinds = Kind::ALL.map(Kind::word).join(", ");
                let forms = "each with /NUMBER or without, or the text of a board file";
                return Err(refuse(
                    name,
                    format!("no board; allowed are {kinds}, {forms}"),
                ));
            }
            None => {
                // A comment in a board file may contain the separator.
                let (board, moves) = match text.rsplit_once(MOVES) {
                    Some((board, moves)) if board.ends_with('\n') => (board, moves),
                    _ => (text, ""),
                };
                let board = read_board(GIVEN, board).map_err(|error| error.to_string())?;
                (Standing::of_board(board), moves)
            }
        };
        let moves = moves.trim_end();
        for (start, mv) in moves.char_indices() {
            standing = match mv.to_digit(COLOURS as u32) {
                Some(colour) => standing.play(colour as u8),
                None if PASS.starts_with(mv) => standing.pass(),
                None => {
                    let most = COLOURS - 1;
                    let problem = format!("no move; allowed are colours 0 to {most} and {PASS}");
                    return Err(refuse(&moves[start..start + mv.len_utf8()], problem));
                }
            };
        }
        Ok(standing)
    }

    /// Returns the start position on any board.
    pub fn of_board(board: Board) -> Standing {
        Standing {
            named: write_board(&board).into(),
            moves: String::new(),
            position: Position::start(&Arc::new(board), u32::MAX),
        }
    }

    /// Returns the position without its history.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the position after the mover names a colour, legal or not.
    pub fn play(&self, colour: u8) -> Standing {
        self.after(&colour, self.position.play(usize::from(colour)))
    }

    /// Returns the position after a turn that annexes nothing.
    pub fn pass(&self) -> Standing {
        self.after(&PASS, self.position.pass())
    }

    fn after(&self, mv: &dyn fmt::Display, position: Position) -> Standing {
        Standing {
            named: Arc::clone(&self.named),
            moves: format!("{}{mv}", self.moves),
            position,
        }
    }

    /// Returns the legal colours, in ascending order.
    pub fn colours(&self) -> Vec<u8> {
        let colours = self.position.colours();
        (0..COLOURS as u8)
            .filter(|colour| colours >> colour & 1 != 0)
            .collect()
    }

    /// Returns player 1's cells minus player 2's.
    pub fn lead(&self) -> i64 {
        let [first, second] =
            [Player::First, Player::Second].map(|player| self.position.cells(player));
        i64::from(first) - i64::from(second)
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{MOVES}{}", self.named, self.moves)
    }
}
