//! Trees of work-groups for the games of [`tree_search`](crate::techniques::tasks::tree_search).

use super::{BlockGame, BlockLayout};
use crate::games::leaf_games::LeafGames;
use crate::games::random_games::RandomGame;
use crate::opencl::{Defines, Device};
use crate::random::DRAW_ROUNDS;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::Chooser;
use crate::techniques::tasks::flat_refill::{OnDevice, group_and_lanes};
use crate::techniques::tasks::tree_search::{TreeGame, prepare};
use crate::techniques::{Sampler, Setup};
use crate::words::{Case, Fault, Params};

/// A game of trees that a device's work-groups grow.
pub trait BlockBoard: TreeGame + Sync {
    /// The kernel file, which includes `common/block_games.clh`.
    const BLOCK_KERNEL: &'static str;

    /// 64-bit words of a position (`PARTS` in the kernel file).
    const PARTS: usize;

    /// As [`BlockGame::NEEDS`].
    const BLOCK_NEEDS: &'static str = "32 bytes of global memory for each node of each group";

    /// As [`BlockGame::TRIALS`].
    const BLOCK_TRIALS: &'static [Trial];

    /// As [`BlockGame::check`]. Fails as there.
    fn takes(_case: &Case) -> Result<(), String> {
        Ok(())
    }

    /// Appends the words of a position.
    fn parts(&self, position: &Self::Position, words: &mut Vec<u64>);

    /// As [`BlockGame::tables`].
    fn block_tables(&self, _words: &mut Vec<u32>) {}

    /// The constants that the kernel file shares with the rules.
    fn block_defines(&self) -> Defines {
        Defines::new()
    }
}

/// Bytes of local memory for a group's tree, without its games: the path, and item 0's data.
const TREE_BYTES: usize = 640;

impl<G: BlockBoard> BlockGame for G {
    type Play = <G as TreeGame>::Play;
    type Leaves = LeafGames<G>;

    const NAME: &'static str = G::GAME;
    const KERNEL: &'static str = G::BLOCK_KERNEL;
    const WORDS: usize = 2 * G::PARTS;
    const NEEDS: &'static str = G::BLOCK_NEEDS;
    const TRIALS: &'static [Trial] = G::BLOCK_TRIALS;

    fn check(case: &Case) -> Result<(), String> {
        G::takes(case)
    }

    fn prepare(
        setup: &Setup<'_>,
        chooser: impl FnOnce(G) -> Result<Box<dyn Chooser<<G as TreeGame>::Play>>, Fault>,
    ) -> Result<Box<dyn Sampler>, Fault> {
        G::takes(setup.case).map_err(Fault::Unsupported)?;
        prepare::<G>(setup, chooser)
    }

    fn leaves(&self, seed: u64) -> LeafGames<G> {
        LeafGames::new(self.clone(), seed)
    }

    fn pack(&self, position: &Self::Position, words: &mut Vec<u32>) {
        let mut parts = Vec::with_capacity(G::PARTS);
        self.parts(position, &mut parts);
        let halves = parts
            .iter()
            .flat_map(|part| [*part as u32, (part >> 32) as u32]);
        words.extend(halves);
    }

    fn tables(&self, words: &mut Vec<u32>) {
        self.block_tables(words);
    }

    fn layout(&self, params: &Params, device: &Device) -> Result<BlockLayout, Fault> {
        let random = self.random();
        let (group, lanes) = group_and_lanes(params, device, random.room_bytes(), &|_| TREE_BYTES)?;
        let mut defines = self.block_defines();
        defines.extend([
            ("GROUP", group.to_string()),
            ("LANES", lanes.to_string()),
            (
                "PLIES_PER_WORD",
                <G::Random as RandomGame>::PLIES_PER_WORD.to_string(),
            ),
            ("DRAW_ROUNDS", DRAW_ROUNDS.to_string()),
        ]);
        Ok(BlockLayout {
            group,
            lanes,
            defines,
            notes: format!("group {group}, lanes {lanes}"),
        })
    }
}
