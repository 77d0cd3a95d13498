use super::board::Board;
use super::evaluation::evaluate;
use super::moves::Choices;
use super::{Capture, Move, Moves, Position, Rules};
use crate::games::{Ahead, Game, Stuck, TreeRules, lost};

/// American checkers, by the paper's rules or by the official rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checkers {
    rules: Rules,
}

impl Checkers {
    /// Creates the game with the given rules.
    pub fn new(rules: Rules) -> Checkers {
        Checkers { rules }
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the legal moves in order, even if the game is drawn.
    #[inline(always)]
    pub fn legal_moves(&self, position: &Position) -> Moves {
        Moves::of(Board::of(position), self.rules.capture)
    }

    /// Returns true if the side to move has lost or the game is drawn.
    pub fn is_over(&self, position: &Position) -> bool {
        position.quiet >= self.rules.draw_after || self.legal_moves(position).len() == 0
    }
}

impl Game for Checkers {
    type Position = Position;
    type Move = Move;
    type Moves = Moves;

    const EXTENDS: bool = true;

    /// After too many plies without a capture, returns a draw, or a loss if the side to move has no moves.
    #[inline(always)]
    fn decided(&self, position: &Position, ply: u32) -> Option<i32> {
        if position.quiet < self.rules.draw_after {
            return None;
        }
        let stuck = Moves::of(Board::of(position), Capture::Any).len() == 0;
        Some(if stuck { lost(ply) } else { 0 })
    }

    #[inline(always)]
    fn moves(&self, position: &Position) -> Moves {
        self.legal_moves(position)
    }

    #[inline(always)]
    fn first(&self, _position: &Position, moves: &Moves) -> Option<Move> {
        moves.clone().next()
    }

    #[inline(always)]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let quiet = mv.quiet_after(position.quiet);
        mv.play(&Board::of(position)).position(quiet)
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position) -> i32 {
        evaluate(&Board::of(position))
    }

    /// Returns true if the side to move must capture or has lost.
    #[inline(always)]
    fn extends(&self, position: &Position) -> bool {
        let reach = Board::of(position).reach();
        reach.jumps != [0; 4] || reach.steps == [0; 4]
    }

    /// Returns a loss, because a side without moves has lost.
    fn stuck(&self, _position: &Position, ply: u32) -> Stuck<Position> {
        Stuck::Over(lost(ply))
    }
}

impl TreeRules for Checkers {
    type Position = Position;

    /// As in [`Playouts`](super::Playouts), a side without moves has lost, even if the game would otherwise be drawn.
    #[inline(always)]
    fn ahead(&self, position: &Position) -> Ahead {
        let choices = Choices::of(&Board::of(position), self.rules.capture);
        match choices.count {
            0 => Ahead::Over(0),
            _ if position.quiet >= self.rules.draw_after => Ahead::Over(1),
            count => Ahead::Moves(count),
        }
    }

    #[inline(always)]
    fn after(&self, position: &Position, index: u32) -> Position {
        let board = Board::of(position);
        let capture = self.rules.capture;
        let (next, captured) = Choices::of(&board, capture).play(&board, capture, index);
        next.position(if captured { 0 } else { position.quiet + 1 })
    }
}
