//! Plays 1024 playouts at a time, bit-sliced, with one bit per playout.

use std::sync::Arc;

use super::rows::{MOVES_A_LOOK, Rows, rows_of};
use super::state::{Ended, State, Unowned};
#[cfg(target_arch = "x86_64")]
use super::turn::{Avx512, has_avx512};
use super::turn::{Plain, Vectors};
use super::{Playouts, Tally};
use crate::games::annexation::{
    Board, Draws, LANE_WORDS, Lanes, PLAYOUTS_A_DRAW, Player, Position, named,
};

const SEATS: usize = 2 * LANE_WORDS;

/// A set of 32 lanes in a group. They play playouts from one leaf with the same random draw.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    /// Index of the leaf.
    pub leaf: usize,
    /// Index of the random draw.
    pub block: u64,
    /// Mask of the playouts in the block that were requested.
    pub asked: u32,
}

/// Returns the seats for the leaves with `mover` to move. Leaf k has `each` playouts, numbered from `first + k * each`.
pub fn seats_of(
    leaves: &[Position],
    mover: Player,
    (each, first): (u64, u64),
) -> impl Iterator<Item = Seat> + '_ {
    let own = leaves.iter().enumerate();
    let own = own.filter(move |(_, position)| position.mover() == mover);
    own.flat_map(move |(leaf, _)| {
        let begin = first + leaf as u64 * each;
        let end = begin + each;
        let blocks = begin / PLAYOUTS_A_DRAW..end.div_ceil(PLAYOUTS_A_DRAW);
        blocks.map(move |block| Seat {
            leaf,
            block,
            asked: playouts_within(block * PLAYOUTS_A_DRAW, begin, end),
        })
    })
}

/// Plays 1024 playouts at a time. Bit k in a cell's word belongs to playout k. A turn consists of AND, OR and NOT on
/// whole words, works on any graph, and has no branches that depend on a playout.
///
/// A turn reads only the cells within the mover's reach that still have no owner in some undecided playout. A playout
/// is decided when one player has more than half of the cells, or both have half. Loading rows limits the speed.
#[derive(Clone, Debug)]
pub struct Sliced {
    board: Arc<Board>,
    rows: [Vec<Rows>; 2],
    state: State,
}

impl Sliced {
    /// Prepares a board for playouts.
    pub fn new(board: &Board) -> Sliced {
        Sliced::on(&Arc::new(board.clone()))
    }

    /// Prepares the board of a tree for playouts.
    pub fn on(board: &Arc<Board>) -> Sliced {
        let rows = board.starts().map(|start| rows_of(board, start));
        Sliced {
            board: Arc::clone(board),
            state: State::new(board, &rows),
            rows,
        }
    }

    /// Plays the requested playouts, as `serial-sliced` does. A group of playouts ends when all of them are decided.
    pub fn tally(&mut self, playouts: &Playouts) -> Tally {
        let mut sum = Tally::default();
        self.play(playouts, false, |found| sum += &found.tally);
        sum
    }

    /// Plays the requested playouts to the end, and counts the cells that are still unowned there.
    pub fn unowned(&mut self, playouts: &Playouts, sums: &mut Unowned) {
        self.play(playouts, true, |found| {
            let each = sums.iter_mut().zip(found.unowned);
            each.for_each(|(sum, more)| *sum += more);
        });
    }

    fn play(&mut self, playouts: &Playouts, to_the_end: bool, mut ended: impl FnMut(Ended)) {
        let start = [Position::start(&self.board, playouts.turns)];
        let seats = seats_of(&start, Player::First, (playouts.count, playouts.first));
        let draws = Draws::new(playouts.seed);
        self.play_seats(&start, draws, to_the_end, seats, |_, found| ended(found));
    }

    /// Plays the playouts from a tree's leaves, in the seats from [`seats_of`]. A group has up to 32 leaves, all with
    /// the same player to move. Writes the half points of each leaf's side to move: 2 for a win, 1 for a draw.
    pub fn play_leaves(
        &mut self,
        leaves: &[Position],
        draws: Draws,
        numbers: (u64, u64),
        points: &mut Vec<u32>,
    ) {
        points.clear();
        points.resize(leaves.len(), 0);
        for mover in [Player::First, Player::Second] {
            let seats = seats_of(leaves, mover, numbers);
            self.play_seats(leaves, draws, false, seats, |seats, found| {
                for (place, seat) in seats.iter().enumerate() {
                    let [won, lost] = [mover, mover.other()].map(|side| {
                        (bits(&found.ahead[side.index()], place) & seat.asked).count_ones()
                    });
                    points[seat.leaf] += seat.asked.count_ones() + won - lost;
                }
            });
        }
    }

    /// Plays seats in groups, and passes each group's result to `ended`. All leaves have the same player to move.
    fn play_seats(
        &mut self,
        leaves: &[Position],
        draws: Draws,
        to_the_end: bool,
        mut seats: impl Iterator<Item = Seat>,
        mut ended: impl FnMut(&[Seat], Ended),
    ) {
        loop {
            let seats: Vec<Seat> = seats.by_ref().take(SEATS).collect();
            if seats.is_empty() {
                return;
            }
            let group = Group {
                leaves,
                seats: &seats,
                draws,
                to_the_end,
            };
            ended(&seats, group.play(self));
        }
    }
}

/// Returns the mask of the playouts in `begin..end` among the 32 playouts that start at `from`.
fn playouts_within(from: u64, begin: u64, end: u64) -> u32 {
    let below = |playout: u64| match playout.saturating_sub(from) {
        bits @ 0..32 => (1_u32 << bits) - 1,
        _ => u32::MAX,
    };
    below(end) & !below(begin)
}

#[inline(always)]
fn join(lanes: &mut Lanes, seat: usize, bits: u32) {
    lanes.0[seat / 2] |= u64::from(bits) << (seat % 2 * 32);
}

fn bits(lanes: &Lanes, seat: usize) -> u32 {
    (lanes.0[seat / 2] >> (seat % 2 * 32)) as u32
}

#[derive(Clone, Copy)]
struct Group<'a> {
    leaves: &'a [Position],
    seats: &'a [Seat],
    draws: Draws,
    /// Whether to play on after all playouts are decided, until all cells are owned or no turns are left.
    to_the_end: bool,
}

impl Group<'_> {
    fn asked(&self) -> Lanes {
        let mut asked = Lanes::NONE;
        for (place, seat) in self.seats.iter().enumerate() {
            join(&mut asked, place, seat.asked);
        }
        asked
    }

    /// Plays with the widest vectors that this processor supports.
    fn play(self, sliced: &mut Sliced) -> Ended {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                // SAFETY: the processor has the features for which the function is compiled.
                return unsafe { self.play_with_avx512(sliced) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the feature for which the function is compiled.
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

    /// Plays with the vector width of the caller, into which this function is inlined.
    #[inline(always)]
    fn play_with<V: Vectors>(self, sliced: &mut Sliced) -> Ended {
        let Sliced { rows, state, .. } = sliced;
        let asked = self.asked();
        let mut blocks = [0; SEATS];
        for (block, seat) in blocks.iter_mut().zip(self.seats) {
            *block = seat.block;
        }
        state.begin(rows, &asked, |owned| {
            for (place, seat) in self.seats.iter().enumerate() {
                for (cells, player) in owned.iter_mut().zip([Player::First, Player::Second]) {
                    for cell in self.leaves[seat.leaf].owned(player) {
                        join(&mut cells[cell], place, seat.asked);
                    }
                }
            }
        });
        let leaf = |seat: &Seat| &self.leaves[seat.leaf];
        let left = |seat: &Seat| leaf(seat).turns_left();
        let fewest = self.seats.iter().map(left).min().unwrap_or(0);
        let most = self.seats.iter().map(left).max().unwrap_or(0);
        let first = self.seats.first().map(leaf);
        // If the leaves are later positions of a game, some cells may already be owned in all playouts.
        let is_later = first.is_some_and(|first| first.turn > 0);
        let first = first.map_or(0, |first| first.mover().index());
        for turn in 0..most {
            let mover = (first + turn as usize) % 2;
            let mut colours = named(&self.draws.lanes(&blocks, turn));
            if turn >= fewest {
                let mut live = Lanes::NONE;
                for (place, seat) in self.seats.iter().enumerate() {
                    if turn < left(seat) {
                        join(&mut live, place, seat.asked);
                    }
                }
                state.decided = state.decided | !live;
                colours = colours.map(|named| named & live);
            }
            if turn / 2 % MOVES_A_LOOK == 0 {
                if turn % 2 == 0 && !self.to_the_end {
                    state.decide();
                }
                state.look(&rows[mover], mover);
                if self.to_the_end || is_later || state.decided != Lanes::NONE {
                    state.drop_owned(&rows[mover], mover);
                }
                if state.over == [true; 2] {
                    break;
                }
            }
            state.turn::<V>(&rows[mover], mover, &colours);
        }
        state.end(&asked, self.to_the_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Ahead;
    use crate::games::annexation::Kind;
    use crate::random::below;
    use crate::search::annexation::Frontiers;

    /// Returns positions from random games with only legal colours, at intervals of `apart` turns.
    fn positions(board: &Arc<Board>, turns: u32, games: u64, apart: u32) -> Vec<Position> {
        let mut found = Vec::new();
        for game in 0..games {
            let mut position = Position::start(board, turns);
            while let Ahead::Moves(moves) = position.ahead() {
                if position.turn.is_multiple_of(apart) {
                    found.push(position.clone());
                }
                let draw = Draws::new(77).words(game, position.turn)[0];
                position = position.after(below(draw, moves));
            }
        }
        found
    }

    #[test]
    fn leaves_have_the_points_that_their_playouts_have_one_by_one() {
        for (kind, turns, apart) in [
            (Kind::Hex7, 60, 1),
            (Kind::Hex200, 200, 7),
            (Kind::Hex200Merged, 25, 3),
            (Kind::Hex1000, 300, 31),
        ] {
            let board = Arc::new(kind.board(3).unwrap().0);
            let leaves = positions(&board, turns, 6, apart);
            assert!(leaves.len() > 10);
            for (each, first) in [(32, 64), (1, 5), (5, 1 << 37), (1024, 0), (45, 7)] {
                let mut sliced = Sliced::on(&board);
                let (mut points, draws) = (Vec::new(), Draws::new(9));
                sliced.play_leaves(&leaves, draws, (each, first), &mut points);
                let mut frontiers = Frontiers::new(&board);
                for (at, leaf) in leaves.iter().enumerate().step_by(5) {
                    let begin = first + at as u64 * each;
                    let alone = |playout| frontiers.play_from(leaf, &draws, playout);
                    let expected: u32 = (begin..begin + each).map(alone).sum();
                    assert_eq!(points[at], expected, "{kind} {each} from {begin}");
                }
            }
        }
    }

    /// The CPU selects one of the variants. The others must give the same result.
    #[test]
    fn all_vectors_play_the_same() {
        for kind in Kind::ALL {
            let board = Arc::new(kind.board(2).unwrap().0);
            let mut leaves = positions(&board, 150, 1, 2);
            leaves.truncate(SEATS);
            let seat = |leaf| Seat {
                leaf,
                block: leaf as u64,
                asked: 0xf0ff_0fff,
            };
            let seats: Vec<Seat> = (0..leaves.len()).map(seat).collect();
            let mut sliced = Sliced::on(&board);
            for to_the_end in [false, true] {
                let group = Group {
                    leaves: &leaves,
                    seats: &seats,
                    draws: Draws::new(9),
                    to_the_end,
                };
                let plain = group.play_with::<Plain>(&mut sliced);
                assert_eq!(plain.tally.playouts(), group.asked().count());
                let same = |other: Ended| {
                    assert_eq!(
                        (&other.tally, other.ahead),
                        (&plain.tally, plain.ahead),
                        "{kind}"
                    );
                    assert!(!to_the_end || other.unowned == plain.unowned, "{kind}");
                };
                same(group.play(&mut sliced));
                #[cfg(target_arch = "x86_64")]
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the CPU has the feature.
                    same(unsafe { group.play_with_avx2(&mut sliced) });
                }
            }
        }
    }
}
