//! Counts and selects captures of at most two jumps with word operations, as in `cl/checkers/captures.clh`. If a third
//! jump is possible, the caller enumerates the paths. The starting square and the captured piece of a first jump do not
//! affect later jumps ([`Reach::goes_on`]). Only the landing squares of first jumps and the starting squares of second
//! jumps matter.

use super::Capture;
use super::board::{Board, Reach};
use super::squares::ROTATIONS;

/// For each direction, the three directions that may follow, in ascending order. The fourth goes straight back.
const ONWARD: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];

#[inline(always)]
fn turns(first: usize, second: usize) -> bool {
    first / 2 != second / 2
}

/// The captures on a board. Some of them continue after the first jump, but none continue after the second.
pub(super) struct ShortCaptures {
    /// Four sets of landing squares for each direction of the first jump. From the squares of the first three sets, the
    /// capture continues in the corresponding [`ONWARD`] direction. On those of the fourth set, it ends. The fourth set
    /// is empty if such short captures are illegal.
    landed: [[u32; 4]; 4],
    before: [u32; 4],
    pub count: u32,
}

impl ShortCaptures {
    /// Finds the captures on a board on which a capture [continues](Reach::goes_on) after its first jump. Returns
    /// `None` if a capture may continue after its second jump.
    #[inline(always)]
    pub fn of(board: &Board, reach: &Reach, capture: Capture) -> Option<ShortCaptures> {
        let mut landed = [[0; 4]; 4];
        // The starting squares of second jumps by direction, first for all pieces and then for kings.
        let (mut seconds, mut kings) = ([0; 4], [0; 4]);
        for first in 0..4 {
            let rotation = 2 * ROTATIONS[first];
            let all = reach.jumps[first].rotate_left(rotation);
            let crowned = (reach.jumps[first] & board.kings).rotate_left(rotation);
            let mut ends = all;
            for (place, second) in ONWARD[first].into_iter().enumerate() {
                let open = reach.open[second];
                let goes = open & if turns(first, second) { crowned } else { all };
                landed[first][place] = goes;
                ends &= !goes;
                seconds[second] |= goes;
                kings[second] |= open & crowned;
            }
            // If only the longest captures are legal, all of them have two jumps.
            landed[first][3] = if capture == Capture::Any { ends } else { 0 };
        }
        let mut thirds = 0;
        for second in 0..4 {
            let rotation = 2 * ROTATIONS[second];
            for third in ONWARD[second] {
                let from = if turns(second, third) { kings } else { seconds };
                thirds |= from[second].rotate_left(rotation) & reach.open[third];
            }
        }
        if thirds != 0 {
            return None;
        }
        let (mut before, mut count) = ([0; 4], 0);
        for first in 0..4 {
            before[first] = count;
            let [x, y, z, ends] = landed[first].map(u64::from);
            count += (x | y << 32).count_ones() + (z | ends << 32).count_ones();
        }
        Some(ShortCaptures {
            landed,
            before,
            count,
        })
    }

    /// Returns the board after capture `index`, which must be less than `count`.
    #[inline(always)]
    pub fn play(&self, board: &Board, index: u32) -> Board {
        let [_, b, c, d] = self.before;
        let first = usize::from(index >= b) + usize::from(index >= c) + usize::from(index >= d);
        let mut left = index - self.before[first];
        let rotation = ROTATIONS[first];
        let [x, y, z, ends] = self.landed[first].map(|word| word.rotate_right(2 * rotation));
        // The first jumps, in order. The weight of a jump is the number of captures that begin with it.
        let mut sources = x | y | z | ends;
        let (mut from, mut goes);
        loop {
            from = sources & sources.wrapping_neg();
            goes = [x, y, z].map(|word| u32::from(word & from != 0));
            let weight = (goes[0] + goes[1] + goes[2]).max(1);
            if left < weight {
                break;
            }
            left -= weight;
            sources ^= from;
        }
        let over = from.rotate_left(rotation);
        let landed = over.rotate_left(rotation);
        if goes == [0; 3] {
            return board.moved(from, landed, over);
        }
        let place = usize::from(left >= goes[0]) + usize::from(left >= goes[0] + goes[1]);
        let rotation = ROTATIONS[ONWARD[first][place]];
        let over_second = landed.rotate_left(rotation);
        let to = over_second.rotate_left(rotation);
        board.moved(from, to, over | over_second)
    }
}

#[cfg(test)]
mod tests {
    use super::super::moves::{Choices, Kind};
    use super::super::tests::random_pieces;
    use super::*;

    /// Compares every capture on random boards with the enumerated paths. An unnecessary `None` would only cost time.
    #[test]
    fn they_are_the_paths_one_by_one() {
        let mut seen = [0, 0];
        for seed in 0..12_000 {
            let board = Board::of(&random_pieces(seed));
            for capture in [Capture::Any, Capture::Longest] {
                let choices = Choices::of(&board, capture);
                let Kind::Paths(paths) = choices.kind else {
                    continue;
                };
                let found = ShortCaptures::of(&board, &board.reach(), capture);
                assert_eq!(found.is_some(), paths.longest == 2, "{board:?}");
                seen[usize::from(found.is_some())] += 1;
                let Some(found) = found else { continue };
                assert_eq!(found.count, choices.count, "{board:?}");
                for index in 0..found.count {
                    let (expected, _) = choices.play(&board, capture, index);
                    assert_eq!(found.play(&board, index), expected, "{board:?} {index}");
                }
            }
        }
        assert!(seen.iter().all(|boards| *boards > 500), "{seen:?}");
    }
}
