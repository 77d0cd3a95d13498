use std::fmt;

use super::{Checkers, Colour, MOST_PIECES, Move, Position, Square};
use crate::games::Game;
use crate::games::text::{Form, PositionError, Text, split_while, whole_number};

/// Maximum number of plies since the last capture. No rule needs a larger number.
const MOST_QUIET: u32 = 2000;

const PARTS: &str = "allowed after the side to move are W and its squares, B and its squares, each once, then H and the \
     plies since the last capture, or nothing";

impl Position {
    /// Parses a position in PDN's FEN, such as `B:W21,22,K30:B1,2,K5`: the side to move, then the squares of each side
    /// in either order, with K before a king. `21-32` is a range. The plies since the last capture (`:H12`) and the
    /// move number (`:F7`) may follow. Quotation marks, a final dot and blanks are ignored.
    pub fn parse_fen(text: &str) -> Result<Position, PositionError> {
        let whole = Text(text);
        let (position, rest) = Position::read_fen(whole, text)?;
        whole.nothing(rest)?;
        Ok(position)
    }

    fn read_fen<'t>(whole: Text<'t>, part: &'t str) -> Result<(Position, &'t str), PositionError> {
        let part = part.trim_start();
        let quoted = part.starts_with('"');
        let (mover, mut rest) = word(&part[usize::from(quoted)..]);
        let problem = "no side to move; allowed before the first `:` is W or B";
        let mover = whole.require(
            side(mover).filter(|_| rest.starts_with(':')),
            mover,
            problem,
        )?;
        let mut position = Position {
            white: 0,
            black: 0,
            kings: 0,
            mover,
            quiet: 0,
        };
        let (mut seen, mut numbers) = (Vec::new(), Vec::new());
        while let Some(after) = rest.strip_prefix(':') {
            let after = after.trim_start();
            let letter = after.chars().next().map_or(0, char::len_utf8);
            let (letter, values) = after.split_at(letter);
            let (value, _) = word(after);
            rest = match (side(letter), letter) {
                (Some(colour), _) if !seen.contains(&colour) && numbers.is_empty() => {
                    seen.push(colour);
                    position.put_all(whole, colour, values)?
                }
                (None, "H" | "F") if seen.len() == 2 && !numbers.contains(&letter) => {
                    numbers.push(letter);
                    let (digits, after) = word(values);
                    let problem = format_args!(
                        "no number of plies or moves; allowed is {letter} and a number from 0 to {MOST_QUIET}"
                    );
                    let number = number_to(MOST_QUIET, digits);
                    let number = whole.require(number, value, problem)?;
                    if letter == "H" {
                        position.quiet = number;
                    }
                    after
                }
                _ => return Err(whole.refuse(value, format!("no part of a position; {PARTS}"))),
            };
        }
        for missing in [Colour::White, Colour::Black] {
            let problem = format_args!(
                "no part {0} for {0}'s squares before it; a side without pieces is written {0} alone",
                missing.letter()
            );
            whole.refuse_if(!seen.contains(&missing), rest, problem)?;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if quoted {
            let problem = "the quotation mark after the position is missing";
            rest = whole.require(rest.strip_prefix('"'), rest, problem)?;
        }
        Ok((position, rest))
    }

    fn put_all<'t>(
        &mut self,
        whole: Text<'t>,
        colour: Colour,
        pieces: &'t str,
    ) -> Result<&'t str, PositionError> {
        let (first, mut rest) = word(pieces);
        if first.is_empty() && !rest.starts_with(',') {
            return Ok(rest);
        }
        let mut next = pieces;
        loop {
            let (piece, after) = word(next);
            rest = after;
            let number = piece.strip_prefix(['K', 'k']).unwrap_or(piece);
            let king = number.len() < piece.len();
            let (from, to) = number.split_once('-').unwrap_or((number, number));
            let ends = number_to(32, from).zip(number_to(32, to));
            let ends = ends.filter(|(from, to)| *from > 0 && from <= to);
            let problem = format_args!(
                "no piece of {}; allowed is a number from 1 to 32 or a range, as 21-32, with K before it for kings",
                colour.letter()
            );
            let (from, to) = whole.require(ends, piece, problem)?;
            for square in (from..=to).filter_map(Square::numbered) {
                self.put(whole, piece, (square, colour, king))?;
            }
            match after.strip_prefix(',') {
                Some(after) => next = after,
                None => break,
            }
        }
        let count = match colour {
            Colour::White => self.white.count_ones(),
            Colour::Black => self.black.count_ones(),
        };
        let problem = format_args!(
            "{} has {count} pieces; allowed are at most {MOST_PIECES}",
            colour.letter()
        );
        whole.refuse_if(count > MOST_PIECES, pieces, problem)?;
        Ok(rest)
    }

    fn put(
        &mut self,
        whole: Text<'_>,
        text: &str,
        (square, colour, king): (Square, Colour, bool),
    ) -> Result<(), PositionError> {
        if let Some((there, _)) = self.at(square) {
            let problem = format!("{} already has a piece on {square}", there.letter());
            return Err(whole.refuse(text, problem));
        }
        let bit = square.bit();
        let problem = format_args!(
            "a man of {} is crowned on {square}; allowed is K{square}",
            colour.letter()
        );
        whole.refuse_if(!king && colour.king_row() & bit != 0, text, problem)?;
        match colour {
            Colour::White => self.white |= bit,
            Colour::Black => self.black |= bit,
        }
        self.kings |= if king { bit } else { 0 };
        Ok(())
    }
}

/// Returns the text before the next FEN delimiter or blank, and the text after any following blanks.
fn word(text: &str) -> (&str, &str) {
    let is_part = |letter: char| !letter.is_whitespace() && !":,.\"".contains(letter);
    let (word, rest) = split_while(text.trim_start(), is_part);
    (word, rest.trim_start())
}

fn side(letter: &str) -> Option<Colour> {
    match letter {
        "W" | "w" => Some(Colour::White),
        "B" | "b" => Some(Colour::Black),
        _ => None,
    }
}

fn number_to(most: u32, digits: &str) -> Option<u32> {
    let number = whole_number(digits)?.try_into().ok();
    number.filter(|number| *number <= most)
}

impl fmt::Display for Position {
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

const RESULTS: [&str; 7] = ["*", "1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1"];

impl Checkers {
    /// Parses a position in any form that [`Checkers::read`] accepts. Fails at the first invalid part or illegal move.
    pub fn parse(&self, text: &str) -> Result<Position, PositionError> {
        Ok(self.read(text)?.0)
    }

    /// Parses a position and identifies its form. Fails at the first invalid part or illegal move. The forms are:
    ///
    /// - PDN's FEN ([`Position::parse_fen`]). Moves may follow.
    /// - The moves from the start, such as `11-15 22-18 15x22`. A capture may give only its first and last square.
    /// - A game in PDN, with tags, move numbers, comments, variations and a result. The tag `FEN` gives its start.
    pub fn read(&self, text: &str) -> Result<(Position, Form), PositionError> {
        let whole = Text(text);
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Ok((Position::start(), Form::Start));
        }
        if trimmed
            .starts_with(|letter: char| letter.is_alphabetic() || letter == '"' || letter == ':')
        {
            let (position, moves) = Position::read_fen(whole, trimmed)?;
            return Ok((self.play_all(whole, position, moves)?.0, Form::Fen));
        }
        let (mut position, mut moves) = (Position::start(), trimmed);
        let mut form = Form::Moves;
        while let Some(tag) = moves.strip_prefix('[') {
            let parts = tag.split_once('"').and_then(|(name, after)| {
                let (value, after) = after.split_once('"')?;
                Some((name.trim(), value, after.trim_start().strip_prefix(']')?))
            });
            let problem = "no tag of PDN; allowed is [Name \"value\"]";
            let (name, value, after) = whole.require(parts, moves, problem)?;
            match name {
                "FEN" => {
                    let (fen, rest) = Position::read_fen(whole, value)?;
                    whole.nothing(rest)?;
                    position = fen;
                }
                "GameType" if value.split(',').next() != Some("21") => {
                    let problem = "not this game; allowed is 21, English draughts";
                    return Err(whole.refuse(value, problem));
                }
                _ => {}
            }
            moves = after.trim_start();
            form = match (form, name) {
                (Form::Moves, "FEN") if moves.is_empty() => Form::Fen,
                _ => Form::Pdn,
            };
        }
        let (position, marked) = self.play_all(whole, position, moves)?;
        let form = if marked { Form::Pdn } else { form };
        Ok((position, form))
    }

    fn play_all(
        &self,
        whole: Text<'_>,
        mut position: Position,
        moves: &str,
    ) -> Result<(Position, bool), PositionError> {
        let (mut rest, mut played, mut any) = (moves.trim_start(), 0, false);
        let second = position.mover == Colour::White;
        let from_start = position == Position::start();
        let mut last: Option<(u32, usize)> = None;
        while let Some(first) = rest.chars().next() {
            let closed = |after, mark| {
                let problem = format_args!("`{mark}` is missing after it");
                whole.require(after, &rest[..1], problem)
            };
            let (digits, numbered) = split_while(rest, |letter| letter.is_ascii_digit());
            let in_word = |letter: char| !letter.is_whitespace() && !"{;(".contains(letter);
            let (word, others) = split_while(rest, in_word);
            let mut marked = true;
            let after = if first == '{' {
                closed(rest.split_once('}').map(|(_, after)| after), '}')?
            } else if first == ';' {
                rest.split_once('\n').map_or("", |(_, after)| after)
            } else if first == '(' {
                closed(after_variation(rest), ')')?
            } else if first == '$' {
                others
            } else if !digits.is_empty() && numbered.starts_with('.') {
                let number = digits.parse().unwrap_or(0);
                let follows = match last {
                    None => played == 0 && (number == 1 || number > 0 && !from_start),
                    Some((before, moves)) if number == before => played == moves + 1,
                    Some((before, moves)) => {
                        let whole_move = played == moves + 2 || second && moves == 0 && played == 1;
                        number == before.saturating_add(1) && whole_move
                    }
                };
                let problem = format_args!(
                    "not the number of the next move: {played} moves are before it; allowed is the next number after \
                     each two moves"
                );
                whole.refuse_if(!follows, digits, problem)?;
                if last.is_none_or(|(before, _)| before < number) {
                    last = Some((number, played));
                }
                numbered.trim_start_matches('.')
            } else if RESULTS.contains(&word) {
                whole.nothing(others)?;
                ""
            } else {
                let (word, after) = rest.split_at(word.len().max(first.len_utf8()));
                let name = word.trim_end_matches(['!', '?']);
                let name = if name.is_empty() { word } else { name };
                let mv = self.find_in(whole, &position, played + 1, name)?;
                position = self.play(&position, mv);
                played += 1;
                marked = false;
                after
            };
            rest = after.trim_start();
            any |= marked;
        }
        Ok((position, any))
    }

    /// Returns the legal move that `word` denotes. Fails if no move or several moves fit. Errors call it move `number`.
    pub fn find_move(
        &self,
        position: &Position,
        number: usize,
        word: &str,
    ) -> Result<Move, PositionError> {
        self.find_in(Text(word), position, number, word)
    }

    fn find_in(
        &self,
        whole: Text<'_>,
        position: &Position,
        number: usize,
        word: &str,
    ) -> Result<Move, PositionError> {
        let problem = format_args!(
            "move {number} is no move; allowed is 11-15 for a step, 15x22 or 15x22x29 for a capture, squares from 1 to \
             32"
        );
        let (squares, capture) = whole.require(read_move(word), word, problem)?;
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
            let (mover, allowed) = (position.mover.letter(), allowed(&legal));
            let problem = format!("move {number} is not legal for {mover}; allowed: {allowed}");
            return Err(whole.refuse(word, problem));
        };
        // Prefer an exact match: a one-jump capture, although a longer capture may have the same first and last square.
        let exact = found
            .iter()
            .find(|mv| mv.squares().eq(squares.iter().copied()));
        match exact {
            Some(mv) => Ok(*mv),
            None if results.all(|result| result == first) => Ok(found[0]),
            None => {
                let allowed = allowed(&found);
                let problem = format!("move {number} may be any of {allowed}; name every square");
                Err(whole.refuse(word, problem))
            }
        }
    }
}

/// Returns the text after a variation, which may contain others, or `None` if its closing parenthesis is missing.
fn after_variation(text: &str) -> Option<&str> {
    let mut open = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => open += 1,
            ')' if open == 1 => return Some(&text[place + 1..]),
            ')' => open -= 1,
            _ => {}
        }
    }
    None
}

fn read_move(word: &str) -> Option<(Vec<Square>, bool)> {
    let capture = word.contains(['x', 'X']);
    let marks: &[char] = if capture { &['x', 'X'] } else { &['-'] };
    let squares = word
        .split(marks)
        .map(|digits| number_to(32, digits).and_then(Square::numbered))
        .collect::<Option<Vec<_>>>()?;
    let legs = squares.len() - 1;
    (legs == 1 || capture && legs > 1).then_some((squares, capture))
}

fn allowed(moves: &[Move]) -> String {
    if moves.is_empty() {
        return "nothing, the game is over".to_owned();
    }
    let names: Vec<_> = moves.iter().map(Move::to_string).collect();
    names.join(" ")
}
