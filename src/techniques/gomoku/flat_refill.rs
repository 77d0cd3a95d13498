//! `flat-refill`: random games from all moves in one launch, one after another in each work-item.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::{self, Gomoku};
use crate::games::gomoku::{LONGEST_RANDOM, RANDOM_BOARD_WORDS, RandomBoard, RandomStones};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{GROUP, ITEMS, LANES, OnDevice, WORDS, on_device};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// Random games on the device; a work-item whose game has ended takes the next.
///
/// A game's list of empty squares and its lines lie in local memory, 632 bytes a work-item.
///
/// Prediction for an H200, in 32-bit operations of a ply, counted by hand: 18 for the digit of half a block, 20 for the
/// square in the list and the last that takes its place, 16 in each of four lines, 10 for the rest: 112, and
/// eleven words read and written in local memory. A game is begun by 158 words from global memory, a warp's lanes
/// one after another: some 330 operations every 16 plies, 21 a ply. A random game on 15x15 has 108 plies, and a lane
/// idles for 7.5 on average until the turn comes in which its game is counted: 115 x 133 = 15,300 operations a game.
/// 16.7 T/s give 1.1 G playouts/s; local memory has room for 5 groups of 64 on a unit, 10 warps, too few to hide its
/// latency, so that the figure will be lower.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "flat-refill",
        summary: "random games from all moves in one launch, up to 16x16; a work-item whose game has ended takes the next",
        needs: "local memory for a game a work-item, 632 bytes, and three words a first move",
        tasks: &[Task::Playouts],
        params: &[GROUP, LANES, ITEMS, WORDS],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("group=48 words=3", FEW_PLAYOUTS),
        Trial::new("group=16 words=2 items=64", FEW_PLAYOUTS),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_random(setup, |start, playouts| {
        on_device(RandomStones, setup, (start, playouts))
    })
}

impl OnDevice<Gomoku> for RandomStones {
    const PATH: &'static str = "gomoku/flat_refill.cl";
    const MOST_MOVES: usize = LONGEST_RANDOM * LONGEST_RANDOM;
    const CHILD_WORDS: usize = RANDOM_BOARD_WORDS / 2;
    const ROOM_BYTES: usize = 4 * (RANDOM_BOARD_WORDS - 2);
    const USUAL_WORDS: usize = 16;

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        let pairs = board.words();
        let pairs = pairs.as_chunks::<2>().0.iter();
        words.extend(pairs.map(|[low, high]| u64::from(*low) | u64::from(*high) << 32));
    }
}
