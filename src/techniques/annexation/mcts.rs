//! `mcts`: the tree on the host, the playouts from its leaves on a device.

use super::hard::TREE;
use super::leaf_groups::LeafGroups;
use super::leaf_items::LeafItems;
use super::sliced::{self, CHUNK, HELD, LOOK, SHAPE, WORDS};
use super::tasks;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::mcts::{C, LEAVES, OneTree, PLAYOUTS, Settings};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, DEVICES, Fault, Task, TechniqueEntry};

/// The host selects a batch of leaves while the device plays the previous batch bit-sliced, as `sliced` does.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "mcts",
        summary: "UCT with its tree on the host and the playouts of many leaves at once on the device, a bit each",
        paper: "ours; the batches are those of CUDA Warcaby",
        needs: "local memory: 8 bytes a cell and word, 6.3 KB on hex200 and 32 KB on hex1000 with 4 words",
        like: "mcts-batched-serial",
        reference: "mcts-batched-serial",
        counts: Counts::As("mcts-batched-serial"),
        tasks: &[Task::Choose, Task::Match],
        params: &[
            LEAVES, PLAYOUTS, C, SHAPE, WORDS, HELD, CHUNK, LOOK, DEVICES,
        ],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", TREE),
        Trial::new("leaves=33 playouts=64 shape=groups", TREE),
        Trial::new(
            "leaves=100 playouts=45 shape=groups words=4 chunk=4 look=1 held=3",
            TREE,
        ),
        Trial::new("leaves=64 playouts=1 shape=items", TREE),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::read(setup.params).map_err(Fault::Input)?;
    tasks::prepare_tree(setup, settings, |game, settings, wanted| {
        let device = setup.on_device()?;
        Ok(match sliced::shape_on(setup.params, device)? {
            Some(shape) => {
                let player = LeafGroups::new(setup, device, wanted, settings, shape)?;
                let tree = OneTree::new(game, player, settings, wanted.seed);
                Box::new(tree.on_threads(setup.tree_threads())?)
            }
            None => {
                let player = LeafItems::new(setup, device, wanted, settings)?;
                let tree = OneTree::new(game, player, settings, wanted.seed);
                Box::new(tree.on_threads(setup.tree_threads())?)
            }
        })
    })
}
