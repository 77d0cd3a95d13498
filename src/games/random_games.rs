//! Plays random games of any [`PlayoutLanes`], many at a time on one core, and tallies them. Random words, first moves
//! and tallies follow the same scheme in all games, on the host and on devices (`cl/common/flat_refill.clh`).

use std::borrow::Borrow;
use std::ops::Range;

use super::played::{Ending, Played};
use crate::random::{draw_key, playout_words};
use crate::words::Tally;

/// Number of games played at a time. It is the number of 32-bit words in the widest vector.
pub const LANES: usize = 16;

/// One number per lane.
pub type Lanes = [u32; LANES];

/// A game with random moves. Each ply uses a [digit](crate::random::digit) of a random word. A word is enough for
/// [`PlayoutLanes::PLIES_PER_WORD`] plies.
pub trait PlayoutLanes: Clone + Send + Sync + 'static {
    /// Type of a position after the first ply. It records whether the game is over.
    type Board: Copy + Send + Sync;
    /// Boards for [`LANES`] games.
    type Boards: Default;

    /// Number of plies per random word. Sequences of moves must be equally likely to within one in a million.
    const PLIES_PER_WORD: u32;

    /// Minimum number of games per lane. With fewer games, a lane whose games end early is empty most of the time.
    const SERIES: u64 = 8;

    /// Puts a board into a lane.
    fn put(&self, boards: &mut Self::Boards, lane: usize, board: &Self::Board);

    /// Plays [`PlayoutLanes::PLIES_PER_WORD`] plies of each game that has not ended, with one random word per game.
    fn advance(&self, boards: &mut Self::Boards, words: &mut Lanes);

    /// Returns the lanes whose games have ended, as a bit set. A lane that never had a board counts as ended.
    fn ended(&self, boards: &Self::Boards) -> u32;

    /// Returns the result of the game in a lane.
    fn played(&self, boards: &Self::Boards, lane: usize) -> Played;
}

/// The position from which random games start.
#[derive(Clone, Debug)]
pub enum Root<B> {
    /// The game is over before the first ply.
    Over(Ending),
    /// The boards after each legal move, in the game's order.
    Children(Vec<B>),
}

/// Plays numbered random games from one position, with one seed.
///
/// Playout i from a position with M moves starts with move i mod M. Every later ply p, counted from 0 at the root, uses
/// the next digit of word w = (p - 1) div [`PlayoutLanes::PLIES_PER_WORD`]. This is word w mod 2 of the
/// [block](playout_words) w div 2 of playout i.
#[derive(Clone, Debug)]
pub struct Playouts<G: PlayoutLanes> {
    game: G,
    root: Root<G::Board>,
    /// The key for the playouts' random words.
    pub key: u32,
}

impl<G: PlayoutLanes> Playouts<G> {
    /// Prepares the playouts from a root with a seed.
    pub fn new(game: G, root: Root<G::Board>, seed: u64) -> Playouts<G> {
        let key = draw_key(seed);
        Playouts { game, root, key }
    }

    /// Returns the board after each first move, in order. Returns none if the game is over.
    pub fn children(&self) -> &[G::Board] {
        match &self.root {
            Root::Over(_) => &[],
            Root::Children(children) => children,
        }
    }

    /// Plays the playouts with these numbers, below [`MOST_PLAYOUTS`](crate::random::MOST_PLAYOUTS), and tallies them.
    pub fn tally(&self, numbers: Range<u64>) -> Tally {
        let children = match &self.root {
            Root::Over(ending) => return over(*ending, &numbers),
            Root::Children(children) => children,
        };
        let mut tally = Tally::of_first_moves(children.len());
        let games = numbers.map(|number| {
            let first = (number % children.len() as u64) as usize;
            (number, first, &children[first])
        });
        play_all(&self.game, self.key, games, |first, played| {
            played.count(first, &mut tally);
        });
        tally.add_up();
        tally
    }
}

/// Returns the tally of playouts that start from a finished game.
pub(super) fn over(ending: Ending, numbers: &Range<u64>) -> Tally {
    let count = numbers.end.saturating_sub(numbers.start);
    let mut tally = Tally::default();
    match ending {
        Ending::Won => tally.wins = count,
        Ending::Drawn => tally.draws = count,
        Ending::Lost => tally.losses = count,
    }
    tally
}

/// Plays games, each given by number, tag and board. Passes each game's tag and result to `tell`. A new game replaces
/// each finished one, so that lanes become idle only after the last game has started.
pub(super) fn play_all<G: PlayoutLanes, B: Borrow<G::Board>>(
    game: &G,
    key: u32,
    mut games: impl Iterator<Item = (u64, usize, B)>,
    mut tell: impl FnMut(usize, Played),
) {
    let mut boards = G::Boards::default();
    // Each game's number, its tag, and the number of random words that it has used.
    let (mut numbers, mut tags, mut words) = ([0; LANES], [0; LANES], [0; LANES]);
    let mut draws = [0; LANES];
    let mut active: u32 = 0;
    let mut free: u32 = (1 << LANES) - 1;
    loop {
        while free != 0 {
            let lane = free.trailing_zeros() as usize % LANES;
            free &= free - 1;
            if active >> lane & 1 != 0 {
                tell(tags[lane], game.played(&boards, lane));
            }
            let Some((number, tag, board)) = games.next() else {
                active &= !(1 << lane);
                continue;
            };
            active |= 1 << lane;
            (numbers[lane], tags[lane], words[lane]) = (number, tag, 0);
            game.put(&mut boards, lane, board.borrow());
        }
        if active == 0 {
            return;
        }
        draw(key, &numbers, &mut words, &mut draws);
        game.advance(&mut boards, &mut draws);
        free = game.ended(&boards) & active;
    }
}

/// Defines boards in lanes, with an array of [`LANES`] words for each word of a board. The board needs a method `play`.
macro_rules! side_by_side {
    ($boards:ident of $board:ident: $($word:ident),*) => {
        /// Boards for [`LANES`] games.
        #[derive(Clone, Debug, Default)]
        #[repr(align(64))]
        pub struct $boards {
            $($word: [u64; LANES],)*
        }

        impl $boards {
            #[inline(always)]
            fn put(&mut self, lane: usize, board: &$board) {
                $(self.$word[lane] = board.$word;)*
            }

            /// Plays a ply of each game. The compiler vectorises this only as a separate function.
            #[inline(never)]
            fn ply(&mut self, words: &mut Lanes) {
                for (lane, word) in words.iter_mut().enumerate() {
                    let mut board = $board {
                        $($word: self.$word[lane],)*
                    };
                    board.play(word);
                    self.put(lane, &board);
                }
            }
        }
    };
}
pub(super) use side_by_side;

#[inline(always)]
pub(super) fn all_ones(flag: bool) -> u64 {
    if flag { u64::MAX } else { 0 }
}

/// Returns the lanes whose words are 0, as a bit set.
#[inline]
pub(super) fn zeros(words: &[u64; LANES]) -> u32 {
    let words = words.iter().enumerate();
    words.fold(0, |bits, (lane, word)| bits | u32::from(*word == 0) << lane)
}

/// Draws each game's next random word. The compiler vectorises this only as a separate function without an index.
#[inline(never)]
fn draw(key: u32, numbers: &[u64; LANES], words: &mut Lanes, draws: &mut Lanes) {
    for lane in 0..LANES {
        let [even, odd] = playout_words(key, numbers[lane], words[lane] >> 1);
        draws[lane] = if words[lane] & 1 == 0 { even } else { odd };
        words[lane] = words[lane].wrapping_add(1);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::digit;

    /// Compares playouts, alone and together, with a loop over the plain rules. `children` returns the positions after
    /// each move or pass. `score` returns the value of a result for the side to move at the root.
    pub(crate) fn equal_a_plain_loop<G: PlayoutLanes, P: Clone>(
        playouts: &Playouts<G>,
        (root, seed): (&P, u64),
        numbers: Range<u64>,
        children: impl Fn(&P) -> Vec<P>,
        score: impl Fn(&P) -> i32,
    ) {
        let key = draw_key(seed);
        let firsts = children(root);
        let mut sum = Tally::of_first_moves(firsts.len());
        for number in numbers.clone() {
            let mut one = Tally::of_first_moves(firsts.len());
            let mut position = root.clone();
            let mut next = firsts.clone();
            let (mut plies, mut word) = (0, 0);
            let first = number as usize % firsts.len().max(1);
            while !next.is_empty() {
                let place = match plies {
                    0 => first,
                    _ => {
                        if (plies - 1) % G::PLIES_PER_WORD == 0 {
                            let w = (plies - 1) / G::PLIES_PER_WORD;
                            word = playout_words(key, number, w / 2)[w as usize % 2];
                        }
                        digit(&mut word, next.len() as u32) as usize
                    }
                };
                position = next.remove(place);
                next = children(&position);
                plies += 1;
            }
            let ending = match score(&position).signum() {
                1 => Ending::Won,
                0 => Ending::Drawn,
                _ => Ending::Lost,
            };
            if firsts.is_empty() {
                one = over(ending, &(0..1));
            } else {
                Played { ending, plies }.count(first, &mut one);
                one.add_up();
            }
            assert_eq!(playouts.tally(number..number + 1), one, "{seed} {number}");
            sum += &one;
        }
        assert_eq!(playouts.tally(numbers), sum, "{seed}");
    }
}
