//! `mcts-serial`: plain UCT on one core.

use super::host_leaves::OneByOne;
use super::tasks;
use crate::techniques::tasks::mcts::{C, OneTree, Settings};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The strong serial baseline of tree search: one leaf at a time with one playout, each selected with all
/// earlier results.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "annexation",
        name: "mcts-serial",
        summary: "UCT on one core: selection, expansion, one playout, backpropagation",
        like: "mcts-serial",
        reference: "mcts-serial",
        tasks: &[Task::Choose, Task::Match],
        params: &[C],
        ..TechniqueEntry::SERIAL
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
