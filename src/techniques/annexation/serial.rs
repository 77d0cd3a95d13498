//! `serial`: playouts one by one on one core.

use std::ops::Range;

use super::host::{OnHost, Way};
use super::tasks;
use crate::search::annexation::Frontiers;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The reference of all playouts that may name any colour; see [`Frontiers`].
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "serial",
        summary: "playouts one by one on one core, over lists of the cells next to each player's",
        paper: "the rules of \"The awesome GPU\"; the lists and the early end are ours",
        tasks: &[Task::Playouts, Task::Choose, Task::Match],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

/// Playouts of a choice's first batch, and the limit of a batch.
const BATCHES: Range<u64> = 64..65_536;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_with_facts(setup, BATCHES, |wanted| {
        let way = Way {
            lay_out: Frontiers::new,
            tally: Frontiers::tally,
        };
        Ok(Box::new(OnHost::on_one_core(way, wanted)))
    })
}
