//! The openings of a match.

use std::collections::HashSet;
use std::hash::Hash;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Play;

/// Arbitrary seed of the openings' order.
const SEED: u64 = 4;

/// The distinct positions after `plies` plies, in a fixed random order. `same` maps a position to a key, and
/// equal keys mean equal positions.
pub fn openings_after<P: Play, K: Eq + Hash>(
    play: &P,
    plies: u32,
    same: impl Fn(&P::Position) -> K,
) -> Vec<P::Position> {
    let mut positions = vec![play.start()];
    for _ in 0..plies {
        let next = positions.iter().flat_map(|position| {
            let moves = play.moves(position).into_iter();
            moves.filter_map(|mv| play.play(position, mv))
        });
        positions = next.collect();
    }
    let mut seen = HashSet::new();
    positions.retain(|position| seen.insert(same(position)));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    for place in (1..positions.len()).rev() {
        positions.swap(place, random.random_range(0..=place));
    }
    positions
}
