//! Bit-sliced playouts from the leaves of a tree, several leaves per group.

use std::sync::Arc;

use super::rows::{MOVES_A_LOOK, Rows, rows_of};
use super::sliced::bits_within;
use super::state::State;
use super::turn::{Vectors, play_with_widest_vectors};
use crate::games::annexation::{
    Draws, Ground, LANE_WORDS, Lanes, Light, PLAYOUTS_A_DRAW, Player, named,
};

const SEATS: usize = 2 * LANE_WORDS;

/// 32 lanes of a group: playouts of one leaf that share one draw of the generator.
#[derive(Clone, Copy, Debug)]
struct Seat {
    leaf: usize,
    block: u64,
    /// Which of the block's 32 playouts belong to the request.
    asked: u32,
}

/// Plays leaves of one tree as [`super::Sliced`] does: up to 32 leaves with the same player to move in a group.
#[derive(Clone, Debug)]
pub struct SlicedLeaves {
    ground: Arc<Ground>,
    draws: Draws,
    rows: [Vec<Rows>; 2],
    state: State,
    seats: [Vec<Seat>; 2],
}

impl SlicedLeaves {
    /// Converts a tree's board; playouts are drawn from `seed`.
    pub fn new(ground: &Arc<Ground>, seed: u64) -> SlicedLeaves {
        let board = ground.board();
        let rows = board.starts().map(|start| rows_of(board, start));
        SlicedLeaves {
            ground: Arc::clone(ground),
            draws: Draws::new(seed),
            state: State::new(board, &rows),
            rows,
            seats: [Vec::new(), Vec::new()],
        }
    }

    /// True if these positions are on this board.
    pub fn is_of(&self, ground: &Arc<Ground>) -> bool {
        Arc::ptr_eq(&self.ground, ground)
    }

    /// Plays `each` playouts from each leaf, numbered from `first`. Writes each leaf's half points for its side to
    /// move: 2 for a win, 1 for a draw.
    pub fn play(&mut self, leaves: &[Light], each: u32, first: u64, points: &mut Vec<u32>) {
        points.clear();
        points.resize(leaves.len(), 0);
        self.seats.iter_mut().for_each(Vec::clear);
        for (leaf, position) in leaves.iter().enumerate() {
            let begin = first + leaf as u64 * u64::from(each);
            let end = begin + u64::from(each);
            let blocks = begin / PLAYOUTS_A_DRAW..end.div_ceil(PLAYOUTS_A_DRAW);
            let seats = &mut self.seats[position.mover().index()];
            seats.extend(blocks.map(|block| Seat {
                leaf,
                block,
                asked: playouts_within(block * PLAYOUTS_A_DRAW, begin, end),
            }));
        }
        let seats = std::mem::take(&mut self.seats);
        for (seats, mover) in seats.iter().zip([Player::First, Player::Second]) {
            for seats in seats.chunks(SEATS) {
                let group = Group {
                    leaves,
                    seats,
                    mover,
                    draws: self.draws,
                };
                group.play(self, points);
            }
        }
        self.seats = seats;
    }
}

/// Bit mask of the 32 playouts from `from` that lie in `begin..end`.
pub fn playouts_within(from: u64, begin: u64, end: u64) -> u32 {
    bits_within(from, begin, end) as u32
}

#[inline(always)]
fn join(lanes: &mut Lanes, seat: usize, bits: u32) {
    lanes.0[seat / 2] |= u64::from(bits) << (seat % 2 * 32);
}

#[derive(Clone, Copy)]
struct Group<'a> {
    leaves: &'a [Light],
    seats: &'a [Seat],
    mover: Player,
    draws: Draws,
}

impl Group<'_> {
    play_with_widest_vectors!(sliced: &mut SlicedLeaves, points: &mut [u32] => ());

    /// Plays with the vector width of the caller, into which it is inlined.
    #[inline(always)]
    fn play_with<V: Vectors>(self, sliced: &mut SlicedLeaves, points: &mut [u32]) {
        let SlicedLeaves { rows, state, .. } = sliced;
        let mut asked = Lanes::NONE;
        let mut blocks = [0; SEATS];
        for (place, seat) in self.seats.iter().enumerate() {
            join(&mut asked, place, seat.asked);
            blocks[place] = seat.block;
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
        let left = |seat: &Seat| self.leaves[seat.leaf].turns_left();
        let fewest = self.seats.iter().map(left).min().unwrap_or(0);
        let most = self.seats.iter().map(left).max().unwrap_or(0);
        for turn in 0..most {
            let mover = (self.mover.index() + turn as usize) % 2;
            let mut live = asked;
            if turn >= fewest {
                live = Lanes::NONE;
                for (place, seat) in self.seats.iter().enumerate() {
                    if turn < left(seat) {
                        join(&mut live, place, seat.asked);
                    }
                }
                state.decided = state.decided | !live;
            }
            if turn / 2 % MOVES_A_LOOK == 0 {
                if turn % 2 == 0 {
                    state.decide();
                }
                state.look(&rows[mover], mover);
                state.drop_owned(&rows[mover], mover);
                if state.over == [true; 2] {
                    break;
                }
            }
            let colours = named(&self.draws.lanes_of(&blocks, turn)).map(|named| named & live);
            state.turn::<V>(&rows[mover], mover, &colours);
        }
        let ahead = state.ahead();
        let bits = |lanes: &Lanes, place: usize| (lanes.0[place / 2] >> (place % 2 * 32)) as u32;
        for (place, seat) in self.seats.iter().enumerate() {
            let [won, lost] = [self.mover, self.mover.other()]
                .map(|player| (bits(&ahead[player.index()], place) & seat.asked).count_ones());
            points[seat.leaf] += seat.asked.count_ones() + won - lost;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::annexation::{Kind, LightGame};
    use crate::games::{Ahead, TreeRules};
    use crate::random::below;
    use crate::search::annexation::Frontiers;
    use crate::search::annexation::turn::Plain;

    /// Positions of random games with legal colours only, `apart` turns apart.
    fn positions(ground: &Arc<Ground>, games: u64, apart: u32) -> Vec<Light> {
        let mut found = Vec::new();
        for game in 0..games {
            let mut position = Light::start(ground);
            while let Ahead::Moves(moves) = LightGame.ahead(&position) {
                if position.turn.is_multiple_of(apart) {
                    found.push(position.clone());
                }
                let draw = Draws::new(77).words(game, position.turn)[0];
                position = LightGame.after(&position, below(draw, moves));
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
            let (board, _) = kind.board(3).unwrap();
            let ground = Arc::new(Ground::new(board, turns));
            let leaves = positions(&ground, 6, apart);
            assert!(leaves.len() > 10);
            for (each, first) in [(32, 64), (1, 5), (5, 1 << 37), (1024, 0), (45, 7)] {
                let mut sliced = SlicedLeaves::new(&ground, 9);
                let mut points = Vec::new();
                sliced.play(&leaves, each, first, &mut points);
                let mut frontiers = Frontiers::new(ground.board());
                for (at, leaf) in leaves.iter().enumerate().step_by(5) {
                    let begin = first + at as u64 * u64::from(each);
                    let alone = |playout| frontiers.play_from(leaf, &Draws::new(9), playout);
                    let expected: u32 = (begin..begin + u64::from(each)).map(alone).sum();
                    assert_eq!(points[at], expected, "{kind} {each} from {begin}");
                }
            }
        }
    }

    /// This processor uses one of the variants; the others must give the same result.
    #[test]
    fn all_vectors_play_the_same() {
        let (board, _) = Kind::Hex200.board(2).unwrap();
        let ground = Arc::new(Ground::new(board, 150));
        let leaves = positions(&ground, 1, 2);
        let seats: Vec<Seat> = (0..30)
            .map(|leaf| Seat {
                leaf,
                block: leaf as u64,
                asked: u32::MAX,
            })
            .collect();
        let group = Group {
            leaves: &leaves,
            seats: &seats,
            mover: Player::First,
            draws: Draws::new(4),
        };
        let mut sliced = SlicedLeaves::new(&ground, 4);
        let mut expected = vec![0; leaves.len()];
        group.play_with::<Plain>(&mut sliced, &mut expected);
        let mut points = vec![0; leaves.len()];
        group.play(&mut sliced, &mut points);
        assert_eq!(points, expected);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            points.fill(0);
            // SAFETY: the processor has the feature.
            unsafe { group.play_with_avx2(&mut sliced, &mut points) };
            assert_eq!(points, expected);
        }
    }
}
