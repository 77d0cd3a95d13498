//! Hard positions of gomoku: threats to make five, edges, word boundaries, boards that fill up, and finished games.

use super::read_board;
use crate::games::gomoku::{Colour, Position, Size, Square};
use crate::techniques::hard::{Draw, Hard, START, some};
use crate::words::{Case, Task};

/// Shape values. No two shapes, and no two sums of a few shapes, have the same value.
const SHAPES: &str = "shapes=[70000,6001,5003,502,43,4]";
const ADJACENT: &str = "moves=adjacent shapes=[70000,6001,5003,502,43,4]";

/// Search cases for every technique, on boards from the smallest to the largest.
pub const SEARCH: &[Hard] = &[
    Hard::new(Task::Search, "board=5x5 depth=3", whole),
    Hard::new(Task::Search, "board=5x5 depth=4", late),
    Hard::new(Task::Search, "board=6x6 depth=3", few).with(SHAPES),
    Hard::new(Task::Search, "board=6x6 depth=4", late).with(ADJACENT),
    Hard::new(Task::Search, "board=9x9 depth=2", whole).with(SHAPES),
    Hard::new(Task::Search, "board=15x15 depth=2", few).with(ADJACENT),
    Hard::new(Task::Search, "board=28x28 depth=2", ends).with(ADJACENT),
    Hard::new(Task::Search, "board=32x32 depth=2", ends).with(ADJACENT),
];

/// Cases on boards that `table-search` supports.
pub const TABLE: &[Hard] = &[
    Hard::new(Task::Search, "board=5x5 depth=3", whole),
    Hard::new(Task::Search, "board=5x5 depth=4", late),
    Hard::new(Task::Search, "board=6x6 depth=4", few).with(SHAPES),
    Hard::new(Task::Search, "board=6x6 depth=4", late).with(ADJACENT),
    Hard::new(Task::Search, "board=9x9 depth=1", whole).with(SHAPES),
    Hard::new(Task::Search, "board=9x9 depth=2", whole).with(SHAPES),
    Hard::new(Task::Search, "board=15x15 depth=2", few).with(ADJACENT),
    Hard::new(Task::Search, "board=15x15 depth=3", few),
    Hard::new(Task::Choose, "board=9x9 effort=20ms", late),
];

/// Playout cases with single games and with many at once, on boards from the smallest to the largest.
pub const PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "board=5x5 playouts=1", late),
    Hard::new(Task::Playouts, "board=9x9 playouts=17", whole),
    Hard::new(Task::Playouts, "board=15x15 playouts=501", few),
    Hard::new(Task::Playouts, "board=16x16 playouts=300", whole),
];

/// Playout cases that test another layout of the same kernel.
pub const FEW_PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "board=5x5 playouts=301", late),
    Hard::new(Task::Playouts, "board=15x15 playouts=17", few),
];

/// Choices by tree search, on boards from the smallest to the largest.
pub const TREE: &[Hard] = &[
    Hard::new(Task::Choose, "board=5x5 effort=300", late),
    Hard::new(Task::Choose, "board=9x9 effort=300", whole),
    Hard::new(Task::Choose, "board=15x15 effort=100", few),
    Hard::new(Task::Choose, "board=16x16 effort=300", ends),
];

/// Choices that test another layout of the same tree.
pub const SMALL_TREE: &[Hard] = &[
    Hard::new(Task::Choose, "board=5x5 effort=200", late),
    Hard::new(Task::Choose, "board=15x15 effort=50", ends),
];

/// Search cases on small boards. They test another layout of the same kernel.
pub const SMALL: &[Hard] = &[
    Hard::new(Task::Search, "board=5x5 depth=3", few),
    Hard::new(Task::Search, "board=6x6 depth=4", late).with(ADJACENT),
    Hard::new(Task::Search, "board=7x7 depth=2", whole).with(SHAPES),
];

/// Deeper searches than most of [`SMALL`]. The host may expand some plies.
pub const DEEP: &[Hard] = &[
    Hard::new(Task::Search, "board=5x5 depth=4", late),
    Hard::new(Task::Search, "board=6x6 depth=4", few).with(ADJACENT),
];

/// Returns the positions that `made` creates for the case's board.
fn on_board<const N: usize>(case: &Case, made: fn(Size) -> [Vec<String>; N]) -> Vec<String> {
    let size = case.get("board").and_then(|board| read_board(board).ok());
    size.map_or_else(Vec::new, |size| made(size).concat())
}

fn whole(case: &Case) -> Vec<String> {
    on_board(case, |size| {
        let full = filled(size, &[3, 2, 1, 0]);
        [vec![START.to_owned()], fives(size), random(size, 12), full]
    })
}

fn few(case: &Case) -> Vec<String> {
    on_board(case, |size| [fives(size), random(size, 5)])
}

/// Returns a few positions, for large boards.
fn ends(case: &Case) -> Vec<String> {
    on_board(case, |size| {
        let fives = fives(size);
        let one = random_position(size, 40, &mut Draw(5)).to_string();
        let last = fives.last().cloned();
        [some(&fives, 6), vec![one], last.into_iter().collect()]
    })
}

/// Returns boards that fill up within the search, and boards with threats to make five.
fn late(case: &Case) -> Vec<String> {
    on_board(case, |size| {
        [filled(size, &[1, 2, 3, 4, 6, 8]), some(&fives(size), 6)]
    })
}

/// Returns boards with four stones of a five, in every direction, with every gap, at opposite corners and in between.
fn fives(size: Size) -> Vec<String> {
    let (side, mut found) = (size.side(), Vec::new());
    let mut draw = Draw(side as u64);
    // Places are in the outer loop, so that even a short prefix of the list has every direction.
    for place in 0..3 {
        for (number, (dx, dy)) in [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().enumerate() {
            let reach = |step: i64| if step == 0 { side } else { side - 4 };
            let places = (reach(dx), reach(dy));
            // Use one corner, the opposite corner, and a random place in between.
            let at = |room: usize, draw: &mut Draw| match place {
                0 => 0,
                1 => room - 1,
                _ => draw.below(room),
            };
            let x = at(places.0, &mut draw);
            let mut y = at(places.1, &mut draw);
            if dy < 0 {
                y += 4;
            }
            let line: Vec<Square> = (0..5)
                .map(|step| {
                    let along = |from: usize, by: i64| (from as i64 + by * step) as usize;
                    size.square(along(x, dx), along(y, dy))
                })
                .collect();
            let left = (number + 2 * place) % 5;
            let attacks = (number + place) % 2 == 0;
            found.extend(four(size, &line, left, attacks, &mut draw));
        }
    }
    found
}

/// Returns a board on which Black has four of the line's five squares. Black is to move if `attacks` is set.
fn four(
    size: Size,
    line: &[Square],
    left: usize,
    attacks: bool,
    draw: &mut Draw,
) -> Option<String> {
    let own: Vec<Square> = (0..5).filter(|n| *n != left).map(|n| line[n]).collect();
    let mut position = Position::empty(size);
    let free = |position: &Position, draw: &mut Draw| {
        let open = |square: &Square| position.at(*square).is_none() && !line.contains(square);
        let open: Vec<Square> = size.all().filter(open).collect();
        open.get(draw.below(open.len())).copied()
    };
    for (number, square) in own.iter().enumerate() {
        position = position.play(*square)?;
        if attacks || number < 3 {
            position = position.play(free(&position, draw)?)?;
        }
    }
    let to_move = if attacks {
        Colour::Black
    } else {
        Colour::White
    };
    (position.mover() == to_move).then(|| position.to_string())
}

/// Returns `count` positions of random games, from an empty to a nearly full board. Some games end with a five.
fn random(size: Size, count: usize) -> Vec<String> {
    let mut draw = Draw(1 + size.side() as u64);
    (0..count)
        .map(|nth| {
            let plies = nth * size.squares() / count;
            random_position(size, plies, &mut draw).to_string()
        })
        .collect()
}

fn random_position(size: Size, plies: usize, draw: &mut Draw) -> Position {
    let mut position = Position::empty(size);
    for _ in 0..plies {
        let legal = position.legal_moves();
        match legal.get(draw.below(legal.len())) {
            Some(square) => position = position.play(*square).unwrap_or(position),
            None => break,
        }
    }
    position
}

/// Largest side at which some of 2,000 random games reach a nearly full board without a five. On 12x12, none did.
const MOST_FILLED: usize = 11;

/// Returns boards without a five that have these numbers of empty squares, or none for large boards.
fn filled(size: Size, lacking: &[usize]) -> Vec<String> {
    if size.side() > MOST_FILLED {
        return Vec::new();
    }
    let mut draw = Draw(9);
    let full = size.squares();
    let one = |lacks: &usize| {
        (0..2_000)
            .map(|_| random_position(size, full - lacks, &mut draw))
            .find(|position| position.moves().len() == full - lacks && !position.has_five())
            .map(|position| position.to_string())
    };
    lacking.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_fives_in_every_direction_and_full_boards() {
        for side in [5, 6, 9, 32] {
            let size = Size::new(side).unwrap();
            let fives = fives(size);
            assert!(fives.len() >= 8, "{side}: {fives:?}");
            for text in fives {
                assert!(!Position::parse(size, &text).unwrap().has_five());
            }
        }
        let size = Size::new(5).unwrap();
        assert_eq!(filled(size, &[0, 1, 2]).len(), 3);
    }
}
