use std::fmt::Display;

use crate::games::Game;
use crate::words::{Fact, Fault};

/// Whose turn it is, as a referee sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn<P> {
    /// The side to move must choose a move.
    Move,
    /// It has none and passes: the position after, and how a pass is written.
    Pass(P, &'static str),
    /// The game is over, with this score from the side that began: above 0 where it has won, 0 for
    /// a draw.
    Over(i64),
}

/// A game as it is played and written down, for one case: the positions that an experiment, the
/// command line and a match speak of, whatever the searches make of them.
pub trait Play: 'static {
    /// A position with everything that the rules ask about; written in the game's notation.
    type Position: Clone + Display;
    /// A move other than a pass.
    type Move: Copy + Eq + Send;

    /// The game's name.
    fn game(&self) -> &'static str;

    /// What stands between the moves of a game that is written down.
    const SEPARATOR: &str = "";

    /// Plies that a search of this case looks ahead. A game that is only played at random keeps the
    /// default, 0.
    fn depth(&self) -> u32 {
        0
    }

    /// Where games begin, and what is searched where no position is given.
    fn start(&self) -> Self::Position;

    /// Where the pairs of a match begin, each from another of these, as long as there are more: two
    /// players that always do the same would play the same game again. A game that has several
    /// writes its positions as the moves that lead there.
    ///
    /// # Errors
    /// Where one cannot be set up.
    fn openings(&self) -> Result<Vec<Self::Position>, Fault> {
        Ok(vec![self.start()])
    }

    /// Reads a position.
    ///
    /// # Errors
    /// One line that names the first part that is wrong.
    fn parse(&self, text: &str) -> Result<Self::Position, String>;

    /// A move in the game's notation.
    fn name(&self, mv: Self::Move) -> String;

    /// The move of that name at a position, legal or not; `None` where the board has none.
    fn find(&self, position: &Self::Position, name: &str) -> Option<Self::Move>;

    /// Whether the side that began the game is to move.
    fn first_to_move(&self, position: &Self::Position) -> bool;

    /// What the side to move has to do.
    fn turn(&self, position: &Self::Position) -> Turn<Self::Position>;

    /// The position after a move; `None` where it is not legal.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Option<Self::Position>;

    /// The legal moves, in the game's order; none where the game is over or a pass is due. What chooses
    /// by playouts asks for them.
    fn moves(&self, _position: &Self::Position) -> Vec<Self::Move> {
        Vec::new()
    }

    /// The value of a legal move, from the side that makes it, searched to the case's depth with a
    /// full window.
    ///
    /// # Errors
    /// Where the game has no searches.
    fn value_of(&self, _position: &Self::Position, _mv: Self::Move) -> Result<i64, Fault> {
        Err(lacks(self.game(), "search"))
    }

    /// The line of play that the task `game` searches, and facts of the case that it shows, as
    /// [`Telemetry`](crate::words::Telemetry) has them.
    ///
    /// # Errors
    /// Where the game has no line of play.
    fn line(&self) -> Result<LineAndFacts<Self::Position>, Fault> {
        Err(lacks(self.game(), "game"))
    }
}

/// A representation that takes the positions of a game as they are played.
pub trait Loads<P: Play>: Game<Move = P::Move> + 'static {
    /// Lays out a position.
    fn load(&self, position: &P::Position) -> Self::Position;
}

/// A line of play: a player's game against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<P> {
    /// Every position of the game where it went on, in order: those where the side to move had to
    /// pass included, the final one not.
    pub positions: Vec<P>,
    /// How many legal moves each of them has; 0 for a pass.
    pub choices: Vec<u32>,
    /// The moves and passes, in the game's notation, one after another.
    pub moves: String,
}

impl<P> Line<P> {
    /// The positions after so many plies; the moves stay those of the whole game.
    ///
    /// # Errors
    /// [`Fault::Input`] for a ply that the line does not have.
    pub fn at(&self, plies: &[usize]) -> Result<Line<P>, Fault>
    where
        P: Clone,
    {
        if let Some(ply) = plies.iter().find(|ply| **ply >= self.positions.len()) {
            let last = self.positions.len().saturating_sub(1);
            let problem = format!("plies: `{ply}`; the line of play goes on until ply {last}");
            return Err(Fault::Input(problem));
        }
        Ok(Line {
            positions: plies
                .iter()
                .map(|ply| self.positions[*ply].clone())
                .collect(),
            choices: plies.iter().map(|ply| self.choices[*ply]).collect(),
            moves: self.moves.clone(),
        })
    }

    /// Legal moves, averaged over the positions that have one.
    pub fn branching_factor(&self) -> f64 {
        let moving = self.choices.iter().filter(|choices| **choices > 0).count();
        let moves: u32 = self.choices.iter().sum();
        f64::from(moves) / moving as f64
    }
}

/// What is said where a game does not know a task.
pub(super) fn lacks(game: &str, task: &str) -> Fault {
    Fault::Unsupported(format!("{game} has no task `{task}`"))
}

/// A line of play with the facts that it shows.
pub type LineAndFacts<P> = (std::sync::Arc<Line<P>>, Vec<Fact>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_the_positions_asked_for() {
        let line = Line {
            positions: vec!["a", "b", "c"],
            choices: vec![4, 0, 2],
            moves: "xyz".into(),
        };
        let some = line.at(&[0, 2]).unwrap();
        assert_eq!((some.positions, some.choices), (vec!["a", "c"], vec![4, 2]));
        assert_eq!(
            line.at(&[1, 3]),
            Err(Fault::Input(
                "plies: `3`; the line of play goes on until ply 2".into()
            ))
        );
    }
}
