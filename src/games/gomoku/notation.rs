use std::fmt;

use super::{Colour, Position, Size, Square};
use crate::games::sides::Player;
use crate::games::squares;
use crate::games::text::{self, Form, PositionError, Text, begins_with_board, whole_number};

const EMPTY: &str = "empty";

const PSQ: &str = "Piskvorky";

impl Position {
    /// Parses a position in any form that [`Position::read`] accepts. Fails at the first invalid part.
    pub fn parse(size: Size, text: &str) -> Result<Position, PositionError> {
        Ok(Position::read(size, text)?.0)
    }

    /// Parses a position and identifies its form. Fails at the first invalid part.
    ///
    /// - The moves from the empty board, Black's first: `h8i9g7`. An empty text and `empty` are the empty board.
    /// - A board, one letter per square from `a1`, row by row: `X` black, `O` white, `-` empty. Moves may follow.
    /// - The text of a Piskvork `.psq` file, with coordinates `x,y` from 1.
    pub fn read(size: Size, text: &str) -> Result<(Position, Form), PositionError> {
        let whole = Text(text);
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.eq_ignore_ascii_case(EMPTY) {
            return Ok((Position::empty(size), Form::Empty));
        }
        if trimmed.starts_with(PSQ) {
            return Ok((read_psq(size, whole, trimmed)?, Form::Psq));
        }
        if begins_with_board(trimmed, size.side(), squares::letters) {
            let (position, rest) = read_board(size, whole, trimmed)?;
            return Ok((position.play_all(whole, rest)?, Form::Board));
        }
        let position = Position::empty(size).play_all(whole, trimmed)?;
        Ok((position, Form::Moves))
    }

    fn play_all(mut self, whole: Text<'_>, moves: &str) -> Result<Position, PositionError> {
        for (number, word) in (1..).zip(text::moves(moves)) {
            let (size, side) = (self.size(), self.size().side());
            let last = squares::letters(side - 1);
            let problem = format_args!(
                "move {number} is no square of the {size} board; allowed are letters a to {last} and a row from 1 to \
                 {side}"
            );
            let square = whole.require(size.find(word), word, problem)?;
            self.play_word(whole, word, square)?;
        }
        Ok(self)
    }

    fn play_word(
        &mut self,
        whole: Text<'_>,
        word: &str,
        square: Square,
    ) -> Result<(), PositionError> {
        let winner = match self.mover() {
            Colour::Black => "white",
            Colour::White => "black",
        };
        let problem = format_args!("a move after {winner}'s five in a row; allowed is nothing");
        whole.refuse_if(self.has_five(), word, problem)?;
        let problem = "a stone is on that square; allowed is an empty square";
        whole.refuse_if(self.at(square).is_some(), word, problem)?;
        self.put(square);
        Ok(())
    }
}

/// Reads the board at the start of `part`. Returns the position and the rest. A move that makes a five comes last.
fn read_board<'t>(
    size: Size,
    whole: Text<'t>,
    part: &'t str,
) -> Result<(Position, &'t str), PositionError> {
    let mut grid = whole.board(part, (size.side(), size.side()), squares::letters)?;
    let after = grid.rest;
    let mover = grid.mover_by_count()?;
    let [mut first, mut second] = [Player::First, Player::Second].map(|side| -> Vec<Square> {
        let own = |square: &Square| grid.at(size.x(*square), size.y(*square)) == Some(side);
        size.all().filter(own).collect()
    });
    let mut position = in_turns(size, &first, &second);
    if position.has_five() {
        let stones = first.len().max(second.len());
        let ends = (0..stones).find_map(|_| {
            match mover {
                Player::First => second.rotate_left(1),
                Player::Second => first.rotate_left(1),
            }
            let end = in_turns(size, &first, &second);
            let mut before = Position::empty(size);
            let (_, moves) = end.moves().split_last()?;
            moves.iter().for_each(|square| before.put(*square));
            (!before.has_five()).then_some(end)
        });
        let problem = "no last move made the five in a row on the board before it; allowed are boards of games";
        position = whole.require(ends, after.trim_start(), problem)?;
    }
    Ok((position, grid.rest))
}

fn in_turns(size: Size, first: &[Square], second: &[Square]) -> Position {
    let mut position = Position::empty(size);
    for (number, square) in first.iter().enumerate() {
        position.put(*square);
        if let Some(reply) = second.get(number) {
            position.put(*reply);
        }
    }
    position
}

/// Reads a `.psq` file: a heading, a line `x,y,milliseconds` for each move, the names of the players, and a number.
fn read_psq(size: Size, whole: Text<'_>, file: &str) -> Result<Position, PositionError> {
    let mut lines = file.lines().map(str::trim);
    let heading = lines.next().unwrap_or(file);
    let board = heading[PSQ.len()..]
        .split(',')
        .next()
        .unwrap_or(heading)
        .trim();
    let problem =
        format_args!("the board of the case is {size}; give the file's with --case board=");
    whole.refuse_if(board.parse::<Size>() != Ok(size), board, problem)?;
    let mut position = Position::empty(size);
    let mut last = None;
    for line in lines.filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let (&[x, y, _], None) = (&fields[..], last) else {
            let problem =
                "no move in a .psq file; allowed before its last lines are x,y,milliseconds";
            whole.refuse_if(fields.len() > 1, line, problem)?;
            last = Some(line);
            continue;
        };
        let square = whole_number(x).zip(whole_number(y)).filter(|(x, y)| {
            let sides = 1..=size.side();
            sides.contains(x) && sides.contains(y)
        });
        let problem = format_args!(
            "no square of the {size} board; allowed are x,y,milliseconds with x and y from 1 to {}",
            size.side()
        );
        let (x, y) = whole.require(square, line, problem)?;
        position.play_word(whole, line, size.square(x - 1, y - 1))?;
    }
    let problem = "the file's last line is missing; allowed is a whole number, as -1";
    let wrong = last.is_none_or(|line| line.parse::<i32>().is_err());
    whole.refuse_if(wrong, &whole.0[whole.0.len()..], problem)?;
    Ok(position)
}

impl fmt::Display for Position {
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

    #[test]
    fn five_ends_the_game_and_so_does_a_full_board() {
        let won = Position::parse(size(6), "a1a2b1b2c1c2d1d2e1").unwrap();
        assert!(won.has_five() && won.is_over());
        assert!(won.legal_moves().is_empty());
        assert_eq!(won.play(size(6).find("f6").unwrap()), None);
        // A row of six also wins. Here, the last stone fills the gap.
        let six = Position::parse(size(6), "a1a2b1b2c1c2d1d2f1f2e1").unwrap();
        assert!(six.has_five());
        let full = full_board();
        assert!(full.is_over() && !full.has_five());
        assert!(full.legal_moves().is_empty());
    }
}
