//! Compares all searches with plain minimax and with each other.

mod checkers;
mod connect_four;
mod crew;
mod gomoku;
mod reversi;
mod table;

use super::*;
use crate::games::checkers::{Capture, Checkers, Position, Rules};
use crate::games::{Game, INFINITY, Stuck};

/// Runs minimax directly on the rules, without pruning or move ordering.
fn minimax<G: Game>(game: &G, position: &G::Position, depth: u32, ply: u32) -> i32 {
    if let Some(value) = game.decided(position, ply) {
        return value;
    }
    if depth == 0 && !game.extends(position) {
        return game.evaluate(position);
    }
    let below = depth.saturating_sub(1);
    let values = game
        .moves(position)
        .map(|mv| -minimax(game, &game.play(position, mv), below, ply + 1));
    values
        .max()
        .unwrap_or_else(|| match game.stuck(position, ply) {
            Stuck::Pass(child) => -minimax(game, &child, depth - 1, ply + 1),
            Stuck::Over(value) => value,
        })
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// Checks published counts under the official rules. The tests in `games` check the shallower depths.
#[test]
fn perft_of_checkers_gives_the_published_counts_to_depth_10() {
    let game = Checkers::new(Rules {
        capture: Capture::Any,
        ..Rules::default()
    });
    for (depth, leaves) in [(9, 3_963_680), (10, 18_391_564)] {
        let found = pool(2).install(|| perft_parallel(&game, &Position::start(), depth));
        assert_eq!(found.leaves, leaves);
    }
}

/// Maximum number of nodes for full-window root searches in these tests.
const FULL_WINDOW_NODES: u64 = 50_000;

/// Compares the values and moves of all searches of a position, including minimax if `plain` is set. `name` identifies
/// the position. Returns the result of `alpha_beta`.
fn all_agree<G: Game>(
    game: &G,
    board: &G::Position,
    depth: u32,
    plain: bool,
    pool: &rayon::ThreadPool,
    name: &str,
) -> Found<G::Move> {
    let serial = alpha_beta(game, board, depth);
    if plain {
        let value = i64::from(minimax(game, board, depth, 0));
        assert_eq!(serial.value, value, "{name} depth {depth}");
    }
    if let Some(best) = serial.best {
        let value = i64::from(value_of_move(game, board, best, depth));
        assert_eq!(value, serial.value, "{name} depth {depth}");
    }
    let same = |found: Found<G::Move>, search: &str| {
        assert_eq!(
            (found.value, found.best),
            (serial.value, serial.best),
            "{search}: {name} depth {depth}"
        );
        found
    };

    let fixed = || match pv_split(game, board, depth, &mut FixedWindow) {
        Ok(found) => found,
        Err(never) => match never {},
    };
    let once = same(pool.install(fixed), "fixed window");
    assert_eq!(
        pool.install(fixed),
        once,
        "a fixed window searches the same nodes on every run"
    );
    assert!(once.counters.nodes >= serial.counters.nodes);

    // This bounds the cost of a full-window search, because no bound carries over between root moves.
    let moves = game.moves(board).count() as u64;
    if serial.counters.nodes * moves <= FULL_WINDOW_NODES {
        let full = same(full_window_root(game, board, depth), "full window");
        assert!(full.counters.nodes >= serial.counters.nodes);
        let parallel = pool.install(|| full_window_root_parallel(game, board, depth));
        assert_eq!(parallel, full, "{name} depth {depth}");
    }

    let null = || match pv_split(game, board, depth, &mut NullWindow) {
        Ok(found) => found,
        Err(never) => match never {},
    };
    same(pool.install(null), "null window");
    same(
        pool.install(|| alpha_beta_shared(game, board, depth)),
        "shared window",
    );
    serial
}
