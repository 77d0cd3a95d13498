use std::ops::Range;

use super::board::Board;
use super::lanes::{self, Game};
use super::moves::Choices;
use super::{Position, Rules};
use crate::games::leaf_games::PlaysLeaves;
use crate::games::played::{Ending, Played};
use crate::games::random_games::over;
use crate::random::{below, draw_key, playout_draw, xorshift32};
use crate::words::Tally;

/// Plays the numbered random games from one position with one seed.
///
/// Playout i from a position with M moves starts with move i mod M in the [order](super#the-order-of-moves). Each later
/// ply p, counted from 0 at the root, plays move (r × n) >> 32 of its n moves. r is the [draw](playout_draw).
#[derive(Clone, Debug)]
pub struct Playouts {
    rules: Rules,
    root: Board,
    quiet: u32,
    choices: Choices,
    over: bool,
    key: u32,
}

/// Plays a game that starts with move `index`. Generates [`BATCH`] random words at a time.
#[inline(always)]
fn play_one(rules: Rules, key: u32, game: &Game, choices: Choices, index: u32) -> Played {
    let mut draws = [0; BATCH as usize];
    play_on(rules, game, choices, index, |plies| {
        if plies.is_multiple_of(BATCH) {
            for (ply, draw) in (plies + 1..).zip(&mut draws) {
                *draw = playout_draw(key, game.number, ply);
            }
        }
        draws[(plies % BATCH) as usize]
    })
}

/// Plays a game. `draw` gets the number of the last ply, counted from 0, and returns the random word for the next ply.
#[inline(always)]
fn play_on(
    rules: Rules,
    game: &Game,
    mut choices: Choices,
    mut index: u32,
    mut draw: impl FnMut(u32) -> u32,
) -> Played {
    let (capture, limit) = (rules.capture, rules.draw_after);
    let (mut board, mut quiet, mut plies) = (game.board, game.quiet, game.plies);
    while choices.count > 0 && quiet < limit {
        let (next, captured) = choices.play(&board, capture, index);
        board = next;
        quiet = if captured { 0 } else { quiet + 1 };
        let word = draw(plies);
        choices = Choices::of(&board, capture);
        index = below(word, choices.count);
        plies += 1;
    }
    let ending = Ending::of(choices.count == 0, plies);
    Played { ending, plies }
}

/// The initial state of the paper's generator. Each thread XORs its number into this state.
const XORSHIFT_BEGIN: u32 = 0x9e37_79b9;

/// Number of random words generated at a time. They do not depend on the moves, so the compiler can vectorise the loop.
const BATCH: u32 = 16;

impl Playouts {
    /// Prepares the playouts from a position with a seed.
    pub fn new(rules: Rules, position: &Position, seed: u64) -> Playouts {
        let root = Board::of(position);
        let choices = Choices::of(&root, rules.capture);
        Playouts {
            rules,
            root,
            quiet: position.quiet,
            choices,
            over: choices.count == 0 || position.quiet >= rules.draw_after,
            key: draw_key(seed),
        }
    }

    /// Returns the number of moves with which playouts can start, or 0 if the game is over.
    pub fn first_moves(&self) -> u32 {
        if self.over { 0 } else { self.choices.count }
    }

    /// Plays playout number `number`, which must be below [`MOST_PLAYOUTS`](crate::random::MOST_PLAYOUTS).
    #[inline]
    pub fn play(&self, number: u64) -> Played {
        // If the game is over, the count may be 0, and no move is selected.
        let index = (number % u64::from(self.choices.count.max(1))) as u32;
        play_one(
            self.rules,
            self.key,
            &self.game(number),
            self.choices,
            index,
        )
    }

    fn game(&self, number: u64) -> Game {
        Game {
            board: self.root,
            quiet: self.quiet,
            plies: 0,
            number,
            tag: 0,
        }
    }

    /// Plays a game that starts with move `first`, which must be below [`Playouts::first_moves`]. Later moves come from
    /// [`xorshift32`], seeded with the thread's number as in the paper, without a key.
    pub fn play_as_seeded_by_thread(&self, first: u32, thread: u32) -> Played {
        let mut state = XORSHIFT_BEGIN ^ thread;
        play_on(self.rules, &self.game(0), self.choices, first, |_| {
            xorshift32(&mut state)
        })
    }

    /// Plays the playouts with these numbers and returns their tally.
    pub fn tally(&self, numbers: Range<u64>) -> Tally {
        if self.over {
            return over(self.play(0).ending, &numbers);
        }
        let mut tally = Tally::of_first_moves(self.first_moves() as usize);
        let capture = self.rules.capture;
        let child = |index| self.choices.play(&self.root, capture, index);
        let children: Vec<(Board, bool)> = (0..self.choices.count).map(child).collect();
        let games = numbers.map(|number| {
            let first = (number % children.len() as u64) as u32;
            let (board, captured) = children[first as usize];
            lanes::Game {
                board,
                quiet: if captured { 0 } else { self.quiet + 1 },
                plies: 1,
                number,
                tag: first,
            }
        });
        lanes::play_all(self.rules, self.key, games, |first, played| {
            played.count(first as usize, &mut tally);
        });
        tally.add_up();
        tally
    }
}

/// Plays numbered random games from the leaves of a tree search, with one seed.
///
/// Ply p, counted from 0, plays move (r × n) >> 32 of its n moves, where r is the game's [draw](playout_draw) at ply p.
#[derive(Clone, Copy, Debug)]
pub struct LeafGames {
    rules: Rules,
    key: u32,
}

impl LeafGames {
    /// Creates the games with the given rules and seed.
    pub fn new(rules: Rules, seed: u64) -> LeafGames {
        LeafGames {
            rules,
            key: draw_key(seed),
        }
    }

    #[inline(always)]
    fn game(&self, position: &Position, number: u64, tag: u32) -> Game {
        Game {
            board: Board::of(position),
            quiet: position.quiet,
            plies: 0,
            number,
            tag,
        }
    }
}

impl PlaysLeaves<Position> for LeafGames {
    #[inline]
    fn play(&self, position: &Position, number: u64) -> (u32, u32) {
        let game = self.game(position, number, 0);
        let choices = Choices::of(&game.board, self.rules.capture);
        let index = below(playout_draw(self.key, number, 0), choices.count);
        let played = play_one(self.rules, self.key, &game, choices, index);
        (played.ending.half_points(), played.plies)
    }

    /// Plays games from successive leaves together, so that lanes become idle only during the games from the last leaf.
    fn play_each(&self, leaves: &[Position], each: u32, first: u64, points: &mut Vec<u32>) -> u64 {
        points.clear();
        points.resize(leaves.len(), 0);
        let mut plies = 0;
        let of_leaf = |(tag, leaf)| (0..each).map(move |_| (tag, leaf));
        let games = (0..).zip(leaves).flat_map(of_leaf).zip(first..);
        let games = games.map(|((tag, leaf), number)| self.game(leaf, number, tag));
        lanes::play_all(self.rules, self.key, games, |leaf, played| {
            points[leaf as usize] += played.ending.half_points();
            plies += u64::from(played.plies);
        });
        plies
    }
}
