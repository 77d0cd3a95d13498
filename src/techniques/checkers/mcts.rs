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

/// The paper's batches: the CPU selects and expands many leaves, the device plays 32 games from each, the CPU
/// backpropagates. While a batch is played the next is selected.
///
/// With 32 playouts a leaf the host's tree is the bound: selection, expansion and backpropagation
/// ([`Mcts`](crate::search::Mcts) says what they cost). On one core an H200 waited nine tenths of the time, 1.26 M leaves/s or 40 M
/// playouts/s (any capture, draw after 80, sixteen threads idle), so that a batch is selected, packed and credited on all
/// threads: 1.86 M leaves/s and 59 M playouts/s on another such machine, 2.2 ms a batch of 4,096 leaves; 244 M with 128
/// playouts a leaf. Round trips are no bound: 131,072 games are one launch, and a batch is selected and another credited while
/// it runs. So most of the 540 ns a leaf were threads that wait for each other. What one thread does alone, slots, leaves and
/// their order, is a tenth of a leaf's instructions. With what was done about it since, an H100 with sixteen threads
/// plays 91 M playouts/s (67 to 117, its host disturbed), 114 M with batches of 8,192 leaves, 129 M with 16,384 and 360 M with 128
/// playouts a leaf; an H200 on another host 115, 140, 178 and 463 M (medians of three or four choices of 1 s).
/// `trees` grows several trees instead, each by its own thread with batches and a queue of its own.
///
/// Of 30,000 leaves on pocl, where games take the cores that trees need, with 1, 8 and 32 playouts a leaf: 53, 79 and 92 % kernels, 33,
/// 10 and 2 % the host alone, 14, 9 and 6 % enqueued and not yet running, 0.2 % and less transfers.
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

/// `LEAF_DOWN` in the kernel.
const LEAF_DOWN: u32 = 1 << 31;

/// Words of a leaf.
const LEAF_WORDS: usize = 4;

/// Appends a leaf in the kernel's form.
#[inline(always)]
fn pack(position: &Position, words: &mut Vec<u32>) {
    let [own, other, kings] = device_games::words(position);
    let down = device_games::down(position) & LEAF_DOWN;
    words.extend([own, other, kings, position.quiet() | down]);
}
