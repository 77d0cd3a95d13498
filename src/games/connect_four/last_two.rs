//! Computes the last two plies of a full-width search, with up to 49 leaves, from two sets of bit planes.

use super::bits::{BOARD, Bits, Board, COLUMN, Gains, STRIDE, WINS};
use super::{COLUMNS, ROWS, WIN};
use crate::games::INFINITY;

/// Totals over the two plies below a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastTwo {
    /// The position's minimax value, for the side to move.
    pub value: i32,
    /// The sum of the utilities of the position's two-ply move sets, for the side to move. A utility is the sum of the
    /// values after each ply. A winning move counts for all seven sets that start with it.
    pub sum: i32,
    /// Number of these sets.
    pub sets: i32,
    /// Number of moves that win at once.
    pub ends: u32,
    /// Number of moves that do not win at once (inner nodes).
    pub inner: u32,
    /// Number of replies to the moves that do not win at once.
    pub last: u32,
}

impl Bits {
    /// Computes the last two plies below an undecided position at `ply`. Returns `None` if the board may fill up.
    ///
    /// A move changes the effect of a reply only in its own column, where the reply lands one square higher. Each reply
    /// is therefore evaluated on its square and on the square above, as in `prefix_sharing.cl`.
    #[inline]
    pub fn last_two(&self, board: &Board, ply: u32) -> Option<LastTwo> {
        let stones = board.stones.count_ones() as usize;
        if stones + 2 >= COLUMNS * ROWS {
            return None;
        }
        let gains = Gains::of(board.own, board.stones);
        let (replies, higher) = gains.of_other(board.own ^ board.stones);
        let (win, lost) = (WIN - ply as i32 - 1, WIN - ply as i32 - 2);

        // The effects of the replies that do not win, the two best of them, and the number of replies of each kind.
        let mut brings = [-INFINITY; COLUMNS];
        let (mut all, mut quiet, mut winning) = (0, 0, 0);
        let (mut best, mut second) = (-INFINITY, -INFINITY);
        for column in 0..COLUMNS {
            let shift = column as u32 * STRIDE;
            let open = gains.drops >> shift & COLUMN != 0;
            let field = replies >> shift;
            let wins = field & WINS != 0;
            let worth = self.worth(field, gains.drops, shift);
            let counts = open && !wins;
            brings[column] = if counts { worth } else { -INFINITY };
            all += if counts { worth } else { 0 };
            quiet += i32::from(counts);
            winning += i32::from(open && wins);
            second = second.max(best.min(brings[column]));
            best = best.max(brings[column]);
        }

        let mut found = LastTwo {
            value: -INFINITY,
            sum: 0,
            sets: 0,
            ends: 0,
            inner: 0,
            last: 0,
        };
        let above_drops = gains.drops << 1 & BOARD;
        for column in 0..COLUMNS {
            let shift = column as u32 * STRIDE;
            if gains.drops >> shift & COLUMN == 0 {
                continue;
            }
            let field = gains.fields >> shift;
            if field & WINS != 0 {
                found.value = found.value.max(win);
                found.sum += win * COLUMNS as i32;
                found.sets += COLUMNS as i32;
                found.ends += 1;
                continue;
            }
            let above = higher >> shift;
            let room = above_drops >> shift & COLUMN != 0;
            let wins_above = room && above & WINS != 0;
            let quiet_above = room && !wins_above;
            let worth_above = if quiet_above {
                self.worth(above, above_drops, shift)
            } else {
                -INFINITY
            };
            let was_quiet = brings[column] > -INFINITY;

            let child = -(board.value + self.worth(field, gains.drops, shift));
            let brought = all - if was_quiet { brings[column] } else { 0 }
                + if quiet_above { worth_above } else { 0 };
            let quiet_here = quiet - i32::from(was_quiet) + i32::from(quiet_above);
            let winning_here = winning - i32::from(!was_quiet) + i32::from(wins_above);
            let others = if brings[column] == best { second } else { best };
            let reply = if winning_here > 0 {
                lost
            } else {
                child + others.max(worth_above)
            };
            let replies_here = quiet_here + winning_here;
            let below = quiet_here * child + brought + winning_here * lost;
            found.value = found.value.max(-reply);
            found.sum -= child * replies_here + below;
            found.sets += replies_here;
            found.inner += 1;
            found.last += replies_here as u32;
        }
        Some(found)
    }

    /// Returns the value of a non-winning stone: its square's value plus its runs' value (lowest bits of `field`).
    #[inline(always)]
    fn worth(&self, field: u64, drops: u64, shift: u32) -> i32 {
        let square = shift + (drops >> shift & COLUMN).trailing_zeros();
        self.squares[square as usize & 63] + self.runs[field as usize & 63]
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::games::Game;
    use crate::games::connect_four::{Evaluation, Order, Position};
    use crate::words::Params;

    /// Computes the same result by creating all positions.
    fn one_by_one(game: &Bits, board: &Board, ply: u32) -> LastTwo {
        let mut found = LastTwo {
            value: -INFINITY,
            sum: 0,
            sets: 0,
            ends: 0,
            inner: 0,
            last: 0,
        };
        for column in game.moves(board) {
            let child = game.play(board, column);
            if let Some(value) = game.decided(&child, ply + 1) {
                found.value = found.value.max(-value);
                found.sum -= 7 * value;
                found.sets += 7;
                found.ends += 1;
                continue;
            }
            found.inner += 1;
            let mut best = -INFINITY;
            for reply in game.moves(&child) {
                let value = game.value_after(&child, reply, ply + 2);
                best = best.max(-value);
                found.sum += value - game.evaluate(&child);
                found.sets += 1;
                found.last += 1;
            }
            found.value = found.value.max(-best);
        }
        found
    }

    #[test]
    fn two_looks_see_what_forty_nine_positions_are_worth() {
        let game = Bits::new(
            &Evaluation::new(&Params::new()).unwrap(),
            Order::CentreFirst,
        );
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let (mut compared, mut wins, mut full) = (0, 0, 0);
        for _ in 0..4_000 {
            let mut position = Position::start();
            while !position.is_over() {
                let board = game.load(&position);
                let ply = random.random_range(0..12);
                match game.last_two(&board, ply) {
                    Some(found) => {
                        assert_eq!(found, one_by_one(&game, &board, ply), "{position}");
                        compared += 1;
                        wins += u32::from(found.ends > 0);
                    }
                    None => full += 1,
                }
                let legal: Vec<_> = position.legal_moves().into_iter().collect();
                let column = legal[random.random_range(0..legal.len())];
                position = position.play(column).unwrap();
            }
        }
        let holds = compared > 5_000 && wins > 500 && full > 5;
        assert!(holds, "{compared} {wins} {full}");
    }
}
