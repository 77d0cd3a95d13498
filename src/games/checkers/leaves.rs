use super::board::Board;
use super::lanes::{self, Game};
use super::moves::Choices;
use super::playouts::play_one;
use super::{Position, Rules};
use crate::games::leaf_games::PlaysLeaves;
use crate::random::{below, draw_key, playout_draw};

/// The numbered random games from the leaves of a tree search, under one seed.
///
/// Ply p, from 0, plays move (r × n) >> 32 of its n moves, with r the [draw](playout_draw) of the game at ply p.
#[derive(Clone, Copy, Debug)]
pub struct LeafGames {
    rules: Rules,
    key: u32,
}

impl LeafGames {
    /// The games under a seed.
    pub fn new(rules: Rules, seed: u64) -> LeafGames {
        LeafGames {
            rules,
            key: draw_key(seed),
        }
    }

    #[inline(always)]
    fn game(&self, position: &Position, number: u64, tag: u32) -> Game {
        Game {
            board: Board::of(position),
            quiet: position.quiet,
            plies: 0,
            number,
            tag,
        }
    }
}

impl PlaysLeaves<Position> for LeafGames {
    #[inline]
    fn play(&self, position: &Position, number: u64) -> (u32, u32) {
        let game = self.game(position, number, 0);
        let choices = Choices::of(&game.board, self.rules.capture);
        let index = below(playout_draw(self.key, number, 0), choices.count);
        let played = play_one(self.rules, self.key, &game, choices, index);
        (played.ending.half_points(), played.plies)
    }

    /// Games of successive leaves are played together, so that lanes become idle only after the last leaf.
    fn play_each(&self, leaves: &[Position], each: u32, first: u64, points: &mut Vec<u32>) -> u64 {
        points.clear();
        points.resize(leaves.len(), 0);
        let mut plies = 0;
        let of_leaf = |(tag, leaf)| (0..each).map(move |_| (tag, leaf));
        let games = (0..).zip(leaves).flat_map(of_leaf).zip(first..);
        let games = games.map(|((tag, leaf), number)| self.game(leaf, number, tag));
        lanes::play_all(self.rules, self.key, games, |leaf, played| {
            points[leaf as usize] += played.ending.half_points();
            plies += u64::from(played.plies);
        });
        plies
    }
}
