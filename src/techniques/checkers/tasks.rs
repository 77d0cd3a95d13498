//! Checkers for the common tasks.

/// Checkers in one case.
pub use super::Draughts;
use crate::games::Game;
use crate::games::checkers::{Checkers, Colour, Move, Position};
use crate::techniques::tasks::mcts::Roots;
use crate::techniques::tasks::{Loads, Made, Play, Turn, openings_after, prepare};
use crate::techniques::{Sampler, Setup};
use crate::words::Fault;

/// Plays checkers at random.
pub use crate::techniques::tasks::RandomPlayer;

/// Prepares playouts, or flat Monte Carlo. `batches`: playouts of a choice's first batch, and limit of a batch.
pub fn prepare_flat(
    setup: &Setup<'_>,
    batches: std::ops::Range<u64>,
    player: impl FnOnce(&Draughts) -> Result<Box<dyn RandomPlayer<Draughts>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare(setup, |play: &Draughts, _| {
        Ok(Made::Games(player(play)?, batches))
    })
}

impl Loads<Draughts> for Checkers {
    fn load(&self, position: &Position) -> Position {
        *position
    }
}

impl Roots<Draughts> for Checkers {
    fn root(&self, position: &Position) -> Position {
        *position
    }
}

/// Plies of a match's openings: 302 sequences.
const OPENING_PLIES: u32 = 3;

impl Play for Draughts {
    type Position = Position;
    type Move = Move;

    const SEPARATOR: &str = " ";

    fn game(&self) -> &'static str {
        super::GAME.name
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn start(&self) -> Position {
        self.position
    }

    fn openings(&self) -> Result<Vec<Position>, Fault> {
        Ok(openings_after(self, OPENING_PLIES))
    }

    fn parse(&self, text: &str) -> Result<Position, String> {
        self.game.parse(text).map_err(|error| error.to_string())
    }

    fn name(&self, mv: Move) -> String {
        mv.to_string()
    }

    fn find(&self, position: &Position, name: &str) -> Option<Move> {
        self.game.find_move(position, 1, name).ok()
    }

    fn first_to_move(&self, position: &Position) -> bool {
        position.mover == Colour::Black
    }

    fn turn(&self, position: &Position) -> Turn<Position> {
        if self.game.legal_moves(position).len() == 0 {
            return Turn::Over(if self.first_to_move(position) { -1 } else { 1 });
        }
        if self.game.is_over(position) {
            return Turn::Over(0);
        }
        Turn::Move
    }

    fn play(&self, position: &Position, mv: Move) -> Option<Position> {
        let game = &self.game;
        let legal = !game.is_over(position) && game.legal_moves(position).any(|own| own == mv);
        legal.then(|| game.play(position, mv))
    }

    fn moves(&self, position: &Position) -> Vec<Move> {
        match self.turn(position) {
            Turn::Move => self.game.legal_moves(position).collect(),
            _ => Vec::new(),
        }
    }
}
