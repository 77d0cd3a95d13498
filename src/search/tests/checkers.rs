//! Compares all searches of checkers with minimax under character-based rules.

use super::*;
use crate::games::checkers::naive::Naive;
use crate::games::checkers::tests::{random_pieces, random_position};

/// Runs minimax, which searches captures beyond depth 0. A side that cannot move loses, even at the draw limit.
fn by_the_rules(
    board: &Naive,
    rules: &Rules,
    quiet: u32,
    (depth, ply): (u32, u32),
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let moves = board.moves(rules.capture);
    if moves.is_empty() {
        return ply as i32 - crate::games::WIN;
    }
    if quiet >= rules.draw_after {
        return 0;
    }
    if depth == 0 && moves[0].captures == 0 {
        return board.evaluate();
    }
    let values = moves.iter().map(|mv| {
        let quiet = if mv.captures == 0 { quiet + 1 } else { 0 };
        -by_the_rules(
            &mv.after,
            rules,
            quiet,
            (depth.saturating_sub(1), ply + 1),
            nodes,
        )
    });
    values.max().unwrap()
}

/// Returns positions from games and with random pieces. Half of them are a few plies before a draw.
pub fn positions(count: u64) -> impl Iterator<Item = (Checkers, Position)> {
    (0..count).map(|seed| {
        let capture = [Capture::Longest, Capture::Any][seed as usize % 2];
        let draw_after = [50, 3, 36, 80][seed as usize / 2 % 4];
        let game = Checkers::new(Rules {
            capture,
            draw_after,
        });
        let mut position = match seed % 3 {
            0 => random_position(&game, seed as u32 % 90, seed),
            _ => random_pieces(seed),
        };
        if seed % 8 < 4 {
            position.quiet = draw_after.saturating_sub(seed as u32 / 8 % 9);
        }
        (game, position)
    })
}

#[test]
fn minimax_is_what_the_rules_say() {
    for (at, (game, position)) in positions(160).enumerate() {
        for depth in 0..=if at % 10 == 0 { 5 } else { 3 } {
            let mut nodes = 0;
            let naive = Naive::of(&position);
            let value = by_the_rules(&naive, game.rules(), position.quiet, (depth, 0), &mut nodes);
            let found = super::super::minimax(&game, &position, depth);
            let expected = (value.into(), nodes);
            assert_eq!(
                (found.value, found.counters.nodes),
                expected,
                "{position} depth {depth}"
            );
        }
    }
}

#[test]
fn all_searches_agree() {
    let pool = pool(3);
    for (at, (game, position)) in positions(120).enumerate() {
        let (name, depth) = (position.to_string(), 1 + at as u32 % 6);
        let plain = super::super::minimax(&game, &position, depth);
        let parallel = pool.install(|| minimax_parallel(&game, &position, depth));
        assert_eq!(parallel, plain, "{name} depth {depth}");
        let serial = all_agree(&game, &position, depth, false, &pool, &name);
        let expected = (plain.value, plain.best);
        assert_eq!(
            (serial.value, serial.best),
            expected,
            "{name} depth {depth}"
        );
    }
}
