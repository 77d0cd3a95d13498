//! `flat-refill`: random games from all moves in one launch, one after another in each work-item.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::{self, Gomoku};
use crate::games::gomoku::{LONGEST_RANDOM, RANDOM_BOARD_WORDS, RandomBoard, RandomStones};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{GROUP, ITEMS, LANES, OnDevice, WORDS, on_device};
use crate::words::{DEVICES, Task, TechniqueEntry};

/// Random games on the device; a work-item whose game has ended takes the next.
///
/// A game's list of empty squares and its lines lie in local memory, 632 bytes.
///
/// Bound on an H200, in 32-bit operations of a ply, counted by hand: 18 for the digit of half a block, 10 for the
/// square in the list and the last that takes its place, 8 for where its lines are, 4 in each of them, 8 for five in two
/// lines of a word, twice, 10 for the rest: 78, and eleven reads and writes in local memory, which takes 32 a clock and unit:
/// 11 clocks of the ply's 50. A game is begun by 158 words from global memory, a warp's lanes
/// one after another: some 330 operations every 16 plies, 21 a ply. A random game on 15x15 has 108 plies, and a lane
/// idles for 7.5 on average until the turn comes in which its game is counted: 115 x 99 = 11,400 operations a game.
/// 16.7 T/s (64 a clock and unit, 132 units, 1.98 GHz) give 1.5 G playouts/s. Local memory has room for 11 warps on a
/// unit: nearly three for each of its schedulers, of which one issues an operation every 4 to 5 clocks and
/// a scheduler every 2, so that latency alone costs up to a quarter. Measured, host to host: 1.03 G with 10 million playouts, 69 % of the
/// bound; 0.78 G with a million.
///
/// Of 100,000 games on a core of an AMD EPYC (Zen 5) beside other work, by a second of processor time, `serial`
/// 1.78 M: pocl 3.1 16 lanes 1.7 M, 8 lanes 1.6 M, one 1.2 M, and 1.03 M before squares were read as bytes and
/// lines looked through two at a time; 8 words between turns as fast as 16, 32 words 5 % slower. Intel's runtime
/// (2026.2) 1.34 M, 0.87 M where it may make vectors of work-items, and one lane 0.9 M.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "flat-refill",
        summary: "random games from all moves in one launch, up to 16x16; a work-item whose game has ended takes the next",
        needs: "local memory for a game, 632 bytes, and three words a first move",
        tasks: &[Task::Playouts],
        params: &[GROUP, LANES, ITEMS, WORDS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48 words=3", FEW_PLAYOUTS),
        Trial::new("lanes=8 words=5 items=4", FEW_PLAYOUTS),
        Trial::new("group=16 words=2 items=64", FEW_PLAYOUTS),
    ],
    prepare: |setup| {
        tasks::prepare_random(setup, |start, playouts| {
            on_device(RandomStones, setup, (start, playouts))
        })
    },
};

impl OnDevice<Gomoku> for RandomStones {
    const PATH: &'static str = "gomoku/flat_refill.cl";
    const USUAL_WORDS: usize = 16;

    fn most_moves(&self) -> usize {
        LONGEST_RANDOM * LONGEST_RANDOM
    }

    fn child_words(&self) -> usize {
        RANDOM_BOARD_WORDS / 2
    }

    fn room_bytes(&self) -> usize {
        4 * (RANDOM_BOARD_WORDS - 2)
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        let pairs = board.words();
        let pairs = pairs.as_chunks::<2>().0.iter();
        words.extend(pairs.map(|[low, high]| u64::from(*low) | u64::from(*high) << 32));
    }
}
