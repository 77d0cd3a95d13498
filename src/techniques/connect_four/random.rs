//! `random`: a player that knows the rules and nothing else.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::tasks::{self, ConnectFour, Searcher};
use crate::games::connect_four::{Column, Position};
use crate::search::Found;
use crate::techniques::Technique;
use crate::words::{Counters, Fault, Task, TechniqueEntry};

/// Any legal move, each as likely as the others, drawn from the run's seed and the position: in one
/// run it answers a position the same way every time. What every strategy must beat.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "random",
        summary: "a legal move drawn from the seed and the position: an opponent for matches",
        like: "random",
        reference: "random",
        tasks: &[Task::Search, Task::Game, Task::Match],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare(setup, |_| {
            Ok(Box::new(Random {
                seed: setup.seed,
                positions: Vec::new(),
            }))
        })
    },
};

struct Random {
    seed: u64,
    positions: Vec<Position>,
}

impl Searcher<ConnectFour> for Random {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions = positions.to_vec();
        Ok(())
    }

    fn search(&mut self, index: usize, _depth: u32) -> Result<Found<Column>, Fault> {
        let position = &self.positions[index];
        // Each game so far is a number of its own: its digits to the base 8, which the multiplier
        // spreads over the word.
        let digits = position.moves().iter().fold(self.seed, |seed, column| {
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
