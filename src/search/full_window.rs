use super::threads::each;
use super::{Found, Window, count, descend, entered, principal_order, stuck};
use crate::games::Game;
use crate::words::Counters;

/// Searches every root move by alpha-beta with the full window (Kawakami and Wang, section 2.3, Algorithms 2 and 3). A
/// cutoff occurs when alpha reaches beta. The paper prints a different test for the maximizer, which is a misprint.
pub fn full_window_root<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
    search(game, position, depth, |count, child| {
        (0..count).map(child).collect()
    })
}

/// Like [`full_window_root`], but in parallel on the current rayon pool (Kawakami and Wang, section 4).
pub fn full_window_root_parallel<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
) -> Found<G::Move> {
    search(game, position, depth, |count, child| {
        // A single evaluation is cheaper than moving it to another thread.
        let share = if depth == 1 { count } else { 1 };
        each(count, share, child)
    })
}

type Scored = (i32, Counters);

type OfMove<'a> = &'a (dyn Fn(usize) -> Scored + Sync);

/// Searches the root's children. `all` calls its second argument for every move, sequentially or in parallel.
fn search<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    all: impl FnOnce(usize, OfMove<'_>) -> Vec<Scored>,
) -> Found<G::Move> {
    let mut found = Found::new(0, None, Counters::default());
    let below = |child: &G::Position| {
        let mut counters = Counters::default();
        let value = descend(game, child, depth - 1, 1, Window::FULL, &mut counters);
        (-value, counters)
    };
    if let Some(value) = entered(game, position, depth, 0, &mut found.counters) {
        found.value = i64::from(value);
        return found;
    }
    let moves: Vec<_> = principal_order(game, position).collect();
    if moves.is_empty() {
        let value = stuck(game, position, 0, &mut found.counters, |child, counters| {
            descend(game, child, depth - 1, 1, Window::FULL, counters)
        });
        found.value = i64::from(value);
        return found;
    }
    count(&mut found.counters, false);
    let scores = all(moves.len(), &|place| {
        below(&game.play(position, moves[place]))
    });
    for (mv, (value, searched)) in moves.into_iter().zip(scores) {
        found.counters += searched;
        if found.best.is_none() || i64::from(value) > found.value {
            (found.value, found.best) = (i64::from(value), Some(mv));
        }
    }
    found
}
