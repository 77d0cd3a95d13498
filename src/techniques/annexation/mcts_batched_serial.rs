//! `mcts-batched-serial`: a tree search with bit-sliced playouts of many leaves at a time, on one core.

use super::host_leaves::BitByBit;
use super::tasks;
use crate::techniques::tasks::mcts::{C, LEAVES, OneTree, PLAYOUTS, Settings};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{DEVICES, Fault, Task, TechniqueEntry};

/// Batches of leaves in vectors ([`SlicedLeaves`](crate::search::annexation::SlicedLeaves)), selected ahead: device
/// techniques can have the same batches.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "mcts-batched-serial",
        summary: "UCT in batches, the playouts of 32 leaves at a time on one core, a bit each",
        like: "mcts-batched-serial",
        reference: "mcts-batched-serial",
        tasks: &[Task::Choose, Task::Match],
        params: &[LEAVES, PLAYOUTS, C, DEVICES],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::read(setup.params).map_err(Fault::Input)?;
    tasks::prepare_tree(setup, settings, |game, settings, wanted| {
        let player = BitByBit::new(settings.playouts, wanted.seed);
        Ok(Box::new(OneTree::new(game, player, settings, wanted.seed)))
    })
}
