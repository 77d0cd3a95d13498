//! `flat-refill`: random games from all moves in one launch, one after another in each work-item.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::{self, Reversi};
use crate::games::reversi::{RandomBoard, RandomSquares};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{GROUP, ITEMS, LANES, OnDevice, WORDS, on_device};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{DEVICES, Fault, Task, TechniqueEntry};

/// Random games on the device; a work-item whose game has ended takes the next.
///
/// Bound on an H200, in 32-bit operations of a ply, counted by hand (a shift, a sum or a conjunction of 64 bits is
/// two, and a disjunction of a conjunction as much as either): the runs of seven directions 19 each, that of the carry 8,
/// their ends 28 together, which makes the moves; the move of a number some 40; the discs that it turns 6 up its rank,
/// 14 down it, 10 up each of three lines and 12 down each, 2 to turn them over: 88; 30 for the rest: 327. A block of words
/// serves four plies for some 35 operations, and between blocks games are counted and begun for some 50: 20 a ply. A random
/// game from the start has 60.4 plies, the first of them the host's, and a lane idles for 1.5 on average until the block ends
/// in which its game has: 61 x 347 = 21,200 operations a game. 16.7 T/s (64 a clock and unit, 132 units, 1.98 GHz) give
/// 790 M playouts/s. Measured, host to host: 694 M with 10 million playouts, 88 % of the bound; 628 M with a million. Following the runs from the square, and a test of the disc that closes
/// each, was 192 in place of 88: 580 M playouts/s.
///
/// Of 100,000 games on a core of an AMD EPYC (Zen 5) beside other work, by a second of processor time, `serial` 2.7 M:
/// pocl 3.1 16 lanes 3.8 M, 8 lanes 2.4 M, scalars 0.58 M, which were 0.41 M before; Intel's runtime (2026.2) 16 lanes
/// 4.1 M, 8 lanes or scalars 2.6 M. Four words between turns in place of two lost a quarter.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "flat-refill",
        summary: "random games from all moves in one launch, on 8x8; a work-item whose game has ended takes the next",
        needs: "local memory for three words a first move",
        tasks: &[Task::Playouts],
        params: &[GROUP, LANES, ITEMS, WORDS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48 words=2", FEW_PLAYOUTS),
        Trial::new("lanes=8 words=3 items=4", FEW_PLAYOUTS),
        Trial::new("lanes=16 words=1 group=16", FEW_PLAYOUTS),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_random(setup, |start, playouts| {
        on_device(RandomSquares, setup, (start, playouts))
    })
}

impl OnDevice<Reversi> for RandomSquares {
    const PATH: &'static str = "reversi/flat_refill.cl";
    /// More than any position has, of the legal ones 33.
    const MOST_MOVES: usize = 64;
    const CHILD_WORDS: usize = 3;

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.other, board.live]);
    }
}
