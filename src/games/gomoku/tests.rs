//! Compares every representation with the plain rules.

use super::*;
use crate::words::{Params, Value};

/// The paper's seven boards and six others. They cover every size class of [`fastest`], both full and partly used.
pub(crate) const BOARDS: [usize; 13] = [6, 9, 12, 15, 18, 21, 24, 5, 11, 16, 27, 28, 32];

/// Parses a board drawn as text, starting with the row of `a1`: `X` black, `O` white, `.` empty.
pub(crate) fn drawn(rows: &[&str]) -> (Size, Vec<Option<Colour>>) {
    let size = Size::new(rows.len()).unwrap();
    let cell = |letter| match letter {
        'X' => Some(Colour::Black),
        'O' => Some(Colour::White),
        '.' => None,
        _ => panic!("{letter}"),
    };
    let cells: Vec<_> = rows.iter().flat_map(|row| row.chars().map(cell)).collect();
    assert_eq!(cells.len(), size.squares());
    (size, cells)
}

/// Plays a game that ends with the drawn board. Each colour places its stones in the order of the squares.
fn played(rows: &[&str]) -> Position {
    let (size, cells) = drawn(rows);
    let of = |colour| {
        size.all()
            .filter(|square| cells[square.index()] == Some(colour))
            .collect::<Vec<_>>()
    };
    let (black, white) = (of(Colour::Black), of(Colour::White));
    assert!(black.len() == white.len() || black.len() == white.len() + 1);
    let mut position = Position::empty(size);
    for stone in 0..black.len() + white.len() {
        let stones = [&black, &white][stone % 2];
        position = position.play(stones[stone / 2]).unwrap();
    }
    position
}

/// Returns a full 5x5 board without five in a row.
pub(crate) fn full_board() -> Position {
    played(&["XXOXO", "OOXOX", "XXOXO", "OOXOX", "XXOXO"])
}

pub(crate) fn random_position(size: Size, plies: usize, seed: u64) -> Position {
    let mut position = Position::empty(size);
    let mut state = seed;
    let mut draw = |below: usize| {
        // This is a step of a linear congruential generator with Knuth's MMIX constants. Only the high bits are used.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    while position.moves().len() < plies {
        let empty: Vec<_> = size.all().filter(|at| position.at(*at).is_none()).collect();
        let square = empty[draw(empty.len())];
        let lonely = size.neighbours(square).all(|at| position.at(at).is_none());
        if lonely && !position.moves().is_empty() && draw(8) > 0 {
            continue;
        }
        let mut next = position.clone();
        next.put(square);
        if next.is_over() && !next.has_five() {
            return position;
        }
        if next.has_five() {
            // Avoid moves that end the game, unless few squares are left.
            if empty.len() < 4 {
                return position;
            }
            continue;
        }
        position = next;
    }
    position
}

/// Compares a position's moves, their results, its value, and whether the game is over.
#[derive(Clone, Copy)]
struct Compare<'a>(&'a Evaluation, &'a Position);

/// Returns the decided value, if any, and the static value of a position that is entered at this ply.
fn entered(evaluation: &Evaluation, position: &Position, ply: u32) -> (Option<i32>, i32) {
    let decided = if position.has_five() {
        Some(lost(ply))
    } else if position.moves().len() == position.size().squares() {
        Some(0)
    } else {
        None
    };
    (decided, evaluation.value(position))
}

impl Visit for Compare<'_> {
    type Output = ();

    fn visit<R: Representation>(self, game: R) {
        let Compare(evaluation, position) = self;
        let kind = std::any::type_name::<R>();
        let board = game.load(position);
        let (decided, value) = entered(evaluation, position, 3);
        assert_eq!(game.decided(&board, 3), decided, "{kind} {position}");
        assert_eq!(game.evaluate(&board), value, "{kind} {position}");
        if decided.is_some() {
            return;
        }
        let moves = evaluation.candidates(position);
        let found = game.moves(&board).collect::<Vec<_>>();
        assert_eq!(found, moves, "{kind} {position}");
        assert_eq!(
            game.first(&board, &game.moves(&board)),
            moves.first().copied()
        );
        for mv in moves.iter().step_by(1 + moves.len() / 60) {
            let next = position.play(*mv).unwrap();
            let (decided, value) = entered(evaluation, &next, 4);
            let played = game.play(&board, *mv);
            let found = game.decided(&played, 4);
            assert_eq!(found, decided, "{kind} {position} {mv:?}");
            assert_eq!(game.evaluate(&played), value, "{kind} {position} {mv:?}");
            let found = game.value_after(&board, *mv, 4);
            assert_eq!(found, decided.unwrap_or(value), "{kind} {position} {mv:?}");
            if decided.is_none() {
                assert_eq!(
                    game.moves(&played).collect::<Vec<_>>(),
                    evaluation.candidates(&next),
                    "{kind} {position} {mv:?}"
                );
            }
        }
    }
}

fn compare(evaluation: &Evaluation, position: &Position) {
    let compare = Compare(evaluation, position);
    fastest(evaluation, compare);
    as_published(evaluation, compare);
}

fn compare_on(side: usize, options: &Params) {
    let size = Size::new(side).unwrap();
    let evaluation = Evaluation::new(size, options).unwrap();
    compare(&evaluation, &Position::empty(size));
    compare(&evaluation, &Position::first_stone(size));
    let rounds = (4_000 / size.squares()).clamp(6, 60);
    for round in 0..rounds {
        let plies = round * size.squares() / rounds;
        compare(&evaluation, &random_position(size, plies, round as u64));
    }
}

#[test]
fn all_representations_have_the_same_rules_and_values() {
    for side in BOARDS {
        compare_on(side, &Params::new());
    }
}

#[test]
fn they_agree_on_other_moves_and_other_shapes() {
    let shapes = [70_000, 6_001, 502, 43, 4, 0].map(Value::Int);
    let options = Params::from([
        ("moves".to_owned(), Value::Text("adjacent".into())),
        ("shapes".to_owned(), Value::List(shapes.into())),
    ]);
    for side in BOARDS {
        compare_on(side, &options);
    }
}

#[test]
fn ends_of_games_are_seen_by_all() {
    let size = Size::new(6).unwrap();
    let evaluation = Evaluation::new(size, &Params::new()).unwrap();
    // Black wins with a row, White with a column, and each colour with a diagonal. Six in a row also win.
    for won in [
        "a1a2b1b2c1c2d1d2e1",
        "b1a1c3a2e5a3f6a4d2a5",
        "a1f1b2f2c3f3d4f4e5",
        "f1a1e2a2d3a3c4a4b5",
        "a1a2b1b2c1c2d1d2f1f2e1",
    ] {
        let position = Position::parse(size, won).unwrap();
        assert!(position.has_five(), "{won}");
        compare(&evaluation, &position);
        let before = Position::parse(size, &won[..won.len() - 2]).unwrap();
        compare(&evaluation, &before);
    }
    let full = full_board();
    let evaluation = Evaluation::new(full.size(), &Params::new()).unwrap();
    compare(&evaluation, &full);
    let mut last = Position::empty(full.size());
    for mv in &full.moves()[..24] {
        last = last.play(*mv).unwrap();
    }
    compare(&evaluation, &last);
}
