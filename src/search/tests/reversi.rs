use super::*;
use crate::games::reversi::tests::{BOARDS, random_position};
use crate::games::reversi::{
    Bits8, Evaluation, Position, Representation, Rows, Size, Square, Visit, as_published, fastest,
};
use crate::words::Params;

fn evaluation(board: &str) -> Evaluation {
    Evaluation::new(board.parse().unwrap(), &Params::new()).unwrap()
}

struct Agree<'a>(&'a Position, u32, &'a rayon::ThreadPool);

impl Visit for Agree<'_> {
    type Output = Found<Square>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let Agree(position, depth, pool) = self;
        let board = game.load(position);
        let plain = depth <= 2 || game.size().squares() <= 64 && depth <= 3;
        all_agree(&game, &board, depth, plain, pool, &position.to_string())
    }
}

/// Searches random positions on all boards. The maximum depth is 2 on the largest boards and 6 on the smallest, where
/// threads share subtrees.
#[test]
fn all_searches_find_the_same_value_and_move() {
    let pool = pool(3);
    for board in BOARDS {
        let evaluation = evaluation(board);
        let size = evaluation.size();
        let (rounds, deepest) = match size.squares() {
            0..=64 => (32, 6),
            65..=256 => (24, 4),
            257..=512 => (14, 4),
            513..=1024 => (10, 3),
            _ => (8, 2),
        };
        for round in 0..rounds {
            let plies = round as usize * size.squares() / rounds as usize;
            let position = &random_position(size, plies.min(400), round);
            let depth = 1 + round as u32 % deepest;
            let found = fastest(&evaluation, Agree(position, depth, &pool));
            // The published representation is slow on large boards.
            let deepest = match size.squares() {
                0..=64 => 4,
                65..=512 => 2,
                _ => 1,
            };
            if depth <= deepest {
                let published = as_published(&evaluation, Agree(position, depth, &pool));
                assert_eq!(published, found, "{board} {position} depth {depth}");
            }
        }
    }
}

/// The depth is large enough to share nodes inside shared subtrees. More threads than cores make thread switches occur
/// at arbitrary points.
#[test]
fn shared_bounds_change_neither_value_nor_move() {
    let game = Bits8::new(&evaluation("8x8"));
    for threads in [1, 2, 8] {
        let pool = pool(threads);
        for seed in 0..8 {
            let position = random_position(Size::STANDARD, 8 + 5 * seed as usize, seed);
            let board = game.load(&position);
            let serial = alpha_beta(&game, &board, 7);
            let shared = pool.install(|| alpha_beta_shared(&game, &board, 7));
            let expected = (serial.value, serial.best);
            assert_eq!((shared.value, shared.best), expected, "{position}");
            if threads == 1 {
                assert_eq!(shared.counters, serial.counters, "{position}");
            }
        }
    }
}

#[test]
fn windows_bound_what_they_exclude() {
    let game = Bits8::new(&evaluation("8x8"));
    for seed in 0..20 {
        let position = random_position(Size::STANDARD, 10 + 2 * seed as usize, seed);
        let board = game.load(&position);
        let search = |alpha, beta| {
            let window = Window { alpha, beta };
            descend(&game, &board, 4, 0, window, &mut Default::default())
        };
        let value = search(-INFINITY, INFINITY);
        assert_eq!(value, minimax(&game, &board, 4, 0));
        assert_eq!(search(value - 1, value + 1), value);
        assert!(search(value, INFINITY) <= value);
        assert!(search(-INFINITY, value) >= value);
        assert!(search(value + 5, value + 6) <= value + 5);
    }
}

/// Published perft counts for the standard board, depths 1 to 9.
const PERFT_8X8: [u64; 9] = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];

struct Perft<'a>(u32, &'a rayon::ThreadPool);

impl Visit for Perft<'_> {
    type Output = u64;

    fn visit<R: Representation>(self, game: R) -> u64 {
        let Perft(depth, pool) = self;
        let start = game.load(&Position::start(game.size()));
        let serial = perft(&game, &start, depth);
        assert_eq!(
            pool.install(|| perft_parallel(&game, &start, depth)),
            serial
        );
        serial.leaves
    }
}

#[test]
fn perft_gives_the_published_counts() {
    let pool = &pool(2);
    let standard = &evaluation("8x8");
    for (depth, leaves) in (1..).zip(PERFT_8X8) {
        assert_eq!(fastest(standard, Perft(depth, pool)), leaves);
        let rows = Rows::<u32, 32>::new(standard);
        if depth < 8 {
            assert_eq!(Perft(depth, pool).visit(rows), leaves);
            assert_eq!(as_published(standard, Perft(depth, pool)), leaves);
        }
    }
    let found = fastest(&evaluation("6x6"), Perft(8, pool));
    assert_eq!(found, 308_716);
    let found = as_published(&evaluation("6x6"), Perft(8, pool));
    assert_eq!(found, 308_716);
}
