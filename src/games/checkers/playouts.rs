use std::ops::Range;

use super::board::Board;
use super::moves::Choices;
use super::{Position, Rules};
use crate::random::{below, draw_key, playout_draw};
use crate::words::Tally;

/// How a random game ended, from the side to move at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The opponent cannot move.
    Won,
    /// No capture for too long.
    Drawn,
    /// The side cannot move.
    Lost,
}

/// One random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// How it ended.
    pub ending: Ending,
    /// Moves of both sides.
    pub plies: u32,
}

/// The numbered random games from one position under one seed.
///
/// Playout i from a position with M moves begins with move i mod M in the [order](super#the-order-of-moves).
/// Every later ply p, counted from the root's 0, plays move (r × n) >> 32 of its n, r being the
/// [draw](playout_draw) of playout i at ply p. A game that is over at the root ends there, with no
/// plies.
#[derive(Clone, Debug)]
pub struct Playouts {
    rules: Rules,
    root: Board,
    quiet: u32,
    choices: Choices,
    over: bool,
    key: u32,
}

/// Draws made at once: they need nothing of the game, so that the compiler makes them in vectors.
const BATCH: u32 = 16;

impl Playouts {
    /// The playouts from a position under a seed.
    pub fn new(rules: Rules, position: &Position, seed: u64) -> Playouts {
        let root = Board::of(position);
        let choices = Choices::of(&root, rules.capture());
        Playouts {
            rules,
            root,
            quiet: position.quiet(),
            choices,
            over: choices.count() == 0 || position.quiet() >= rules.draw_after(),
            key: draw_key(seed),
        }
    }

    /// Moves that playouts begin with in turn; 0 where the game is over.
    pub fn first_moves(&self) -> u32 {
        if self.over { 0 } else { self.choices.count() }
    }

    /// Plays playout number `number`, below [`MOST_PLAYOUTS`](crate::random::MOST_PLAYOUTS).
    #[inline]
    pub fn play(&self, number: u64) -> Played {
        let capture = self.rules.capture();
        let limit = self.rules.draw_after();
        let (mut board, mut quiet, mut choices) = (self.root, self.quiet, self.choices);
        let mut draws = [0; BATCH as usize];
        let mut plies = 0;
        // The count is 0 where the game is over, and nothing is picked then.
        let mut index = (number % u64::from(choices.count().max(1))) as u32;
        while choices.count() > 0 && quiet < limit {
            let (next, captured) = choices.play(&board, capture, index);
            board = next;
            quiet = if captured { 0 } else { quiet + 1 };
            if plies % BATCH == 0 {
                for (ply, draw) in (plies + 1..).zip(&mut draws) {
                    *draw = playout_draw(self.key, number, ply);
                }
            }
            choices = Choices::of(&board, capture);
            index = below(draws[(plies % BATCH) as usize], choices.count());
            plies += 1;
        }
        let ending = match (choices.count(), plies % 2) {
            (1.., _) => Ending::Drawn,
            (0, 0) => Ending::Lost,
            (0, _) => Ending::Won,
        };
        Played { ending, plies }
    }

    /// The tally of the playouts with these numbers.
    pub fn tally(&self, numbers: Range<u64>) -> Tally {
        let mut tally = Tally {
            by_first_move: vec![(0, 0, 0); self.first_moves() as usize],
            ..Tally::default()
        };
        for number in numbers {
            let played = self.play(number);
            let ended = |ending| u64::from(played.ending == ending);
            let counts = (
                ended(Ending::Won),
                ended(Ending::Drawn),
                ended(Ending::Lost),
            );
            tally.wins += counts.0;
            tally.draws += counts.1;
            tally.losses += counts.2;
            tally.plies += u64::from(played.plies);
            let moves = tally.by_first_move.len().max(1) as u64;
            if let Some(sums) = tally.by_first_move.get_mut((number % moves) as usize) {
                sums.0 += counts.0;
                sums.1 += counts.1;
                sums.2 += counts.2;
            }
        }
        tally
    }
}
