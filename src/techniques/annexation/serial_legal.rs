//! `serial-legal`: playouts with legal colours only, on one core.

use std::ops::Range;

use super::host::{OnHost, Way};
use super::tasks;
use crate::search::annexation::Frontiers;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The method of the paper's own engine on the processor: "ideally" a valid move. These playouts differ from
/// those of all other techniques, so it is its own reference; its rate is comparable to the published ones.
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

/// Playouts of a choice's first batch, and the limit of a batch.
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
