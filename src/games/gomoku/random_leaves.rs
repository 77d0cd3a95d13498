use super::random_game::code;
use super::{LONGEST_RANDOM, RandomBoard, RandomStones, Size, Stones};
use crate::games::leaf_games::LeafGame;
use crate::games::{Ahead, TreeRules};

/// Gomoku for search trees. All empty squares are moves, in search order, until there is a five or a full board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafStones {
    size: Size,
}

impl LeafStones {
    /// Creates the game for boards of this size, or returns `None` if the size is too large for random games.
    pub fn new(size: Size) -> Option<LeafStones> {
        (size.side() <= LONGEST_RANDOM).then_some(LeafStones { size })
    }

    /// Returns the squares in search order, as `y * 16 + x`.
    pub fn squares(&self) -> impl Iterator<Item = u8> {
        let squares = self.size.order().iter();
        squares.map(|square| code(self.size, *square))
    }

    fn empty(&self, stones: &Stones) -> impl Iterator<Item = u8> {
        let rows: [u16; LONGEST_RANDOM] = std::array::from_fn(|y| stones.own[y] | stones.other[y]);
        self.squares()
            .filter(move |code| rows[usize::from(code >> 4)] >> (code & 15) & 1 == 0)
    }
}

fn has_five(rows: &[u16; LONGEST_RANDOM]) -> bool {
    let mut five = 0;
    for row in rows {
        let pairs = row & row >> 1;
        five |= pairs & pairs >> 2 & row >> 4;
    }
    for rows in rows.windows(5) {
        let [a, b, c, d, e] = rows else {
            continue;
        };
        five |= a & b & c & d & e;
        five |= a & b >> 1 & c >> 2 & d >> 3 & e >> 4;
        five |= a & b << 1 & c << 2 & d << 3 & e << 4;
    }
    five != 0
}

impl TreeRules for LeafStones {
    type Position = Stones;

    fn ahead(&self, stones: &Stones) -> Ahead {
        let placed = stones.own.iter().chain(&stones.other);
        let placed: u32 = placed.map(|row| row.count_ones()).sum();
        match self.size.squares() as u32 - placed {
            _ if has_five(&stones.other) => Ahead::Over(0),
            0 => Ahead::Over(1),
            moves => Ahead::Moves(moves),
        }
    }

    fn after(&self, stones: &Stones, index: u32) -> Stones {
        let mut next = Stones {
            own: stones.other,
            other: stones.own,
        };
        if let Some(code) = self.empty(stones).nth(index as usize) {
            next.other[usize::from(code >> 4)] |= 1 << (code & 15);
        }
        next
    }
}

impl LeafGame for LeafStones {
    type Random = RandomStones;

    /// After the first move, a random game's list of empty squares is no longer in search order.
    const ALONE: bool = false;

    fn board(&self, leaf: &Stones) -> RandomBoard {
        RandomBoard::going_on(self.empty(leaf), leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Position, Square};
    use super::*;
    use crate::games::leaf_games::LeafGames;
    use crate::games::leaf_games::tests::equal_plain_games;

    /// A position, and its empty squares in the order of the random games' list.
    type Listed = (Position, Vec<Square>);

    fn ahead((position, _): &Listed) -> Ahead {
        match position.legal_moves().len() as u32 {
            _ if position.has_five() => Ahead::Over(0),
            0 => Ahead::Over(1),
            moves => Ahead::Moves(moves),
        }
    }

    fn after((position, list): &Listed, index: u32) -> Listed {
        let mut list = list.clone();
        let square = list.swap_remove(index as usize);
        (position.play(square).unwrap(), list)
    }

    #[test]
    fn trees_have_the_rules_and_leaves_their_games() {
        for (side, step) in [(5, 1), (9, 9), (15, 60), (16, 80)] {
            let size = Size::new(side).unwrap();
            let game = LeafStones::new(size).unwrap();
            let games = LeafGames::new(game, 3);
            for seed in 0..2 {
                let mut position = Position::empty(size);
                let mut leaves = Vec::new();
                loop {
                    let stones = Stones::of(&position);
                    let moves = position.legal_moves();
                    let listed = (position.clone(), moves.clone());
                    assert_eq!(game.ahead(&stones), ahead(&listed), "{position}");
                    let plies = position.moves().len();
                    if !moves.is_empty() && (plies + seed).is_multiple_of(step) {
                        for (index, square) in moves.iter().enumerate() {
                            let next = Stones::of(&position.play(*square).unwrap());
                            assert_eq!(game.after(&stones, index as u32), next);
                        }
                        leaves.push((stones, listed));
                    }
                    let Some(square) = moves.get((plies * 7919 + seed * 31) % moves.len().max(1))
                    else {
                        break;
                    };
                    position = position.play(*square).unwrap();
                }
                for numbers in [(1, 0), (2, (1 << 32) - 4)] {
                    equal_plain_games(&games, &leaves, numbers, ahead, after);
                }
            }
        }
        assert!(LeafStones::new(Size::new(17).unwrap()).is_none());
    }

    /// Covers five in every direction, and four in a row that continue across an edge.
    #[test]
    fn fives_are_found_in_every_direction() {
        let rows = |squares: [usize; 5], count: usize| {
            let mut rows = [0; LONGEST_RANDOM];
            for square in &squares[..count] {
                rows[square / 16] |= 1 << (square % 16);
            }
            rows
        };
        // The first square, and the step to the next square.
        for (first, step) in [
            (15 * 16 + 11, 1),
            (11 * 16 + 15, 16),
            (11 * 16 + 11, 17),
            (4, 15),
        ] {
            let line = [0, 1, 2, 3, 4].map(|n| first + n * step);
            assert!(has_five(&rows(line, 5)));
            assert!(!has_five(&rows(line, 4)));
        }
        assert!(!has_five(&rows([14, 15, 16, 17, 18], 5)));
        assert!(!has_five(&rows([14, 31, 32, 49, 66], 5)));
    }
}
