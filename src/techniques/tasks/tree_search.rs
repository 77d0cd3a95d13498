//! Tree searches of the games whose boards are words, as techniques: what a game brings is its [`TreeGame`].

use super::device_leaves::{DeviceLeaves, LeafKernel};
use super::flat_refill::{GROUP, LANES, OnDevice, group_and_lanes};
use super::host_leaves::{OnCore, OnThreads};
use super::mcts::{
    C, LEAVES, OneTree, PLAYOUTS, PLAYOUTS_OF_ONE, RootParallel, Roots, Settings, TREES,
    one_or_more,
};
use super::{Chooser, Effort, Play, prepare_choice};
use crate::games::leaf_games::{LeafGame, LeafGames};
use crate::games::random_games::RandomGame;
use crate::random::DRAW_ROUNDS;
use crate::search::MOST_NODES;
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, DEVICES, Fault, ParamEntry, Task, TechniqueEntry, Value};

/// A game that trees are grown of.
pub trait TreeGame: LeafGame<Random: OnDevice<Self::Play>> + Roots<Self::Play> {
    /// The game in the common tasks.
    type Play: Play;

    /// Its name.
    const GAME: &'static str;

    /// The kernel file, which includes `common/leaf_playouts.clh`.
    const KERNEL: &'static str;

    /// Its device technique's parameters.
    const PARAMS: &'static [ParamEntry] =
        &[LEAVES, PLAYOUTS, C, TREES, GROUP, LANES, BLOCKS, DEVICES];

    /// Its device technique's hard cases.
    const TRIALS: &'static [Trial];

    /// The game of a cell: for its tasks, and for trees. Fails with [`Fault::Input`] where the case or an option makes
    /// no sense, or the board is too large.
    fn asked(setup: &Setup<'_>) -> Result<(Self::Play, Self, Option<Effort>), Fault>;
}

/// Blocks of two random words of every game between two turns of the games that have ended.
pub const BLOCKS: ParamEntry = ParamEntry {
    name: "blocks",
    allowed: "a number from 1 to 32: blocks of two random words of every game between two turns of the games that have \
              ended",
    default: "1; in gomoku 8",
    check: |value| read_blocks(value).map(drop),
};

fn read_blocks(value: &Value) -> Result<usize, String> {
    BLOCKS.whole(value, 1..=32)
}

const TASKS: &[Task] = &[Task::Choose, Task::Match];

/// The entry of `mcts-serial`, but for the game.
pub const SERIAL: TechniqueEntry = TechniqueEntry {
    name: "mcts-serial",
    summary: "UCT on one core: selection, expansion, one playout, backpropagation",
    like: "mcts-serial",
    reference: "mcts-serial",
    tasks: TASKS,
    params: &[C],
    ..TechniqueEntry::SERIAL
};

/// The entry of `mcts-rayon`, but for the game.
pub const RAYON: TechniqueEntry = TechniqueEntry {
    name: "mcts-rayon",
    summary: "UCT on all cores, a tree a thread, the roots' visits added up",
    paper: "ours; root parallelization of Chaslot, Winands and van den Herik (2008)",
    like: "mcts-rayon",
    reference: "mcts-rayon",
    counts: Counts::Own,
    tasks: TASKS,
    params: &[PLAYOUTS_OF_ONE, C],
    ..TechniqueEntry::THREADS
};

/// The entry of `mcts-batched-serial`, but for the game.
pub const BATCHED_SERIAL: TechniqueEntry = TechniqueEntry {
    name: "mcts-batched-serial",
    summary: "the tree search of mcts, its batches played on one core, sixteen games in step",
    like: "mcts-batched-serial",
    reference: "mcts-batched-serial",
    tasks: TASKS,
    params: &[LEAVES, PLAYOUTS, C, TREES, DEVICES],
    ..TechniqueEntry::SERIAL
};

/// The entry of `mcts-batched-rayon`, but for the game.
pub const BATCHED_RAYON: TechniqueEntry = TechniqueEntry {
    name: "mcts-batched-rayon",
    summary: "the tree search of mcts, its batches played on all cores",
    like: "mcts-batched-rayon",
    reference: "mcts-batched-serial",
    counts: Counts::As("mcts-batched-serial"),
    tasks: TASKS,
    params: &[LEAVES, PLAYOUTS, C, TREES],
    ..TechniqueEntry::THREADS
};

/// `mcts-serial`: plain UCT on one core, the strong serial baseline of tree search. A leaf at a time with one playout,
/// each selected with all earlier results.
pub const fn serial<G: TreeGame>() -> Technique {
    Technique {
        entry: TechniqueEntry {
            game: G::GAME,
            ..SERIAL
        },
        trials: &[],
        prepare: |setup| {
            let settings = Settings::textbook(setup.params).map_err(Fault::Input)?;
            prepare::<G>(setup, |game| {
                Ok(Box::new(on_core(&game, settings, setup.seed)))
            })
        },
    }
}

/// `mcts-rayon`: plain UCT with a tree a thread. It is its own reference, because its answer depends on the number of
/// threads.
pub const fn rayon<G: TreeGame>() -> Technique {
    Technique {
        entry: TechniqueEntry {
            game: G::GAME,
            ..RAYON
        },
        trials: &[],
        prepare: |setup| {
            let settings = Settings::leaf_by_leaf(setup.params).map_err(Fault::Input)?;
            prepare::<G>(setup, |game| {
                let tree = |seed| Ok(on_core(&game, settings, seed));
                let trees = RootParallel::new(setup.threads, setup.threads, setup.seed, tree)?;
                Ok(Box::new(trees))
            })
        },
    }
}

/// `mcts-batched-serial`: the reference of [`device`] and its baseline on one core. The same batches, selected equally
/// far ahead, so that the root's visits are equal.
pub const fn batched_serial<G: TreeGame>() -> Technique {
    Technique {
        entry: TechniqueEntry {
            game: G::GAME,
            ..BATCHED_SERIAL
        },
        trials: &[],
        prepare: |setup| {
            let settings = Settings::read(setup.params).map_err(Fault::Input)?;
            prepare::<G>(setup, |game| {
                one_or_more(settings, 1, setup.seed, |seed| {
                    Ok(on_core(&game, settings, seed))
                })
            })
        },
    }
}

/// `mcts-batched-rayon`: the like-for-like baseline of [`device`]. A batch's playouts are played on all cores, while
/// one thread selects the next.
pub const fn batched_rayon<G: TreeGame>() -> Technique {
    Technique {
        entry: TechniqueEntry {
            game: G::GAME,
            ..BATCHED_RAYON
        },
        trials: &[],
        prepare: |setup| {
            let settings = Settings::read(setup.params).map_err(Fault::Input)?;
            prepare::<G>(setup, |game| {
                let settings = fitting::<G>(settings);
                let trees = settings.trees as usize;
                let threads = setup.threads.div_ceil(trees);
                one_or_more(settings, trees, setup.seed, |seed| {
                    let games = LeafGames::new(game.clone(), seed);
                    let player = OnThreads::new(games, settings.playouts, threads)?;
                    Ok(OneTree::new(game.clone(), player, settings, seed))
                })
            })
        },
    }
}

/// `mcts`: the tree on the host, the playouts of many leaves at once on the device. The `mcts` of checkers documents
/// its bound. The parameter `trees` grows several trees at once.
pub const fn device<G: TreeGame>() -> Technique {
    Technique {
        entry: TechniqueEntry {
            game: G::GAME,
            name: "mcts",
            summary: "UCT with its tree on the host and the playouts of many leaves at once on the device",
            paper: "ours; the batches are those of CUDA Warcaby",
            like: "mcts-batched-rayon",
            reference: "mcts-batched-serial",
            counts: Counts::As("mcts-batched-serial"),
            tasks: TASKS,
            params: G::PARAMS,
            splits: true,
            ..TechniqueEntry::DEVICE
        },
        trials: G::TRIALS,
        prepare: on_device::<G>,
    }
}

/// Positions larger than 16 bytes leave room for fewer nodes in the same memory.
fn fitting<G: TreeGame>(settings: Settings) -> Settings {
    // What a node, its position and its number of moves take where all positions are 16 bytes.
    let usual = 40;
    let needed = usual.max(24 + size_of::<G::Position>());
    Settings {
        most_nodes: MOST_NODES / needed * usual,
        ..settings
    }
}

fn on_core<G: TreeGame>(game: &G, settings: Settings, seed: u64) -> OneTree<G> {
    let settings = fitting::<G>(settings);
    let player = OnCore::new(LeafGames::new(game.clone(), seed), settings.playouts);
    OneTree::new(game.clone(), player, settings, seed)
}

/// The local variables of `leaf_playouts`, bytes: `next`, `group_plies`, `group_games`.
const LEAF_BYTES: usize = 16;

fn on_device<G: TreeGame>(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::read(setup.params).map_err(Fault::Input)?;
    prepare::<G>(setup, |game| {
        let settings = fitting::<G>(settings);
        let (device, params) = (setup.on_device()?, setup.params);
        let random = game.random();
        let (group, lanes) = group_and_lanes(params, device, random.room_bytes(), &|_| LEAF_BYTES)?;
        let usual = <G::Random as OnDevice<G::Play>>::USUAL_WORDS / 2;
        let blocks = BLOCKS.given(params, usual.max(1), read_blocks)?;
        let mut defines = random.defines();
        defines.extend([
            ("GROUP", group.to_string()),
            ("LANES", lanes.to_string()),
            ("BLOCKS", blocks.to_string()),
            ("PLIES_PER_WORD", G::Random::PLIES_PER_WORD.to_string()),
            ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ]);
        let kernel = LeafKernel {
            path: G::KERNEL,
            defines,
            group,
            lanes,
            leaf_words: random.child_words(),
            layout: format!("blocks {blocks}"),
        };
        let root = game.root(&G::asked(setup)?.0.start());
        let threads = setup.tree_threads().max(settings.trees as usize);
        one_or_more(settings, threads, setup.seed, |seed| {
            let (random, boards) = (random.clone(), game.clone());
            let pack = move |leaf: &G::Position, words: &mut Vec<u64>| {
                random.pack(&boards.board(leaf), words);
            };
            let start = (root.clone(), pack);
            let player = DeviceLeaves::new(setup, device, &kernel, (settings, seed), start)?;
            Ok(OneTree::new(game.clone(), player, settings, seed))
        })
    })
}

/// Prepares a tree search for the tasks `choose` and `match`. Fails as [`TreeGame::asked`], [`Fault::Unsupported`] for
/// a case without an effort, and any error of `chooser`.
pub fn prepare<G: TreeGame>(
    setup: &Setup<'_>,
    chooser: impl FnOnce(G) -> Result<Box<dyn Chooser<G::Play>>, Fault>,
) -> Result<Box<dyn Sampler>, Fault> {
    prepare_made(setup, Box::new(chooser))
}

/// What makes a technique's chooser of a game.
type MakeChooser<'a, G> =
    Box<dyn FnOnce(G) -> Result<Box<dyn Chooser<<G as TreeGame>::Play>>, Fault> + 'a>;

/// [`prepare`], compiled once a game and not once a technique.
fn prepare_made<G: TreeGame>(
    setup: &Setup<'_>,
    chooser: MakeChooser<'_, G>,
) -> Result<Box<dyn Sampler>, Fault> {
    let (play, game, effort) = G::asked(setup)?;
    let Some(effort) = effort else {
        return Err(Fault::Unsupported(
            "depth: it searches for an effort, not to a depth".into(),
        ));
    };
    let position = match setup.position {
        Some(text) => play.parse(text).map_err(Fault::Input)?,
        None => play.start(),
    };
    prepare_choice(setup, play, vec![position], effort, |_| chooser(game))
}

#[cfg(test)]
mod tests;
