//! Playouts many at a time: a ply of each, in loops without a branch of which the compiler makes
//! vector operations. A game that has ended makes room for the next playout.
//!
//! A ply with a capture that goes on after its first jump, one in 29, is played by itself: in words
//! ([`ShortCaptures`]), or path by path where a third jump may follow, one in 20 of those.
//!
//! One core of a Xeon (Sapphire Rapids) with others at work beside it, start position, any capture, draw
//! after 80, playouts/s: at best 1.54 M built for the processor, 3.1 times what one game at a time
//! ([`Playouts::play`](super::Playouts::play)) makes; built for any x86-64 0.47 M, 1.5 times. Of the time, 34 % is the
//! plies, 21 % the draws, 24 % finding the lanes to be seen to and refilling them, 20 % captures of more
//! than one jump, a fifth of that the paths.
//!
//! - The two loops must be functions of their own, not inlined: inside the loop around them the compiler
//!   unrolls them before it thinks of vectors.
//! - Draws with the generator's words in 32 bits: 1.33 M, with the captures path by path.
//! - All captures that go on path by path, as one game at a time has them: 0.79 of the speed built for the
//!   processor, 0.95 built for any x86-64.
//! - Games with such a capture set aside until there are sixteen, whose captures are then found in one
//!   loop of vectors: 1.07 of the speed built for the processor, 0.97 built for any x86-64. Left out for
//!   its second store of games.

use super::board::Board;
use super::lane_captures::ShortCaptures;
use super::moves::Choices;
use super::squares::ROTATIONS;
use super::{Capture, Rules};
use crate::games::played::{Ending, Played};
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

/// The board after the capture that a random word draws, where one goes on.
#[inline(never)]
fn capture_on(board: &Board, capture: Capture, draw: u32) -> Board {
    if let Some(captures) = ShortCaptures::of(board, &board.reach(), capture) {
        return captures.play(board, below(draw, captures.count()));
    }
    let choices = Choices::of(board, capture);
    let index = below(draw, choices.count());
    choices.play(board, capture, index).0
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

/// A game to be played.
pub(super) struct Game {
    pub board: Board,
    /// Plies since the last capture, and since the root.
    pub quiet: u32,
    pub plies: u32,
    /// Which random words it draws.
    pub number: u64,
    /// What is told of it besides how it went.
    pub tag: u32,
}

/// Games under way, and those to come.
struct Batch<I> {
    rules: Rules,
    key: u32,
    left: I,
    now: Boards,
    /// Each game's number, its low and its high word.
    low: Lanes,
    high: Lanes,
    tags: Lanes,
    plies: Lanes,
    /// Bit i set: there is a game in lane i.
    active: u32,
}

/// Plays games under a key, and tells the tag of each and how it went, in the order in which they end.
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
    /// Takes the next game into a lane; its board is not set yet. With none left the lane stays empty.
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
                    let board = capture_on(&board, rules.capture(), draws[lane]);
                    next.set(lane, &board, 0);
                    continue;
                }
                let plies = self.plies[lane];
                let ending = Ending::of(found[lane] == STUCK, plies);
                tell(self.tags[lane], Played { ending, plies });
                if let Some(game) = self.begin(lane) {
                    next.set(lane, &game.board, game.quiet);
                    // The ply that all are about to have played is not this game's.
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
