use std::fmt::Display;

use crate::games::Game;
use crate::words::{Fact, Fault};

/// The state of a game from the referee's side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn<P> {
    /// The side to move must choose a move.
    Move,
    /// The side to move must pass: the position after the pass, and the pass in the game's notation.
    Pass(P, &'static str),
    /// The game is over, with this score from the side that began: positive if it has won, 0 for a draw.
    Over(i64),
}

/// The rules and the notation of a game in one case, independent of the searches' representations.
pub trait Play: Send + 'static {
    /// A position with everything that the rules depend on; it displays in the game's notation.
    type Position: Clone + Display + Send + Sync;
    /// A move other than a pass.
    type Move: Copy + Eq + Send;

    /// The game's name.
    fn game(&self) -> &'static str;

    /// The separator between moves in the notation of a game.
    const SEPARATOR: &str = "";

    /// The depth of this case's searches. Games without searches keep the default, 0.
    fn depth(&self) -> u32 {
        0
    }

    /// The start of games, and the default position of searches.
    fn start(&self) -> Self::Position;

    /// The start positions of a match's pairs of games, in turn: from one, deterministic players would repeat a game.
    fn openings(&self) -> Result<Vec<Self::Position>, Fault> {
        Ok(vec![self.start()])
    }

    /// Parses a position. Fails with one line that names the first invalid part.
    fn parse(&self, text: &str) -> Result<Self::Position, String>;

    /// The same text for positions from which the same games follow, and for no others.
    fn identity(&self, position: &Self::Position) -> String {
        position.to_string()
    }

    /// A move in the game's notation.
    fn name(&self, mv: Self::Move) -> String;

    /// The move with this name at a position, legal or not; `None` if the board has none.
    fn find(&self, position: &Self::Position, name: &str) -> Option<Self::Move>;

    /// Whether the side to move is the one that began the game.
    fn first_to_move(&self, position: &Self::Position) -> bool;

    /// The state of the game for the side to move.
    fn turn(&self, position: &Self::Position) -> Turn<Self::Position>;

    /// The position after a move; `None` if it is illegal.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Option<Self::Position>;

    /// The legal moves, in the game's order; none if the game is over or a pass is due. Used by choices with playouts.
    fn moves(&self, _position: &Self::Position) -> Vec<Self::Move> {
        Vec::new()
    }

    /// The value of a legal move, from the side that makes it, searched with a full window to the case's depth.
    fn value_of(&self, _position: &Self::Position, _mv: Self::Move) -> Result<i64, Fault> {
        Err(lacks(self.game(), "search"))
    }

    /// The line of play for the task `game`, and the facts of the case that it shows.
    fn line(&self) -> Result<LineAndFacts<Self::Position>, Fault> {
        Err(lacks(self.game(), "game"))
    }
}

/// A representation that converts a game's positions.
pub trait Loads<P: Play>: Game<Move = P::Move> + Send + 'static {
    /// Converts a position.
    fn load(&self, position: &P::Position) -> Self::Position;
}

/// A line of play: a player's game against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<P> {
    /// Every position in which the game continued, in order, including those with a pass; without the final one.
    pub positions: Vec<P>,
    /// The number of legal moves in each position; 0 for a pass.
    pub choices: Vec<u32>,
    /// The moves and passes in the game's notation, concatenated.
    pub moves: String,
}

impl<P> Line<P> {
    /// The positions after these numbers of plies; `moves` stays that of the whole game.
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

    /// The mean number of legal moves, over the positions that have one.
    pub fn branching_factor(&self) -> f64 {
        let moving = self.choices.iter().filter(|choices| **choices > 0).count();
        let moves: u32 = self.choices.iter().sum();
        f64::from(moves) / moving as f64
    }
}

/// The error of a game that lacks a task.
pub(super) fn lacks(game: &str, task: &str) -> Fault {
    Fault::Unsupported(format!("{game} has no task `{task}`"))
}

/// A line of play with the facts that it shows.
pub type LineAndFacts<P> = (std::sync::Arc<Line<P>>, Vec<Fact>);
