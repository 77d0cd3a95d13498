//! `mcts-serial`: plain UCT on one core.

use super::tasks::{self, Wanted};
use crate::games::checkers::{Checkers, LeafGames};
use crate::techniques::tasks::host_leaves::OnCore;
use crate::techniques::tasks::mcts::{OneTree, Settings};
use crate::techniques::tasks::tree_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, TechniqueEntry};

/// The strong serial baseline of tree search: one leaf at a time with one playout, selected with all earlier results.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        paper: "Monte Carlo Tree Search",
        ..tree_search::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::textbook(setup.params).map_err(Fault::Input)?;
    tasks::prepare_chooser(setup, |wanted| {
        Ok(Box::new(tree(wanted, settings, wanted.seed)))
    })
}

pub(super) fn tree(wanted: &Wanted<'_>, settings: Settings, seed: u64) -> OneTree<Checkers> {
    let game = wanted.asked.game;
    let games = LeafGames::new(*game.rules(), seed);
    let player = OnCore::new(games, settings.playouts);
    OneTree::new(game, player, settings, seed)
}
