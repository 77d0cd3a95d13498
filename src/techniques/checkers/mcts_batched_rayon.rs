//! `mcts-batched-rayon`: the tree search of `mcts`, with batches played on all cores.

use super::tasks;
use crate::games::checkers::LeafGames;
use crate::techniques::tasks::host_leaves::OnThreads;
use crate::techniques::tasks::mcts::{OneTree, Settings, one_or_more};
use crate::techniques::tasks::tree_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, TechniqueEntry};

/// The like-for-like baseline of `mcts` on the host: the playouts of a batch are distributed over all cores, while one
/// thread selects the next. The tree equals `mcts-batched-serial`'s, whatever the number of threads.
///
/// A leaf's 32 games take 23 µs of one core, its selection 0.3 to 1.4 µs. Selection on all threads beside the games, 16 of each
/// on 16 threads, lost a fifth: 17.1 M playouts/s of the 21.8 M of `rayon`, where one thread gave 20.4 of 19.5.
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
