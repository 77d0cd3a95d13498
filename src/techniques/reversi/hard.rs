//! Hard positions of reversi: passes, ends of games, full or one-sided boards, long runs, ranks of one or two words.

use super::read_board;
use crate::games::reversi::{Position, Size, Square};
use crate::techniques::hard::{Draw, Hard, some};
use crate::words::{Case, Task};

/// Search cases for every technique, on boards from the smallest to the largest.
pub const SEARCH: &[Hard] = &[
    Hard::new(Task::Search, "board=4x4 depth=3", whole),
    Hard::new(Task::Search, "board=4x4 depth=8", late),
    Hard::new(Task::Search, "board=4x4 depth=4", level),
    Hard::new(Task::Search, "board=6x6 depth=5", level),
    Hard::new(Task::Search, "board=8x8 depth=3", whole).with("mobility=7"),
    Hard::new(Task::Search, "board=8x8 depth=5", late),
    Hard::new(Task::Search, "board=10x14 depth=2", few),
    Hard::new(Task::Search, "board=32x16 depth=2", few),
    Hard::new(Task::Search, "board=64x34 depth=2", few),
];

/// Search cases with a few positions of each kind, for slow kernels.
pub const OWN: &[Hard] = &[
    Hard::new(Task::Search, "board=4x4 depth=4", whole),
    Hard::new(Task::Search, "board=4x4 depth=8", late),
    Hard::new(Task::Search, "board=8x8 depth=3", whole).with("mobility=7"),
    Hard::new(Task::Search, "board=8x8 depth=5", late),
    Hard::new(Task::Search, "board=34x6 depth=2", few),
];

/// Perft cases, including positions with passes.
pub const PERFT: &[Hard] = &[
    Hard::new(Task::Perft, "board=4x4 depth=4", whole),
    Hard::new(Task::Perft, "board=4x4 depth=7", whole),
    Hard::new(Task::Perft, "board=8x8 depth=5", few),
    Hard::new(Task::Perft, "board=34x6 depth=2", few),
];

/// Cases on the standard board that cover leaves right below the root, searches by one group, and split trees.
pub const TABLE: &[Hard] = &[
    Hard::new(Task::Search, "board=8x8 depth=1", whole),
    Hard::new(Task::Search, "board=8x8 depth=2", late),
    Hard::new(Task::Search, "board=8x8 depth=3", whole).with("mobility=7"),
    Hard::new(Task::Search, "board=8x8 depth=4", late),
    Hard::new(Task::Search, "board=8x8 depth=6", level),
    Hard::new(Task::Search, "board=8x8 depth=7", few),
    Hard::new(Task::Choose, "board=8x8 effort=20ms", late),
];

/// Playout cases with single games, and with many at once.
pub const PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "board=8x8 playouts=1", late),
    Hard::new(Task::Playouts, "board=8x8 playouts=17", whole),
    Hard::new(Task::Playouts, "board=8x8 playouts=2001", few),
];

/// Playout cases that test another layout of the same kernel.
pub const FEW_PLAYOUTS: &[Hard] = &[
    Hard::new(Task::Playouts, "board=8x8 playouts=17", late),
    Hard::new(Task::Playouts, "board=8x8 playouts=301", whole),
];

/// Choices by tree search.
pub const TREE: &[Hard] = &[
    Hard::new(Task::Choose, "board=8x8 effort=20", late),
    Hard::new(Task::Choose, "board=8x8 effort=300", whole),
    Hard::new(Task::Choose, "board=8x8 effort=2000", few),
];

/// Choices that test another layout of the same tree.
pub const SMALL_TREE: &[Hard] = &[Hard::new(Task::Choose, "board=8x8 effort=200", late)];

/// Search cases on small boards. They test another layout of the same kernel.
pub const SMALL: &[Hard] = &[
    Hard::new(Task::Search, "board=4x4 depth=4", whole),
    Hard::new(Task::Search, "board=6x6 depth=3", late),
    Hard::new(Task::Search, "board=34x6 depth=2", few),
];

/// Returns positions on the case's board as text, given a seed for the random numbers.
fn drawn<P: IntoIterator<Item = Position>>(
    case: &Case,
    seed: u64,
    draw: impl FnOnce(Size, &mut Draw) -> P,
) -> Vec<String> {
    let size = case.get("board").map(read_board);
    let Some(Ok(size)) = size else {
        return Vec::new();
    };
    let positions = draw(size, &mut Draw(seed + size.squares() as u64));
    positions.into_iter().map(|it| it.to_string()).collect()
}

/// Returns positions of a whole game, the ends of two games, and positions with scattered discs.
fn whole(case: &Case) -> Vec<String> {
    drawn(case, 1, |size, draw| {
        let mut all = some(&random_game(size, draw), 10);
        all.extend(ends(size, 2, draw));
        all.extend((0..14).map(|_| scattered(size, draw)));
        all
    })
}

/// Returns a few positions, for large boards.
fn few(case: &Case) -> Vec<String> {
    drawn(case, 2, |size, draw| {
        let mut all = some(&random_game(size, draw), 2);
        all.extend((0..4).map(|_| scattered(size, draw)));
        all
    })
}

/// Returns the last plies of several games, and positions in which the mover must pass.
fn late(case: &Case) -> Vec<String> {
    drawn(case, 3, |size, draw| {
        let mut all = ends(size, 3, draw);
        let passes = (0..200).flat_map(|_| random_game(size, draw));
        let passes = passes.filter(|it| it.legal_moves().is_empty() && !it.is_over());
        all.extend(passes.take(6));
        all
    })
}

/// Returns positions shortly before the end of games that are drawn or won by one disc.
fn level(case: &Case) -> Vec<String> {
    drawn(case, 4, |size, draw| {
        let games = (0..2_000).map(|_| random_game(size, draw));
        let is_level = |game: &Vec<Position>| {
            let lead = |end: &Position| end.discs(end.mover).abs_diff(end.discs(end.mover.other()));
            game.last().is_some_and(|end| lead(end) <= 1)
        };
        let ends = games.filter(is_level).take(8);
        let last = ends.flat_map(|game| game.into_iter().rev().skip(2).take(3));
        last.collect::<Vec<_>>()
    })
}

/// Returns the last five positions of each of `games` games.
fn ends(size: Size, games: usize, draw: &mut Draw) -> Vec<Position> {
    (0..games)
        .flat_map(|_| random_game(size, draw).into_iter().rev().take(5))
        .collect()
}

/// Returns every position of a random game.
pub fn random_game(size: Size, draw: &mut Draw) -> Vec<Position> {
    let mut game = vec![Position::start(size)];
    while let Some(position) = game.last() {
        // Start at a random square and play on the first legal square. This avoids a list of moves on large boards.
        let start = draw.below(size.squares());
        let next = (0..size.squares())
            .map(|n| Square(((start + n) % size.squares()) as u16))
            .find_map(|square| position.play(square));
        match next {
            Some(next) => game.push(next),
            None if position.is_over() => break,
            None => game.push(position.pass()),
        }
    }
    game
}

/// Returns a position with random discs, mostly of one colour. Its long runs and full ranks never occur in games.
pub fn scattered(size: Size, draw: &mut Draw) -> Position {
    let mut position = Position::start(size);
    let (fill, share) = (draw.below(101), 5 + draw.below(46));
    for square in size.all() {
        if draw.below(100) < fill {
            let mover = position.mover;
            let own = draw.below(100) < share;
            position.put(square, if own { mover } else { mover.other() });
        }
    }
    position
}
