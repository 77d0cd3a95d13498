//! A searcher of move sets that runs on the host.

use super::tasks::{ConnectFour, Searcher};
use crate::games::connect_four::{Bits, Board, Column, Position};
use crate::search::Found;
use crate::words::Fault;

/// How a position's move sets are searched.
pub type Strategy = fn(&Bits, &Board, u32) -> Found<Column>;

/// Move sets on one core.
pub struct HostSets {
    game: Bits,
    positions: Vec<Board>,
    strategy: Strategy,
}

impl HostSets {
    /// With no position yet.
    pub fn new(game: Bits, strategy: Strategy) -> HostSets {
        HostSets {
            game,
            positions: Vec::new(),
            strategy,
        }
    }
}

impl Searcher<ConnectFour> for HostSets {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions.clear();
        self.positions
            .extend(positions.iter().map(|position| self.game.load(position)));
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Column>, Fault> {
        Ok((self.strategy)(&self.game, &self.positions[index], depth))
    }
}
