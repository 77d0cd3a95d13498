//! Trees of work-groups for the games of [`tree_search`](crate::techniques::tasks::tree_search).

use super::{BlockGame, BlockLayout};
use crate::games::random_games::RandomGame;
use crate::opencl::Device;
use crate::random::DRAW_ROUNDS;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::Cased;
use crate::techniques::tasks::flat_refill::{OnDevice, group_and_lanes};
use crate::techniques::tasks::tree_search::BoardTree;
use crate::words::{Case, Fault, Params};

/// Bytes of local memory for a group's tree, without its games: the path, and item 0's data.
const TREE_BYTES: usize = 640;

impl<G: BoardTree> BlockGame for G {
    const KERNEL: &'static str = G::BLOCK_KERNEL;
    const WORDS: usize = 2 * G::PARTS;
    const NEEDS: &'static str = G::BLOCK_NEEDS;
    const TRIALS: &'static [Trial] = G::BLOCK_TRIALS;

    fn check(case: &Case) -> Result<(), String> {
        <G as BoardTree>::Play::takes_random_games(case)
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
