//! `mcts-rayon`: plain UCT, with a tree on every core.

use super::mcts_serial::tree;
use super::tasks;
use crate::techniques::tasks::mcts::{RootParallel, Settings};
use crate::techniques::tasks::tree_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, TechniqueEntry};

/// The strong parallel baseline of tree search: `mcts-serial`'s search on every thread with its own seed,
/// with the visits added at the end. [`RootParallel`] lists the alternatives. It is its own reference,
/// because its answer depends on the number of threads.
///
/// With several playouts a leaf it is the like-for-like baseline of `mcts-block`, whose groups play as many
/// as they have lanes; each selection then uses fewer earlier results per playout.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        ..tree_search::RAYON
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::leaf_by_leaf(setup.params).map_err(Fault::Input)?;
    tasks::prepare_chooser(setup, |wanted| {
        let one = |seed| Ok(tree(wanted, settings, seed));
        let threads = setup.threads;
        let trees = RootParallel::new(threads, threads, wanted.seed, one)?;
        Ok(Box::new(trees))
    })
}
