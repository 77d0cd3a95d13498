//! Creates techniques from tree searches. A game provides a [`TreeGame`], or a [`BoardTree`] if its boards are words.

use super::device_leaves::{DeviceLeaves, GamesLayout, LeafKernel};
use super::flat_refill::{GROUP, LANES, RefillGame, group_and_lanes};
use super::host_leaves::{OnCore, OnThreads};
use super::mcts::{LEAVES, OneTree, PLAYOUTS, PLAYOUTS_OF_ONE, RootParallel, Roots, Settings};
use super::{Cased, Chooser, Made, Play, needs_effort, prepare};
use crate::games::leaf_games::{LeafGame, LeafGames, PlaysLeaves};
use crate::games::random_games::PlayoutLanes;
use crate::random::DRAW_ROUNDS;
use crate::search::MOST_NODES;
use crate::techniques::prelude::*;

/// A game with tree searches.
pub trait TreeGame: Roots<Self::Play> + Clone + Send + Sync + 'static {
    /// The game, as the common tasks see it.
    type Play: Cased;

    /// Type of the random games from leaves on the host.
    type Leaves: PlaysLeaves<Self::Position>;

    /// Type of a leaf's words on the device.
    type Word: OclPrm;

    /// The paper that `mcts-serial` follows.
    const PAPER: &'static str = SERIAL.paper;

    /// The entry of `mcts`, without the game.
    const MCTS: TechniqueEntry = DEVICE;

    /// The hard cases of `mcts`.
    const MCTS_TRIALS: &'static [Trial];

    /// Returns the rules of a case. Fails with [`Fault::Unsupported`] if the board is too large.
    fn rules(play: &Self::Play) -> Result<Self, Fault>;

    /// Returns the settings with the number of nodes that fit in memory.
    fn fitting(settings: Settings) -> Settings {
        settings
    }

    /// Returns the random games for a seed.
    fn leaves(&self, seed: u64) -> Self::Leaves;

    /// Returns the kernel of `mcts`.
    fn leaf_kernel(&self, setup: &Setup<'_>, device: &Device) -> Result<LeafKernel, Fault>;

    /// Appends the words of a leaf for this kernel.
    fn pack_leaf(&self, leaf: &Self::Position, words: &mut Vec<Self::Word>);
}

/// A [`TreeGame`] whose boards are words.
pub trait BoardTree: LeafGame<Random: RefillGame<Self::Play>> + Roots<Self::Play> + Sync {
    /// The game, as the common tasks see it.
    type Play: Cased;

    /// The kernel file of `mcts`, which includes `common/leaf_playouts.clh`.
    const LEAF_KERNEL: &'static str;

    /// The parameters of `mcts`.
    const LEAF_PARAMS: &'static [ParamEntry] = &[LEAVES, PLAYOUTS, GROUP, LANES, DEVICES];

    /// The hard cases of `mcts`.
    const LEAF_TRIALS: &'static [Trial];

    /// Returns the rules of a case, for trees. Fails with [`Fault::Unsupported`] if the board is too large.
    fn rules(play: &Self::Play) -> Result<Self, Fault>;

    /// Returns the layout of games on work-items. A group uses `bytes` of local memory in addition to its games.
    fn games_layout(
        params: &Params,
        device: &Device,
        bytes: usize,
        mut defines: Defines,
    ) -> Result<GamesLayout, Fault> {
        let room = Self::Random::default().room_bytes();
        let (group, lanes) = group_and_lanes(params, device, room, &|_| bytes)?;
        defines.extend([
            ("GROUP", group.to_string()),
            ("LANES", lanes.to_string()),
            ("PLIES_PER_WORD", Self::Random::PLIES_PER_WORD.to_string()),
            ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ]);
        Ok(GamesLayout {
            group,
            lanes,
            defines,
        })
    }
}

impl<G: BoardTree> TreeGame for G {
    type Play = <G as BoardTree>::Play;
    type Leaves = LeafGames<G>;
    type Word = u64;

    const MCTS: TechniqueEntry = TechniqueEntry {
        params: G::LEAF_PARAMS,
        ..DEVICE
    };
    const MCTS_TRIALS: &'static [Trial] = G::LEAF_TRIALS;

    fn rules(play: &<G as BoardTree>::Play) -> Result<G, Fault> {
        <G as BoardTree>::rules(play)
    }

    /// Reduces the number of nodes if positions are larger than 16 bytes, so that the tree uses the same memory.
    fn fitting(settings: Settings) -> Settings {
        // Number of bytes per node, including a position of 16 bytes and its number of moves.
        let usual = 40;
        let needed = usual.max(24 + size_of::<G::Position>());
        Settings {
            most_nodes: MOST_NODES / needed * usual,
            ..settings
        }
    }

    fn leaves(&self, seed: u64) -> LeafGames<G> {
        LeafGames::new(self.clone(), seed)
    }

    fn leaf_kernel(&self, setup: &Setup<'_>, device: &Device) -> Result<LeafKernel, Fault> {
        let random = G::Random::default();
        let blocks = <G::Random as RefillGame<<G as BoardTree>::Play>>::WORDS / 2;
        let mut defines = random.defines();
        defines.push(("BLOCKS", blocks.to_string()));
        let layout = G::games_layout(setup.params, device, LEAF_BYTES, defines)?;
        Ok(LeafKernel {
            path: G::LEAF_KERNEL,
            leaf_words: random.child_words(),
            notes: format!("blocks {blocks}"),
            layout,
        })
    }

    fn pack_leaf(&self, leaf: &G::Position, words: &mut Vec<u64>) {
        G::Random::default().pack(&self.board(leaf), words);
    }
}

const TASKS: &[Task] = &[Task::Choose, Task::Match];

/// The entry of `mcts-serial`, without the game.
pub const SERIAL: TechniqueEntry = TechniqueEntry {
    name: "mcts-serial",
    summary: "UCT on one core, with selection, expansion, one playout and backpropagation",
    like: "mcts-serial",
    reference: "mcts-serial",
    tasks: TASKS,
    ..TechniqueEntry::SERIAL
};

/// The entry of `mcts-batched-serial`, without the game.
pub const BATCHED_SERIAL: TechniqueEntry = TechniqueEntry {
    name: "mcts-batched-serial",
    summary: "the tree search of mcts with its playouts on one core and sixteen games per vector",
    like: "mcts-batched-serial",
    reference: "mcts-batched-serial",
    tasks: TASKS,
    params: &[LEAVES, PLAYOUTS, DEVICES],
    ..TechniqueEntry::SERIAL
};

/// The entry of `mcts`, without the game.
pub const DEVICE: TechniqueEntry = TechniqueEntry {
    name: "mcts",
    summary: "UCT with the tree on the host and the playouts from many leaves on the device",
    paper: "ours; batches as in CUDA Warcaby",
    like: "mcts-batched-rayon",
    reference: "mcts-batched-serial",
    counts: Counts::As("mcts-batched-serial"),
    tasks: TASKS,
    splits: true,
    ..TechniqueEntry::DEVICE
};

/// Creates `mcts-serial`, the strong serial baseline for trees: plain UCT on one core, one leaf and playout at a time.
pub const fn serial<G: TreeGame>() -> Technique {
    Technique::on_host(
        TechniqueEntry {
            paper: G::PAPER,
            ..SERIAL
        },
        |setup| {
            prepare_tree(setup, |_, game: G| {
                Ok(Box::new(on_core(&game, Settings::TEXTBOOK, setup.seed)))
            })
        },
    )
}

/// Creates `mcts-rayon`: UCT with a tree per thread. It is its own reference, because answers depend on the threads.
pub const fn rayon<G: TreeGame>() -> Technique {
    Technique::on_host(
        TechniqueEntry {
            name: "mcts-rayon",
            summary: "UCT on all cores with one tree per thread, adding up the visits at the roots",
            paper: "ours; root parallelization of Chaslot, Winands and van den Herik (2008)",
            like: "mcts-rayon",
            reference: "mcts-rayon",
            counts: Counts::Own,
            tasks: TASKS,
            params: &[PLAYOUTS_OF_ONE],
            ..TechniqueEntry::THREADS
        },
        |setup| {
            let settings = Settings::leaf_by_leaf(setup.params).map_err(Fault::Input)?;
            prepare_tree(setup, |_, game: G| {
                let tree = |seed| on_core(&game, settings, seed);
                Ok(Box::new(RootParallel::new(
                    setup.threads,
                    setup.seed,
                    tree,
                )?))
            })
        },
    )
}

/// Creates `mcts-batched-serial`, the reference and one-core baseline for [`device`]. Both play the same batches.
pub const fn batched_serial<G: TreeGame>() -> Technique {
    Technique::on_host(TechniqueEntry { ..BATCHED_SERIAL }, |setup| {
        let settings = Settings::read(setup.params).map_err(Fault::Input)?;
        prepare_tree(setup, |_, game: G| {
            Ok(Box::new(on_core(&game, settings, setup.seed)))
        })
    })
}

/// Creates `mcts-batched-rayon`. It is like [`device`], but all cores play a batch while one thread selects the next.
pub const fn batched_rayon<G: TreeGame>() -> Technique {
    Technique::on_host(
        TechniqueEntry {
            name: "mcts-batched-rayon",
            summary: "the tree search of mcts with its playouts on all cores",
            like: "mcts-batched-rayon",
            reference: "mcts-batched-serial",
            counts: Counts::As("mcts-batched-serial"),
            tasks: TASKS,
            params: &[LEAVES, PLAYOUTS],
            ..TechniqueEntry::THREADS
        },
        |setup| {
            let settings = Settings::read(setup.params).map_err(Fault::Input)?;
            prepare_tree(setup, |_, game: G| {
                let settings = G::fitting(settings);
                let games = game.leaves(setup.seed);
                let player = OnThreads::new(games, settings.playouts, setup.threads)?;
                Ok(Box::new(OneTree::new(game, player, settings, setup.seed)))
            })
        },
    )
}

/// Creates `mcts`, whose tree is on the host. The device plays a batch of leaves while the host selects the next batch.
pub const fn device<G: TreeGame>() -> Technique {
    Technique {
        entry: TechniqueEntry { ..G::MCTS },
        trials: G::MCTS_TRIALS,
        prepare: on_device::<G>,
    }
}

fn on_core<G: TreeGame>(game: &G, settings: Settings, seed: u64) -> OneTree<G> {
    let settings = G::fitting(settings);
    let player = OnCore::new(game.leaves(seed), settings.playouts);
    OneTree::new(game.clone(), player, settings, seed)
}

/// Number of bytes of the local variables of `leaf_playouts`: `next`, `group_plies`, `group_games`.
const LEAF_BYTES: usize = 16;

fn on_device<G: TreeGame>(setup: &Setup<'_>) -> Prepared {
    let settings = Settings::read(setup.params).map_err(Fault::Input)?;
    prepare_tree(setup, |play, game: G| {
        let settings = G::fitting(settings);
        let device = setup.on_device()?;
        let kernel = game.leaf_kernel(setup, device)?;
        let root = game.root(&play.start());
        let packer = game.clone();
        let pack = move |leaf: &G::Position, words: &mut Vec<G::Word>| {
            packer.pack_leaf(leaf, words);
        };
        let player = DeviceLeaves::new(setup, device, &kernel, settings, (root, pack))?;
        let tree = OneTree::new(game, player, settings, setup.seed);
        Ok(Box::new(tree.on_threads(setup.tree_threads())?))
    })
}

/// Prepares a tree search for choices and matches.
pub fn prepare_tree<G: TreeGame>(
    setup: &Setup<'_>,
    chooser: impl FnOnce(&G::Play, G) -> Result<Box<dyn Chooser<G::Play>>, Fault>,
) -> Prepared {
    G::Play::takes_random_games(setup.case).map_err(Fault::Unsupported)?;
    prepare(setup, |play: &G::Play, _| {
        let game = G::rules(play)?;
        if setup.case.get("depth").is_some() {
            let why = "depth: it searches for an effort, not to a depth";
            return Err(Fault::Unsupported(why.into()));
        }
        needs_effort(play.amount().effort)?;
        chooser(play, game).map(Made::Choose)
    })
}

#[cfg(test)]
mod tests;
