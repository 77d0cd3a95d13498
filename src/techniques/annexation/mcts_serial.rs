//! `mcts-serial`: plain UCT on one core.

use super::host_leaves::OneByOne;
use super::tasks;
use crate::techniques::tasks::mcts::{OneTree, Settings};
use crate::techniques::tasks::tree_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, TechniqueEntry};

/// The strong serial baseline of tree search: one leaf at a time with one playout.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        ..tree_search::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::textbook(setup.params).map_err(Fault::Input)?;
    tasks::prepare_tree(setup, settings, |game, settings, wanted| {
        let player = OneByOne::new(wanted.seed);
        Ok(Box::new(OneTree::new(game, player, settings, wanted.seed)))
    })
}
