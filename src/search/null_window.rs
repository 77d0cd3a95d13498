use std::convert::Infallible;

use super::threads::{SharedBound, Tally, in_order};
use super::{Sibling, Siblings, Window, descend};
use crate::games::Game;
use crate::words::Counters;

/// Siblings in parallel on the current rayon pool, each with a null window at the current best value and, if it fails
/// high, again with the full remaining window. This is principal variation search (Marsland and Campbell 1982; Kawakami
/// and Wang, section 5.3) below the leftmost branch. Threads share the best value, so the nodes vary from run to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullWindow;

/// Remaining depth up to which a null-window search that fails high is exact: all the sibling's moves were tried, and
/// they are leaves (Reinefeld 1983).
const EXACT_DEPTH: u32 = 1;

impl<G: Game> Siblings<G> for NullWindow {
    type Fault = Infallible;

    fn search(
        &mut self,
        game: &G,
        siblings: &[Sibling<G>],
        depth: u32,
        ply: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Infallible> {
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
            if value > alpha && value < window.beta && depth > EXACT_DEPTH {
                // A lower bound; other threads may have raised alpha above it.
                value = within(Window::new(shared.alpha(order).max(value - 1), window.beta));
            }
            shared.raise(value, order);
            searched.add(counters);
        };
        // A single evaluation is cheaper than handing it to another thread.
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
