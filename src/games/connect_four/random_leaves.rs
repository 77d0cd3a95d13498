use super::bits::{BOARD, BOTTOM};
use super::random_game::has_four;
use super::{COLUMNS, RandomBoard, RandomColumns};
use crate::games::leaf_games::LeafGame;
use crate::games::{Ahead, TreeRules};

#[inline(always)]
fn open(all: u64) -> u64 {
    (all + BOTTOM) & BOARD
}

impl TreeRules for RandomColumns {
    /// The stones of the side to move and the stones of both sides. Bit `7 * column + row` stands for a square.
    type Position = [u64; 2];

    fn ahead(&self, &[own, all]: &[u64; 2]) -> Ahead {
        match open(all).count_ones() {
            _ if has_four(own ^ all) => Ahead::Over(0),
            0 => Ahead::Over(1),
            columns => Ahead::Moves(columns),
        }
    }

    fn after(&self, &[own, all]: &[u64; 2], index: u32) -> [u64; 2] {
        let mut squares = open(all);
        for _ in 0..index.min(COLUMNS as u32) {
            squares &= squares.wrapping_sub(1);
        }
        [own ^ all, all | squares & squares.wrapping_neg()]
    }
}

impl LeafGame for RandomColumns {
    type Random = RandomColumns;

    const ALONE: bool = true;

    fn board(&self, &[own, stones]: &[u64; 2]) -> RandomBoard {
        RandomBoard {
            own,
            stones,
            plies: 1,
            live: u64::MAX,
            won: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::Position;
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
                let stones = position.words();
                let found = ahead(&position);
                assert_eq!(RandomColumns.ahead(&stones), found, "{position}");
                let Ahead::Moves(moves) = found else {
                    continue;
                };
                for index in 0..moves {
                    let next = after(&position, index).words();
                    assert_eq!(RandomColumns.after(&stones, index), next);
                }
                leaves.push((stones, position));
            }
            let games = LeafGames::new(RandomColumns, 3);
            for numbers in [(1, 0), (5, 7), (33, (1 << 32) - 70)] {
                equal_plain_games(&games, &leaves, numbers, ahead, after);
            }
        }
        let won = Position::parse("1212121").unwrap().words();
        assert_eq!(RandomColumns.ahead(&won), Ahead::Over(0));
    }
}
