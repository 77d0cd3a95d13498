//! Compares the table search with [`alpha_beta`] for every game, on one thread and on several, with tables of different
//! sizes.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::*;
use crate::games::OrderedGame;
use crate::games::connect_four::{self, Bits, Order};
use crate::games::gomoku::{self, Representation as _};
use crate::games::reversi::tests::{BOARDS, random_position};
use crate::games::reversi::{self, Representation, VisitOrdered};
use crate::words::{Params, Value};

/// The features that the searches disable, one at a time.
const WITHOUT: [Option<Feature>; 5] = [
    None,
    Some(Feature::Table),
    Some(Feature::Order),
    Some(Feature::Deepening),
    Some(Feature::LookUp),
];

/// The searches to compare. They use tables of one bucket and of many, on one thread and on a pool.
struct Tables {
    pool: rayon::ThreadPool,
    alone: Vec<TableSearch>,
    together: Vec<TableSearch>,
}

impl Tables {
    fn new(threads: usize) -> Tables {
        let both = |threads| {
            vec![
                // The smallest table has one bucket.
                TableSearch::new(64, threads, None),
                TableSearch::new(1 << 22, threads, None),
            ]
        };
        Tables {
            pool: pool(threads),
            alone: both(1),
            together: both(threads),
        }
    }

    fn large(threads: usize) -> Tables {
        let mut tables = Tables::new(threads);
        tables.alone.remove(0);
        tables.together.remove(0);
        tables
    }

    /// Searches a position with each table search, and compares the value and the value of the best move.
    fn agree<G: OrderedGame>(&mut self, game: &G, board: &G::Position, depth: u32, name: &str) {
        let serial = alpha_beta(game, board, depth);
        let same = |found: Found<G::Move>, search: &str| {
            assert_eq!(found.value, serial.value, "{search}: {name} depth {depth}");
            let actual = found.best.is_some();
            assert_eq!(actual, serial.best.is_some(), "{search}: {name}");
            if let Some(best) = found.best.filter(|best| Some(*best) != serial.best) {
                let value = i64::from(value_of_move(game, board, best, depth));
                assert_eq!(
                    value, serial.value,
                    "{search}: {name} depth {depth}, {best:?}"
                );
            }
            assert!(found.counters.nodes >= found.counters.leaves);
        };
        let last = serial.best.and_then(|_| game.moves(board).last());
        if let (Some(mv), Some(search)) = (last, self.alone.last_mut()) {
            let found = search.value_of_move(game, board, mv, depth);
            let value = i64::from(value_of_move(game, board, mv, depth));
            assert_eq!(found, value, "{name} depth {depth}, {mv:?}");
        }
        for (at, search) in self.alone.iter_mut().enumerate() {
            same(search.search(game, board, depth), &format!("alone, {at}"));
        }
        for (at, search) in self.together.iter_mut().enumerate() {
            let found = self.pool.install(|| search.search(game, board, depth));
            same(found, &format!("together, {at}"));
        }
    }
}

fn evaluation(board: &str) -> reversi::Evaluation {
    reversi::Evaluation::new(board.parse().unwrap(), &Params::new()).unwrap()
}

/// Compares a random reversi position at every depth in the range.
struct OfReversi<'a>(
    &'a mut Tables,
    &'a reversi::Position,
    std::ops::RangeInclusive<u32>,
);

impl VisitOrdered for OfReversi<'_> {
    type Output = ();

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) {
        let OfReversi(tables, position, depths) = self;
        let board = game.load(position);
        for depth in depths {
            let name = position.to_string();
            tables.agree(&game, &board, depth, &name);
        }
    }
}

fn compare_reversi(
    tables: &mut Tables,
    board: &str,
    plies: usize,
    seed: u64,
    depths: std::ops::RangeInclusive<u32>,
) {
    let evaluation = evaluation(board);
    let position = &random_position(evaluation.size(), plies, seed);
    let visitor = OfReversi(tables, position, depths);
    reversi::fastest(&evaluation, visitor);
}

/// A game that counts played moves and evaluated positions.
struct Counted<G> {
    game: G,
    plays: AtomicU64,
    evaluations: AtomicU64,
}

impl<G: Game> Game for Counted<G> {
    type Position = G::Position;
    type Move = G::Move;
    type Moves = G::Moves;

    fn moves(&self, position: &G::Position) -> G::Moves {
        self.game.moves(position)
    }

    fn first(&self, position: &G::Position, moves: &G::Moves) -> Option<G::Move> {
        self.game.first(position, moves)
    }

    fn play(&self, position: &G::Position, mv: G::Move) -> G::Position {
        self.plays.fetch_add(1, Relaxed);
        self.game.play(position, mv)
    }

    fn evaluate(&self, position: &G::Position) -> i32 {
        self.evaluations.fetch_add(1, Relaxed);
        self.game.evaluate(position)
    }

    fn stuck(&self, position: &G::Position, ply: u32) -> Stuck<G::Position> {
        self.game.stuck(position, ply)
    }
}

impl<G: OrderedGame> OrderedGame for Counted<G> {
    const ORDERED_FROM: u32 = G::ORDERED_FROM;
    const SHARED_FROM: u32 = G::SHARED_FROM;
    const ORDERS_BY_VALUE: bool = G::ORDERS_BY_VALUE;
    const KEEPS_CHILDREN: bool = G::KEEPS_CHILDREN;
    type Analysis = G::Analysis;

    fn key(&self, position: &G::Position) -> u64 {
        self.game.key(position)
    }

    fn analyse(&self, position: &G::Position) -> G::Analysis {
        self.game.analyse(position)
    }

    /// Returns the static value of the position after the move, as the reversi representations do.
    fn order_score(
        &self,
        position: &G::Position,
        _: &G::Analysis,
        mv: G::Move,
        child: Option<&G::Position>,
        _: u32,
    ) -> i32 {
        match child {
            Some(child) => -self.evaluate(child),
            None => -self.evaluate(&self.play(position, mv)),
        }
    }
}

/// A reversi position. At depth 1, each of its moves must be played once, and each leaf must be evaluated once.
struct EachLeafOnce<'a>(&'a reversi::Position);

impl VisitOrdered for EachLeafOnce<'_> {
    type Output = ();

    fn visit_ordered<R: Representation + OrderedGame + Clone>(self, game: R) {
        let board = game.load(self.0);
        let game = Counted {
            game,
            plays: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
        };
        let moves = game.moves(&board).count() as u64;
        let found = TableSearch::new(1 << 20, 1, None).search(&game, &board, 1);
        let counts = (game.plays.load(Relaxed), game.evaluations.load(Relaxed));
        assert_eq!(counts, (moves, moves));
        assert_eq!(found.counters.leaves, moves);
        let serial = alpha_beta(&game, &board, 1);
        assert_eq!(found.value, serial.value);
    }
}

#[test]
fn a_table_search_plays_and_evaluates_each_leaf_below_the_root_once() {
    for board in BOARDS {
        let evaluation = evaluation(board);
        let position = random_position(evaluation.size(), 9, 1);
        reversi::fastest(&evaluation, EachLeafOnce(&position));
    }
}

#[test]
fn a_table_changes_no_value_of_reversi() {
    let mut tables = Tables::new(3);
    for seed in 0..30 {
        // Tests positions from the start to the last moves, in which players pass.
        compare_reversi(&mut tables, "8x8", seed as usize * 2, seed, 0..=6);
        compare_reversi(&mut tables, "4x4", seed as usize % 12, seed, 3..=12);
    }
    for (seed, board) in (0..).zip(BOARDS) {
        compare_reversi(&mut tables, board, 3 + 4 * seed as usize, seed, 2..=4);
    }
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the searches"]
fn long_a_table_changes_no_value_of_reversi() {
    let mut tables = Tables::large(2);
    for seed in 0..500 {
        compare_reversi(&mut tables, "8x8", seed as usize % 59, 1_000 + seed, 1..=8);
    }
    for board in BOARDS {
        let deepest = match board {
            "4x4" | "6x6" | "8x8" => 7,
            "64x64" | "64x32" => 3,
            "32x32" => 4,
            _ => 5,
        };
        for seed in 0..50 {
            let squares = evaluation(board).size().squares();
            let plies = seed as usize * (squares - 5) / 50;
            compare_reversi(&mut tables, board, plies, seed, 1..=deepest);
        }
    }
}

/// Uses the experiments' line of play, for which times are documented.
#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the searches"]
fn long_the_positions_of_the_line_have_their_values_at_depth_12() {
    let mut tables = Tables::large(2);
    let evaluation = evaluation("8x8");
    let game = reversi::Bits8::new(&evaluation);
    let mut position = reversi::Position::start(evaluation.size());
    for ply in 0..=45 {
        let board = game.load(&position);
        if ply % 3 == 0 {
            tables.agree(&game, &board, 12, &position.to_string());
        }
        position = match alpha_beta(&game, &board, 2).best {
            Some(mv) => position.play(mv).unwrap(),
            None => position.pass(),
        };
    }
}

#[test]
fn a_table_changes_no_value_of_checkers() {
    let mut tables = Tables::new(3);
    for (game, position) in checkers::positions(160) {
        for depth in 1..=6 {
            tables.agree(&game, &position, depth, &position.to_string());
        }
    }
    // If the table's keys ignored the quiet plies, these positions would get wrong values.
    for (draw_after, depth, position) in [
        (4, 9, "B:W5,12,20:B3,4,11,K18,K31:H2"),
        (4, 8, "B:W19,20,27,28:B2,4,7,9,10,13,18,26"),
        (4, 9, "B:W19,20,27,28:B2,4,7,9,10,13,18,26"),
        (6, 9, "B:W7,18,24:B5,12,K30,K31"),
    ] {
        let game = Checkers::new(Rules {
            draw_after,
            ..Default::default()
        });
        let board = Position::parse_fen(position).unwrap();
        tables.agree(&game, &board, depth, position);
    }
}

#[test]
fn what_is_left_out_changes_no_value_and_each_idea_saves_nodes() {
    let game = reversi::Bits8::new(&evaluation("8x8"));
    let mut nodes = [0; WITHOUT.len()];
    for seed in 0..6 {
        let position = random_position(reversi::Size::STANDARD, 6 + 7 * seed, seed as u64);
        let board = game.load(&position);
        let serial = alpha_beta(&game, &board, 8);
        for (nodes, without) in nodes.iter_mut().zip(WITHOUT) {
            let found = TableSearch::new(1 << 22, 1, without).search(&game, &board, 8);
            assert_eq!(found.value, serial.value, "{position} without {without:?}");
            *nodes += found.counters.nodes;
        }
    }
    let [all, _, order, ..] = nodes;
    assert!(nodes.iter().all(|nodes| *nodes >= all), "{nodes:?}");
    assert!(order > 3 * all / 2, "{nodes:?}");
}

#[test]
fn the_next_search_knows_nothing_of_the_one_before() {
    let game = reversi::Bits8::new(&evaluation("8x8"));
    let board = |seed| game.load(&random_position(reversi::Size::STANDARD, 10, seed));
    let mut search = TableSearch::new(1 << 22, 1, None);
    let first = search.search(&game, &board(1), 7);
    search.search(&game, &board(2), 8);
    assert_eq!(search.search(&game, &board(1), 7), first);
    let found = TableSearch::new(1 << 22, 1, None).search(&game, &board(1), 7);
    assert_eq!(found, first);
}

#[test]
fn a_search_for_a_time_ends_in_time_with_what_the_last_depth_found() {
    let game = reversi::Bits8::new(&evaluation("8x8"));
    let board = game.load(&random_position(reversi::Size::STANDARD, 20, 5));
    for threads in [1, 3] {
        let mut search = TableSearch::new(1 << 24, threads, None);
        let mut until = |millis| {
            let start = Instant::now();
            let time = Duration::from_millis(millis);
            let found = pool(threads).install(|| search.search_until(&game, &board, start + time));
            (found, start.elapsed())
        };
        let ((found, depth), took) = until(500);
        assert!(depth >= 4, "{depth}");
        assert!(took < Duration::from_secs(30), "{took:?}");
        let serial = alpha_beta(&game, &board, depth);
        assert_eq!(found.value, serial.value);
        let value = value_of_move(&game, &board, found.best.unwrap(), depth);
        assert_eq!(i64::from(value), serial.value);
        // Even without time, the search returns a move.
        let ((found, depth), _) = until(0);
        assert!(found.best.is_some() && depth == 0, "{depth}");
    }
    let shared = |millis| {
        let deadline = Instant::now() + Duration::from_millis(millis);
        pool(2).install(|| alpha_beta_shared_until(&game, &board, deadline))
    };
    let (found, depth) = shared(500);
    assert!(depth >= 3, "{depth}");
    assert_eq!(found.value, alpha_beta(&game, &board, depth).value);
    assert_eq!(shared(0).1, 0);
}

/// Expects a unique key for at least this percentage of the children in random games. The low 20 bits of the keys must
/// take as many different values as random draws do.
fn keys_tell_apart<G: OrderedGame>(
    game: &G,
    boards: impl Iterator<Item = G::Position>,
    percent: usize,
) {
    let (mut whole, mut low, mut all) = (HashSet::new(), HashSet::new(), 0);
    for board in boards {
        let key = game.key(&board);
        for mv in game.moves(&board) {
            let child = game.play(&board, mv);
            let below = game.key(&child);
            assert_eq!(game.key_after(key, mv, &child), below);
            if whole.insert(below) {
                low.insert(below as u32 & 0xf_ffff);
            }
            all += 1;
        }
    }
    let (whole, low) = (whole.len(), low.len());
    assert!(all > 10_000 && whole > all * percent / 100, "{all} {whole}");
    let different = (1 << 20) as f64 * (1.0 - (-(whole as f64) / f64::from(1 << 20)).exp());
    let holds = (low as f64 - different).abs() < different / 100.0;
    assert!(holds, "{low} {different}");
}

#[test]
fn keys_tell_positions_of_reversi_apart() {
    let game = reversi::Bits8::new(&evaluation("8x8"));
    let boards = (0..2_000).map(|seed| {
        let plies = 12 + seed as usize % 40;
        game.load(&random_position(reversi::Size::STANDARD, plies, seed))
    });
    keys_tell_apart(&game, boards, 99);
}

fn compare_connect_four(tables: &mut Tables, plies: usize, seed: u64, deepest: u32) {
    let position = connect_four::tests::random_position(plies, seed);
    for order in [Order::CentreFirst, Order::FromTheLeft] {
        let game = Bits::new(&connect_four::Evaluation::default(), order);
        let board = game.load(&position);
        for depth in 0..=deepest {
            tables.agree(&game, &board, depth, &position.to_string());
        }
    }
}

#[test]
fn a_table_changes_no_value_of_connect_four() {
    let mut tables = Tables::new(3);
    for seed in 0..90 {
        // Tests positions up to the full board, where all lines of play end.
        compare_connect_four(&mut tables, seed as usize % 43, seed, 7);
    }
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the searches"]
fn long_a_table_changes_no_value_of_connect_four() {
    let mut tables = Tables::large(2);
    for seed in 0..500 {
        compare_connect_four(&mut tables, seed as usize % 40, 1_000 + seed, 8);
    }
}

/// Searches the last two plies in windows around the exact `value`. Returns the number of answers that were compared.
fn last_two_within_windows<G: OrderedGame>(
    game: &G,
    board: &G::Position,
    (ply, value): (u32, i32),
    name: &str,
) -> usize {
    let windows = [-110, -100, -1, 0, 40, 90].map(|from| (value + from, value + from + 1));
    let mut compared = 0;
    for (alpha, beta) in [(-INFINITY, INFINITY)].into_iter().chain(windows) {
        let Some(found) = game.last_two(board, ply, alpha, beta) else {
            continue;
        };
        compared += 1;
        let bound = found.value;
        assert!(beta < INFINITY || bound == value, "{name}");
        assert_eq!(bound > alpha, value > alpha, "{name} {alpha}");
        let holds = if bound > alpha {
            bound <= value
        } else {
            bound >= value
        };
        assert!(holds, "{name} {alpha}");
    }
    compared
}

/// The expected value comes from visiting all forty-nine positions.
#[test]
fn the_last_two_plies_of_connect_four_within_a_window() {
    let game = Bits::new(&connect_four::Evaluation::default(), Order::CentreFirst);
    let mut compared = 0;
    for seed in 0..3_000 {
        let position = connect_four::tests::random_position(seed as usize % 41, seed);
        let board = game.load(&position);
        if game.decided(&board, 3).is_some() {
            continue;
        }
        let all = game.last_two(&board, 3).map(|all| all.value);
        let found = OrderedGame::last_two(&game, &board, 3, -INFINITY, INFINITY);
        assert_eq!(found.map(|found| found.value), all, "{position}");
        if let Some(value) = all {
            compared += last_two_within_windows(&game, &board, (3, value), &position.to_string());
        }
    }
    assert!(compared > 7_000, "{compared}");
}

#[test]
fn keys_tell_positions_of_connect_four_apart() {
    let game = Bits::new(&connect_four::Evaluation::default(), Order::CentreFirst);
    let boards = (0..4_000).map(|seed| {
        game.load(&connect_four::tests::random_position(
            8 + seed as usize % 20,
            seed,
        ))
    });
    keys_tell_apart(&game, boards, 90);
}

/// Compares a random position of gomoku.
struct OfGomoku<'a>(
    &'a mut Tables,
    &'a gomoku::Position,
    std::ops::RangeInclusive<u32>,
);

impl gomoku::VisitOrdered for OfGomoku<'_> {
    type Output = ();

    fn visit_ordered<R: gomoku::Representation + OrderedGame>(self, game: R) {
        let OfGomoku(tables, position, depths) = self;
        let board = game.load(position);
        for depth in depths {
            let name = position.to_string();
            tables.agree(&game, &board, depth, &name);
        }
    }
}

fn compare_gomoku(
    tables: &mut Tables,
    (side, rule): (usize, &str),
    plies: usize,
    seed: u64,
    depths: std::ops::RangeInclusive<u32>,
) {
    let options = Params::from([("moves".to_owned(), Value::Text(rule.to_owned()))]);
    let size = gomoku::Size::new(side).unwrap();
    let evaluation = gomoku::Evaluation::new(size, &options).unwrap();
    let position = &gomoku::tests::random_position(size, plies, seed);
    let visitor = OfGomoku(tables, position, depths);
    gomoku::carried(&evaluation, visitor);
}

/// The reference uses the same carried gains. [`the_carried_gains_change_no_value`] compares it with a search on lines.
#[test]
fn a_table_changes_no_value_of_gomoku() {
    let mut tables = Tables::new(3);
    for seed in 0..5 {
        for rule in ["all", "adjacent"] {
            compare_gomoku(&mut tables, (5, rule), seed as usize, seed, 0..=4);
            compare_gomoku(&mut tables, (9, rule), 3 * seed as usize, seed, 2..=3);
        }
    }
    for (seed, side) in (0..).zip(gomoku::tests::BOARDS) {
        let plies = 5 * seed as usize % 25;
        compare_gomoku(&mut tables, (side, "all"), plies, seed, 2..=2);
    }
    // At depth 3, every size class has one board. On large boards, all squares are too many.
    for (board, plies) in [
        ((11, "all"), 3),
        ((16, "all"), 20),
        ((22, "adjacent"), 10),
        ((28, "adjacent"), 10),
    ] {
        compare_gomoku(&mut tables, board, plies, 7, 3..=3);
    }
}

#[test]
#[ignore = "takes minutes; ./scripts/test --long runs it, each week and after a change of the searches"]
fn long_a_table_changes_no_value_of_gomoku() {
    let mut tables = Tables::large(2);
    for seed in 0..200 {
        let plies = seed as usize;
        compare_gomoku(&mut tables, (15, "all"), plies % 150, 1_000 + seed, 1..=3);
        compare_gomoku(&mut tables, (9, "all"), plies % 60, 2_000 + seed, 1..=4);
    }
}

/// A search with carried gains finds the same result as a search on lines.
#[test]
fn the_carried_gains_change_no_value() {
    let size = gomoku::Size::new(9).unwrap();
    let evaluation = gomoku::Evaluation::new(size, &Params::new()).unwrap();
    let lines = gomoku::Lines::<u32, 52, 2>::new(&evaluation);
    let gains = gomoku::Carried::<u32, 52, 2, 81>::new(&evaluation);
    for seed in 0..60 {
        let position = gomoku::tests::random_position(size, seed as usize % 60, seed);
        let (board, carried) = (lines.load(&position), gains.load(&position));
        for depth in 0..=2 {
            let found = alpha_beta(&lines, &board, depth);
            let actual = alpha_beta(&gains, &carried, depth);
            assert_eq!(actual, found, "{position} {depth}");
        }
        let analysis = gains.analyse(&carried);
        let over = lines.decided(&board, 0).is_some();
        if !over && let Some(value) = gains.known_value(&analysis, 0) {
            let actual = i64::from(value);
            assert_eq!(actual, alpha_beta(&lines, &board, 2).value, "{position}");
        }
    }
}

/// The value of the last two plies in a window equals the value from visiting both plies.
#[test]
fn the_last_two_plies_of_gomoku_within_a_window() {
    let size = gomoku::Size::new(12).unwrap();
    let evaluation = gomoku::Evaluation::new(size, &Params::new()).unwrap();
    let game = gomoku::Carried::<u64, 88, 4, 225>::new(&evaluation);
    let mut compared = 0;
    for seed in 0..300 {
        let position = gomoku::tests::random_position(size, seed as usize % 90, seed);
        let board = game.load(&position);
        if game.decided(&board, 0).is_some() {
            continue;
        }
        let value = alpha_beta(&game, &board, 2).value as i32;
        compared += last_two_within_windows(&game, &board, (0, value), &position.to_string());
    }
    assert!(compared > 1_000, "{compared}");
}
