use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::games::Stuck;
use crate::games::reversi::{Evaluation, PASS, Position, Representation, Visit, fastest};
use crate::search::alpha_beta_shared;

/// A line of play: the serial player's game against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Every position of the game where it went on, in order: those where the side to move had to
    /// pass included, the final one not.
    pub positions: Vec<Position>,
    /// How many legal moves each of them has; 0 for a pass.
    pub choices: Vec<u32>,
    /// The game, in the notation that [`Position::parse`] reads.
    pub moves: String,
}

impl Line {
    /// Table 1's average branching factor: legal moves, over the positions that have one.
    pub fn branching_factor(&self) -> f64 {
        let moving = self.choices.iter().filter(|choices| **choices > 0).count();
        let moves: u32 = self.choices.iter().sum();
        f64::from(moves) / moving as f64
    }
}

/// The game that `serial` plays against itself at a fixed depth, from the start.
///
/// Kept for the life of the process, and searched on all threads, as it takes `serial` seconds on
/// the largest boards: [`alpha_beta_shared`] answers with the same moves.
pub fn line(evaluation: &Evaluation, depth: u32) -> Arc<Line> {
    type Lines = HashMap<(Evaluation, u32), Arc<Line>>;
    static LINES: OnceLock<Mutex<Lines>> = OnceLock::new();
    // A thread that panicked while it held the lock left the map whole.
    let mut lines = LINES
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let made = || Arc::new(fastest(evaluation, SelfPlay { depth }));
    lines
        .entry((evaluation.clone(), depth))
        .or_insert_with(made)
        .clone()
}

struct SelfPlay {
    depth: u32,
}

impl Visit for SelfPlay {
    type Output = Line;

    fn visit<R: Representation>(self, game: R) -> Line {
        let mut line = Line {
            positions: Vec::new(),
            choices: Vec::new(),
            moves: String::new(),
        };
        let mut position = Position::start(game.size());
        let mut board = game.load(&position);
        loop {
            let choices = game.moves(&board).count() as u32;
            let best = alpha_beta_shared(&game, &board, self.depth).best;
            let (next, name) = match best.and_then(|mv| Some((mv, position.play(mv)?))) {
                Some((mv, next)) => {
                    board = game.play(&board, mv);
                    (next, game.size().name(mv))
                }
                None => match game.stuck(&board, 0) {
                    Stuck::Over(_) => return line,
                    Stuck::Pass(passed) => {
                        board = passed;
                        (position.pass(), PASS.to_owned())
                    }
                },
            };
            line.positions.push(std::mem::replace(&mut position, next));
            line.choices.push(choices);
            line.moves.push_str(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::alpha_beta;
    use crate::words::Params;

    #[test]
    fn a_line_is_a_whole_legal_game() {
        for size in ["4x4", "6x6", "8x8", "16x8"] {
            let evaluation = Evaluation::new(size.parse().unwrap(), &Params::new()).unwrap();
            let line = line(&evaluation, 2);
            assert_eq!(line.positions[0], Position::start(evaluation.size()));
            assert!(
                Position::parse(evaluation.size(), &line.moves)
                    .unwrap()
                    .is_over()
            );
            for (position, choices) in line.positions.iter().zip(&line.choices) {
                assert_eq!(position.legal_moves().len() as u32, *choices);
            }
            let serial = fastest(
                &evaluation,
                SerialMoves {
                    line: &line,
                    depth: 2,
                },
            );
            assert_eq!(serial, line.moves, "the line is the serial player's");
            let discs = line.choices.iter().filter(|choices| **choices > 0).count() + 4;
            assert!(discs <= evaluation.size().squares());
            assert!(line.branching_factor() > 1.0);
        }
    }

    /// What `serial` plays at each position of a line.
    struct SerialMoves<'a> {
        line: &'a Line,
        depth: u32,
    }

    impl Visit for SerialMoves<'_> {
        type Output = String;

        fn visit<R: Representation>(self, game: R) -> String {
            let best = |position| alpha_beta(&game, &game.load(position), self.depth).best;
            let name = |mv: Option<_>| mv.map_or(PASS.to_owned(), |mv| game.size().name(mv));
            self.line
                .positions
                .iter()
                .map(|position| name(best(position)))
                .collect()
        }
    }
}
