//! Compares all searches of Connect Four with minimax.

use super::*;
use crate::games::connect_four::tests::random_position;
use crate::games::connect_four::{Bits, Evaluation, Order, Position, WIN};

fn game(order: Order) -> Bits {
    Bits::new(&Evaluation::default(), order)
}

/// Runs minimax directly on the rules, with the plain board.
fn by_the_rules(position: &Position, depth: u32, ply: u32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    if position.winner.is_some() {
        return ply as i32 - WIN;
    }
    if position.is_over() {
        return 0;
    }
    if depth == 0 {
        return Evaluation::default().value(position);
    }
    let child = |column| position.play(column).unwrap();
    let values = position
        .legal_moves()
        .into_iter()
        .map(|column| -by_the_rules(&child(column), depth - 1, ply + 1, nodes));
    values.max().unwrap()
}

#[test]
fn minimax_is_what_the_rules_say() {
    let left = game(Order::FromTheLeft);
    for seed in 0..60 {
        let position = random_position(seed as usize % 43, seed);
        let board = left.load(&position);
        for depth in 0..=3 {
            let mut nodes = 0;
            let value = by_the_rules(&position, depth, 0, &mut nodes);
            let found = super::super::minimax(&left, &board, depth);
            assert_eq!((found.value, found.counters.nodes), (value.into(), nodes));
            let first = position
                .legal_moves()
                .into_iter()
                .find(|column| depth > 0 && value_of_move(&left, &board, *column, depth) == value);
            assert_eq!(found.best, first, "{position} depth {depth}");
        }
    }
}

/// With the same move order, all searches find the same best move: the first move with the best value.
#[test]
fn all_searches_agree() {
    let pool = pool(3);
    for order in [Order::FromTheLeft, Order::CentreFirst] {
        let game = game(order);
        for seed in 0..60 {
            let position = random_position(seed as usize % 43, seed);
            let (board, name) = (game.load(&position), position.to_string());
            let depth = seed as u32 % 8;
            let plain = super::super::minimax(&game, &board, depth);
            let parallel = pool.install(|| minimax_parallel(&game, &board, depth));
            assert_eq!(parallel, plain, "{name} depth {depth}");
            let serial = all_agree(&game, &board, depth, false, &pool, &name);
            let expected = (plain.value, plain.best);
            assert_eq!(
                (serial.value, serial.best),
                expected,
                "{name} depth {depth}"
            );
            assert!(serial.counters.nodes <= plain.counters.nodes);
        }
    }
}

/// Perft counts for depths 1 to 8. No game ends before the seventh ply.
const PERFT: [u64; 8] = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234];

#[test]
fn perft_gives_the_known_counts() {
    let (pool, game) = (pool(2), game(Order::FromTheLeft));
    let start = game.load(&Position::start());
    for (depth, leaves) in (1..).zip(PERFT) {
        let serial = perft(&game, &start, depth);
        assert_eq!(serial.leaves, leaves, "depth {depth}");
        let found = pool.install(|| perft_parallel(&game, &start, depth));
        assert_eq!(found, serial);
    }
}
