use super::bits::{BOARD, BOTTOM, STRIDE};
use super::{Position, ROWS};
use crate::games::played::{Ending, Played};
use crate::games::random_games::{LANES, Lanes, PlayoutLanes, Root, all_ones, side_by_side, zeros};
use crate::random::digit;

/// Plays random moves, in any column that has room, until there are four in a row or the board is full.
///
/// A ply uses neither tables nor branches, so the compiler plays eight games in a vector. Three additions count the
/// columns that have room. Each of seven fields in one word then contains the number of such columns up to its own. The
/// random index is below the count in the selected column's field, but not below the counts in lower fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomColumns;

/// A board after a random ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomBoard {
    /// The mover's stones. Bit `7 * column + row` stands for a square.
    pub own: u64,
    /// Both players' stones.
    pub stones: u64,
    /// Number of plies since the root.
    pub plies: u64,
    /// All ones while the game continues, otherwise 0.
    pub live: u64,
    /// All ones if the last ply made four in a row, otherwise 0.
    pub won: u64,
}

side_by_side!(RandomBoards of RandomBoard: own, stones, plies, live, won);

const LAST_FIELD: u32 = 6 * STRIDE;

impl RandomBoard {
    /// Returns the board of a position one ply after the root. If a side has won, it must have won with that ply.
    fn of(position: &Position) -> RandomBoard {
        let [own, stones] = position.words();
        RandomBoard {
            own,
            stones,
            plies: 1,
            live: all_ones(!position.is_over()),
            won: all_ones(position.winner.is_some()),
        }
    }

    #[inline(always)]
    fn play(&mut self, word: &mut u32) {
        // Set a bit at the bottom of every column with room. The additions compute prefix sums of these bits.
        let mut counts = !self.stones >> (ROWS - 1) & BOTTOM;
        // The carry beyond the last column has no effect.
        counts = counts.wrapping_add(counts << STRIDE);
        counts = counts.wrapping_add(counts << (2 * STRIDE));
        counts = counts.wrapping_add(counts << (4 * STRIDE));
        let index = digit(word, (counts >> LAST_FIELD) as u32 & 7);
        // The addition sets the seventh bit of each field whose count is above the index.
        let past = (counts & FIELDS) + (u64::from(63 - index) * BOTTOM);
        let past = past >> (STRIDE - 1) & BOTTOM;
        let column = past & past.wrapping_neg() & self.live;
        let stones = self.stones | (self.stones + column);
        self.own ^= self.stones & self.live;
        self.stones = stones;
        self.plies += self.live & 1;
        let won = all_ones(has_four(self.own ^ stones)) & self.live;
        self.won |= won;
        self.live &= !won & all_ones(stones != BOARD);
    }
}

const FIELDS: u64 = BOTTOM * 0b111_1111;

#[inline(always)]
pub(super) fn has_four(stones: u64) -> bool {
    let mut found = 0;
    for step in [1, STRIDE - 1, STRIDE, STRIDE + 1] {
        let pairs = stones & stones >> step;
        found |= pairs & pairs >> (2 * step);
    }
    found != 0
}

impl RandomColumns {
    /// Returns the root of the random games from a position. First moves are ordered from the left.
    pub fn root(&self, position: &Position) -> Root<RandomBoard> {
        if position.is_over() {
            return Root::Over(Ending::of(position.winner.is_some(), 0));
        }
        let children = position.legal_moves().into_iter();
        let children = children.filter_map(|column| position.play(column));
        Root::Children(children.map(|child| RandomBoard::of(&child)).collect())
    }
}

impl PlayoutLanes for RandomColumns {
    type Board = RandomBoard;
    type Boards = RandomBoards;

    /// With four plies per word, the bias is at most 7^4 / 2^32, or 0.56 in a million, which is accurate enough.
    const PLIES_PER_WORD: u32 = 4;

    fn put(&self, boards: &mut RandomBoards, lane: usize, board: &RandomBoard) {
        boards.put(lane, board);
    }

    fn advance(&self, boards: &mut RandomBoards, words: &mut Lanes) {
        for _ in 0..Self::PLIES_PER_WORD {
            boards.ply(words);
        }
    }

    fn ended(&self, boards: &RandomBoards) -> u32 {
        zeros(&boards.live)
    }

    fn played(&self, boards: &RandomBoards, lane: usize) -> Played {
        let plies = boards.plies[lane] as u32;
        let ending = Ending::of(boards.won[lane] != 0, plies);
        Played { ending, plies }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::Player;
    use crate::games::random_games::Playouts;
    use crate::games::random_games::tests::equal_a_plain_loop;

    fn children(position: &Position) -> Vec<Position> {
        let columns = position.legal_moves().into_iter();
        columns.filter_map(|column| position.play(column)).collect()
    }

    fn check(position: &Position, seed: u64, numbers: std::ops::Range<u64>) {
        let playouts = Playouts::new(RandomColumns, RandomColumns.root(position), seed);
        let score = |end: &Position| match end.winner {
            None => 0,
            Some(player) if player == position.mover() => 1,
            Some(Player::First | Player::Second) => -1,
        };
        equal_a_plain_loop(&playouts, (position, seed), numbers, children, score);
    }

    #[test]
    fn random_games_are_those_of_the_rules() {
        check(&Position::start(), 1, 0..1000);
        check(&Position::start(), u64::MAX, (1 << 32) - 20..(1 << 32) + 20);
        // Covers the last plies of a game that fills the board, and of a game that is won.
        let drawn = "256426457127755361771411454217542236336633";
        for plies in 20..=42 {
            check(&Position::parse(&drawn[..plies]).unwrap(), 7, 0..30);
        }
        check(&Position::parse("1212121").unwrap(), 7, 5..7);
    }
}
