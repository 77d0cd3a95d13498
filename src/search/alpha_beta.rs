use super::{Found, count, entered, principal_order, stuck};
use crate::games::{Game, INFINITY};
use crate::words::Counters;

/// The open interval in which a search must return the exact value. A value outside it may be a bound on the same side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The value already assured to the side to move.
    pub alpha: i32,
    /// The value to which the opponent can limit the side to move.
    pub beta: i32,
}

impl Window {
    /// The window that contains every value.
    pub const FULL: Window = Window::new(-INFINITY, INFINITY);

    /// Creates the window between two values.
    #[inline(always)]
    pub const fn new(alpha: i32, beta: i32) -> Window {
        Window { alpha, beta }
    }

    /// Returns the same window from the opponent's point of view.
    #[inline(always)]
    pub fn turned(self) -> Window {
        Window::new(-self.beta, -self.alpha)
    }
}

/// Searches a position to a fixed depth, sequentially and without allocation.
pub fn alpha_beta<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
    let mut counters = Counters::default();
    let (value, best) = principal(game, position, depth, 0, &mut counters);
    Found::new(value, best, counters)
}

/// Returns the value of `mv` for the side to move. Uses a full window. `depth` is the root's depth, at least 1.
pub fn value_of_move<G: Game>(game: &G, position: &G::Position, mv: G::Move, depth: u32) -> i32 {
    let child = game.play(position, mv);
    -descend(
        game,
        &child,
        depth.saturating_sub(1),
        1,
        Window::FULL,
        &mut Counters::default(),
    )
}

fn principal<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    ply: u32,
    counters: &mut Counters,
) -> (i32, Option<G::Move>) {
    if let Some(value) = entered(game, position, depth, ply, counters) {
        return (value, None);
    }
    let mut moves = principal_order(game, position);
    let Some(first) = moves.next() else {
        let value = stuck(game, position, ply, counters, |child, counters| {
            principal(game, child, depth - 1, ply + 1, counters).0
        });
        return (value, None);
    };
    count(counters, false);
    let below = depth.saturating_sub(1);
    let child = game.play(position, first);
    let (mut value, mut best) = (-principal(game, &child, below, ply + 1, counters).0, first);
    for mv in moves {
        let child = game.play(position, mv);
        let window = Window::new(value, INFINITY);
        let score = -descend(game, &child, below, ply + 1, window.turned(), counters);
        if score > value {
            (value, best) = (score, mv);
        }
    }
    (value, Some(best))
}

/// Searches a node off the principal variation. A value outside the window is only a bound. `ply` counts from the root.
#[inline]
pub fn descend<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    ply: u32,
    window: Window,
    counters: &mut Counters,
) -> i32 {
    match depth {
        0 => leaf(game, position, ply, window, counters),
        1 if !G::EXTENDS => above_leaves(game, position, ply, window, counters),
        _ => interior(game, position, depth, ply, window, counters),
    }
}

fn interior<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    ply: u32,
    window: Window,
    counters: &mut Counters,
) -> i32 {
    if let Some(value) = game.decided(position, ply) {
        count(counters, true);
        return value;
    }
    let Window { mut alpha, beta } = window;
    let below = depth.saturating_sub(1);
    let mut best = -INFINITY;
    let mut reached: Option<(G::Move, G::Position)> = None;
    for mv in game.moves(position) {
        let fresh;
        let child = match &mut reached {
            _ if !G::REPLAYS => {
                fresh = game.play(position, mv);
                &fresh
            }
            Some((last, child)) => {
                game.replay(position, child, *last, mv);
                *last = mv;
                child
            }
            none => &none.insert((mv, game.play(position, mv))).1,
        };
        let window = Window { alpha, beta }.turned();
        let score = -descend(game, child, below, ply + 1, window, counters);
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    searched(game, position, depth, ply, window, best, counters)
}

/// Searches a node at remaining depth 1. A separate function, to keep leaf positions out of the caller's stack frame.
fn above_leaves<G: Game>(
    game: &G,
    position: &G::Position,
    ply: u32,
    window: Window,
    counters: &mut Counters,
) -> i32 {
    if let Some(value) = game.decided(position, ply) {
        count(counters, true);
        return value;
    }
    let Window { mut alpha, beta } = window;
    let mut best = -INFINITY;
    for mv in game.moves(position) {
        let score = -game.value_after(position, mv, ply + 1);
        count(counters, true);
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    searched(game, position, 1, ply, window, best, counters)
}

/// Returns the value of a node after all its moves have been searched. `best` is `-INFINITY` if there are no moves.
#[inline(always)]
fn searched<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    ply: u32,
    window: Window,
    best: i32,
    counters: &mut Counters,
) -> i32 {
    if best > -INFINITY {
        count(counters, false);
        return best;
    }
    stuck(game, position, ply, counters, |child, counters| {
        descend(game, child, depth - 1, ply + 1, window.turned(), counters)
    })
}

#[inline(always)]
fn leaf<G: Game>(
    game: &G,
    position: &G::Position,
    ply: u32,
    window: Window,
    counters: &mut Counters,
) -> i32 {
    let decided = game.decided(position, ply);
    if decided.is_none() && game.extends(position) {
        return interior(game, position, 0, ply, window, counters);
    }
    count(counters, true);
    decided.unwrap_or_else(|| game.evaluate(position))
}
