//! `serial`: random games on one core.

use std::ops::Range;

use super::tasks::{self, Draughts, RandomPlayer, Wanted};
use crate::games::checkers::{Playouts, Position, Rules};
use crate::techniques::Technique;
use crate::techniques::tasks::host::Serial;
use crate::words::{Fault, Tally, Task, TechniqueEntry};

/// The reference of all playouts, and the strong baseline: sixteen games in lockstep in vectors; a new game replaces a
/// finished one at once.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "serial",
        summary: "flat Monte Carlo on one core, sixteen games in step in its vectors",
        paper: "\"Flat\" Monte Carlo; the vectors are ours",
        tasks: &[Task::Playouts, Task::Choose, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| match setup.task {
        Task::Perft => tasks::prepare_perft_on_host::<Serial>(setup, None),
        _ => tasks::prepare_flat(setup, BATCHES, |wanted| Ok(Box::new(OneCore::new(wanted)))),
    },
};

/// Playouts of a choice's first batch, and limit of a batch: 1 ms and 0.1 s at about 1 M/s.
const BATCHES: Range<u64> = 1_000..100_000;

struct OneCore {
    rules: Rules,
    seed: u64,
    loaded: Vec<Playouts>,
}

impl OneCore {
    fn new(wanted: &Wanted<'_>) -> OneCore {
        OneCore {
            rules: *wanted.asked.game.rules(),
            seed: wanted.seed,
            loaded: Vec::new(),
        }
    }
}

impl RandomPlayer<Draughts> for OneCore {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let playouts = |position| Playouts::new(self.rules, position, self.seed);
        self.loaded = positions.iter().map(playouts).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        Ok(self.loaded[index].tally(playouts))
    }
}
