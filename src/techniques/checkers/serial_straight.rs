//! `serial-straight`: random games on the straight index, on one core.

use std::ops::Range;

use super::tasks::{self, Draughts, RandomPlayer};
use crate::games::checkers::{Position, Rules, StraightPlayouts};
use crate::techniques::Technique;
use crate::words::{Fault, Tally, Task, TechniqueEntry};

/// The reference of `lists-straight`: lists the moves square by square, one game at a time. Too slow for a baseline.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "serial-straight",
        summary: "the games of lists-straight one after another: its reference, no baseline",
        paper: "\"Plansza\"",
        like: "serial-straight",
        reference: "serial-straight",
        tasks: &[Task::Playouts],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare_flat(setup, 1..2, |wanted| {
            Ok(Box::new(Straight {
                rules: *wanted.asked.game.rules(),
                seed: wanted.seed,
                loaded: Vec::new(),
            }))
        })
    },
};

struct Straight {
    rules: Rules,
    seed: u64,
    loaded: Vec<StraightPlayouts>,
}

impl RandomPlayer<Draughts> for Straight {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let playouts = |position| StraightPlayouts::new(self.rules, position, self.seed);
        self.loaded = positions.iter().map(playouts).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        Ok(self.loaded[index].tally(playouts))
    }
}
