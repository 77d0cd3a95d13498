//! Compares every representation with the plain rules.

use super::*;
use crate::games::Stuck;
use crate::words::{Params, Value};

/// The paper's seven boards and four others.
pub(crate) const BOARDS: [&str; 11] = [
    "8x8", "16x8", "16x16", "32x16", "32x32", "64x32", "64x64", "4x4", "6x6", "10x14", "8x64",
];

pub(crate) fn random_position(size: Size, plies: usize, seed: u64) -> Position {
    let mut position = Position::start(size);
    let mut state = seed;
    for _ in 0..plies {
        // This is a step of a linear congruential generator with Knuth's MMIX constants. Only the high bits are used.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Play the first legal square at or after a random square. On large boards, this is faster than listing all
        // moves.
        let start = (state >> 33) as usize % size.squares();
        let from = |n: usize| Square(((start + n) % size.squares()) as u16);
        let next = (0..size.squares())
            .map(from)
            .find_map(|square| position.play(square));
        position = match next {
            Some(next) => next,
            None if position.is_over() => return position,
            None => position.pass(),
        };
    }
    position
}

/// Returns a board with random discs. It covers positions that no game reaches, with long runs and full ranks.
fn scattered(size: Size, fill: u64, seed: u64) -> Position {
    let mut position = Position::empty(size, Colour::Black);
    let mut state = seed;
    for square in size.all() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let draw = (state >> 33) % 100;
        if draw < fill {
            let colour = if state >> 60 < 11 {
                Colour::White
            } else {
                Colour::Black
            };
            position.put(square, colour);
        }
    }
    position
}

/// Compares a position's moves, their results, its value, and whether the game is over.
#[derive(Clone, Copy)]
struct Compare<'a>(&'a Evaluation, &'a Position);

impl Visit for Compare<'_> {
    type Output = ();

    fn visit<R: Representation>(self, game: R) {
        let Compare(evaluation, position) = self;
        let board = game.load(position);
        let kind = std::any::type_name::<R>();
        for rank in 0..position.size.height() {
            let row = |colour| position.rows(colour)[rank];
            let mover = position.mover;
            let expected = (row(mover), row(mover.other()));
            assert_eq!(game.rank(&board, rank), expected, "{kind} {position}");
        }
        let moves = position.legal_moves();
        let found = game.moves(&board).collect::<Vec<_>>();
        assert_eq!(found, moves, "{kind} {position}");
        let found = game.evaluate(&board);
        assert_eq!(found, evaluation.value(position), "{kind} {position}");
        let heaviest = moves.iter().copied().max_by_key(|square| {
            (
                evaluation.weights[square.index()],
                std::cmp::Reverse(*square),
            )
        });
        assert_eq!(
            game.first(&board, &game.moves(&board)),
            heaviest,
            "{kind} {position}"
        );
        // Large boards have hundreds of moves, so test only a few.
        for mv in moves.iter().step_by(1 + moves.len() / 12) {
            let next = position.play(*mv).unwrap();
            let (played, loaded) = (game.play(&board, *mv), game.load(&next));
            assert_eq!(
                game.moves(&played).collect::<Vec<_>>(),
                game.moves(&loaded).collect::<Vec<_>>(),
                "{kind} {position} {mv:?}"
            );
            let found = game.evaluate(&played);
            assert_eq!(found, evaluation.value(&next), "{kind} {position} {mv:?}");
        }
        if moves.is_empty() {
            match game.stuck(&board, 0) {
                Stuck::Over(value) => {
                    assert!(position.is_over(), "{kind} {position}");
                    let discs = |colour| position.discs(colour) as i32;
                    let mover = position.mover;
                    let expected = final_value(discs(mover) - discs(mover.other()));
                    assert_eq!(value, expected, "{kind} {position}");
                }
                Stuck::Pass(passed) => {
                    assert!(!position.is_over(), "{kind} {position}");
                    let other: Vec<_> = game.moves(&passed).collect();
                    assert_eq!(other, position.pass().legal_moves(), "{kind} {position}");
                    assert_eq!(game.evaluate(&passed), evaluation.value(&position.pass()));
                }
            }
        }
    }
}

/// Returns the number of positions of each kind for a board. It decreases with size, because the plain rules are slow.
fn rounds(size: Size) -> u64 {
    (3_000_000 / (size.squares() as u64).pow(2)).clamp(6, 500)
}

fn compare_on(board: &str, options: &Params) {
    let size: Size = board.parse().unwrap();
    let evaluation = Evaluation::new(size, options).unwrap();
    let check = |position: &Position| {
        let compare = Compare(&evaluation, position);
        fastest(&evaluation, compare);
        as_published(&evaluation, compare);
    };
    let rounds = rounds(size);
    for round in 0..rounds {
        let plies = (round as usize * size.squares()) / rounds as usize;
        check(&random_position(size, plies.min(700), round));
        check(&scattered(
            size,
            [5, 35, 70, 95, 100][round as usize % 5],
            round,
        ));
    }
}

#[test]
fn all_representations_have_the_same_rules_and_values() {
    for board in BOARDS {
        compare_on(board, &Params::new());
    }
}

#[test]
fn they_agree_without_mobility() {
    let options = Params::from([("mobility".to_owned(), Value::Int(0))]);
    for board in ["8x8", "6x6", "32x16"] {
        compare_on(board, &options);
    }
}

/// [`Rows`] also supports 8x8. This test compares both bitboards on that board.
#[test]
fn rows_agree_on_8x8() {
    let evaluation = Evaluation::new(Size::STANDARD, &Params::new()).unwrap();
    for seed in 0..100 {
        let position = &random_position(Size::STANDARD, seed as usize % 60, seed);
        let compare = Compare(&evaluation, position);
        compare.visit(Rows::<u16, 16>::new(&evaluation));
        compare.visit(Rows::<u64, 64>::new(&evaluation));
    }
}
