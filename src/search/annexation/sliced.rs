//! Bit-sliced playouts: one bit a playout, 1024 of them at a time.

use super::rows::{MOVES_A_LOOK, Rows, rows_of};
use super::state::{Ended, State};
#[cfg(target_arch = "x86_64")]
use super::turn::{Avx512, has_avx512};
use super::turn::{Plain, Vectors};
use super::{Playouts, Tally, Unowned};
use crate::games::annexation::{Board, Draws, Lanes, PLAYOUTS_A_DRAW, PLAYOUTS_A_GROUP, named};

/// Plays 1024 playouts at a time: bit k of a cell's word is playout k, and a turn of all of them is
/// and, or and not on whole words, on any graph without a branch that depends on a playout.
///
/// Only cells that still matter are looked at: those that the mover can come to soon, and until every
/// playout in which they are unowned is decided. A playout is, when one player has more than half of
/// the cells or both have half.
///
/// On 196 cells 26,000 rows are looked at for 1024 playouts of 200 turns. A row is 18 loads of 64
/// bytes, which cost 0.26 ns each here (a Xeon with AVX-512, 3.0 GHz): 121 µs, 8.4 million playouts a
/// second, are the bound. Measured: 4.4 million, 19 times [`super::Frontiers`]; 72 % of that time in
/// the rows, the rest in drawing colours, in what waits and in counting. What was tried:
///
/// | change | 196 cells, playouts/s |
/// | --- | --- |
/// | all cells every turn but the settled, 512 playouts, each row's gain kept apart | 2.3 M |
/// | in place, one of two neighbours of a colour waiting, those of a colour in a row | 3.2 M |
/// | fewer lengths of rows, rows opened as a player comes near, the decided left out | 3.3 M |
/// | 1024 playouts, so that a row's numbers serve twice as many | 4.4 M |
///
/// On 992 cells, whose words fill the second-level cache, it is 0.57 million and 10 times.
#[derive(Clone, Debug)]
pub struct Sliced {
    starts: [usize; 2],
    groups: [Vec<Rows>; 2],
    state: State,
}

impl Sliced {
    /// Lays a board out.
    pub fn new(board: &Board) -> Sliced {
        let groups = board.starts().map(|start| rows_of(board, start));
        Sliced {
            starts: board.starts(),
            state: State::new(board, &groups),
            groups,
        }
    }

    /// Plays the playouts asked for: `serial-sliced`. A group ends where every playout of it is
    /// decided.
    pub fn tally(&mut self, playouts: &Playouts) -> Tally {
        self.play(playouts, false).tally
    }

    /// Plays the playouts asked for to the end, and counts what nobody owns there.
    pub fn unowned(&mut self, playouts: &Playouts) -> Unowned {
        self.play(playouts, true).unowned
    }

    fn play(&mut self, playouts: &Playouts, to_the_end: bool) -> Ended {
        let draws = Draws::new(playouts.seed);
        let mut ended = Ended::default();
        let mut block = playouts.first / PLAYOUTS_A_DRAW;
        while block < playouts.end().div_ceil(PLAYOUTS_A_DRAW) {
            let group = Group {
                draws,
                block,
                asked: lanes_within(block * PLAYOUTS_A_DRAW, playouts),
                turns: playouts.turns,
                to_the_end,
            };
            let found = group.play(self);
            ended.tally += found.tally;
            ended.unowned += found.unowned;
            block += PLAYOUTS_A_GROUP / PLAYOUTS_A_DRAW;
        }
        ended
    }
}

/// Which of the 1024 playouts from `begin` on are asked for.
fn lanes_within(begin: u64, playouts: &Playouts) -> Lanes {
    Lanes(std::array::from_fn(|lane| {
        let begin = begin.saturating_add(64 * lane as u64);
        // Bits below a playout's number, of the word that begins at `begin`.
        let below = |playout: u64| match playout.saturating_sub(begin) {
            bits @ 0..64 => (1_u64 << bits) - 1,
            _ => u64::MAX,
        };
        below(playouts.end()) & !below(playouts.first)
    }))
}

/// 1024 playouts.
#[derive(Clone, Copy)]
struct Group {
    draws: Draws,
    /// The first block of 32.
    block: u64,
    /// Which of them count.
    asked: Lanes,
    turns: u32,
    /// Whether the group is played until all cells are owned or the turns are over, rather than
    /// until the winners are known.
    to_the_end: bool,
}

impl Group {
    /// Plays with the widest vectors that this processor has.
    fn play(self, sliced: &mut Sliced) -> Ended {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                // SAFETY: the processor has the features that the function is compiled for.
                return unsafe { self.play_with_avx512(sliced) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the feature that the function is compiled for.
                return unsafe { self.play_with_avx2(sliced) };
            }
        }
        self.play_with::<Plain>(sliced)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    fn play_with_avx512(self, sliced: &mut Sliced) -> Ended {
        self.play_with::<Avx512>(sliced)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn play_with_avx2(self, sliced: &mut Sliced) -> Ended {
        self.play_with::<Plain>(sliced)
    }

    /// Plays with the vectors of the function that this is inlined into.
    #[inline(always)]
    fn play_with<V: Vectors>(self, sliced: &mut Sliced) -> Ended {
        let Sliced {
            starts,
            groups,
            state,
        } = sliced;
        state.begin(starts, &self.asked);
        for turn in 0..self.turns {
            let (mover, moves) = (turn as usize % 2, turn / 2);
            if moves % MOVES_A_LOOK == 0 {
                if mover == 0 && !self.to_the_end {
                    state.decide();
                }
                state.look(&groups[mover], mover);
                if self.to_the_end || state.decided != Lanes::NONE {
                    state.drop_owned(&groups[mover], mover);
                }
                if state.over == [true; 2] {
                    break;
                }
            }
            let colours = named(&self.draws.lanes(self.block, turn));
            state.turn::<V>(&groups[mover], mover, &colours);
        }
        state.count(&self.asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::annexation::{Kind, LANE_WORDS};

    /// One of them is what this processor plays with; the others must not differ.
    #[test]
    fn all_vectors_play_the_same() {
        for kind in Kind::ALL {
            let (board, _) = kind.board(2).unwrap();
            let mut sliced = Sliced::new(&board);
            for to_the_end in [false, true] {
                let group = Group {
                    draws: Draws::new(9),
                    block: 3,
                    asked: Lanes([0xffff_0fff_f0ff_0fff; LANE_WORDS]),
                    turns: board.default_turns(),
                    to_the_end,
                };
                let plain = group.play_with::<Plain>(&mut sliced);
                assert_eq!(plain.tally.playouts(), group.asked.count());
                let same = |other: Ended| {
                    assert_eq!(other.tally, plain.tally, "{kind}");
                    assert!(!to_the_end || other.unowned == plain.unowned, "{kind}");
                };
                same(group.play(&mut sliced));
                #[cfg(target_arch = "x86_64")]
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has it.
                    same(unsafe { group.play_with_avx2(&mut sliced) });
                }
            }
        }
    }
}
