//! `mcts-block` and `mcts-block-rayon`: a tree per work-group, on the device and on all cores.

use super::device_games::{self, GROUP, LANES, Layout, STEPS};
use super::hard::{SMALL_TREE, TREE};
use super::tasks::{self, Draughts};
use crate::games::checkers::{Checkers, LeafGames, Position};
use crate::opencl::Device;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::Chooser;
use crate::techniques::tasks::blocks::{BlockGame, BlockLayout, GROUPS, NODES, host, trees};
use crate::techniques::tasks::mcts::C;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{DEVICES, Fault, ParamEntry, Params};

/// [`trees::technique`] of checkers.
pub const TECHNIQUE: Technique = trees::technique::<Checkers>();

/// [`host::technique`] of checkers.
pub const RAYON: Technique = host::technique::<Checkers>();

const LEAF_DOWN: u32 = 1 << 31;

impl BlockGame for Checkers {
    type Play = Draughts;
    type Leaves = LeafGames;

    const NAME: &'static str = super::GAME.name;
    const KERNEL: &'static str = "checkers/mcts_block.cl";
    const WORDS: usize = 4;
    const PARAMS: &'static [ParamEntry] = &[GROUPS, GROUP, NODES, C, LANES, STEPS, DEVICES];
    const TRIALS: &'static [Trial] = &[
        Trial::new("groups=2 group=1 nodes=4096", TREE),
        Trial::new("groups=3 group=1 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=4 group=32 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=3 group=64 lanes=1 nodes=4096", SMALL_TREE),
        Trial::new("groups=1 group=5 lanes=16 nodes=300", SMALL_TREE),
    ];

    fn prepare(
        setup: &Setup<'_>,
        chooser: impl FnOnce(Checkers) -> Result<Box<dyn Chooser<Draughts>>, Fault>,
    ) -> Result<Box<dyn Sampler>, Fault> {
        tasks::prepare_chooser(setup, |wanted| chooser(wanted.asked.game))
    }

    fn leaves(&self, seed: u64) -> LeafGames {
        LeafGames::new(*self.rules(), seed)
    }

    fn pack(&self, position: &Position, words: &mut Vec<u32>) {
        words.extend(device_games::words(position));
        words.push(position.quiet() | device_games::down(position) & LEAF_DOWN);
    }

    fn layout(&self, params: &Params, device: &Device) -> Result<BlockLayout, Fault> {
        let layout = Layout::read(params, device)?;
        let mut defines = device_games::defines(self.rules());
        defines.extend(layout.defines());
        defines.push(("LEAF_DOWN", format!("{LEAF_DOWN:#x}u")));
        Ok(BlockLayout {
            group: layout.group,
            lanes: layout.lanes,
            defines,
            notes: layout.to_string(),
        })
    }
}
