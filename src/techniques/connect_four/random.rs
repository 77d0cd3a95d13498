//! `random`: a player that knows only the rules.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Column, Position};
use crate::techniques::prelude::*;

/// Plays a random legal move. The seed and the previous moves determine it, so every sample gets the same move.
pub const TECHNIQUE: Technique = Technique::on_host(
    TechniqueEntry {
        name: "random",
        summary: "draws a legal move from the seed and the position, as an opponent in matches",
        like: "random",
        reference: "random",
        ..TechniqueEntry::SERIAL
    },
    |setup| {
        tasks::prepare_search::<ConnectFour>(setup, |_| {
            Ok(Box::new(Random(setup.seed, Vec::new())))
        })
    },
);

/// The run's seed, and the loaded positions.
struct Random(u64, Vec<Position>);

impl Searcher<ConnectFour> for Random {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.1 = positions.to_vec();
        Ok(())
    }

    fn search(&mut self, index: usize, _depth: u32) -> Result<Found<Column>, Fault> {
        let position = &self.1[index];
        // Hash the seed and the moves so far.
        let digits = position.moves().iter().fold(self.0, |seed, column| {
            (seed ^ (column.index() as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let legal = position.legal_moves();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(digits);
        let best = (!legal.is_empty()).then(|| legal[random.random_range(0..legal.len())]);
        let counters = Counters {
            nodes: 1,
            ..Counters::default()
        };
        Ok(Found::new(0, best, counters))
    }
}
