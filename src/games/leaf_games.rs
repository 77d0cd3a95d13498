//! Plays random games from the leaves of a search tree on the host, for any [`PlayoutLanes`].

use super::random_games::{PlayoutLanes, play_all};
use super::{Ahead, TreeRules};
use crate::random::{digit, draw_key, playout_words};

/// Plays numbered random games from many positions with one seed. Numbers must be below
/// [`MOST_PLAYOUTS`](crate::random::MOST_PLAYOUTS).
pub trait PlaysLeaves<P>: Clone + Send + Sync + 'static {
    /// Plays a game. Returns the half points for the side to move at the leaf (win 2, draw 1), and the number of plies.
    fn play(&self, leaf: &P, number: u64) -> (u32, u32);

    /// Plays `each` games from every leaf. The games are numbered consecutively, starting with `first`. Sets `points`
    /// to each leaf's half points. Returns the total number of plies.
    fn play_each(&self, leaves: &[P], each: u32, first: u64, points: &mut Vec<u32>) -> u64;
}

/// The rules of a game for search trees, and a random game ([`PlayoutLanes`]) from the leaves.
pub trait LeafGame: TreeRules + Clone + Send + 'static {
    /// Type of the random game.
    type Random: PlayoutLanes + Default;

    /// Whether these rules play a single game faster than [`LANES`](super::random_games::LANES) lanes do. If so, their
    /// move order must match that of the random game.
    const ALONE: bool;

    /// Returns the board for an undecided leaf. For [`PlayoutLanes`], the leaf is one ply after the root, so the sides
    /// to move at root and leaf differ.
    fn board(&self, leaf: &Self::Position) -> <Self::Random as PlayoutLanes>::Board;
}

/// Plays numbered random games from the leaves of a search tree, with one seed.
///
/// Ply p of game i, counted from 0, uses the next digit of word w = p div [`PlayoutLanes::PLIES_PER_WORD`]. This is
/// word w mod 2 of the [block](playout_words) w div 2 of playout i. Playouts use the same words after their first move.
#[derive(Clone, Debug)]
pub struct LeafGames<G> {
    game: G,
    key: u32,
}

impl<G: LeafGame> LeafGames<G> {
    /// Creates the games with a seed.
    pub fn new(game: G, seed: u64) -> LeafGames<G> {
        let key = draw_key(seed);
        LeafGames { game, key }
    }

    fn play_alone(&self, leaf: &G::Position, number: u64) -> (u32, u32) {
        let mut position = leaf.clone();
        let (mut plies, mut words, mut word) = (0, [0; 2], 0);
        loop {
            let moves = match self.game.ahead(&position) {
                Ahead::Moves(moves) => moves,
                Ahead::Over(points) if plies % 2 == 0 => return (points, plies),
                Ahead::Over(points) => return (2 - points, plies),
            };
            if plies % G::Random::PLIES_PER_WORD == 0 {
                let place = plies / G::Random::PLIES_PER_WORD;
                if place % 2 == 0 {
                    words = playout_words(self.key, number, place / 2);
                }
                word = words[place as usize % 2];
            }
            position = self.game.after(&position, digit(&mut word, moves));
            plies += 1;
        }
    }
}

impl<G: LeafGame> PlaysLeaves<G::Position> for LeafGames<G> {
    fn play(&self, leaf: &G::Position, number: u64) -> (u32, u32) {
        if G::ALONE {
            return self.play_alone(leaf, number);
        }
        let mut points = Vec::with_capacity(1);
        let plies = self.play_each(std::slice::from_ref(leaf), 1, number, &mut points);
        (points.iter().sum(), plies as u32)
    }

    fn play_each(
        &self,
        leaves: &[G::Position],
        each: u32,
        first: u64,
        points: &mut Vec<u32>,
    ) -> u64 {
        points.clear();
        points.resize(leaves.len(), 0);
        let mut plies = 0;
        let of_each = leaves.iter().enumerate().flat_map(|(place, leaf)| {
            let board = self.game.board(leaf);
            (0..each).map(move |_| (place, board))
        });
        let games = (first..).zip(of_each);
        let games = games.map(|(number, (place, board))| (number, place, board));
        play_all(&G::Random::default(), self.key, games, |leaf, played| {
            // The ending is for the side to move at the board's root, which is not the side to move at the leaf.
            points[leaf] += 2 - played.ending.half_points();
            plies += u64::from(played.plies - 1);
        });
        plies
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Compares games from leaves with playouts by the plain rules. `ahead` returns the number of moves in a position
    /// (a pass counts), or the half points of the side to move. Games without their own move order use the tree's
    /// order.
    pub(crate) fn equal_plain_games<G: LeafGame, P: Clone>(
        games: &LeafGames<G>,
        leaves: &[(G::Position, P)],
        (each, first): (u32, u64),
        ahead: impl Fn(&P) -> Ahead,
        after: impl Fn(&P, u32) -> P,
    ) {
        let positions: Vec<_> = leaves.iter().map(|(leaf, _)| leaf.clone()).collect();
        let mut points = vec![7; 3];
        let plies = games.play_each(&positions, each, first, &mut points);
        assert_eq!(points.len(), leaves.len());
        let mut expected_plies = 0;
        let mut number = first;
        for ((leaf, plain), points) in leaves.iter().zip(&points) {
            let mut expected = 0;
            for _ in 0..each {
                let one = plain_game::<G, P>(games.key, plain, number, &ahead, &after);
                assert_eq!(games.play(leaf, number), one, "game {number}");
                expected += one.0;
                expected_plies += u64::from(one.1);
                number += 1;
            }
            assert_eq!(*points, expected);
        }
        assert_eq!(plies, expected_plies);
    }

    fn plain_game<G: LeafGame, P: Clone>(
        key: u32,
        leaf: &P,
        number: u64,
        ahead: &impl Fn(&P) -> Ahead,
        after: &impl Fn(&P, u32) -> P,
    ) -> (u32, u32) {
        let (mut position, mut plies, mut word) = (leaf.clone(), 0, 0);
        loop {
            let moves = match ahead(&position) {
                Ahead::Moves(moves) => moves,
                Ahead::Over(points) => {
                    let own = plies % 2 == 0;
                    return (if own { points } else { 2 - points }, plies);
                }
            };
            if plies % G::Random::PLIES_PER_WORD == 0 {
                let w = plies / G::Random::PLIES_PER_WORD;
                word = playout_words(key, number, w / 2)[w as usize % 2];
            }
            position = after(&position, digit(&mut word, moves));
            plies += 1;
        }
    }
}
