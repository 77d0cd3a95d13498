//! Implements the static evaluation. Also orders moves and computes keys for searches with a transposition table.

use super::board::Board;
use super::squares::numbered;
use super::{Checkers, Move, Position};
use crate::games::{Game, OrderedGame, mixed};

/// As in Samuel's program, a king is worth one and a half men.
const MAN: i32 = 100;
const KING: i32 = 150;

const ADVANCE: i32 = 4;
const BACK: i32 = 12;
const CENTRE: i32 = 4;
const MOBILITY: i32 = 2;

const MIDDLE: u32 = numbered(10, 11) | numbered(14, 15) | numbered(18, 19) | numbered(22, 23);

/// The two squares of Black's bridge, then those of White's bridge.
const BRIDGES: [u32; 2] = [
    numbered(1, 1) | numbered(3, 3),
    numbered(30, 30) | numbered(32, 32),
];

fn count(squares: u32) -> i32 {
    squares.count_ones() as i32
}

fn steps(board: &Board) -> i32 {
    let [a, b, c, d] = board.reach().steps.map(u64::from);
    ((a | b << 32).count_ones() + (c | d << 32).count_ones()) as i32
}

/// Returns the static value. The terms are from Samuel's program ("Some Studies in Machine Learning Using the Game of
/// Checkers", IBM Journal 3, 1959). Each term is the mover's value minus the other side's. The weights are our own.
///
/// - Material.
/// - `ADV`: men on their fifth or sixth row, minus men on their third or fourth.
/// - `BACK`: pieces on both squares of the back row's bridge, if the other side has no king.
/// - `CENT` and `KCENT`: pieces on the eight middle squares.
/// - `MOB`: mobility, here the number of steps.
#[inline(always)]
pub(super) fn evaluate(board: &Board) -> i32 {
    let Board {
        own,
        other,
        kings,
        down,
    } = *board;
    let men = !kings;
    let material = MAN * (count(own & men) - count(other & men))
        + KING * (count(own & kings) - count(other & kings));
    // One side's third and fourth rows are the other side's sixth and fifth rows.
    let advance = count((own | other) & men & numbered(17, 24))
        - count((own | other) & men & numbered(9, 16));
    let advance = if down == 0 { -advance } else { advance };
    let [near, far] = if down == 0 {
        [BRIDGES[1], BRIDGES[0]]
    } else {
        BRIDGES
    };
    let holds = |pieces: u32, bridge: u32, against: u32| {
        i32::from(pieces & bridge == bridge && against & kings == 0)
    };
    let back = holds(own, near, other) - holds(other, far, own);
    let centre = count(own & MIDDLE) - count(other & MIDDLE);
    let mobility = steps(board) - steps(&board.turned());
    material + ADVANCE * advance + BACK * back + CENTRE * centre + MOBILITY * mobility
}

/// Number of bits in the hash part of a key. The higher bits contain the number of plies from the root. The ply matters
/// because the value of a lost position depends on it, and because kings can return to a position later.
const HASH_BITS: u32 = 59;

/// Maximum depth of a search with a table.
const HORIZON: u32 = 31;

impl OrderedGame for Checkers {
    const ORDERED_FROM: u32 = 3;
    const KEEPS_CHILDREN: bool = true;

    /// Includes the number of quiet plies only if it matters, that is, if a draw is possible within [`HORIZON`] plies.
    #[inline(always)]
    fn key(&self, position: &Position) -> u64 {
        let Position {
            white,
            black,
            kings,
            mover,
            quiet,
        } = *position;
        let safe = self.rules().draw_after.saturating_sub(HORIZON + 1);
        let rest = u64::from(quiet.max(safe)) << 1 | mover as u64;
        let pieces = u64::from(white) | u64::from(black) << 32;
        mixed(pieces, u64::from(kings) | rest << 32) >> (64 - HASH_BITS)
    }

    #[inline(always)]
    fn key_after(&self, key: u64, _mv: Move, child: &Position) -> u64 {
        let plies = (key >> HASH_BITS) + 1;
        self.key(child) | plies << HASH_BITS
    }

    type Analysis = ();

    fn analyse(&self, _position: &Position) {}

    #[inline(always)]
    fn order_score(
        &self,
        _position: &Position,
        _analysis: &(),
        _mv: Move,
        child: Option<&Position>,
        _ply: u32,
    ) -> i32 {
        child.map_or(0, |child| -self.evaluate(child))
    }
}
