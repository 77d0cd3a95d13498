use super::*;
use crate::games::gomoku::tests::{BOARDS, full_board, random_position};
use crate::games::gomoku::{
    Evaluation, Position, Representation, Size, Square, Visit, as_published, fastest,
};
use crate::words::{Params, Value};

fn evaluation(side: usize, moves: &str) -> Evaluation {
    let options = Params::from([("moves".to_owned(), Value::Text(moves.to_owned()))]);
    Evaluation::new(Size::new(side).unwrap(), &options).unwrap()
}

struct Agree<'a>(&'a Position, u32, &'a rayon::ThreadPool);

impl Visit for Agree<'_> {
    type Output = Found<Square>;

    fn visit<R: Representation>(self, game: R) -> Found<Square> {
        let Agree(position, depth, pool) = self;
        let board = game.load(position);
        let plain =
            depth <= 2 && game.size().squares() <= 144 || depth == 3 && game.size().side() == 5;
        all_agree(&game, &board, depth, plain, pool, &position.to_string())
    }
}

fn compare(evaluation: &Evaluation, plies: usize, depth: u32, seed: u64, pool: &rayon::ThreadPool) {
    let position = &random_position(evaluation.size(), plies, seed);
    let agree = || Agree(position, depth, pool);
    let found = fastest(evaluation, agree());
    if depth < 3 {
        let published = as_published(evaluation, agree());
        assert_eq!(published, found, "{position} depth {depth}");
    }
}

/// Tests random positions on all boards, from empty to nearly full.
#[test]
fn all_searches_find_the_same_value_and_move() {
    let pool = pool(3);
    for side in BOARDS {
        let evaluation = evaluation(side, "all");
        let (rounds, deepest) = match side {
            ..=6 => (20, 4),
            7..=12 => (6, 3),
            _ => (4, 2),
        };
        for round in 0..rounds {
            let plies = round as usize * side * side / rounds as usize;
            compare(&evaluation, plies, 1 + round as u32 % deepest, round, &pool);
        }
    }
}

/// With few moves per position, searches on large boards are deep enough for bounds to matter.
#[test]
fn they_agree_deeper_on_adjacent_squares() {
    let pool = pool(3);
    for side in BOARDS {
        let evaluation = evaluation(side, "adjacent");
        for (plies, depth) in [(1, 4), (5, 3), (side, 2)] {
            compare(&evaluation, plies, depth, side as u64, &pool);
        }
    }
}

/// Until a player can make five in a row, every empty square is a move.
#[test]
fn perft_counts_arrangements() {
    let count = |side: usize, depth: u32| {
        let evaluation = evaluation(side, "all");
        let position = &Position::empty(evaluation.size());
        let leaves = fastest(&evaluation, Perft(position, depth));
        let squares = (side * side) as u64;
        let arrangements: u64 = (0..u64::from(depth)).map(|ply| squares - ply).product();
        assert_eq!(leaves, arrangements, "{side}x{side} depth {depth}");
        assert_eq!(as_published(&evaluation, Perft(position, depth)), leaves);
    };
    for (side, depth) in [(5, 4), (6, 3), (12, 2), (15, 2), (24, 1), (32, 1)] {
        count(side, depth);
    }
}

#[test]
fn perft_ends_at_a_five_and_on_a_full_board() {
    let evaluation = evaluation(6, "all");
    let position = &Position::parse(evaluation.size(), "a1a2b1b2c1c2d1d2").unwrap();
    let count = |depth| fastest(&evaluation, Perft(position, depth));
    assert_eq!(count(1), 28);
    assert_eq!(count(2), 27 * 27, "nothing follows e1");
    // White also wins with e2, unless Black plays there first.
    assert_eq!(count(3), (27 * 27 - 26) * 26);

    let full = full_board();
    let evaluation = Evaluation::new(full.size(), &Params::new()).unwrap();
    let position = &before_the_end(&full, 1);
    let count = |depth| fastest(&evaluation, Perft(position, depth));
    assert_eq!((count(1), count(2)), (1, 0));
}

struct Perft<'a>(&'a Position, u32);

impl Visit for Perft<'_> {
    type Output = u64;

    fn visit<R: Representation>(self, game: R) -> u64 {
        let Perft(position, depth) = self;
        let board = game.load(position);
        let serial = perft(&game, &board, depth);
        assert_eq!(perft_parallel(&game, &board, depth), serial);
        serial.leaves
    }
}

/// Returns the position `plies` plies before the end of a game.
fn before_the_end(position: &Position, plies: usize) -> Position {
    let moves = position.moves();
    let kept = moves[..moves.len() - plies].iter();
    kept.fold(Position::empty(position.size()), |position, mv| {
        position.play(*mv).unwrap()
    })
}

#[test]
fn a_full_board_is_a_draw() {
    let full = full_board();
    let evaluation = Evaluation::new(full.size(), &Params::new()).unwrap();
    let pool = pool(2);
    for plies in 0..=2 {
        let agree = Agree(&before_the_end(&full, plies), 3, &pool);
        let found = fastest(&evaluation, agree);
        assert_eq!(found.value, 0);
        assert_eq!(found.best.is_some(), plies > 0);
    }
}
