//! Bit-sliced playouts: one bit a playout, 1024 at a time.

use super::rows::{MOVES_A_LOOK, Rows, rows_of};
use super::state::{Ended, State};
use super::turn::{Vectors, play_with_widest_vectors};
use super::{Playouts, Tally, Unowned};
use crate::games::annexation::{Board, Draws, Lanes, PLAYOUTS_A_DRAW, PLAYOUTS_A_GROUP, named};

/// Plays 1024 playouts at a time. Bit k of a cell's word is playout k, and a turn consists of AND, OR and NOT on whole
/// words, on any graph, without branches that depend on a playout.
///
/// A turn reads only cells within the mover's reach that are not owned in every undecided playout. A playout is decided
/// when one player has more than half of the cells, or both have half. The bound is the loads of rows.
#[derive(Clone, Debug)]
pub struct Sliced {
    starts: [usize; 2],
    groups: [Vec<Rows>; 2],
    state: State,
}

impl Sliced {
    /// Converts a board.
    pub fn new(board: &Board) -> Sliced {
        let groups = board.starts().map(|start| rows_of(board, start));
        Sliced {
            starts: board.starts(),
            state: State::new(board, &groups),
            groups,
        }
    }

    /// Plays the requested playouts: the technique `serial-sliced`. A group ends when all its playouts are decided.
    pub fn tally(&mut self, playouts: &Playouts) -> Tally {
        self.play(playouts, false).tally
    }

    /// Plays the requested playouts to the end, and counts the cells without an owner there.
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

/// Bit mask of the 64 playouts from `from` that lie in `begin..end`.
pub(super) fn bits_within(from: u64, begin: u64, end: u64) -> u64 {
    let below = |playout: u64| match playout.saturating_sub(from) {
        bits @ 0..64 => (1_u64 << bits) - 1,
        _ => u64::MAX,
    };
    below(end) & !below(begin)
}

fn lanes_within(begin: u64, playouts: &Playouts) -> Lanes {
    Lanes(std::array::from_fn(|lane| {
        let from = begin.saturating_add(64 * lane as u64);
        bits_within(from, playouts.first, playouts.end())
    }))
}

#[derive(Clone, Copy)]
struct Group {
    draws: Draws,
    block: u64,
    asked: Lanes,
    turns: u32,
    /// True to play until all cells are owned or the turns are over, instead of until all playouts are decided.
    to_the_end: bool,
}

impl Group {
    play_with_widest_vectors!(sliced: &mut Sliced => Ended);

    /// Plays with the vector width of the caller, into which it is inlined.
    #[inline(always)]
    fn play_with<V: Vectors>(self, sliced: &mut Sliced) -> Ended {
        let Sliced {
            starts,
            groups,
            state,
        } = sliced;
        state.begin(groups, &self.asked, |owned| {
            for (cells, start) in owned.iter_mut().zip(starts) {
                cells[*start] = self.asked;
            }
        });
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
    use crate::search::annexation::turn::Plain;

    /// This processor uses one of the variants; the others must give the same result.
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
                    // SAFETY: the processor has the feature.
                    same(unsafe { group.play_with_avx2(&mut sliced) });
                }
            }
        }
    }
}
