//! Implements the straight index, which the paper rejects ("Plansza"). It numbers squares row by row from the bottom,
//! four per row. The random games here are the reference for the kernels that use this index.
//!
//! ```text
//!    28    29    30    31
//! 24    25    26    27
//!    ...
//! 00    01    02    03
//! ```
//!
//! A step to one side adds ±4. A step to the other side adds +3 or -5 from an even row, and +5 or -3 from an odd row.
//! (The paper has ±3 for even rows and ±5 for odd rows. This is correct only for upward steps.) A jump adds ±7 or ±9.
//!
//! Moves are ordered as in the [module above](super#the-order-of-moves), but by the straight index of the source.
//! Playouts therefore select different moves than with the rotated index, but with the same probabilities.

use std::ops::Range;

use super::board::Board;
use super::moves::Moves;
use super::{Capture, Move, Position, Rules, SQUARES, Square};
use crate::games::played::{Ending, Played};
use crate::games::random_games::over;
use crate::random::{below, draw_key, playout_draw};
use crate::words::Tally;

/// For each direction, the change in the straight index when stepping from an even row. The bottom row is row 0.
pub const STRAIGHT_EVEN_STEPS: [i32; 4] = [-4, -5, 4, 3];

/// Like [`STRAIGHT_EVEN_STEPS`], for odd rows.
pub const STRAIGHT_ODD_STEPS: [i32; 4] = [-3, -4, 5, 4];

/// The squares of the even rows.
pub const STRAIGHT_EVEN_ROWS: u32 = 0x0f0f_0f0f;

/// The first and the last row.
pub const STRAIGHT_KING_ROWS: u32 = 0xf000_000f;

/// For each direction, the squares from which a step stays on the board.
pub const STRAIGHT_STEP_INSIDE: [u32; 4] = [inside(0, 1), inside(1, 1), inside(2, 1), inside(3, 1)];

/// For each direction, the squares from which a jump stays on the board.
pub const STRAIGHT_JUMP_INSIDE: [u32; 4] = [inside(0, 2), inside(1, 2), inside(2, 2), inside(3, 2)];

const fn inside(direction: usize, steps: i32) -> u32 {
    let (right, up) = (direction.is_multiple_of(2), direction >= 2);
    let (mut squares, mut square) = (0, 0);
    while square < SQUARES as i32 {
        let row = square / 4;
        let file = 2 * (square % 4) + row % 2 + if right { steps } else { -steps };
        let row = row + if up { steps } else { -steps };
        if file >= 0 && file < 8 && row >= 0 && row < 8 {
            squares |= 1 << square;
        }
        square += 1;
    }
    squares
}

fn straightened(word: u32) -> u32 {
    Square::all()
        .filter(|square| word & square.bit() != 0)
        .map(|square| 1 << straight_index(square))
        .sum()
}

/// Returns a square's straight index. PDN numbers also go row by row, but from the top.
fn straight_index(square: Square) -> u32 {
    let place = square.number() - 1;
    4 * (7 - place / 4) + place % 4
}

/// Fills `list` with the legal moves. The sort is stable, so captures with the same first jump stay in order.
fn list_moves(board: &Board, capture: Capture, list: &mut Vec<Move>) {
    list.clear();
    list.extend(Moves::of(*board, capture));
    list.sort_by_key(|mv| {
        let (from, direction) = mv.first();
        (direction, straight_index(from))
    });
}

/// Plays numbered random games as [`Playouts`](super::Playouts) does, but with another order of moves.
#[derive(Clone, Debug)]
pub struct StraightPlayouts {
    rules: Rules,
    root: Board,
    quiet: u32,
    first: Vec<Move>,
    key: u32,
}

impl StraightPlayouts {
    /// Prepares the playouts from a position with a seed.
    pub fn new(rules: Rules, position: &Position, seed: u64) -> StraightPlayouts {
        let root = Board::of(position);
        let mut first = Vec::new();
        list_moves(&root, rules.capture, &mut first);
        StraightPlayouts {
            rules,
            root,
            quiet: position.quiet,
            first,
            key: draw_key(seed),
        }
    }

    /// Returns the number of moves with which playouts can start, or 0 if the game is over.
    pub fn first_moves(&self) -> u32 {
        if self.quiet >= self.rules.draw_after {
            return 0;
        }
        self.first.len() as u32
    }

    /// Returns the position after each first move, in the straight index. The four words are the pieces of the side to
    /// move, the pieces of the other side, the kings, and the number of plies since the last capture.
    pub fn children(&self) -> impl Iterator<Item = [u32; 4]> {
        let first = &self.first[..self.first_moves() as usize];
        first.iter().map(|mv| {
            let board = mv.play(&self.root);
            let [own, other, kings] = [board.own, board.other, board.kings].map(straightened);
            [own, other, kings, mv.quiet_after(self.quiet)]
        })
    }

    fn play(&self, number: u64, list: &mut Vec<Move>) -> Played {
        let (capture, limit) = (self.rules.capture, self.rules.draw_after);
        let (mut board, mut quiet, mut plies) = (self.root, self.quiet, 0);
        list.clone_from(&self.first);
        let mut index = (number % self.first.len().max(1) as u64) as u32;
        while !list.is_empty() && quiet < limit {
            let mv = list[index as usize];
            board = mv.play(&board);
            quiet = mv.quiet_after(quiet);
            plies += 1;
            list_moves(&board, capture, list);
            index = below(playout_draw(self.key, number, plies), list.len() as u32);
        }
        let ending = Ending::of(list.is_empty(), plies);
        Played { ending, plies }
    }

    /// Plays a range of playouts and returns their tally. First moves are in the order of the straight index.
    pub fn tally(&self, playouts: Range<u64>) -> Tally {
        let mut list = Vec::new();
        let moves = u64::from(self.first_moves());
        if moves == 0 {
            return over(self.play(0, &mut list).ending, &playouts);
        }
        let mut tally = Tally::of_first_moves(moves as usize);
        for number in playouts {
            let played = self.play(number, &mut list);
            played.count((number % moves) as usize, &mut tally);
        }
        tally.add_up();
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::checkers::Playouts;

    /// Covers kings, and men whose captures continue.
    #[test]
    fn moves_are_ordered_by_direction_and_straight_index() {
        for (fen, expected) in [
            (
                "W:WK18,K23,K30:BK6,K7,14,15,22,K26",
                "18x25 18x11x2x9x18x25 18x9x2x11x18x25",
            ),
            (
                "B:WK6,7,14,15,22,23:BK2,10,K19",
                "2x11x18x27 2x11x18x25 2x11x18x9x2 19x26x17 10x17x26 2x9x18x27 2x9x18x25 2x9x18x11x2",
            ),
        ] {
            let position = Position::parse_fen(fen).unwrap();
            let mut list = Vec::new();
            list_moves(&Board::of(&position), Capture::Any, &mut list);
            let names: Vec<_> = list.iter().map(Move::to_string).collect();
            assert_eq!(names.join(" "), expected, "{fen}");
        }
    }

    /// The games are independent, so the shares of the results may differ only by chance.
    #[test]
    fn results_are_those_of_the_rotated_index_within_four_standard_errors() {
        let count = 40_000;
        let position = Position::start();
        for capture in [Capture::Longest, Capture::Any] {
            let rules = Rules {
                capture,
                ..Rules::default()
            };
            let straight = StraightPlayouts::new(rules, &position, 1).tally(0..count);
            let rotated = Playouts::new(rules, &position, 2).tally(0..count);
            assert_ne!(straight, rotated);
            for (a, b) in [
                (straight.wins, rotated.wins),
                (straight.draws, rotated.draws),
                (straight.losses, rotated.losses),
            ] {
                let share = (a + b) as f64 / (2 * count) as f64;
                let error = (2.0 * share * (1.0 - share) * count as f64).sqrt();
                let difference = a.abs_diff(b) as f64 / error;
                assert!(difference < 4.0, "{difference} errors: {a} and {b}");
            }
            let tally = &straight.by_first_move;
            let games: Vec<_> = tally
                .iter()
                .map(|(won, drawn, lost)| won + drawn + lost)
                .collect();
            assert_eq!(games.iter().sum::<u64>(), count);
            assert_eq!(straight.playouts(), count);
        }
    }
}
