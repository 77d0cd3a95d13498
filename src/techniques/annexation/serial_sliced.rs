//! `serial-sliced`: 1024 playouts at a time on one core.

use std::ops::Range;

use super::host::{OnHost, Way};
use super::tasks;
use crate::search::annexation::Sliced;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The strong baseline on one core; see [`Sliced`].
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "serial-sliced",
        summary: "1024 playouts at a time on one core, a bit each, in its vectors",
        like: "serial-sliced",
        counts: Counts::As("serial"),
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

/// Playouts of a choice's first batch, and the limit of a batch.
const BATCHES: Range<u64> = 8_192..1_048_576;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_flat(setup, BATCHES, |wanted| {
        let way = Way {
            lay_out: Sliced::new,
            tally: Sliced::tally,
        };
        Ok(Box::new(OnHost::on_one_core(way, wanted)))
    })
}
