use super::count;
use super::threads::each;
use crate::games::{Game, Stuck};
use crate::words::Counters;

/// Counts the move sequences of exactly `depth` plies as leaves, and all positions as nodes. A pass is a ply.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> Counters {
    let mut counters = Counters::default();
    walk(game, position, depth, 0, &mut counters);
    counters
}

fn walk<G: Game>(game: &G, position: &G::Position, depth: u32, ply: u32, counters: &mut Counters) {
    count(counters, depth == 0);
    if depth == 0 || game.decided(position, ply).is_some() {
        return;
    }
    let mut moves = game.moves(position).peekable();
    if moves.peek().is_none()
        && let Stuck::Pass(child) = game.stuck(position, ply)
    {
        walk(game, &child, depth - 1, ply + 1, counters);
    }
    for mv in moves {
        walk(game, &game.play(position, mv), depth - 1, ply + 1, counters);
    }
}

/// Returns the positions after each move or pass. A finished game's value is the error. `ply` counts from the root.
pub fn children<G: Game>(
    game: &G,
    position: &G::Position,
    ply: u32,
) -> Result<Vec<G::Position>, i32> {
    if let Some(value) = game.decided(position, ply) {
        return Err(value);
    }
    let moves = game.moves(position);
    let children: Vec<_> = moves.map(|mv| game.play(position, mv)).collect();
    if !children.is_empty() {
        return Ok(children);
    }
    match game.stuck(position, ply) {
        Stuck::Pass(child) => Ok(vec![child]),
        Stuck::Over(value) => Err(value),
    }
}

/// Runs [`perft`] on the current rayon pool.
pub fn perft_parallel<G: Game>(game: &G, position: &G::Position, depth: u32) -> Counters {
    share(game, position, depth, 0)
}

/// Maximum remaining depth of a subtree that is counted by one thread.
const SERIAL_DEPTH: u32 = 4;

fn share<G: Game>(game: &G, position: &G::Position, depth: u32, ply: u32) -> Counters {
    let mut counters = Counters::default();
    if depth <= SERIAL_DEPTH {
        walk(game, position, depth, ply, &mut counters);
        return counters;
    }
    count(&mut counters, false);
    let children = children(game, position, ply).unwrap_or_default();
    let below = |place: usize| share(game, &children[place], depth - 1, ply + 1);
    for part in each(children.len(), 1, &below) {
        counters += part;
    }
    counters
}
