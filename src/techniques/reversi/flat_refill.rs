//! `flat-refill`: random games from all moves in one launch, one after another in each work-item.

use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::random_games::{VisitRandom, random_game_of};
use super::tasks::{self, Reversi};
use crate::games::reversi::{
    Position, RandomBoard, RandomRows, RandomRowsBoard, RandomSquares, Word,
};
use crate::opencl::Defines;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::RandomPlayer;
use crate::techniques::tasks::flat_refill::{GROUP, ITEMS, LANES, OnDevice, WORDS, on_device};
use crate::techniques::{Setup, Technique};
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
///
/// On other boards a game is a word a rank and side ([`RandomRows`]). Bound on an H200 for 16x16, counted by hand in the same
/// way: a rank takes 38 operations up the board, 22 of them for runs along it, and 30 down it, and 14.4 ranks of 16 are looked
/// at on average: 980; a move is found in 75, its discs are turned in 155, and 45 are for the rest: 1,255 a ply. A game has
/// 253 plies: 317,000 operations, 53 M playouts/s. A warp waits for its longest line of turned discs, which is not in it.
///
/// Of 10,000 games on 16x16 on two cores of an AMD EPYC (Zen 5), built for it, by a second: `serial` 35,000 on one of them, `rayon`
/// 61,000; pocl 3.1 16 lanes 52,000, 8 lanes 70,000, one 32,000. On 64x64 16 and 8 lanes are alike, 1,500, and `serial` plays 860. Two thirds
/// of `serial` are moves made game by game, whose branches a processor does not foresee, one third is the search for them.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "flat-refill",
        summary: "random games from all moves in one launch; a work-item whose game has ended takes the next",
        needs: "local memory for three words a first move and, on other boards than 8x8, a game: 192 bytes on 16x16, 1,536 on 64x64",
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
    prepare: |setup| {
        tasks::prepare_random(setup, |start, playouts| {
            let player = Player {
                setup,
                from: (start, playouts),
            };
            random_game_of(start.size(), player)
        })
    },
};

/// Makes the player of whatever random game it visits.
struct Player<'a> {
    setup: &'a Setup<'a>,
    from: (&'a Position, u64),
}

impl VisitRandom for Player<'_> {
    type Output = Result<Box<dyn RandomPlayer<Reversi>>, Fault>;

    fn visit<G: OnDevice<Reversi>>(self, game: G) -> Self::Output {
        on_device(game, self.setup, self.from)
    }
}

impl OnDevice<Reversi> for RandomSquares {
    const PATH: &'static str = "reversi/flat_refill.cl";

    /// More than any position has, of the legal ones 33.
    fn most_moves(&self) -> usize {
        64
    }

    fn child_words(&self) -> usize {
        3
    }

    fn pack(&self, board: &RandomBoard, words: &mut Vec<u64>) {
        words.extend([board.own, board.other, board.live]);
    }
}

impl<W: Word> OnDevice<Reversi> for RandomRows<W> {
    const PATH: &'static str = "reversi/flat_refill_rows.cl";

    /// More than games have. Counters for all moves of 64x64 would take the local memory that games need.
    fn most_moves(&self) -> usize {
        self.size().squares().min(1024)
    }

    fn child_words(&self) -> usize {
        2 * self.size().height() * row_bits::<W>() / 64
    }

    /// The discs of both sides and the moves.
    fn room_bytes(&self) -> usize {
        3 * self.size().height() * row_bits::<W>() / 8
    }

    fn pack(&self, board: &RandomRowsBoard, words: &mut Vec<u64>) {
        for [own, other] in &board.ranks()[..self.size().height()] {
            match row_bits::<W>() {
                32 => words.push(own | other << 32),
                _ => words.extend([own, other]),
            }
        }
    }

    fn defines(&self) -> Defines {
        vec![
            ("WIDTH_OF_BOARD", self.size().width().to_string()),
            ("HEIGHT_OF_BOARD", self.size().height().to_string()),
        ]
    }
}

/// Bits of a rank in the kernel, `ROW_BITS`.
fn row_bits<W: Word>() -> usize {
    W::BITS.max(32) as usize
}
