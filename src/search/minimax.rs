use super::threads::each;
use super::{Found, count, entered, stuck};
use crate::games::{Game, INFINITY};
use crate::words::Counters;

/// Maximum remaining depth of a subtree that is searched by one thread.
const SERIAL_DEPTH: u32 = 4;

/// Searches a position to a fixed depth without pruning or allocation. If several moves are best, returns the first.
pub fn minimax<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
    let below = root_moves(game, position, depth).map(|mv| {
        let mut counters = Counters::default();
        let value = whole(game, &game.play(position, mv), depth - 1, 1, &mut counters);
        (mv, (value, counters))
    });
    finish(game, position, depth, below)
}

/// Runs [`minimax`] on the current rayon pool. It visits the same nodes and returns the same value and move.
pub fn minimax_parallel<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
    let moves: Vec<_> = root_moves(game, position, depth).collect();
    let search = |place: usize| shared(game, &game.play(position, moves[place]), depth - 1, 1);
    let below = each(moves.len(), 1, &search);
    finish(game, position, depth, moves.into_iter().zip(below))
}

fn root_moves<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
) -> impl Iterator<Item = G::Move> + use<G> {
    let open = depth > 0 && game.decided(position, 0).is_none();
    open.then(|| game.moves(position)).into_iter().flatten()
}

/// Combines `below`, the moves' values for the opponent, into a result. Without moves, searches the position itself.
fn finish<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    below: impl Iterator<Item = (G::Move, (i32, Counters))>,
) -> Found<G::Move> {
    let mut counters = Counters::default();
    let (mut value, mut best) = (-INFINITY, None);
    for (mv, (score, part)) in below {
        counters += part;
        if -score > value {
            (value, best) = (-score, Some(mv));
        }
    }
    if best.is_some() {
        count(&mut counters, false);
    } else {
        value = whole(game, position, depth, 0, &mut counters);
    }
    Found::new(value, best, counters)
}

fn whole<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    ply: u32,
    counters: &mut Counters,
) -> i32 {
    if let Some(value) = entered(game, position, depth, ply, counters) {
        return value;
    }
    if depth == 2
        && let Some(two) = game.two_plies(position, ply)
    {
        count(counters, false);
        counters.nodes += two.nodes;
        counters.leaves += two.leaves;
        return two.value;
    }
    let mut value = -INFINITY;
    if depth == 1 && !G::EXTENDS {
        // Most nodes are leaves. Evaluate them without creating their positions.
        let mut leaves = 0;
        for mv in game.moves(position) {
            value = value.max(-game.value_after(position, mv, ply + 1));
            leaves += 1;
        }
        counters.nodes += leaves;
        counters.leaves += leaves;
    } else {
        for mv in game.moves(position) {
            let child = game.play(position, mv);
            let below = whole(game, &child, depth.saturating_sub(1), ply + 1, counters);
            value = value.max(-below);
        }
    }
    if value > -INFINITY {
        count(counters, false);
        return value;
    }
    stuck(game, position, ply, counters, |child, counters| {
        whole(game, child, depth - 1, ply + 1, counters)
    })
}

/// Returns the value of a subtree. Nodes are split among threads as long as their subtrees are large enough.
fn shared<G: Game>(game: &G, position: &G::Position, depth: u32, ply: u32) -> (i32, Counters) {
    let mut counters = Counters::default();
    let children: Vec<_> = if depth <= SERIAL_DEPTH || game.decided(position, ply).is_some() {
        Vec::new()
    } else {
        game.moves(position)
            .map(|mv| game.play(position, mv))
            .collect()
    };
    if children.is_empty() {
        let value = whole(game, position, depth, ply, &mut counters);
        return (value, counters);
    }
    count(&mut counters, false);
    let mut best = INFINITY;
    let search = |place: usize| shared(game, &children[place], depth - 1, ply + 1);
    for (score, part) in each(children.len(), 1, &search) {
        best = best.min(score);
        counters += part;
    }
    (-best, counters)
}
