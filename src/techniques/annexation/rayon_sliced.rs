//! `rayon-sliced`: 1024 playouts at a time on all cores.

use std::ops::Range;

use super::host::{OnHost, Way};
use super::tasks;
use crate::search::annexation::Sliced;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The strong baseline on all cores: `serial-sliced`'s groups of playouts, distributed over all threads.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "rayon-sliced",
        summary: "1024 playouts at a time on all cores, a bit each, in their vectors",
        like: "rayon-sliced",
        counts: Counts::As("serial"),
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

/// Playouts of a choice's first batch, and the limit of a batch.
const BATCHES: Range<u64> = 16_384..16_777_216;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_flat(setup, BATCHES, |wanted| {
        let way = Way {
            lay_out: Sliced::new,
            tally: Sliced::tally,
        };
        let player = OnHost::on_threads(way, wanted, setup.threads, Sliced::PART)?;
        Ok(Box::new(player))
    })
}
