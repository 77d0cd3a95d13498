//! `flat-refill`: random games from all moves in one launch, one after another in each work-item.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::{self, ConnectFour};
use crate::games::connect_four::{COLUMNS, RandomBoard, RandomColumns};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::flat_refill::{GROUP, ITEMS, LANES, OnDevice, WORDS, on_device};
use crate::words::{DEVICES, Task, TechniqueEntry};

/// Random games on the device; a work-item whose game has ended takes the next.
///
/// Bound on an H200, in 32-bit operations of a ply, counted by hand: 4 for the columns that have room, 4
/// for the product that counts them and 2 for their number, 2 for the digit, 9 for the column of that number,
/// 2 for the stone, 4 for the side to move, 32 for four in a row (two shifts and two conjunctions of
/// 64 bits in each of four directions), 12 for what goes on and counts: 71. A block of words serves eight plies for
/// some 35 operations, and between blocks a game is counted and begun for some 50: 11 a ply. A random game from the
/// start has 21.3 plies, the first of them the host's, and a lane idles for 3.5 on average until the block ends
/// in which its game has: 24 x 82 = 1,970 operations a game. 16.7 T/s (64 a clock and unit, 132 units,
/// 1.98 GHz) give 8.5 G playouts/s, less what the launch's last games leave idle. Measured, host to
/// host: 8.16 G with 100 million playouts, 96 % of the bound; 4.2 G with a million.
///
/// On a processor the bound is the vectors'. Of 1,000,000 games on two cores of an AMD EPYC (Zen 5) beside other work, under
/// pocl 3.1, by a second of processor time: 16 lanes 23 M, 8 lanes 17 M, scalars 5.5 M; one word between turns in place
/// of two 20 to 21 M, four 23 M.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "flat-refill",
        summary: "random games from all moves in one launch; a work-item whose game has ended takes the next",
        needs: "local memory for three words a first move",
        tasks: &[Task::Playouts],
        params: &[GROUP, LANES, ITEMS, WORDS, DEVICES],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=48 words=2", FEW_PLAYOUTS),
        Trial::new("lanes=8 words=3 items=4", FEW_PLAYOUTS),
        Trial::new("lanes=16 words=2 group=16", FEW_PLAYOUTS),
    ],
    prepare: |setup| {
        tasks::prepare_random(setup, |start, playouts| {
            on_device(RandomColumns, setup, (start, playouts))
        })
    },
};

impl OnDevice<ConnectFour> for RandomColumns {
    const PATH: &'static str = "connect_four/flat_refill.cl";

    fn most_moves(&self) -> usize {
        COLUMNS
    }

    fn child_words(&self) -> usize {
        4
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.stones, board.live, board.won]);
    }
}
