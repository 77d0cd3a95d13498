//! Plays many playouts at a time in branch-free loops that the compiler vectorises. Each pass plays one ply of each
//! game. A new playout replaces each finished one. A capture that continues after its first jump is played separately,
//! with [`ShortCaptures`] or by enumerating paths.
//!
//! The two inner loops must not be inlined. Otherwise, the compiler would unroll them before it vectorises them.

use super::board::Board;
use super::lane_captures::ShortCaptures;
use super::moves::Choices;
use super::squares::ROTATIONS;
use super::{Capture, Rules};
use crate::games::played::{Ending, Played};
use crate::games::random_games::{LANES, Lanes};
use crate::random::{below, playout_draw};

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Boards {
    own: Lanes,
    other: Lanes,
    kings: Lanes,
    down: Lanes,
    quiet: Lanes,
}

const ORDINARY: u32 = 0;
/// The ply may be a capture of more than one jump.
const GOES_ON: u32 = 1;
const STUCK: u32 = 2;
const DRAWN: u32 = 3;

impl Boards {
    fn get(&self, lane: usize) -> Board {
        Board {
            own: self.own[lane],
            other: self.other[lane],
            kings: self.kings[lane],
            down: self.down[lane],
        }
    }

    fn set(&mut self, lane: usize, board: &Board, quiet: u32) {
        self.own[lane] = board.own;
        self.other[lane] = board.other;
        self.kings[lane] = board.kings;
        self.down[lane] = board.down;
        self.quiet[lane] = quiet;
    }
}

#[inline(never)]
fn draw(key: u32, low: &Lanes, high: &Lanes, plies: &Lanes, draws: &mut Lanes) {
    for lane in 0..LANES {
        let number = u64::from(low[lane]) | u64::from(high[lane]) << 32;
        draws[lane] = playout_draw(key, number, plies[lane]);
    }
}

/// Plays one ply of each game. Sets `found` to the kind of each ply. `next` is valid only in lanes with ordinary plies.
#[inline(never)]
fn ply(now: &Boards, draws: &Lanes, limit: u32, next: &mut Boards, found: &mut Lanes) {
    for lane in 0..LANES {
        let board = now.get(lane);
        let reach = board.reach();
        let [a, b, c, d] = reach.jumps;
        let captures = if a | b | c | d != 0 { !0 } else { 0 };
        let moves = |way: usize| reach.jumps[way] | reach.steps[way] & !captures;
        let (a, b, c, d) = (moves(0), moves(1), moves(2), moves(3));
        let before_b = a.count_ones();
        let before_c = before_b + b.count_ones();
        let before_d = before_c + c.count_ones();
        let count = before_d + d.count_ones();

        let goes_on = reach.goes_on(board.kings);
        let otherwise = if goes_on { GOES_ON } else { ORDINARY };
        let drawn = now.quiet[lane] >= limit;
        let otherwise = if drawn { DRAWN } else { otherwise };
        found[lane] = if count == 0 { STUCK } else { otherwise };

        let index = below(draws[lane], count);
        let mut way = (a, 0, ROTATIONS[0]);
        way = if index >= before_b {
            (b, before_b, ROTATIONS[1])
        } else {
            way
        };
        way = if index >= before_c {
            (c, before_c, ROTATIONS[2])
        } else {
            way
        };
        way = if index >= before_d {
            (d, before_d, ROTATIONS[3])
        } else {
            way
        };
        let (sources, before, rotation) = way;
        let from = 1_u32 << nth_bit(sources, index.wrapping_sub(before));
        let one = from.rotate_left(rotation);
        let two = one.rotate_left(rotation);
        let to = if captures != 0 { two } else { one };
        let moved = board.moved(from, to, one & captures);
        next.own[lane] = moved.own;
        next.other[lane] = moved.other;
        next.kings[lane] = moved.kings;
        next.down[lane] = moved.down;
        next.quiet[lane] = (now.quiet[lane] + 1) & !captures;
    }
}

/// Returns the board after the capture that `draw` selects. At least one capture must continue after its first jump.
#[inline(never)]
fn capture_on(board: &Board, capture: Capture, draw: u32) -> Board {
    if let Some(captures) = ShortCaptures::of(board, &board.reach(), capture) {
        return captures.play(board, below(draw, captures.count));
    }
    let choices = Choices::of(board, capture);
    let index = below(draw, choices.count);
    choices.play(board, capture, index).0
}

/// Returns the position of the set bit that has `index` set bits below it, by a binary search without branches.
#[inline(always)]
fn nth_bit(word: u32, index: u32) -> u32 {
    let (mut word, mut index, mut place) = (word, index, 0);
    for half in [16, 8, 4, 2, 1] {
        let below = (word & ((1 << half) - 1)).count_ones();
        let above = index >= below;
        word = if above { word >> half } else { word };
        index = if above {
            index.wrapping_sub(below)
        } else {
            index
        };
        place = if above { place + half } else { place };
    }
    place & 31
}

pub(super) struct Game {
    pub board: Board,
    /// Number of plies since the last capture.
    pub quiet: u32,
    /// Number of plies since the root.
    pub plies: u32,
    /// The game's number, which determines its random words.
    pub number: u64,
    /// The caller's tag for the game's result.
    pub tag: u32,
}

struct Batch<I> {
    rules: Rules,
    key: u32,
    left: I,
    now: Boards,
    low: Lanes,
    high: Lanes,
    tags: Lanes,
    plies: Lanes,
    active: u32,
}

/// Plays `games` with this key. Passes the tag and result of each game to `tell`, in the order in which games end.
pub(super) fn play_all(
    rules: Rules,
    key: u32,
    games: impl Iterator<Item = Game>,
    tell: impl FnMut(u32, Played),
) {
    let mut batch = Batch {
        rules,
        key,
        left: games,
        now: Boards::default(),
        low: [0; LANES],
        high: [0; LANES],
        tags: [0; LANES],
        plies: [0; LANES],
        active: 0,
    };
    for lane in 0..LANES {
        if let Some(game) = batch.begin(lane) {
            batch.now.set(lane, &game.board, game.quiet);
        }
    }
    batch.play(tell);
}

impl<I: Iterator<Item = Game>> Batch<I> {
    /// Assigns the next game to a lane, but does not set the board. If no game is left, the lane stays empty.
    #[inline(always)]
    fn begin(&mut self, lane: usize) -> Option<Game> {
        let Some(game) = self.left.next() else {
            self.active &= !(1 << lane);
            return None;
        };
        self.active |= 1 << lane;
        self.low[lane] = game.number as u32;
        self.high[lane] = (game.number >> 32) as u32;
        self.tags[lane] = game.tag;
        self.plies[lane] = game.plies;
        Some(game)
    }

    fn play(&mut self, mut tell: impl FnMut(u32, Played)) {
        let (rules, key) = (self.rules, self.key);
        let (mut next, mut draws, mut found) = (self.now, [0; LANES], [0; LANES]);
        while self.active != 0 {
            draw(key, &self.low, &self.high, &self.plies, &mut draws);
            ply(&self.now, &draws, rules.draw_after, &mut next, &mut found);
            let mut special = 0;
            for lane in 0..LANES {
                special |= u32::from(found[lane] != ORDINARY) << lane;
            }
            special &= self.active;
            while special != 0 {
                let lane = special.trailing_zeros() as usize % LANES;
                special &= special - 1;
                let board = self.now.get(lane);
                if found[lane] == GOES_ON {
                    let board = capture_on(&board, rules.capture, draws[lane]);
                    next.set(lane, &board, 0);
                    continue;
                }
                let plies = self.plies[lane];
                let ending = Ending::of(found[lane] == STUCK, plies);
                tell(self.tags[lane], Played { ending, plies });
                if let Some(game) = self.begin(lane) {
                    next.set(lane, &game.board, game.quiet);
                    // The new game has not played this pass's ply, so undo the increment below in advance.
                    self.plies[lane] = game.plies.wrapping_sub(1);
                }
            }
            for plies in &mut self.plies {
                *plies = plies.wrapping_add(1);
            }
            std::mem::swap(&mut self.now, &mut next);
        }
    }
}
