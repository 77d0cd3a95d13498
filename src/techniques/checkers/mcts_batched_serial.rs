//! `mcts-batched-serial`: the tree search of `mcts`, with batches played on one core.

use super::mcts_serial::tree;
use super::tasks;
use crate::techniques::tasks::mcts::{Settings, one_or_more};
use crate::techniques::tasks::tree_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, TechniqueEntry};

/// The reference of `mcts` and its baseline on one core: the same batches, selected equally far ahead, so that the
/// root's visits are equal.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        ..tree_search::BATCHED_SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::read(setup.params).map_err(Fault::Input)?;
    tasks::prepare_chooser(setup, |wanted| {
        one_or_more(settings, 1, wanted.seed, |seed| {
            Ok(tree(wanted, settings, seed))
        })
    })
}
