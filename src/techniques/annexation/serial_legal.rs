//! `serial-legal`: playouts of colours that annex something, on one core.

use std::ops::Range;

use super::host::{OnHost, Way};
use super::tasks;
use crate::search::annexation::Frontiers;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// How the paper's own engine plays on the processor: "ideally" a valid move. These are other playouts
/// than the rest of the techniques play, so that it is the reference of itself; its rate stands beside
/// the published ones.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "serial-legal",
        summary: "one by one on one core, naming only colours that annex something",
        paper: "The awesome GPU, the engine's playouts; the lists are ours",
        reference: "serial-legal",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

/// Playouts of the first batch of a choice, and the most of one.
const BATCHES: Range<u64> = 64..65_536;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_flat(setup, BATCHES, |wanted| {
        let way = Way {
            lay_out: Frontiers::new,
            tally: Frontiers::tally_legal,
        };
        Ok(Box::new(OnHost::on_one_core(way, wanted)))
    })
}
