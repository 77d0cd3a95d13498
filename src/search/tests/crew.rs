//! Tests the threads of a table search: more threads than cores, many positions per sample, and a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::games::OrderedGame;

/// A game without rules: five moves in every position, and values from a hash. After `plays_left` moves, a move panics.
struct Hashes {
    plays_left: AtomicU64,
}

impl Hashes {
    fn new(plays_left: u64) -> Hashes {
        Hashes {
            plays_left: AtomicU64::new(plays_left),
        }
    }
}

impl Game for Hashes {
    type Position = u64;
    type Move = u8;
    type Moves = std::ops::Range<u8>;

    fn moves(&self, _: &u64) -> Self::Moves {
        0..5
    }

    fn first(&self, _: &u64, moves: &Self::Moves) -> Option<u8> {
        moves.clone().next()
    }

    fn play(&self, position: &u64, mv: u8) -> u64 {
        let left = self.plays_left.fetch_sub(1, Ordering::Relaxed);
        assert!(left > 0, "no more moves");
        (position ^ u64::from(mv + 1))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    }

    fn evaluate(&self, position: &u64) -> i32 {
        (position >> 40) as i32 % 1_000
    }

    fn stuck(&self, _: &u64, _: u32) -> Stuck<u64> {
        Stuck::Over(0)
    }
}

impl OrderedGame for Hashes {
    const ORDERED_FROM: u32 = 2;
    const KEEPS_CHILDREN: bool = true;

    type Analysis = ();

    fn key(&self, position: &u64) -> u64 {
        *position
    }

    fn analyse(&self, _: &u64) {}

    fn order_score(&self, _: &u64, (): &(), _: u8, child: Option<&u64>, _: u32) -> i32 {
        child.map_or(0, |child| -self.evaluate(child))
    }
}

#[test]
fn more_threads_than_cores_find_the_values_of_one_for_all_positions_of_a_sample() {
    let game = Hashes::new(u64::MAX);
    let positions: Vec<u64> = (1..=12)
        .map(|n: u64| n.wrapping_mul(0xbb67_ae85_84ca_a73b))
        .collect();
    for depth in [1, 4, 8] {
        let mut found = Vec::new();
        let mut search = TableSearch::new(1 << 22, 16, None);
        pool(16).install(|| {
            search.search_each(&game, positions.iter(), depth, |one, _| found.push(one));
        });
        assert_eq!(found.len(), positions.len());
        for (position, found) in positions.iter().zip(found) {
            let serial = alpha_beta(&game, position, depth);
            assert_eq!(found.value, serial.value, "{position:x} depth {depth}");
            let best = found.best.unwrap();
            let value = i64::from(value_of_move(&game, position, best, depth));
            assert_eq!(value, serial.value, "{position:x} depth {depth}");
        }
    }
}

/// If a thread panics, no other thread may wait forever, and the pool must stay usable.
#[test]
fn a_panic_in_a_search_ends_it() {
    let pool = pool(4);
    for plays in [0, 100, 30_000, 60_000] {
        let game = Hashes::new(plays);
        let mut search = TableSearch::new(1 << 22, 4, None);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| search.search(&game, &1, 10));
        }));
        assert!(ended.is_err(), "{plays} moves are not enough");
    }
    let game = Hashes::new(u64::MAX);
    let mut search = TableSearch::new(1 << 22, 4, None);
    let found = pool.install(|| search.search(&game, &1, 6));
    assert_eq!(found.value, alpha_beta(&game, &1, 6).value);
}
