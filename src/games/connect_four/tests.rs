//! Compares the bitboard with the plain rules.

use super::*;
use crate::games::{Game, Stuck};
use crate::words::{Params, Value};

/// A full board without four in a row.
pub(crate) const DRAWN: &str = "256426457127755361771411454217542236336633";

pub(crate) fn random_position(plies: usize, seed: u64) -> Position {
    let mut position = Position::start();
    // Make two steps from the seed, so that games with neighbouring seeds start differently.
    let mut state = step(step(seed));
    for _ in 0..plies {
        state = step(state);
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        position = position
            .play(legal[(state >> 33) as usize % legal.len()])
            .unwrap();
    }
    position
}

/// Makes a step of a linear congruential generator with Knuth's MMIX constants. Callers use the high bits.
fn step(state: u64) -> u64 {
    state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407)
}

/// Returns the value of a finished position for the side to move, `ply` plies below the root.
fn end_of(position: &Position, ply: u32) -> Option<i32> {
    let lost = position.winner.map(|_| ply as i32 - WIN);
    lost.or(position.is_over().then_some(0))
}

fn compare(evaluation: &Evaluation, order: Order, position: &Position) {
    let game = Bits::new(evaluation, order);
    let board = game.load(position);
    let (own, other) = board.stones();
    for column in 0..COLUMNS {
        for row in 0..ROWS {
            let bit = 1 << (7 * column + row);
            let owner = position.at(column, row);
            assert_eq!(own & bit != 0, owner == Some(position.mover()));
            assert_eq!(other & bit != 0, owner == Some(position.mover().other()));
        }
    }
    assert_eq!(game.decided(&board, 5), end_of(position, 5), "{position}");
    if position.is_over() {
        if position.winner.is_none() {
            assert_eq!(game.moves(&board).next(), None);
            assert!(matches!(game.stuck(&board, 5), Stuck::Over(0)));
        }
        return;
    }
    assert_eq!(game.evaluate(&board), evaluation.value(position));
    let mut moves: Vec<_> = game.moves(&board).collect();
    assert_eq!(
        game.first(&board, &game.moves(&board)),
        moves.first().copied()
    );
    if order == Order::CentreFirst {
        assert!(moves.is_sorted_by_key(|column| {
            let from_centre = column.index().abs_diff(3);
            (from_centre, column.index())
        }));
        moves.sort();
    }
    assert_eq!(moves, position.legal_moves(), "{position}");
    for column in moves {
        let next = position.play(column).unwrap();
        let (played, loaded) = (game.play(&board, column), game.load(&next));
        assert_eq!(played, loaded, "{next}");
        let value = end_of(&next, 3).unwrap_or_else(|| evaluation.value(&next));
        assert_eq!(game.value_after(&board, column, 3), value, "{next}");
    }
}

/// Covers random games of every length. Their last moves include full columns and wins.
#[test]
fn bits_have_the_rules_and_values_of_the_plain_board() {
    let evaluation = Evaluation::default();
    for seed in 0..300 {
        for order in [Order::FromTheLeft, Order::CentreFirst] {
            for plies in [seed as usize % 43, 42] {
                let position = random_position(plies, seed);
                compare(&evaluation, order, &position);
                let moves = position.to_string();
                for back in 1..=moves.len().min(3) {
                    let before = Position::parse(&moves[..moves.len() - back]).unwrap();
                    compare(&evaluation, order, &before);
                }
            }
        }
    }
}

/// Draws, and the plies before them, are too rare in random games.
#[test]
fn a_full_board_is_a_draw() {
    let evaluation = Evaluation::default();
    for played in 36..=42 {
        let position = Position::parse(&DRAWN[..played]).unwrap();
        compare(&evaluation, Order::FromTheLeft, &position);
    }
}

/// Covers a table with a different value for each square, and the table with the largest allowed values.
#[test]
fn bits_take_any_table() {
    let rows = (0..6).map(|row| Value::List((0..7).map(|x| Value::Int(100 * row + x)).collect()));
    let highest = Value::List(vec![Value::List(vec![Value::Int(1000); 7]); 6]);
    for (squares, two, three) in [(Value::List(rows.collect()), 17, 3), (highest, 1000, 1000)] {
        let options = Params::from([
            ("squares".to_owned(), squares),
            ("two".to_owned(), Value::Int(two)),
            ("three".to_owned(), Value::Int(three)),
        ]);
        let evaluation = Evaluation::new(&options).unwrap();
        for seed in 0..100 {
            let position = random_position(seed as usize % 43, seed);
            compare(&evaluation, Order::FromTheLeft, &position);
        }
    }
}
