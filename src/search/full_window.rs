use rayon::prelude::*;

use super::{Found, Window, count, descend, principal_order};
use crate::games::{Game, Stuck};
use crate::words::Counters;

/// Alpha-beta below every root move, with the full window for each: what is learnt at one is not
/// used at the next (Kawakami and Wang, section 2.3 and Algorithms 2 and 3).
///
/// Value and best move are those of [`alpha_beta`](super::alpha_beta). A node is cut where alpha
/// reaches beta, as Algorithm 2 prints it for the minimizer; the maximizer's test there is a
/// misprint. On gomoku's 12x12, from the first stone, depth 4 takes 3,184,474 leaves, where
/// `alpha_beta` takes 57,720; with equal bounds not cut it would be 4,256,259.
pub fn full_window_root<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
    search(game, position, depth, |moves, child| {
        moves.into_iter().map(child).collect()
    })
}

/// The same with the root moves in parallel on the current rayon pool, one by one, as they differ
/// widely in size (Kawakami and Wang, section 4: `#pragma omp parallel for`). The same nodes on
/// every run.
pub fn full_window_root_parallel<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
) -> Found<G::Move> {
    search(game, position, depth, |moves, child| {
        // A single evaluation costs less than handing it to another thread.
        let share = if depth == 1 { moves.len() } else { 1 };
        let shares = moves.into_par_iter().with_min_len(share.max(1));
        shares.with_max_len(share.max(1)).map(child).collect()
    })
}

/// A root move's score, from the root's side, and what was searched for it.
type Scored = (i32, Counters);

/// Searches the root's children with whatever hands its moves to the closure.
fn search<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    each: impl FnOnce(Vec<G::Move>, &(dyn Fn(G::Move) -> Scored + Sync)) -> Vec<Scored>,
) -> Found<G::Move> {
    let mut found = Found::new(0, None, Counters::default());
    let below = |child: &G::Position| {
        let mut counters = Counters::default();
        let value = descend(game, child, depth - 1, 1, Window::FULL, &mut counters);
        (-value, counters)
    };
    let ended = game.decided(position, 0);
    if let Some(value) = ended.or_else(|| (depth == 0).then(|| game.evaluate(position))) {
        count(&mut found.counters, true);
        found.value = i64::from(value);
        return found;
    }
    let moves: Vec<_> = principal_order(game, position).collect();
    if moves.is_empty() {
        match game.stuck(position, 0) {
            Stuck::Pass(child) => {
                count(&mut found.counters, false);
                let (value, searched) = below(&child);
                found.value = i64::from(value);
                found.counters += searched;
            }
            Stuck::Over(value) => {
                count(&mut found.counters, true);
                found.value = i64::from(value);
            }
        }
        return found;
    }
    count(&mut found.counters, false);
    let scores = each(moves.clone(), &|mv| below(&game.play(position, mv)));
    for (mv, (value, searched)) in moves.into_iter().zip(scores) {
        found.counters += searched;
        if found.best.is_none() || i64::from(value) > found.value {
            (found.value, found.best) = (i64::from(value), Some(mv));
        }
    }
    found
}
