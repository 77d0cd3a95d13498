//! Implements Connect Four for searches with a transposition table.

use super::bits::{BOARD, BOTTOM, Bits, Board, COLUMN, Gains, STRIDE, WINS};
use super::{COLUMNS, Column, ROWS, WIN};
use crate::games::{INFINITY, OrderedGame, TwoPlies};

const WINNING: u64 = BOTTOM * WINS;

const TOP: u64 = BOTTOM << (ROWS - 1);

/// The effects of a stone of either side in each column.
pub struct Threats {
    gains: Gains,
    /// The effects of the other side's stones, in the format of [`Gains::fields`].
    replies: u64,
}

impl OrderedGame for Bits {
    const ORDERED_FROM: u32 = 3;
    const SHARED_FROM: u32 = 3;
    const KEEPS_CHILDREN: bool = true;

    type Analysis = Threats;

    /// Returns a unique key. The mover's stones and the lowest empty square of each column take 49 bits and determine
    /// the board. The later steps are invertible. If the evaluation is symmetric, a board and its mirror image have the
    /// same key. The move in a table entry is then only a guess for one of them.
    #[inline(always)]
    fn key(&self, board: &Board) -> u64 {
        let exact = board.own + board.stones + BOTTOM;
        let exact = if self.mirrors {
            exact.min(mirrored(exact))
        } else {
            exact
        };
        let spread = exact.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let spread = (spread ^ spread >> 32).wrapping_mul(0xbb67_ae85_84ca_a73b);
        spread ^ spread >> 29
    }

    #[inline(always)]
    fn analyse(&self, board: &Board) -> Threats {
        let gains = Gains::of(board.own, board.stones);
        let replies = Gains::of(board.own ^ board.stones, board.stones).fields;
        Threats { gains, replies }
    }

    /// Returns the value if the mover wins at once or the other side has two threats, because one stone stops only one.
    #[inline(always)]
    fn known_value(&self, analysis: &Threats, ply: u32) -> Option<i32> {
        let threats = analysis.replies & WINNING;
        if analysis.gains.fields & WINNING != 0 {
            Some(WIN - ply as i32 - 1)
        } else if threats & threats.wrapping_sub(1) != 0 {
            Some(ply as i32 + 2 - WIN)
        } else {
            None
        }
    }

    /// If there is a threat, skips all moves that do not stop it, because they lose at least as soon.
    #[inline(always)]
    fn may_skip(&self, analysis: &Threats, column: Column) -> bool {
        let threats = analysis.replies & WINNING;
        threats != 0 && threats >> (column.index() as u32 * STRIDE) & WINS == 0
    }

    #[inline(always)]
    fn play_after(&self, board: &Board, analysis: &Threats, column: Column) -> Board {
        self.put(board, &analysis.gains, column)
    }

    #[inline(always)]
    fn order_score(
        &self,
        _board: &Board,
        _analysis: &Threats,
        _column: Column,
        child: Option<&Board>,
        _ply: u32,
    ) -> i32 {
        child.map_or(0, |child| -child.value)
    }

    /// Computes the same result as [`Bits::last_two`], with less work if a threat decides it.
    #[inline]
    fn last_two(&self, board: &Board, ply: u32, _alpha: i32, _beta: i32) -> Option<TwoPlies> {
        let stones = board.stones.count_ones() as usize;
        if stones + 2 >= COLUMNS * ROWS {
            return None;
        }
        let gains = Gains::of(board.own, board.stones);
        let ended = |value, nodes, leaves| Some(TwoPlies::new(value, nodes, leaves));
        if gains.fields & WINNING != 0 {
            return ended(WIN - ply as i32 - 1, 1, 1);
        }
        let (replies, higher) = gains.of_other(board.own ^ board.stones);
        let moves = u64::from(gains.drops.count_ones());
        let lost = ply as i32 + 2 - WIN;
        let threats = replies & WINNING;
        if threats & threats.wrapping_sub(1) != 0 {
            // One stone can stop only one threat.
            return ended(lost, 2 * moves, moves);
        }
        let columns = self.columns(&gains, replies, higher);
        if threats != 0 {
            let column = (threats.trailing_zeros() / STRIDE) as usize;
            let here =
                moves - u64::from(gains.drops & TOP & COLUMN << (column as u32 * STRIDE) != 0);
            let value = if columns.above_wins[column] {
                lost
            } else {
                let best = columns.replies.iter().chain([&columns.above[column]]).max();
                board.value + columns.own[column] - best.copied().unwrap_or(0)
            };
            return ended(value, 2 * (moves - 1) + 1 + here, moves - 1 + here);
        }
        let (mut best, mut second) = (-INFINITY, -INFINITY);
        for reply in columns.replies {
            second = second.max(best.min(reply));
            best = best.max(reply);
        }
        let mut value = -INFINITY;
        for column in 0..COLUMNS {
            let reply = columns.replies[column];
            let others = if reply == best { second } else { best };
            let quiet = board.value + columns.own[column] - others.max(columns.above[column]);
            let after = if columns.above_wins[column] {
                lost
            } else {
                quiet
            };
            value = value.max(if reply == -INFINITY { -INFINITY } else { after });
        }
        let replies = moves * moves - u64::from((gains.drops & TOP).count_ones());
        ended(value, moves + replies, replies)
    }
}

#[inline(always)]
fn mirrored(bits: u64) -> u64 {
    let column = |at: u32| COLUMN << (at * STRIDE);
    (bits & column(0)) << 42
        | (bits & column(1)) << 28
        | (bits & column(2)) << 14
        | bits & column(3)
        | bits >> 14 & column(2)
        | bits >> 28 & column(1)
        | bits >> 42 & column(0)
}

/// The effects of stones, indexed by column number. The last entry is a dummy.
struct Columns {
    own: [i32; 8],
    /// The effect of the other side's stone on the same square, or `-`[`INFINITY`] if it wins or the column is full.
    replies: [i32; 8],
    above: [i32; 8],
    above_wins: [bool; 8],
}

impl Bits {
    /// Looks up the effects in all columns without branches, so that the compiler vectorises the loop.
    #[inline(always)]
    fn columns(&self, gains: &Gains, replies: u64, higher: u64) -> Columns {
        let above_drops = gains.drops << 1 & BOARD;
        let mut columns = Columns {
            own: [0; 8],
            replies: [0; 8],
            above: [0; 8],
            above_wins: [false; 8],
        };
        for column in 0..8 {
            let shift = column as u32 * STRIDE;
            let drop = (gains.drops >> shift & COLUMN) as usize;
            let room = (above_drops >> shift & COLUMN) as usize;
            let squares = &self.by_drop[column];
            let worth = |fields: u64, drop: usize| {
                squares[drop & 63] + self.runs[(fields >> shift) as usize & 63]
            };
            let wins = |fields: u64| fields >> shift & WINS != 0;
            let none = |is: bool, worth: i32| if is { -INFINITY } else { worth };
            columns.own[column] = worth(gains.fields, drop);
            columns.replies[column] = none(drop == 0 || wins(replies), worth(replies, drop));
            columns.above[column] = none(room == 0 || wins(higher), worth(higher, room));
            columns.above_wins[column] = wins(higher);
        }
        columns
    }
}
