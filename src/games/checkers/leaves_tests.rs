use super::*;
use crate::games::leaf_games::PlaysLeaves;
use crate::games::{Ahead, TreeRules};

/// Returns the positions of one random game, including the final position.
fn positions(game: &Checkers, seed: u64) -> Vec<Position> {
    let games = LeafGames::new(*game.rules(), seed);
    let mut positions = vec![Position::start()];
    let mut position = Position::start();
    let mut step = 0_u64;
    while let Ahead::Moves(moves) = game.ahead(&position) {
        // Select moves in any varied way.
        let index = (games.play(&position, step).1 ^ step as u32) % moves;
        position = game.after(&position, index);
        positions.push(position);
        step += 1;
    }
    positions
}

#[test]
fn games_in_lanes_are_the_games_one_by_one() {
    for capture in [Capture::Longest, Capture::Any] {
        let rules = Rules {
            capture,
            ..Rules::default()
        };
        let game = Checkers::new(rules);
        let games = LeafGames::new(rules, 3);
        let leaves = positions(&game, 3);
        assert!(leaves.len() > 30);
        for (each, first) in [(1, 0), (5, 7), (33, (1 << 32) - 70)] {
            let mut points = vec![9];
            let plies = games.play_each(&leaves, each, first, &mut points);
            let (mut number, mut all) = (first, 0);
            for (leaf, points) in leaves.iter().zip(&points) {
                let mut expected = 0;
                for _ in 0..each {
                    let (own, plies) = games.play(leaf, number);
                    expected += own;
                    all += u64::from(plies);
                    number += 1;
                }
                assert_eq!(*points, expected, "{leaf}");
            }
            assert_eq!(plies, all);
        }
    }
}
