use std::convert::Infallible;
use std::time::Instant;

use super::threads::{SharedBound, Tally, in_order};
use super::{Found, Siblings, SplitNode, Window, count, descend, pv_split, stuck};
use crate::games::{Game, INFINITY};
use crate::words::Counters;

/// Minimum number of nodes in a subtree that threads share. Searching such a subtree takes tens of microseconds.
const WORTH_SHARING: f64 = 2_000.0;

/// Returns the minimum remaining depth of a split node. Subtrees have about b^(3d/4) leaves (Pearl 1982).
fn shared_depth(moves: usize) -> u32 {
    let depth = 4.0 / 3.0 * WORTH_SHARING.ln() / (moves.max(2) as f64).ln();
    depth.ceil() as u32
}

/// Searches by PV-split on the current rayon pool. Threads share every bound as soon as it rises. Each subtree search
/// re-reads the shared bounds and stops if they leave its window empty. Off the principal variation, too, one thread
/// searches a node's first child, and then all threads share the others (young brothers wait; Feldmann 1993). The value
/// and the best move are the same as from [`alpha_beta`](super::alpha_beta), but node counts vary.
pub fn alpha_beta_shared<G: Game>(game: &G, position: &G::Position, depth: u32) -> Found<G::Move> {
    searched(game, position, depth, None)
}

/// Runs [`alpha_beta_shared`] with increasing depth until `deadline`. Returns the last iteration's result and depth.
pub fn alpha_beta_shared_until<G: Game>(
    game: &G,
    position: &G::Position,
    deadline: Instant,
) -> (Found<G::Move>, u32) {
    let first = game.moves(position).next();
    let mut reached = (Found::new(0, first, Counters::default()), 0);
    for depth in 1..=MOST_DEPTH {
        let mut found = searched(game, position, depth, Some(deadline));
        found.counters += reached.0.counters;
        // After the deadline, the windows are closed and the values are invalid.
        if Instant::now() >= deadline {
            reached.0.counters = found.counters;
            break;
        }
        reached = (found, depth);
    }
    reached
}

/// Maximum depth of a timed search. Only games that end earlier reach it.
const MOST_DEPTH: u32 = 64;

fn searched<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    deadline: Option<Instant>,
) -> Found<G::Move> {
    match pv_split(game, position, depth, &mut SharedWindow { deadline }) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

struct SharedWindow {
    deadline: Option<Instant>,
}

impl<G: Game> Siblings<G> for SharedWindow {
    type Fault = Infallible;

    fn search(
        &mut self,
        node: &SplitNode<'_, G>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Infallible> {
        let &SplitNode {
            game,
            siblings,
            depth,
            ply,
            window,
        } = node;
        let node = Node {
            above: None,
            best: SharedBound::new(window.alpha),
            deadline: self.deadline,
        };
        let threads = rayon::current_num_threads();
        let search = Search {
            shared_depth: shared_depth(siblings.len() + 1),
            game,
            threads,
            searched: Tally::default(),
        };
        let one = |place: usize| {
            let above = Above {
                node: &node,
                order: place as u32 + 1,
            };
            let score = -search.descend(&siblings[place].position, depth, ply, above);
            node.best.raise(score, above.order);
        };
        // A single evaluation is cheaper than moving it to another thread.
        let threads = if depth == 0 { 1 } else { threads };
        in_order(siblings.len(), threads, &one);
        scores.extend(node.best.scores(siblings.len(), window.alpha));
        Ok(search.searched.total())
    }
}

struct Search<'a, G> {
    game: &'a G,
    /// See [`shared_depth`]. Searches re-read the shared bounds at nodes with a depth of at least `shared_depth - 1`.
    shared_depth: u32,
    threads: usize,
    searched: Tally,
}

struct Node<'a> {
    above: Option<Above<'a>>,
    best: SharedBound,
    /// The search's deadline, set only in the topmost node. After it, every window is closed, so the search ends.
    deadline: Option<Instant>,
}

/// A window that is empty for both sides, so that every node has a cutoff.
const CLOSED: Window = Window::new(INFINITY, -INFINITY);

/// A subtree's place in the tree: its parent, and its order among the parent's children.
#[derive(Clone, Copy)]
struct Above<'a> {
    node: &'a Node<'a>,
    order: u32,
}

impl Above<'_> {
    /// Computes the window at this subtree's root from the current bounds of its ancestors. It only ever narrows.
    fn window(&self) -> Window {
        if self.node.deadline.is_some_and(|end| Instant::now() >= end) {
            return CLOSED;
        }
        let outer = self.node.above.map_or(Window::FULL, |above| above.window());
        let alpha = self.node.best.alpha(self.order);
        Window::new(outer.alpha.max(alpha), outer.beta).turned()
    }
}

impl<G: Game> Search<'_, G> {
    /// Returns the value at a subtree's root. After a cutoff at an ancestor, the value is invalid. It then propagates
    /// only through nodes with closed windows, up to that ancestor, whose best value is already a valid bound.
    fn descend(&self, position: &G::Position, depth: u32, ply: u32, above: Above<'_>) -> i32 {
        if depth < self.shared_depth || self.threads == 1 {
            let mut counters = Counters::default();
            let value = self.alone(
                position,
                depth,
                ply,
                Window::FULL,
                &|| above.window(),
                &mut counters,
            );
            self.searched.add(counters);
            return value;
        }
        let mut counters = Counters::default();
        if let Some(value) = self.game.decided(position, ply) {
            count(&mut counters, true);
            self.searched.add(counters);
            return value;
        }
        let mut moves = self.game.moves(position);
        let node = Node {
            above: Some(above),
            best: SharedBound::new(-INFINITY),
            deadline: None,
        };
        let here = Above {
            node: &node,
            order: 0,
        };
        let search = |child: &G::Position| {
            let score = -self.descend(child, depth - 1, ply + 1, here);
            node.best.raise(score, 0);
        };
        let closed = || {
            let window = here.window();
            window.alpha >= window.beta
        };
        let Some(first) = moves.next() else {
            let value = stuck(self.game, position, ply, &mut counters, |child, _| {
                self.descend(child, depth - 1, ply + 1, here)
            });
            self.searched.add(counters);
            return value;
        };
        count(&mut counters, false);
        self.searched.add(counters);
        search(&self.game.play(position, first));
        if closed() {
            return node.best.value();
        }
        let others: Vec<_> = moves.collect();
        in_order(others.len(), self.threads, &|place| {
            if !closed() {
                search(&self.game.play(position, others[place]));
            }
        });
        node.best.value()
    }

    /// Searches a subtree on one thread as [`descend`](super::descend) does, but re-reads the bounds.
    fn alone(
        &self,
        position: &G::Position,
        depth: u32,
        ply: u32,
        window: Window,
        shared: &dyn Fn() -> Window,
        counters: &mut Counters,
    ) -> i32 {
        let narrow = |window: Window| {
            let shared = shared();
            Window::new(window.alpha.max(shared.alpha), window.beta.min(shared.beta))
        };
        if depth + 1 < self.shared_depth {
            return descend(self.game, position, depth, ply, narrow(window), counters);
        }
        if let Some(value) = self.game.decided(position, ply) {
            count(counters, true);
            return value;
        }
        let mut best = -INFINITY;
        let mut window = window;
        let below = || shared().turned();
        let mut moves = self.game.moves(position);
        let Some(first) = moves.next() else {
            return stuck(self.game, position, ply, counters, |child, counters| {
                self.alone(child, depth - 1, ply + 1, window.turned(), &below, counters)
            });
        };
        count(counters, false);
        for mv in std::iter::once(first).chain(moves) {
            window = narrow(window);
            if window.alpha >= window.beta {
                break;
            }
            let child = self.game.play(position, mv);
            let score = -self.alone(
                &child,
                depth - 1,
                ply + 1,
                window.turned(),
                &below,
                counters,
            );
            best = best.max(score);
            window.alpha = window.alpha.max(score);
        }
        best
    }
}
