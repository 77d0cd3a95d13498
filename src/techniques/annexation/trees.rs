//! Trees grown by random games.

use super::hard::TREE;
use super::host_leaves::{bit_by_bit, one_by_one};
use super::leaves::DeviceLeaves;
use super::sliced::SHAPE;
use super::tasks;
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::mcts::{LEAVES, PLAYOUTS, Settings};
use crate::techniques::tasks::tree_search;
use crate::words::{DEVICES, TechniqueEntry};

/// The strong serial baseline of tree search: one leaf at a time with one playout.
pub const SERIAL: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        ..tree_search::SERIAL
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare_tree(setup, Ok(Settings::TEXTBOOK), 1, |_, _| {
            Ok(one_by_one(setup.seed))
        })
    },
};

/// Batches of leaves in vectors ([`Sliced`](crate::search::annexation::Sliced)), selected ahead: device
/// techniques can have the same batches.
pub const BATCHED_SERIAL: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        summary: "UCT in batches, the playouts of 32 leaves at a time on one core, a bit each",
        params: &[LEAVES, PLAYOUTS, DEVICES],
        ..tree_search::BATCHED_SERIAL
    },
    trials: &[],
    prepare: |setup| {
        let settings = Settings::read(setup.params);
        tasks::prepare_tree(setup, settings, 1, |_, settings| {
            Ok(bit_by_bit(settings.playouts, setup.seed))
        })
    },
};

/// The host selects a batch of leaves while the device plays the previous batch bit-sliced, as `sliced` does.
pub const MCTS: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        summary: "UCT with its tree on the host and the playouts of many leaves at once on the device, a bit each",
        needs: "local memory: 8 bytes a cell and word, 6.3 KB on hex200 and 32 KB on hex1000 with 4 words",
        like: "mcts-batched-serial",
        params: &[LEAVES, PLAYOUTS, SHAPE, DEVICES],
        splits: false,
        ..tree_search::DEVICE
    },
    trials: &[
        Trial::new("", TREE),
        Trial::new("leaves=33 playouts=64 shape=groups", TREE),
        Trial::new("leaves=100 playouts=45 shape=groups", TREE),
        Trial::new("leaves=64 playouts=1 shape=items", TREE),
    ],
    prepare: |setup| {
        let (settings, threads) = (Settings::read(setup.params), setup.tree_threads());
        tasks::prepare_tree(setup, settings, threads, |play, settings| {
            DeviceLeaves::new(setup, play, settings)
        })
    },
};
