//! `mcts-rayon`: plain UCT with a tree per core.

use super::mcts_serial::tree;
use super::tasks;
use crate::techniques::tasks::mcts::{RootParallel, Settings};
use crate::techniques::tasks::tree_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, TechniqueEntry};

/// The strong parallel baseline of tree search: `mcts-serial` on every thread with a separate seed; the visits are
/// added at the end. It is its own reference, as the answer depends on the number of threads. [`RootParallel`] lists
/// the alternatives. With several playouts per leaf it is the like-for-like baseline of `mcts-block`.
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
