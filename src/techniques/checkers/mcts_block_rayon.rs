//! `mcts-block-rayon`: the trees of `mcts-block` on all cores.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::device_games::{
    GROUP, GROUPS, LANE_COUNTS, LANES, NODE_COUNTS, NODES, Number, TREE_COUNTS, TREES,
};
use super::mcts_block::tree_key;
use super::tasks::{self, Draughts};
use crate::games::checkers::{Checkers, LeafGames, Move, Position};
use crate::search::{Block, Grown, explore, grow_block};
use crate::techniques::part::Division;
use crate::techniques::tasks::host_leaves::OnCore;
use crate::techniques::tasks::mcts::{C, Settings, choice, merge};
use crate::techniques::tasks::{Choice, Chooser, Effort, Play, Turn};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Case, Counts, DEVICES, Fault, Params, Task, TechniqueEntry, Telemetry};

/// The reference of `mcts-block`: the same trees from the same games, visit for visit, each grown by one core
/// at a time. It supports only efforts in iterations, because others are not reproducible.
///
/// By default it is one tree of 2^16 nodes with a group of 16 games.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "mcts-block-rayon",
        summary: "the trees of mcts-block on all cores: the same visits",
        like: "mcts-block-rayon",
        reference: "mcts-block-rayon",
        counts: Counts::Own,
        tasks: &[Task::Choose],
        params: &[TREES, GROUP, LANES, NODES, C, DEVICES],
        check: takes_iterations,
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn takes_iterations(case: &Case, _: &Params) -> Result<(), String> {
    let time = case.text("effort");
    time.map_or(Ok(()), |time| {
        Err(format!(
            "effort: `{time}`; allowed is a number of iterations"
        ))
    })
}

/// Default number of nodes per tree.
const USUAL_NODES: u32 = 1 << 16;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let c = Settings::textbook(setup.params).map_err(Fault::Input)?.c;
    let read = |number: Number, usual| {
        let said = number.read(setup.params).map_err(Fault::Input)?;
        Ok::<u32, Fault>(said.unwrap_or(usual))
    };
    let groups = read(TREE_COUNTS, 1)?;
    let playouts = read(GROUPS, 1)? * read(LANE_COUNTS, 16)?;
    let room = read(NODE_COUNTS, USUAL_NODES)? as usize;
    tasks::prepare_chooser(setup, |wanted| {
        let block = |number| Block {
            explore: explore(c, playouts),
            room,
            key: tree_key(wanted.seed),
            number,
            of: groups,
        };
        let game = wanted.asked.game;
        Ok(Box::new(Blocks {
            player: OnCore::new(LeafGames::new(*game.rules(), wanted.seed), playouts),
            game,
            blocks: (0..groups).map(block).collect(),
            pool: setup.pool()?,
        }))
    })
}

/// The groups, and the player of their games.
struct Blocks {
    game: Checkers,
    blocks: Vec<Block>,
    player: OnCore<LeafGames>,
    pool: ThreadPool,
}

impl Chooser<Draughts> for Blocks {
    fn choose(
        &mut self,
        play: &Draughts,
        position: &Position,
        effort: Effort,
    ) -> Result<Choice<Move>, Fault> {
        let Effort::Iterations(all) = effort else {
            return Err(Fault::Unsupported(format!(
                "{effort}: it grows the trees of a number of iterations"
            )));
        };
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let groups = self.blocks.len() as u64;
        let trees = self.blocks.par_iter().with_max_len(1).map(|block| {
            let more = u64::from(u64::from(block.number) < all % groups);
            let mut player = self.player.clone();
            grow_block(
                &self.game,
                &mut player,
                block,
                position,
                all / groups + more,
            )
        });
        let grown: Result<Vec<Grown>, Fault> = self.pool.install(|| trees.collect());
        let merged = grown?.into_iter().reduce(merge).unwrap_or_default();
        Ok(choice(&play.moves(position), merged))
    }

    fn division(&self, _effort: Effort) -> Option<Division> {
        Some(Division::Trees)
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry::noted(format!("{} trees", self.blocks.len()))
    }
}
