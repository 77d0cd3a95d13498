use std::collections::HashSet;
use std::fmt;

use super::{COLUMNS, Column, Player, Position, ROWS};
use crate::games::text::{Form, PositionError, Text, begins_with_board, is_heading};

const BLANKS: &str = "allowed are moves without blanks, as 4435, blanks between all moves, as 4 4 3 5, or moves and a \
     score, as 13712 3";

impl Position {
    /// Parses a position in any form that [`Position::read`] accepts. Fails at the first invalid or illegal part.
    pub fn parse(text: &str) -> Result<Position, PositionError> {
        Ok(Position::read(text)?.0)
    }

    /// Parses a position and identifies its form. Fails at the first invalid or illegal part.
    ///
    /// - The moves from the empty board, as columns from 1: `4435`, or `4 4 3 5`. An empty text is the empty board.
    /// - A line from Pons' test sets with moves and a score: `13712 3`. A score that no game can have is an error.
    /// - A board from the top row down: `X` is the first player, `O` the second, and `-` is empty. Moves may follow.
    pub fn read(text: &str) -> Result<(Position, Form), PositionError> {
        let whole = Text(text);
        let trimmed = text.trim();
        if begins_with_board(trimmed, COLUMNS, name) {
            return Ok((read_board(whole, trimmed)?, Form::Board));
        }
        let groups: Vec<&str> = trimmed.split_whitespace().collect();
        let is_move = |group: &&str| group.chars().count() == 1;
        match groups[..] {
            [] => Ok((Position::start(), Form::Start)),
            [first, second] if is_move(&first) && is_move(&second) => {
                let problem = format!("a move or the score of one move; {BLANKS}");
                Err(whole.refuse(second, problem))
            }
            [moves, score] if !is_move(&moves) => {
                let position = Position::start().play_all(whole, moves, 1)?;
                position.check_score(whole, score)?;
                Ok((position, Form::Scored))
            }
            _ => Ok((Position::start().play_groups(whole, &groups)?, Form::Moves)),
        }
    }

    fn play_groups(self, whole: Text<'_>, groups: &[&str]) -> Result<Position, PositionError> {
        let is_move = |group: &str| group.chars().count() == 1;
        let apart = groups.first().is_some_and(|first| is_move(first));
        let mut position = self;
        for (number, group) in (1..).zip(groups) {
            let wrong = number > 1 && !(apart && is_move(group));
            let problem = format_args!("after a blank in the moves; {BLANKS}");
            whole.refuse_if(wrong, group, problem)?;
            position = position.play_all(whole, group, number)?;
        }
        Ok(position)
    }

    /// Plays moves that are written without blanks. `number` is the number of the first move.
    fn play_all(
        mut self,
        whole: Text<'_>,
        moves: &str,
        number: usize,
    ) -> Result<Position, PositionError> {
        for (number, (start, found)) in (number..).zip(moves.char_indices()) {
            let word = &moves[start..start + found.len_utf8()];
            let digit = found.to_digit(10);
            let column = digit.and_then(|digit| Column::new((digit as usize).wrapping_sub(1)));
            let problem = format_args!("move {number} is no column; allowed are 1 to {COLUMNS}");
            let column = whole.require(column, word, problem)?;
            self = self.play(column).ok_or_else(|| {
                let problem = match self.winner {
                    Some(_) => {
                        "a move after four in a row; allowed: nothing, the game is over".to_owned()
                    }
                    None => format!(
                        "move {number}: the column is full; allowed: {}",
                        allowed(&self)
                    ),
                };
                whole.refuse(word, problem)
            })?;
        }
        Ok(self)
    }

    /// Rejects an impossible score. A score is 22 minus the number of the winner's stones, negative for a loss.
    fn check_score(&self, whole: Text<'_>, score: &str) -> Result<(), PositionError> {
        let stones = self.moves().len() as i32;
        let (own, other) = (stones / 2, (stones + 1) / 2);
        let (most, least) = ((21 - own).min(18), -(21 - other).min(18));
        let fits = |number: i32| !self.is_over() && (least..=most).contains(&number);
        let problem = format_args!("no score from {least} to {most} after the moves; {BLANKS}");
        whole.refuse_if(!score.parse().is_ok_and(fits), score, problem)
    }
}

fn name(column: usize) -> String {
    (column + 1).to_string()
}

/// Reads a board and any moves after it. Invents earlier moves that lead to the board.
fn read_board(whole: Text<'_>, part: &str) -> Result<Position, PositionError> {
    let mut grid = whole.board(part, (COLUMNS, ROWS), name)?;
    let below = |place: usize| grid.cells.get(place + COLUMNS);
    let floats = |place: &usize| grid.cells[*place].is_some() && below(*place) == Some(&None);
    if let Some(place) = (0..grid.cells.len()).find(floats) {
        let problem = "a stone over an empty square; allowed are boards from their top row";
        return Err(whole.refuse(grid.places[place], problem));
    }
    let after = grid.rest.trim_start();
    grid.mover_by_count()?;
    let stacks: [Vec<Player>; COLUMNS] = std::array::from_fn(|column| {
        let cells = grid.cells.iter().skip(column).step_by(COLUMNS).rev();
        cells.flatten().copied().collect()
    });
    let position = reach(&Position::start(), &stacks, &mut HashSet::new());
    let problem = "no game has the board before it; allowed are boards with one four in a row at most, by the last move";
    let position = whole.require(position, after, problem)?;
    let mut rest = grid.rest.trim();
    let (line, others) = rest.split_once('\n').unwrap_or((rest, ""));
    if is_heading(line, COLUMNS, name) {
        let problem = "the numbers of the columns or moves; allowed are moves, or numbers with blanks between them";
        whole.refuse_if(!line.contains(char::is_whitespace), line, problem)?;
        rest = others;
    }
    let groups: Vec<&str> = rest.split_whitespace().collect();
    position.play_groups(whole, &groups)
}

/// Finds moves that lead from a position to a board. `seen` contains the column heights that have been tried.
fn reach(
    position: &Position,
    board: &[Vec<Player>; COLUMNS],
    seen: &mut HashSet<[usize; COLUMNS]>,
) -> Option<Position> {
    let height = |column| {
        (0..ROWS)
            .take_while(|row| position.at(column, *row).is_some())
            .count()
    };
    let heights: [usize; COLUMNS] = std::array::from_fn(height);
    if (0..COLUMNS).all(|column| heights[column] == board[column].len()) {
        return Some(position.clone());
    }
    if !seen.insert(heights) {
        return None;
    }
    Column::all()
        .filter(|column| {
            board[column.index()].get(heights[column.index()]) == Some(&position.mover())
        })
        .find_map(|column| reach(&position.play(column)?, board, seen))
}

fn allowed(position: &Position) -> String {
    let columns = position.legal_moves();
    if columns.is_empty() {
        return "nothing, the board is full".to_owned();
    }
    let digits: Vec<_> = columns.iter().map(Column::to_string).collect();
    digits.join(" ")
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.moves().iter().try_for_each(|column| column.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::Player;

    fn refused(text: &str) -> String {
        Position::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn four_in_a_row_end_the_game_in_every_direction() {
        let vertical = "1212121";
        let horizontal = "1122334";
        let rising = "12233434414";
        let falling = "76655454474";
        for text in [vertical, horizontal, rising, falling] {
            let won = Position::parse(text).unwrap();
            assert_eq!(won.winner, Some(Player::First), "{text}");
            assert!(won.is_over() && won.legal_moves().is_empty());
            let before = Position::parse(&text[..text.len() - 1]).unwrap();
            assert_eq!(before.winner, None, "{text}");
            // The first move after the end is rejected, whoever has won.
            let place = text.len() + 1;
            let error = refused(&format!("{text}7"));
            assert_eq!(
                error,
                format!(
                    "position: character {place}, `7`: a move after four in a row; allowed: nothing, the game is over"
                )
            );
        }
    }
}
