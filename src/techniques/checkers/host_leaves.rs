//! Random games from the leaves of a tree, played on the core that asks.

use crate::games::checkers::{LeafGames, Position, Rules};
use crate::search::LeafPlayouts;
use crate::techniques::tasks::mcts::LeafPlayer;
use crate::words::Fault;

/// Plays every batch at once, many games in step in the core's vectors; a single game by itself.
pub struct OnCore {
    games: LeafGames,
    playouts: u32,
    points: Vec<u32>,
    plies: u64,
}

impl OnCore {
    /// So many games a leaf, under a seed.
    pub fn new(rules: &Rules, playouts: u32, seed: u64) -> OnCore {
        OnCore {
            games: LeafGames::new(*rules, seed),
            playouts,
            points: Vec::new(),
            plies: 0,
        }
    }
}

impl LeafPlayouts<Position> for OnCore {
    type Fault = Fault;

    fn playouts(&self) -> u32 {
        self.playouts
    }

    fn begin(&mut self, first: u64, leaves: &[Position]) -> Result<(), Fault> {
        let number = first * u64::from(self.playouts);
        if let ([leaf], 1) = (leaves, self.playouts) {
            let played = self.games.play(leaf, number);
            self.points.clear();
            self.points.push(played.ending.half_points());
            self.plies = u64::from(played.plies);
        } else {
            let points = &mut self.points;
            self.plies = self.games.play_each(leaves, self.playouts, number, points);
        }
        Ok(())
    }

    fn finish(&mut self, points: &mut Vec<u32>) -> Result<u64, Fault> {
        std::mem::swap(points, &mut self.points);
        Ok(self.plies)
    }
}

impl LeafPlayer<Position> for OnCore {}
