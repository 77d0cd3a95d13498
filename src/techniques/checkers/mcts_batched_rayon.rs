//! `mcts-batched-rayon`: the tree search of `mcts`, with batches played on all cores.

use super::tasks;
use crate::games::checkers::LeafGames;
use crate::techniques::tasks::host_leaves::OnThreads;
use crate::techniques::tasks::mcts::{OneTree, Settings, one_or_more};
use crate::techniques::tasks::tree_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, TechniqueEntry};

/// The like-for-like baseline of `mcts`: all cores play a batch while one thread selects the next. The tree equals
/// `mcts-batched-serial` for any number of threads.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        ..tree_search::BATCHED_RAYON
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let settings = Settings::read(setup.params).map_err(Fault::Input)?;
    tasks::prepare_chooser(setup, |wanted| {
        let game = wanted.asked.game;
        let trees = settings.trees as usize;
        let threads = setup.threads.div_ceil(trees);
        one_or_more(settings, trees, wanted.seed, |seed| {
            let games = LeafGames::new(*game.rules(), seed);
            let player = OnThreads::new(games, settings.playouts, threads)?;
            Ok(OneTree::new(game, player, settings, seed))
        })
    })
}
