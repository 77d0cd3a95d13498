use std::convert::Infallible;

use super::threads::{SharedBound, Tally, each, in_order};
use super::{Found, Window, count, descend, entered, principal_order};
use crate::games::{Game, INFINITY, Stuck};
use crate::words::Counters;

/// A child of a principal-variation node, other than its first child.
#[derive(Clone, Debug)]
pub struct Sibling<G: Game> {
    /// The move that leads to the child.
    pub mv: G::Move,
    /// The child's position.
    pub position: G::Position,
}

/// The inputs for a search of siblings.
pub struct SplitNode<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The siblings. There is at least one.
    pub siblings: &'a [Sibling<G>],
    /// Remaining depth of each sibling.
    pub depth: u32,
    /// Number of plies from the root to the siblings.
    pub ply: u32,
    /// The window of the siblings' parent. Alpha is the value of the first child.
    pub window: Window,
}

/// Searches the siblings at a principal-variation node, on threads or on a device.
pub trait Siblings<G: Game> {
    /// The error from a failed search.
    type Fault;

    /// Searches each sibling as [`descend`] does. Returns the counters, which include the siblings' own nodes.
    ///
    /// `scores` must be empty. It receives one score per sibling, in order, from the parent's point of view. If the
    /// largest score exceeds alpha, it must be exact, and the first sibling with this score must have this value. All
    /// other scores may be bounds.
    fn search(
        &mut self,
        node: &SplitNode<'_, G>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Self::Fault>;
}

/// Searches by PV-split (Marsland and Campbell 1982; Strnad and Guid, section 3). Every principal-variation node first
/// searches its first child, whose value narrows the window. Then `siblings` searches all other children at once.
///
/// The result, including the best move, equals that of [`alpha_beta`](super::alpha_beta). Fails if `siblings` fails.
pub fn pv_split<G: Game, F>(
    game: &G,
    position: &G::Position,
    depth: u32,
    siblings: &mut dyn Siblings<G, Fault = F>,
) -> Result<Found<G::Move>, F> {
    let mut split = Split {
        game,
        siblings,
        children: Vec::new(),
        scores: Vec::new(),
        counters: Counters::default(),
    };
    let (value, best) = split.principal(position, depth, 0)?;
    Ok(Found::new(value, best, split.counters))
}

/// A search in progress. All plies share one list of siblings, which is filled after the first child has been searched.
struct Split<'a, G: Game, F> {
    game: &'a G,
    siblings: &'a mut dyn Siblings<G, Fault = F>,
    children: Vec<Sibling<G>>,
    scores: Vec<i32>,
    counters: Counters,
}

impl<G: Game, F> Split<'_, G, F> {
    fn principal(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: u32,
    ) -> Result<(i32, Option<G::Move>), F> {
        let game = self.game;
        if let Some(value) = entered(game, position, depth, ply, &mut self.counters) {
            return Ok((value, None));
        }
        let mut moves = principal_order(game, position);
        let Some(first) = moves.next() else {
            return match game.stuck(position, ply) {
                Stuck::Pass(child) => {
                    count(&mut self.counters, false);
                    Ok((-self.principal(&child, depth - 1, ply + 1)?.0, None))
                }
                Stuck::Over(value) => {
                    count(&mut self.counters, true);
                    Ok((value, None))
                }
            };
        };
        count(&mut self.counters, false);
        let child = game.play(position, first);
        let below = depth.saturating_sub(1);
        let (mut value, mut best) = (-self.principal(&child, below, ply + 1)?.0, first);
        self.children.clear();
        self.children.extend(moves.map(|mv| Sibling {
            mv,
            position: game.play(position, mv),
        }));
        if !self.children.is_empty() {
            self.scores.clear();
            let node = SplitNode {
                game,
                siblings: &self.children,
                depth: below,
                ply: ply + 1,
                window: Window::new(value, INFINITY),
            };
            let searched = self.siblings.search(&node, &mut self.scores)?;
            self.counters += searched;
            debug_assert_eq!(self.scores.len(), self.children.len());
            for (sibling, score) in self.children.iter().zip(&self.scores) {
                if *score > value {
                    (value, best) = (*score, sibling.mv);
                }
            }
        }
        Ok((value, Some(best)))
    }
}

/// Searches siblings in parallel on the current rayon pool. All keep the initial window, so node counts do not vary.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedWindow;

impl<G: Game> Siblings<G> for FixedWindow {
    type Fault = Infallible;

    fn search(
        &mut self,
        node: &SplitNode<'_, G>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Self::Fault> {
        let &SplitNode {
            game,
            siblings,
            depth,
            ply,
            window,
        } = node;
        let one = |place: usize| {
            let mut counters = Counters::default();
            let score = -descend(
                game,
                &siblings[place].position,
                depth,
                ply,
                window.turned(),
                &mut counters,
            );
            (score, counters)
        };
        // Each sibling is a task, because subtree sizes differ widely. A single evaluation is not worth a task.
        let share = if depth == 0 { siblings.len() } else { 1 };
        let mut counters = Counters::default();
        for (score, searched) in each(siblings.len(), share, &one) {
            scores.push(score);
            counters += searched;
        }
        Ok(counters)
    }
}

/// Searches siblings in parallel on the current rayon pool, each with a null window. Siblings that fail high are
/// searched again with the full window (Marsland and Campbell 1982; Kawakami and Wang, section 5.3). Node counts vary.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullWindow;

/// Maximum remaining depth at which the value from a null-window search that fails high is exact (Reinefeld 1983).
const EXACT_DEPTH: u32 = 1;

impl<G: Game> Siblings<G> for NullWindow {
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
        let shared = SharedBound::new(window.alpha);
        let searched = Tally::default();
        let one = |place: usize| {
            let order = place as u32 + 1;
            let position = &siblings[place].position;
            let mut counters = Counters::default();
            let mut within = |window: Window| {
                -descend(game, position, depth, ply, window.turned(), &mut counters)
            };
            let alpha = shared.alpha(order);
            let mut value = within(Window::new(alpha, alpha + 1));
            let is_exact = depth <= EXACT_DEPTH && !G::EXTENDS;
            if value > alpha && value < window.beta && !is_exact {
                // The value is a lower bound. Other threads may have raised alpha above it.
                value = within(Window::new(shared.alpha(order).max(value - 1), window.beta));
            }
            shared.raise(value, order);
            searched.add(counters);
        };
        // A single evaluation is cheaper than moving it to another thread.
        let threads = if depth == 0 {
            1
        } else {
            rayon::current_num_threads()
        };
        in_order(siblings.len(), threads, &one);
        scores.extend(shared.scores(siblings.len(), window.alpha));
        Ok(searched.total())
    }
}
