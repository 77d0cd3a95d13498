use super::bits::{BOARD, BOTTOM, stones};
use super::random_game::has_four;
use super::{COLUMNS, Position, RandomBoard, RandomColumns};
use crate::games::leaf_games::LeafGame;
use crate::games::{Ahead, TreeRules};

/// A position in a tree: bit `7 * column + row` a square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stones {
    /// The stones of the side to move.
    pub own: u64,
    /// Both sides' stones.
    pub all: u64,
}

impl RandomColumns {
    /// A position for trees.
    pub fn stones(&self, position: &Position) -> Stones {
        let (own, all) = stones(position);
        Stones { own, all }
    }
}

#[inline(always)]
fn open(all: u64) -> u64 {
    (all + BOTTOM) & BOARD
}

impl TreeRules for RandomColumns {
    type Position = Stones;

    fn ahead(&self, stones: &Stones) -> Ahead {
        match open(stones.all).count_ones() {
            _ if has_four(stones.own ^ stones.all) => Ahead::Over(0),
            0 => Ahead::Over(1),
            columns => Ahead::Moves(columns),
        }
    }

    fn after(&self, stones: &Stones, index: u32) -> Stones {
        let mut squares = open(stones.all);
        for _ in 0..index.min(COLUMNS as u32) {
            squares &= squares.wrapping_sub(1);
        }
        Stones {
            own: stones.own ^ stones.all,
            all: stones.all | squares & squares.wrapping_neg(),
        }
    }
}

impl LeafGame for RandomColumns {
    type Random = RandomColumns;

    const ALONE: bool = true;

    fn random(&self) -> RandomColumns {
        *self
    }

    fn board(&self, leaf: &Stones) -> RandomBoard {
        RandomBoard {
            own: leaf.own,
            stones: leaf.all,
            plies: 1,
            live: u64::MAX,
            won: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::leaf_games::LeafGames;
    use crate::games::leaf_games::tests::equal_plain_games;

    fn ahead(position: &Position) -> Ahead {
        match position.legal_moves().len() as u32 {
            _ if position.winner.is_some() => Ahead::Over(0),
            0 => Ahead::Over(1),
            columns => Ahead::Moves(columns),
        }
    }

    fn after(position: &Position, index: u32) -> Position {
        let column = position.legal_moves()[index as usize];
        position.play(column).unwrap()
    }

    #[test]
    fn trees_have_the_rules_and_leaves_their_games() {
        let drawn = "256426457127755361771411454217542236336633";
        for text in [drawn, "4444441213527"] {
            let mut leaves = Vec::new();
            for plies in 0..=text.len() {
                let position = Position::parse(&text[..plies]).unwrap();
                let stones = RandomColumns.stones(&position);
                let found = ahead(&position);
                assert_eq!(RandomColumns.ahead(&stones), found, "{position}");
                let Ahead::Moves(moves) = found else {
                    continue;
                };
                for index in 0..moves {
                    let next = RandomColumns.stones(&after(&position, index));
                    assert_eq!(RandomColumns.after(&stones, index), next);
                }
                leaves.push((stones, position));
            }
            let games = LeafGames::new(RandomColumns, 3);
            for numbers in [(1, 0), (5, 7), (33, (1 << 32) - 70)] {
                equal_plain_games(&games, &leaves, numbers, ahead, after);
            }
        }
        let won = Position::parse("1212121").unwrap();
        let won = RandomColumns.stones(&won);
        assert_eq!(RandomColumns.ahead(&won), Ahead::Over(0));
    }
}
