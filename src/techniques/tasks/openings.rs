//! Positions drawn at random, the same on every machine: the openings of a match, and what a batch searches.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Line, Play, Turn};
use crate::words::Fault;

/// The seed of openings and of a case's random positions; arbitrary.
pub const CASE_SEED: u64 = 4;

/// The distinct positions after `plies` plies, in a fixed random order.
pub fn openings_after<P: Play>(play: &P, plies: u32) -> Vec<P::Position> {
    let mut positions = vec![play.start()];
    for _ in 0..plies {
        let next = positions.iter().flat_map(|position| {
            let moves = play.moves(position).into_iter();
            moves.filter_map(|mv| play.play(position, mv))
        });
        positions = next.collect();
    }
    let mut seen = HashSet::new();
    positions.retain(|position| seen.insert(play.identity(position)));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(CASE_SEED);
    for place in (1..positions.len()).rev() {
        positions.swap(place, random.random_range(0..=place));
    }
    positions
}

/// Games that may be drawn for a position on average: more find hardly any new ones.
const GAMES_A_POSITION: usize = 64;

/// Distinct positions of random games, at most one per game, all equally likely. Those of a case use [`CASE_SEED`].
pub fn random_positions<P: Play>(
    play: &P,
    count: usize,
    seed: u64,
) -> Result<Line<P::Position>, Fault> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn = Line {
        positions: Vec::with_capacity(count),
        choices: Vec::with_capacity(count),
        moves: String::new(),
    };
    let mut seen = HashSet::new();
    for _ in 0..GAMES_A_POSITION * count {
        let mut game = Vec::new();
        let mut position = play.start();
        loop {
            match play.turn(&position) {
                Turn::Over(_) => break,
                Turn::Pass(passed, _) => position = passed,
                Turn::Move => {
                    let moves = play.moves(&position);
                    let next = play.play(&position, moves[random.random_range(0..moves.len())]);
                    let Some(next) = next else { break };
                    game.push((std::mem::replace(&mut position, next), moves.len() as u32));
                }
            }
        }
        let (position, choices) = game.swap_remove(random.random_range(0..game.len()));
        if seen.insert(play.identity(&position)) {
            drawn.positions.push(position);
            drawn.choices.push(choices);
        }
        if drawn.positions.len() == count {
            return Ok(drawn);
        }
    }
    let found = drawn.positions.len();
    Err(Fault::Input(format!(
        "plies: `random-{count}`; random games of this board have {found} different positions"
    )))
}
