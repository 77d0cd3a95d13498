//! `rayon`: random games on all cores.

use std::ops::Range;

use rayon::ThreadPool;

use super::tasks::{self, Draughts, RandomPlayer, Wanted};
use crate::games::checkers::{Playouts, Position, Rules};
use crate::techniques::Technique;
use crate::techniques::tasks::host::SharedWindow;
use crate::techniques::tasks::random_games::{LEAST, share_out};
use crate::words::{Counts, Fault, Tally, Task, TechniqueEntry};

/// The strong parallel baseline: `serial`'s playouts, distributed over all threads.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "rayon",
        summary: "flat Monte Carlo on all cores, each as serial does it",
        counts: Counts::As("serial"),
        tasks: &[Task::Playouts, Task::Choose, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| match setup.task {
        Task::Perft => tasks::prepare_perft_on_host::<SharedWindow>(setup, Some(setup.threads)),
        _ => tasks::prepare_flat(setup, BATCHES, |wanted| {
            Ok(Box::new(Threads::new(wanted, setup.pool()?)))
        }),
    },
};

/// Playouts of a choice's first batch, and limit of a batch.
const BATCHES: Range<u64> = 2_000..1_000_000;

struct Threads {
    rules: Rules,
    seed: u64,
    pool: ThreadPool,
    loaded: Vec<Playouts>,
}

impl Threads {
    fn new(wanted: &Wanted<'_>, pool: ThreadPool) -> Threads {
        Threads {
            rules: *wanted.asked.game.rules(),
            seed: wanted.seed,
            pool,
            loaded: Vec::new(),
        }
    }
}

impl RandomPlayer<Draughts> for Threads {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let playouts = |position| Playouts::new(self.rules, position, self.seed);
        self.loaded = positions.iter().map(playouts).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let loaded = &self.loaded[index];
        Ok(share_out(&self.pool, playouts, LEAST, &|share| {
            loaded.tally(share)
        }))
    }
}
