//! `mcts`: the tree on the host, the playouts from its leaves on a device.

use super::device_games::{self, GROUP, LANES, Layout, STEPS};
use super::hard::{SMALL_TREE, TREE};
use super::tasks;
use crate::games::checkers::Position;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::device_leaves::{DeviceLeaves, LeafKernel};
use crate::techniques::tasks::mcts::{C, LEAVES, OneTree, PLAYOUTS, Settings, TREES, one_or_more};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, DEVICES, Fault, Task, TechniqueEntry};

/// The paper's batches: the host selects and expands many leaves, the device plays 32 games from each, the host
/// backpropagates. The host selects a batch while the device plays the previous one.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "mcts",
        summary: "UCT with its tree on the host and the playouts of many leaves at once on the device",
        paper: "Monte Carlo Tree Search; selecting ahead and first batches that are small are ours",
        like: "mcts-batched-rayon",
        reference: "mcts-batched-serial",
        counts: Counts::As("mcts-batched-serial"),
        tasks: &[Task::Choose, Task::Match],
        params: &[LEAVES, PLAYOUTS, C, TREES, GROUP, LANES, STEPS, DEVICES],
        splits: true,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 lanes=1", SMALL_TREE),
        Trial::new("leaves=40 playouts=3 trees=3", SMALL_TREE),
        Trial::new("leaves=50 playouts=9 lanes=1 group=24", SMALL_TREE),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::read(setup.params).map_err(Fault::Input)?;
    tasks::prepare_chooser(setup, |wanted| {
        let game = wanted.asked.game;
        let device = setup.on_device()?;
        let layout = Layout::read(setup.params, device)?.of_whole_vectors(device)?;
        let mut defines = device_games::defines(game.rules());
        defines.extend(layout.defines());
        defines.push(("LEAF_DOWN", format!("{LEAF_DOWN:#x}u")));
        let kernel = LeafKernel {
            path: "checkers/leaf_playouts.cl",
            defines,
            group: layout.group,
            lanes: layout.lanes,
            leaf_words: LEAF_WORDS,
            layout: format!("steps {}", layout.steps),
        };
        let threads = setup.tree_threads().max(settings.trees as usize);
        one_or_more(settings, threads, wanted.seed, |seed| {
            let start = (Position::start(), pack);
            let player = DeviceLeaves::new(setup, device, &kernel, (settings, seed), start)?;
            Ok(OneTree::new(game, player, settings, seed))
        })
    })
}

const LEAF_DOWN: u32 = 1 << 31;

const LEAF_WORDS: usize = 4;

#[inline(always)]
fn pack(position: &Position, words: &mut Vec<u32>) {
    let [own, other, kings] = device_games::words(position);
    let down = device_games::down(position) & LEAF_DOWN;
    words.extend([own, other, kings, position.quiet() | down]);
}
