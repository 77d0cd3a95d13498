//! `rayon`: playouts one by one on all cores.

use std::ops::Range;

use super::host::{OnHost, Way};
use super::tasks;
use crate::search::annexation::Frontiers;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// `serial`'s playouts, distributed over all threads in parts of 32.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "rayon",
        summary: "playouts one by one on all cores, each as serial does it",
        counts: Counts::As("serial"),
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

/// Playouts of a choice's first batch, and the limit of a batch.
const BATCHES: Range<u64> = 256..1_048_576;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_flat(setup, BATCHES, |wanted| {
        let way = Way {
            lay_out: Frontiers::new,
            tally: Frontiers::tally,
        };
        let player = OnHost::on_threads(way, wanted, setup.threads, Frontiers::PART)?;
        Ok(Box::new(player))
    })
}
