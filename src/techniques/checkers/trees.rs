//! Defines tree searches with random playouts. As in the paper, `mcts` plays batches of 32 games from many leaves.

use super::device_games::{self, GROUP, LANES, Layout};
use super::hard::{SMALL_TREE, TREE};
use super::tasks::Draughts;
use crate::games::checkers::{Checkers, LeafGames, Position};
use crate::techniques::prelude::*;
use crate::techniques::tasks::blocks::{self, BlockGame, GROUPS, NODES};
use crate::techniques::tasks::device_leaves::{GamesLayout, LeafKernel};
use crate::techniques::tasks::mcts::{LEAVES, PLAYOUTS};
use crate::techniques::tasks::tree_search::{self, TreeGame};

const LEAF_DOWN: u32 = 1 << 31;

/// Number of words per position: both sides' pieces, kings, and the plies since a capture combined with [`LEAF_DOWN`].
const LEAF_WORDS: usize = 4;

#[inline(always)]
fn pack(position: &Position, words: &mut Vec<u32>) {
    let [own, other, kings] = device_games::words(position);
    let down = device_games::down(position) & LEAF_DOWN;
    words.extend([own, other, kings, position.quiet | down]);
}

fn games_layout(game: &Checkers, layout: &Layout) -> GamesLayout {
    let mut defines = device_games::defines(game.rules());
    layout.define(&mut defines);
    defines.push(("LEAF_DOWN", format!("{LEAF_DOWN:#x}u")));
    GamesLayout {
        group: layout.group,
        lanes: layout.lanes,
        defines,
    }
}

impl TreeGame for Checkers {
    type Play = Draughts;
    type Leaves = LeafGames;
    type Word = u32;

    const PAPER: &'static str = "Monte Carlo Tree Search";
    const MCTS: TechniqueEntry = TechniqueEntry {
        paper: "Monte Carlo Tree Search; selecting ahead and small first batches are ours",
        params: &[LEAVES, PLAYOUTS, GROUP, LANES, DEVICES],
        ..tree_search::DEVICE
    };
    const MCTS_TRIALS: &'static [Trial] = &[
        Trial::new("", TREE),
        Trial::new("leaves=100 playouts=5", SMALL_TREE),
        Trial::new("leaves=7 playouts=64 lanes=1", SMALL_TREE),
        Trial::new("leaves=40 playouts=3", SMALL_TREE),
        Trial::new("leaves=50 playouts=9 lanes=1 group=24", SMALL_TREE),
    ];

    fn rules(play: &Draughts) -> Result<Checkers, Fault> {
        Ok(play.game)
    }

    fn leaves(&self, seed: u64) -> LeafGames {
        LeafGames::new(*self.rules(), seed)
    }

    fn leaf_kernel(&self, setup: &Setup<'_>, device: &Device) -> Result<LeafKernel, Fault> {
        let layout = Layout::read(setup.params, device)?.of_whole_vectors(device)?;
        Ok(LeafKernel {
            path: "checkers/leaf_playouts.cl",
            leaf_words: LEAF_WORDS,
            notes: format!("steps {}", layout.steps),
            layout: games_layout(self, &layout),
        })
    }

    fn pack_leaf(&self, leaf: &Position, words: &mut Vec<u32>) {
        pack(leaf, words);
    }
}

impl BlockGame for Checkers {
    const KERNEL: &'static str = "checkers/mcts_block.cl";
    const WORDS: usize = LEAF_WORDS;
    const PARAMS: &'static [ParamEntry] = &[GROUPS, GROUP, NODES, LANES, DEVICES];
    const TRIALS: &'static [Trial] =
        &blocks::trials(TREE, SMALL_TREE, "groups=1 group=5 lanes=16 nodes=300");

    fn pack(&self, position: &Position, words: &mut Vec<u32>) {
        pack(position, words);
    }

    fn layout(&self, params: &Params, device: &Device) -> Result<(GamesLayout, String), Fault> {
        let layout = Layout::read(params, device)?;
        Ok((games_layout(self, &layout), layout.notes()))
    }
}
