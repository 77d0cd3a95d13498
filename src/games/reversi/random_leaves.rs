use super::random_game::{legal_moves, turned_by};
use super::{RandomBoard, RandomSquares};
use crate::games::leaf_games::LeafGame;
use crate::games::{Ahead, TreeRules, half_points};

impl TreeRules for RandomSquares {
    /// The discs of the side to move, and those of the other side. Bit `rank * 8 + file` is a square.
    type Position = [u64; 2];

    /// If a side cannot move, a pass counts as its only move, unless the game is over.
    fn ahead(&self, &[own, other]: &[u64; 2]) -> Ahead {
        match legal_moves(own, other).0.count_ones() {
            0 if legal_moves(other, own).0 != 0 => Ahead::Moves(1),
            0 => Ahead::Over(half_points(own.count_ones(), other.count_ones())),
            moves => Ahead::Moves(moves),
        }
    }

    fn after(&self, &[own, other]: &[u64; 2], index: u32) -> [u64; 2] {
        let (mut squares, ups, downs) = legal_moves(own, other);
        for _ in 0..index.min(u64::BITS) {
            squares &= squares.wrapping_sub(1);
        }
        let square = squares & squares.wrapping_neg();
        let turned = turned_by(square, other, &ups, &downs);
        [other & !turned, own | turned | square]
    }
}

impl LeafGame for RandomSquares {
    type Random = RandomSquares;

    const ALONE: bool = true;

    fn board(&self, &[own, other]: &[u64; 2]) -> RandomBoard {
        RandomBoard::going_on(own, other)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::games::leaf_games::LeafGames;
    use crate::games::leaf_games::tests::equal_plain_games;
    use crate::games::reversi::{Position, Size};

    fn ahead(position: &Position) -> Ahead {
        if position.is_over() {
            let discs = |colour| position.discs(colour) as i32;
            let lead = discs(position.mover) - discs(position.mover.other());
            return Ahead::Over((1 + lead.signum()) as u32);
        }
        Ahead::Moves(position.legal_moves().len().max(1) as u32)
    }

    fn after(position: &Position, index: u32) -> Position {
        match position.legal_moves().get(index as usize) {
            Some(square) => position.play(*square).unwrap(),
            None => position.pass(),
        }
    }

    /// Checks moves in trees and playouts from leaves against a plain implementation. Returns the number of passes.
    pub(in crate::games::reversi) fn trees_and_leaves_follow_the_rules<G>(
        rules: &G,
        size: Size,
        games: u32,
        load: impl Fn(&Position) -> G::Position,
    ) -> usize
    where
        G: LeafGame<Position: PartialEq + std::fmt::Debug>,
    {
        let random = LeafGames::new(rules.clone(), 3);
        let mut passes = 0;
        for game in 0..games {
            let mut position = Position::start(size);
            let mut leaves = Vec::new();
            for ply in 0.. {
                let loaded = load(&position);
                let found = ahead(&position);
                assert_eq!(rules.ahead(&loaded), found, "{position}");
                let Ahead::Moves(moves) = found else {
                    break;
                };
                for index in 0..moves {
                    let next = load(&after(&position, index));
                    assert_eq!(rules.after(&loaded, index), next, "{position}");
                }
                let passed = position.legal_moves().is_empty();
                passes += usize::from(passed);
                if passed || (ply + game) % 8 == 0 {
                    leaves.push((loaded, position.clone()));
                }
                position = after(&position, (ply * 7919 + game * 31) % moves);
                if passed {
                    leaves.push((load(&position), position.clone()));
                }
            }
            for numbers in [(3, u64::from(game)), (5, (1 << 32) - 7)] {
                equal_plain_games(&random, &leaves, numbers, ahead, after);
            }
        }
        passes
    }

    #[test]
    fn trees_have_the_rules_and_leaves_their_games() {
        let passes =
            trees_and_leaves_follow_the_rules(&RandomSquares, Size::STANDARD, 12, Position::words);
        assert!(passes > 0);
    }
}
