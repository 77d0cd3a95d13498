//! The notation of positions, for people and matches.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::games::annexation::{Board, COLOURS, Kind, Player, Position, read_board, write_board};

/// Separates a board from the moves on it.
const MOVES: char = '@';

/// A turn in which no colour annexes anything.
pub const PASS: &str = "-";

/// The name, in errors, of a board that was given as text.
const GIVEN: &str = "position";

/// A position with its history. The notation is a board and the colours named so far, `hex200/3@0715`: the
/// kind and the number of an experiment's board, or the text of a board file with the moves on a line after
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    named: Arc<str>,
    moves: String,
    position: Position,
}

impl Standing {
    /// The start of an experiment's board.
    ///
    /// # Errors
    /// None for the existing kinds.
    pub fn start(kind: Kind, number: u32) -> Result<Standing, String> {
        let (board, _) = kind.board(number).map_err(|error| error.to_string())?;
        Ok(Standing {
            named: format!("{kind}/{number}").into(),
            moves: String::new(),
            position: Position::start(&Arc::new(board)),
        })
    }

    /// Parses the notation. A kind alone is its board 0, and the moves may be left out.
    ///
    /// # Errors
    /// One line with the first error.
    pub fn parse(text: &str) -> Result<Standing, String> {
        let first = text.trim_start().split(['/', MOVES, '\n']).next();
        let kind = first.and_then(|name| Kind::parse(name.trim_end()));
        let (board, moves) = match text.rsplit_once(MOVES) {
            // The text of a board file may contain the separator in a comment.
            Some((board, moves)) if kind.is_some() || board.ends_with('\n') => (board, moves),
            _ => (text, ""),
        };
        let mut standing = match kind {
            Some(kind) => Standing::start(kind, number_of(board)?)?,
            // A board file contains assignments; a kind does not.
            None if !board.contains('=') => {
                let shown: String = text.chars().take(40).collect();
                return Err(format!(
                    "{GIVEN}: `{}`; allowed are {}, each with /NUMBER or without, or the text of a board file",
                    shown.escape_debug(),
                    Kind::ALL.map(Kind::name).join(", ")
                ));
            }
            None => Standing::of_board(read_board(GIVEN, board).map_err(|e| e.to_string())?),
        };
        for mv in moves.trim_end().chars() {
            standing = match mv.to_digit(COLOURS as u32) {
                Some(colour) => standing.play(colour as u8),
                None if PASS.starts_with(mv) => standing.pass(),
                None => {
                    return Err(format!(
                        "{GIVEN}: move `{}`; allowed are colours 0 to {} and {PASS}",
                        mv.escape_debug(),
                        COLOURS - 1
                    ));
                }
            };
        }
        Ok(standing)
    }

    /// The start of any board.
    pub fn of_board(board: Board) -> Standing {
        Standing {
            named: write_board(&board).into(),
            moves: String::new(),
            position: Position::start(&Arc::new(board)),
        }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The position after the mover names a colour, even one that annexes nothing.
    pub fn play(&self, colour: u8) -> Standing {
        let mut next = Standing {
            named: Arc::clone(&self.named),
            moves: self.moves.clone(),
            position: self.position.play(usize::from(colour)),
        };
        // Writing to a `String` cannot fail.
        let _ = write!(next.moves, "{colour}");
        next
    }

    /// The position after a turn without annexation.
    pub fn pass(&self) -> Standing {
        Standing {
            named: Arc::clone(&self.named),
            moves: format!("{}{PASS}", self.moves),
            position: self.position.pass(),
        }
    }

    /// The colours that annex something, in ascending order.
    pub fn colours(&self) -> Vec<u8> {
        let annexes = |colour: &u8| self.position.annexed(usize::from(*colour)).next().is_some();
        (0..COLOURS as u8).filter(annexes).collect()
    }

    /// Player 1's cells minus player 2's.
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

/// The number in `hex200/3`.
fn number_of(board: &str) -> Result<u32, String> {
    let Some((_, number)) = board.split_once('/') else {
        return Ok(0);
    };
    number.trim_end().parse().map_err(|_| {
        format!(
            "{GIVEN}: board number `{}`; allowed is a whole number from 0 to {}",
            number.trim_end().escape_debug(),
            u32::MAX
        )
    })
}
