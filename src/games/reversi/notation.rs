use std::fmt;

use super::{Colour, Position, Size, Square};
use crate::games::squares;
use crate::games::text::{
    self, Form, PositionError, Text, begins_with_board, is_pass, split_while,
};

/// Notation for a pass in a list of moves.
pub const PASS: &str = "--";

impl Position {
    /// Parses a position in any form that [`Position::read`] accepts. Fails at the first invalid part.
    pub fn parse(size: Size, text: &str) -> Result<Position, PositionError> {
        Ok(Position::read(size, text)?.0)
    }

    /// Parses a position and identifies its form. Fails at the first invalid part.
    ///
    /// - The moves from the start, such as `f5d6c3`. Passes may be omitted. An empty list is the start.
    /// - A board, one letter per square from `a1`, rank by rank, then the side to move. `X` is black, `O` is white, and
    ///   `-` is empty. Moves may follow.
    /// - A line from an Edax `.obf` file: a board, then `;` and the values of legal moves, such as `G8:+18;`.
    /// - A game in GGF, such as `(;GM[Othello]BO[8 … *]B[E6]W[F4];)`.
    pub fn read(size: Size, text: &str) -> Result<(Position, Form), PositionError> {
        let whole = Text(text);
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Ok((Position::start(size), Form::Start));
        }
        if let Some(game) = trimmed.strip_prefix('(') {
            return Ok((read_ggf(size, whole, game)?, Form::Ggf));
        }
        if !begins_with_board(trimmed, size.width(), squares::letters) {
            let position = play_all(Position::start(size), whole, trimmed)?;
            return Ok((position, Form::Moves));
        }
        let (position, rest) = read_board(size, whole, trimmed)?;
        match rest.trim_start().strip_prefix(';') {
            None => Ok((play_all(position, whole, rest)?, Form::Board)),
            Some(values) => {
                check_values(&position, whole, values)?;
                Ok((position, Form::Obf))
            }
        }
    }

    /// Returns the position after a move or pass in a list. `number` is its number in the list.
    fn play_word(
        self,
        whole: Text<'_>,
        number: usize,
        word: &str,
    ) -> Result<Position, PositionError> {
        let legal = self.legal_moves();
        let illegal = || {
            let (mover, allowed) = (self.mover.letter(), allowed(&self, &legal));
            let problem = format!("move {number} is not legal for {mover}; allowed: {allowed}");
            whole.refuse(word, problem)
        };
        if is_pass(word) {
            if !legal.is_empty() || self.is_over() {
                return Err(illegal());
            }
            return Ok(self.pass());
        }
        let (size, last) = (self.size, squares::letters(self.size.width() - 1));
        let problem = format_args!(
            "move {number} is no square of the {size} board; allowed are letters a to {last} and a rank from 1 to {}, \
             or {PASS} for a pass",
            size.height()
        );
        let square = whole.require(size.find(word), word, problem)?;
        let next = match legal.is_empty() {
            true => self.pass().play(square),
            false => self.play(square),
        };
        next.ok_or_else(illegal)
    }
}

/// Reads the squares and the side to move at the start of `part`. Returns the position and the remaining text.
fn read_board<'t>(
    size: Size,
    whole: Text<'t>,
    part: &'t str,
) -> Result<(Position, &'t str), PositionError> {
    let mut grid = whole.board(part, (size.width(), size.height()), squares::letters)?;
    let problem = "the side to move is missing; allowed after the squares is X or O";
    let mover = whole.require(grid.take_mover(), grid.rest.trim_start(), problem)?;
    let mut position = Position::empty(size, mover.into());
    for square in size.all() {
        if let Some(side) = grid.at(size.x(square), size.y(square)) {
            position.put(square, side.into());
        }
    }
    Ok((position, grid.rest))
}

fn play_all(
    mut position: Position,
    whole: Text<'_>,
    moves: &str,
) -> Result<Position, PositionError> {
    for (number, word) in (1..).zip(text::moves(moves)) {
        position = position.play_word(whole, number, word)?;
    }
    Ok(position)
}

/// Checks the values after the board in an `.obf` line. Fails if a move is illegal, because the board is then damaged.
fn check_values(position: &Position, whole: Text<'_>, values: &str) -> Result<(), PositionError> {
    let values = values.split('%').next().unwrap_or(values);
    for value in values.split(';').map(str::trim) {
        if value.is_empty() {
            continue;
        }
        let (word, score) = value.split_once(':').unwrap_or((value, ""));
        let problem = "no value of a move; allowed are a move, `:` and a whole number, as G8:+18";
        whole.refuse_if(score.trim().parse::<i32>().is_err(), value, problem)?;
        position.clone().play_word(whole, 1, word.trim())?;
    }
    Ok(())
}

/// Reads a game in GGF, starting after its first parenthesis.
fn read_ggf<'t>(size: Size, whole: Text<'t>, game: &'t str) -> Result<Position, PositionError> {
    let mut position = None;
    let (mut rest, mut number) = (game, 0);
    loop {
        rest = rest.trim_start_matches(|letter: char| letter == ';' || letter.is_whitespace());
        if let Some(after) = rest.strip_prefix(')') {
            let (after, problem) = (
                after.trim_start(),
                "another text after the game; allowed is one game",
            );
            whole.refuse_if(!after.is_empty(), after, problem)?;
            let problem = "the game has no board; allowed are games with BO[8 ... *]";
            return whole.require(position, rest, problem);
        }
        let entry = rest.split_once('[').and_then(|(key, after)| {
            let (value, after) = after.split_once(']')?;
            Some((key.trim(), value, after))
        });
        let problem = "no part of a game in GGF; allowed are KEY[VALUE] and `;)` at the end";
        let (key, value, after) = whole.require(entry, rest, problem)?;
        rest = after;
        match (key, position.take()) {
            ("GM", _) if value != "Othello" => {
                return Err(whole.refuse(value, "not this game; allowed is Othello"));
            }
            ("BO", _) => {
                let (side, squares) = split_while(value, |letter| letter.is_ascii_digit());
                let problem = format_args!(
                    "the board of the case is {size}; give its size with --case board="
                );
                whole.refuse_if(size.to_string() != format!("{side}x{side}"), side, problem)?;
                let (board, after) = read_board(size, whole, squares)?;
                let (after, problem) =
                    (after.trim_start(), "allowed after the side to move is `]`");
                whole.refuse_if(!after.is_empty(), after, problem)?;
                position = Some(board);
            }
            ("B" | "W", None) => {
                return Err(whole.refuse(key, "a move before the board; allowed is BO[8 ... *]"));
            }
            ("B" | "W", Some(mut before)) => {
                number += 1;
                let side = if key == "B" {
                    Colour::Black
                } else {
                    Colour::White
                };
                if before.mover != side && before.legal_moves().is_empty() && !before.is_over() {
                    before = before.pass();
                }
                let problem =
                    format_args!("move {number} is the other side's; allowed is the side to move");
                whole.refuse_if(before.mover != side, key, problem)?;
                let word = value.split('/').next().unwrap_or(value).trim();
                position = Some(before.play_word(whole, number, word)?);
            }
            (_, before) => position = before,
        }
    }
}

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

    fn refused(size: Size, text: &str) -> String {
        Position::parse(size, text).unwrap_err().to_string()
    }

    /// Returns the first game with a pass. In the games that are tried, every move has the index `choice` in its list.
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
        let expected = Ok(played.clone());
        assert_eq!(Position::parse(size, &format!("{moves}--{next}")), expected);
        assert_eq!(Position::parse(size, &format!("{moves}{next}")), Ok(played));
        let expected = Ok(position.pass());
        assert_eq!(Position::parse(size, &format!("{moves}--")), expected);
        let twice = refused(size, &format!("{moves}----"));
        let holds = twice.contains("not legal for") && twice.contains(&next);
        assert!(holds, "{twice}");
    }
}
