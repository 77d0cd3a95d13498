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
/// Prediction for an H200, in 32-bit operations of a ply, counted by hand (a shift, a sum or a conjunction of 64 bits is
/// two, and a disjunction of a conjunction as much as either): the runs of eight directions 20 each, their ends 28
/// together, which makes the moves; the move of a number some 40; the runs from it 16 each, for the pairs are
/// known, and whether a disc closes them 8 each; 30 for the rest: 450. A block of words serves four plies for some 35
/// operations, and between blocks games are counted and begun for some 50: 20 a ply. A random game from the start
/// has 60.4 plies, the first of them the host's, and a lane idles for 1.5 on average until the block ends in
/// which its game has: 61 x 470 = 28,700 operations a game. 16.7 T/s give 580 M playouts/s.
///
/// Of 200,000 games on two cores of an AMD EPYC (Zen 5) beside other work, under pocl 3.1, by a second of processor time:
/// 16 lanes 2.4 M, 8 lanes 1.9 M, scalars 0.41 M; four words between turns in place of two 1.8 M.
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
