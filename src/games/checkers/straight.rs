//! The straight index of the squares, which the paper rejects ("Plansza"): row by row from the bottom, four squares
//! each. These random games are the reference for kernels with this index.
//!
//! ```text
//!    28    29    30    31
//! 24    25    26    27
//!    ...
//! 00    01    02    03
//! ```
//!
//! A step adds ±4 one way. The other way it adds +3 or -5 from an even row, +5 or -3 from an odd one. (The paper has ±3
//! for even rows and ±5 for odd ones, which is correct upwards only.) A jump adds ±7 or ±9 from any row.
//!
//! Moves are ordered as in the [module above](super#the-order-of-moves), but by the source's straight index. So
//! playouts draw other moves than with the rotated index, with the same probabilities.

use std::ops::Range;

use super::{Capture, Colour, Position, Rules, SQUARES, Square};
use crate::games::played::{Ending, Played};
use crate::games::random_games::over;
use crate::random::{below, draw_key, playout_draw};
use crate::words::Tally;

/// Change of the straight index by a step in each direction from an even row; the bottom row is 0.
pub const STRAIGHT_EVEN_STEPS: [i32; 4] = [-4, -5, 4, 3];

/// The same for odd rows.
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

/// PDN numbers also run row by row, but from the top.
fn straight_index(square: Square) -> u32 {
    let place = square.number() - 1;
    4 * (7 - place / 4) + place % 4
}

fn step(at: u32, direction: usize) -> Option<u32> {
    let even = STRAIGHT_EVEN_ROWS >> at & 1 != 0;
    let steps = if even {
        STRAIGHT_EVEN_STEPS
    } else {
        STRAIGHT_ODD_STEPS
    };
    let inside = STRAIGHT_STEP_INSIDE[direction] >> at & 1 != 0;
    inside.then(|| at.wrapping_add_signed(steps[direction]))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Board {
    own: u32,
    other: u32,
    kings: u32,
    /// True if the mover's men move down the board.
    down: bool,
}

#[derive(Clone, Copy, Debug)]
struct Move {
    from: u32,
    to: u32,
    captured: u32,
}

impl Board {
    fn of(position: &Position) -> Board {
        let down = position.mover == Colour::Black;
        let (own, other) = if down {
            (position.black, position.white)
        } else {
            (position.white, position.black)
        };
        Board {
            own: straightened(own),
            other: straightened(other),
            kings: straightened(position.kings),
            down,
        }
    }

    /// True if the piece on a square may move in a direction.
    fn goes(&self, from: u32, direction: usize) -> bool {
        self.kings >> from & 1 != 0 || (direction < 2) == self.down
    }

    fn moves(&self, capture: Capture, list: &mut Vec<Move>) {
        list.clear();
        let firsts = |direction| {
            let own = move |from: &u32| self.own >> from & 1 != 0 && self.goes(*from, direction);
            (0..SQUARES).filter(own)
        };
        for direction in 0..4 {
            for from in firsts(direction) {
                let jumper = Jumper {
                    board: self,
                    from,
                    capture,
                };
                jumper.jump(from, 0, direction, list);
            }
        }
        if !list.is_empty() {
            return;
        }
        for direction in 0..4 {
            for from in firsts(direction) {
                let to = step(from, direction);
                if let Some(to) = to.filter(|to| (self.own | self.other) >> to & 1 == 0) {
                    let captured = 0;
                    list.push(Move { from, to, captured });
                }
            }
        }
    }

    fn play(&self, mv: Move) -> Board {
        let (from, to) = (1 << mv.from, 1 << mv.to);
        let crowned = self.kings & from != 0 || to & STRAIGHT_KING_ROWS != 0;
        let kings = self.kings & !(from | mv.captured) | if crowned { to } else { 0 };
        Board {
            own: self.other & !mv.captured,
            other: self.own & !from | to,
            kings,
            down: !self.down,
        }
    }
}

struct Jumper<'a> {
    board: &'a Board,
    from: u32,
    capture: Capture,
}

impl Jumper<'_> {
    /// Adds the captures that continue with a jump in a direction; returns whether this jump exists.
    fn jump(&self, at: u32, captured: u32, direction: usize, list: &mut Vec<Move>) -> bool {
        let board = self.board;
        let empty = !(board.own | board.other) | 1 << self.from | captured;
        let Some(over) = step(at, direction) else {
            return false;
        };
        let Some(to) = step(over, direction) else {
            return false;
        };
        if (board.other & !captured) >> over & 1 == 0 || empty >> to & 1 == 0 {
            return false;
        }
        let captured = captured | 1 << over;
        let mut complete = true;
        for direction in (0..4).filter(|direction| board.goes(self.from, *direction)) {
            complete &= !self.jump(to, captured, direction, list);
        }
        if complete {
            self.add(to, captured, list);
        }
        true
    }

    fn add(&self, to: u32, captured: u32, list: &mut Vec<Move>) {
        let jumps = captured.count_ones();
        if self.capture == Capture::Longest
            && let Some(last) = list.last()
        {
            let longest = last.captured.count_ones();
            if jumps < longest {
                return;
            }
            if jumps > longest {
                list.clear();
            }
        }
        list.push(Move {
            from: self.from,
            to,
            captured,
        });
    }
}

/// The numbered random games as in [`Playouts`](super::Playouts), except for the order of moves.
#[derive(Clone, Debug)]
pub struct StraightPlayouts {
    rules: Rules,
    root: Board,
    quiet: u32,
    first: Vec<Move>,
    key: u32,
}

impl StraightPlayouts {
    /// The playouts from a position under a seed.
    pub fn new(rules: Rules, position: &Position, seed: u64) -> StraightPlayouts {
        let root = Board::of(position);
        let mut first = Vec::new();
        root.moves(rules.capture, &mut first);
        StraightPlayouts {
            rules,
            root,
            quiet: position.quiet,
            first,
            key: draw_key(seed),
        }
    }

    /// The number of moves that playouts start with in turn; 0 if the game is over.
    pub fn first_moves(&self) -> u32 {
        if self.quiet >= self.rules.draw_after {
            return 0;
        }
        self.first.len() as u32
    }

    /// The positions after each first move, in the straight index: the pieces of the side to move, the other side's,
    /// the kings, and the plies since the last capture.
    pub fn children(&self) -> impl Iterator<Item = [u32; 4]> {
        let first = &self.first[..self.first_moves() as usize];
        first.iter().map(|mv| {
            let board = self.root.play(*mv);
            let quiet = quiet_after(self.quiet, *mv);
            [board.own, board.other, board.kings, quiet]
        })
    }

    fn play(&self, number: u64, list: &mut Vec<Move>) -> Played {
        let (capture, limit) = (self.rules.capture, self.rules.draw_after);
        let (mut board, mut quiet, mut plies) = (self.root, self.quiet, 0);
        list.clone_from(&self.first);
        let mut index = (number % self.first.len().max(1) as u64) as u32;
        while !list.is_empty() && quiet < limit {
            let mv = list[index as usize];
            board = board.play(mv);
            quiet = quiet_after(quiet, mv);
            plies += 1;
            board.moves(capture, list);
            index = below(playout_draw(self.key, number, plies), list.len() as u32);
        }
        let ending = Ending::of(list.is_empty(), plies);
        Played { ending, plies }
    }

    /// Tallies a range of playouts, with first moves in the order of the straight index.
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

fn quiet_after(quiet: u32, mv: Move) -> u32 {
    if mv.captured == 0 { quiet + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::checkers::{Checkers, Playouts};

    fn perft(board: Board, capture: Capture, depth: u32) -> u64 {
        let mut list = Vec::new();
        board.moves(capture, &mut list);
        match depth {
            1 => list.len() as u64,
            _ => list
                .iter()
                .map(|mv| perft(board.play(*mv), capture, depth - 1))
                .sum(),
        }
    }

    #[test]
    fn sequences_are_the_published_ones() {
        let start = Board::of(&Position::start());
        for (depth, expected) in (1..).zip([7, 49, 302, 1_469, 7_361, 36_768, 179_740]) {
            assert_eq!(perft(start, Capture::Any, depth), expected);
        }
    }

    /// Kings in the middle of the board, whose captures do not occur soon after the start.
    #[test]
    fn moves_lead_where_the_rotated_indexs_lead() {
        for fen in [
            "W:WK18,K23,K30:BK6,K7,14,15,22,K26",
            "W:WK32:B26,27,18,19,10,11",
            "B:WK6,7,14,15,22,23:BK2,10,K19",
        ] {
            for capture in [Capture::Longest, Capture::Any] {
                let game = Checkers::new(Rules {
                    capture,
                    ..Rules::default()
                });
                let position = game.parse(fen).unwrap();
                let mut list = Vec::new();
                let board = Board::of(&position);
                board.moves(capture, &mut list);
                let words = |board: Board| (board.own, board.other, board.kings);
                let mut found: Vec<_> = list.iter().map(|mv| words(board.play(*mv))).collect();
                let after = |mv| words(Board::of(&crate::games::Game::play(&game, &position, mv)));
                let mut expected: Vec<_> = game.legal_moves(&position).map(after).collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{fen} {capture:?}");
            }
        }
    }

    /// Results are sums of independent games, so that shares differ only by chance.
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
