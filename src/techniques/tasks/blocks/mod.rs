//! Grows a tree in each work-group of a device (`mcts-block`), for any [`BlockGame`]. [`host`] contains the reference.

use super::device_leaves::GamesLayout;
use super::flat_refill::{GROUP, LANES};
use super::tree_search::{BoardTree, TreeGame};
use crate::random::{BLOCK_ROUNDS, block_key, philox4x32};
use crate::techniques::hard::Hard;
use crate::techniques::prelude::*;

pub mod host;
pub mod trees;

whole_numbers! {
    /// Number of work-groups, each with a tree.
    pub auto GROUPS, read_groups: "groups", 1..=65_536, "auto",
        "`auto` (4 per compute unit, or 1 on a CPU) or the number of work-groups, each with a tree, from 1 to 65536";

    /// Capacity of each work-group's tree, in nodes.
    pub auto NODES, read_nodes: "nodes", 64..=16_777_216, "auto",
        "`auto` (as many as fit in a buffer of positions and a buffer of statistics, each at most a sixteenth of the \
              device's memory and 2 GiB, from 64 to 2^22) or the maximum number of nodes in each work-group's tree, \
              including untried moves, from 64 to 16777216";
}

/// A game for which the work-groups of a device can grow trees.
pub trait BlockGame: TreeGame {
    /// The kernel file, which includes `common/mcts_block.clh`.
    const KERNEL: &'static str;

    /// Number of 32-bit words per position in the kernel.
    const WORDS: usize;

    /// Requirements on the device, for `bench list`.
    const NEEDS: &'static str = "32 bytes of global memory for each node of each group";

    /// Parameters of the game's device technique.
    const PARAMS: &'static [ParamEntry] = &[GROUPS, GROUP, NODES, LANES, DEVICES];

    /// Hard cases of the game's device technique.
    const TRIALS: &'static [Trial];

    /// Appends the words of a position.
    fn pack(&self, position: &Self::Position, words: &mut Vec<u32>);

    /// Appends further tables for the kernel.
    fn tables(&self, _words: &mut Vec<u32>) {}

    /// Returns the layout of games on the device's work-items, and a readable description.
    fn layout(&self, params: &Params, device: &Device) -> Result<(GamesLayout, String), Fault>;
}

/// Returns one trial with the cases `large` and four with `small`. The last trial has the parameters `last`.
pub const fn trials(
    large: &'static [Hard],
    small: &'static [Hard],
    last: &'static str,
) -> [Trial; 5] {
    [
        Trial::new("groups=2 group=1 nodes=4096", large),
        Trial::new("groups=3 group=1 lanes=1 nodes=4096", small),
        Trial::new("groups=4 group=32 lanes=1 nodes=4096", small),
        Trial::new("groups=3 group=64 lanes=1 nodes=4096", small),
        Trial::new(last, small),
    ]
}

/// Number of bytes of local memory per group, excluding the games: the path in the tree, and data of work-item 0.
const TREE_BYTES: usize = 640;

/// Implements [`BlockGame::layout`] for a [`BoardTree`] whose kernel file includes `common/block_games.clh`.
pub fn board_layout<G: BoardTree>(
    params: &Params,
    device: &Device,
    defines: Defines,
) -> Result<(GamesLayout, String), Fault> {
    let layout = G::games_layout(params, device, TREE_BYTES, defines)?;
    let notes = format!("group {}, lanes {}", layout.group, layout.lanes);
    Ok((layout, notes))
}

/// Converts 64-bit words to 32-bit words, low half first.
pub fn halves(words: impl IntoIterator<Item = u64>) -> impl Iterator<Item = u32> {
    let words = words.into_iter();
    words.flat_map(|word| [word as u32, (word >> 32) as u32])
}

/// Maximum number of moves at a root. No position that occurs in games has more.
const MOST_MOVES: usize = 1024;

/// Fails with [`Fault::Unsupported`] if a root has too many moves for a tree of `room` nodes.
fn most_moves(moves: usize, room: usize) -> Result<(), Fault> {
    let most = MOST_MOVES.min(room - 1);
    match moves > most {
        false => Ok(()),
        true => Err(Fault::Unsupported(format!(
            "the root has {moves} moves; trees of {room} nodes take at most {most}"
        ))),
    }
}

/// Returns the key for random numbers in trees. Its counter differs from the counter for the games' key.
fn tree_key(seed: u64) -> u32 {
    philox4x32([0, 0, 0, 1], block_key(seed), BLOCK_ROUNDS)[0]
}
