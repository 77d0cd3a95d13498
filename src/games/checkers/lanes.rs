//! Playouts many at a time: a ply of each, in loops without a branch of which the compiler makes
//! vector operations. A game that has ended makes room for the next playout.
//!
//! A ply with a capture that goes on after its first jump, one in 29, is played by itself: paths are
//! counted one after another.
//!
//! One core of a Xeon (Sapphire Rapids), start position, any capture, draw after 80, built for the
//! processor, playouts/s: 1.45 M, where one game at a time ([`Playouts::play`]) makes 0.55 M; built for
//! any x86-64 0.48 M and 0.36 M. Of the time, 28 % is the plies, 13 % the draws, 22 % finding the lanes
//! to be seen to and refilling them, 35 % captures of more than one jump.
//!
//! - The two loops must be functions of their own, not inlined: inside the loop around them the compiler
//!   unrolls them before it thinks of vectors.
//! - Draws with the generator's words in 32 bits: 1.33 M.
//! - Path counting that went through the paths again at every jump: 1.30 M in place of 1.36 M.

use std::ops::Range;

use super::board::Board;
use super::moves::Choices;
use super::playouts::{Ending, Played, Playouts};
use super::squares::ROTATIONS;
use crate::random::{below, playout_draw};

/// Games that are played at once: words in the widest vector.
const LANES: usize = 16;

/// A number for each game.
type Lanes = [u32; LANES];

/// Many games in step, a ply of each at a time.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Boards {
    own: Lanes,
    other: Lanes,
    kings: Lanes,
    down: Lanes,
    quiet: Lanes,
}

// What a ply finds of a game.

/// A ply like most.
const ORDINARY: u32 = 0;
/// A capture of more than one jump may be chosen.
const GOES_ON: u32 = 1;
/// The side to move has lost.
const STUCK: u32 = 2;
/// No capture for too long.
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

/// The random words of each game's next ply.
#[inline(never)]
fn draw(key: u32, low: &Lanes, high: &Lanes, plies: &Lanes, draws: &mut Lanes) {
    for lane in 0..LANES {
        let number = u64::from(low[lane]) | u64::from(high[lane]) << 32;
        draws[lane] = playout_draw(key, number, plies[lane]);
    }
}

/// Plays a ply of each game into `next`, and says what it found. Only of an ordinary ply does `next`
/// mean anything.
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

/// The number of the set bit in a word that has `index` set bits below it, by halves: without a
/// branch, so that it is done for all games at once.
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

/// Games under way, and those to come.
struct Batch<'a> {
    playouts: &'a Playouts,
    /// The board after each first move, and its plies since the last capture.
    children: Vec<(Board, u32)>,
    left: Range<u64>,
    now: Boards,
    /// Each game's number, its low and its high word.
    low: Lanes,
    high: Lanes,
    first_moves: Lanes,
    plies: Lanes,
    /// Bit i set: there is a game in lane i.
    active: u32,
}

/// Plays the playouts with these numbers, in no order, and tells the number of each one's first move
/// and how it went. There is a first move.
pub(super) fn play_all(playouts: &Playouts, numbers: Range<u64>, tell: impl FnMut(u32, Played)) {
    let child = |index| {
        let capture = playouts.rules.capture();
        let (board, captured) = playouts.choices.play(&playouts.root, capture, index);
        (board, if captured { 0 } else { playouts.quiet + 1 })
    };
    let mut batch = Batch {
        playouts,
        children: (0..playouts.first_moves()).map(child).collect(),
        left: numbers,
        now: Boards::default(),
        low: [0; LANES],
        high: [0; LANES],
        first_moves: [0; LANES],
        plies: [0; LANES],
        active: 0,
    };
    for lane in 0..LANES {
        if let Some((board, quiet)) = batch.begin(lane) {
            batch.now.set(lane, &board, quiet);
        }
    }
    batch.play(tell);
}

impl Batch<'_> {
    /// Takes the next playout into a lane: its board after the first move, and the plies since the
    /// last capture. With none left the lane stays empty.
    fn begin(&mut self, lane: usize) -> Option<(Board, u32)> {
        let Some(number) = self.left.next() else {
            self.active &= !(1 << lane);
            return None;
        };
        let first = number % self.children.len() as u64;
        self.active |= 1 << lane;
        self.low[lane] = number as u32;
        self.high[lane] = (number >> 32) as u32;
        self.first_moves[lane] = first as u32;
        self.plies[lane] = 1;
        Some(self.children[first as usize])
    }

    fn play(&mut self, mut tell: impl FnMut(u32, Played)) {
        let Playouts { rules, key, .. } = *self.playouts;
        let (mut next, mut draws, mut found) = (self.now, [0; LANES], [0; LANES]);
        while self.active != 0 {
            draw(key, &self.low, &self.high, &self.plies, &mut draws);
            ply(&self.now, &draws, rules.draw_after(), &mut next, &mut found);
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
                    let choices = Choices::of(&board, rules.capture());
                    let index = below(draws[lane], choices.count());
                    let (board, _) = choices.play(&board, rules.capture(), index);
                    next.set(lane, &board, 0);
                    continue;
                }
                let plies = self.plies[lane];
                let ending = Ending::of(found[lane] == STUCK, plies);
                tell(self.first_moves[lane], Played { ending, plies });
                if let Some((board, quiet)) = self.begin(lane) {
                    next.set(lane, &board, quiet);
                    // The ply that all are about to have played is not this game's.
                    self.plies[lane] = 0;
                }
            }
            for plies in &mut self.plies {
                *plies += 1;
            }
            std::mem::swap(&mut self.now, &mut next);
        }
    }
}
