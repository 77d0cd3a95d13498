//! `mcts-block-rayon`: grows the trees of `mcts-block` on all cores.

use rayon::ThreadPool;

use super::{BlockGame, GROUPS, NODES, most_moves, read_groups, read_nodes, tree_key};
use crate::search::{Block, explore, grow_block};
use crate::techniques::prelude::*;
use crate::techniques::tasks::flat_refill::{GROUP, read_group};
use crate::techniques::tasks::host_leaves::OnCore;
use crate::techniques::tasks::mcts::{C, choice, grown_in, merge};
use crate::techniques::tasks::tree_search::prepare_tree;
use crate::techniques::tasks::{At, Cased, Choice, Chooser, Effort, Play, Turn};

/// Creates the reference for `mcts-block`. It grows exactly the same trees from the same games, one tree per core at a
/// time. The effort must be a number of iterations, because trees that grow for a time are not reproducible.
///
/// By default, it grows one tree of at most 2^16 nodes, with 16 games per leaf.
pub const fn technique<G: BlockGame>() -> Technique {
    Technique::on_host(
        TechniqueEntry {
            name: "mcts-block-rayon",
            summary: "the trees of mcts-block on all cores, with the same visits",
            like: "mcts-block-rayon",
            reference: "mcts-block-rayon",
            counts: Counts::Own,
            tasks: &[Task::Choose],
            params: &[GROUPS, GROUP, LANES, NODES, DEVICES],
            check: |case, _| {
                takes_iterations(case).and_then(|()| G::Play::takes_random_games(case))
            },
            ..TechniqueEntry::THREADS
        },
        prepare::<G>,
    )
}

fn takes_iterations(case: &Case) -> Result<(), String> {
    let time = case.text("effort");
    time.map_or(Ok(()), |time| {
        Err(format!(
            "effort: `{time}`; allowed is a number of iterations"
        ))
    })
}

/// Default number of nodes per tree.
const USUAL_NODES: usize = 1 << 16;

/// Default number of games per leaf (the parameter `lanes`).
const USUAL_LANES: usize = 16;

whole_numbers! {
    /// Number of games that a work-item of [`GROUP`] would play in lockstep. A CPU core can play any number.
    auto LANES, read_lanes: "lanes", 1..=16, "auto",
        "`auto` (16) or the number of games that a work-item plays in lockstep, from 1 to 16";
}

fn prepare<G: BlockGame>(setup: &Setup<'_>) -> Prepared {
    let params = setup.params;
    let groups = GROUPS.given(params, None, read_groups)?.unwrap_or(1) as u32;
    let room = NODES
        .given(params, None, read_nodes)?
        .unwrap_or(USUAL_NODES);
    let group = GROUP.given(params, None, read_group)?.unwrap_or(1);
    let lanes = LANES.given(params, None, read_lanes)?;
    let playouts = (group * lanes.unwrap_or(USUAL_LANES)) as u32;
    prepare_tree(setup, |_, game: G| {
        let block = |number| Block {
            explore: explore(C, playouts),
            room,
            key: tree_key(setup.seed),
            number,
            of: groups,
        };
        Ok(Box::new(Blocks {
            player: OnCore::new(game.leaves(setup.seed), playouts),
            game,
            blocks: (0..groups).map(block).collect(),
            pool: setup.pool()?,
            room,
        }))
    })
}

/// The trees, and the player of their games.
struct Blocks<G: BlockGame> {
    game: G,
    blocks: Vec<Block>,
    player: OnCore<G::Leaves>,
    pool: ThreadPool,
    /// Maximum number of nodes per tree.
    room: usize,
}

impl<G: BlockGame> Chooser<G::Play> for Blocks<G> {
    fn choose(
        &mut self,
        at: &At<'_, G::Play>,
        effort: Effort,
    ) -> Result<Choice<<G::Play as Play>::Move>, Fault> {
        let At { play, position } = *at;
        let Effort::Iterations(all) = effort else {
            let why = format!("{effort}: it grows the trees of a number of iterations");
            return Err(Fault::Unsupported(why));
        };
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let moves = play.moves(position);
        most_moves(moves.len(), self.room)?;
        let root = self.game.root(position);
        let groups = self.blocks.len() as u64;
        let grow = |place: usize| {
            let block = &self.blocks[place];
            let more = u64::from(u64::from(block.number) < all % groups);
            let mut player = self.player.clone();
            grow_block(&self.game, &mut player, block, &root, all / groups + more)
        };
        let grown = grown_in(&self.pool, self.blocks.len(), &grow)?;
        let merged = grown.into_iter().reduce(merge).unwrap_or_default();
        Ok(choice(&moves, merged))
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry::noted(format!("{} trees", self.blocks.len()))
    }
}
