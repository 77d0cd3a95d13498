//! Runs the host's part of a hybrid search: `rayon-table`, which hands long searches over to the device.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use crate::search::TableSearch;
use crate::techniques::prelude::*;
use crate::techniques::tasks::host_table::TABLE_DEFAULT;
use crate::techniques::tasks::{Loads, Play};

/// Numbers of plies left at which the host may give up a position. By then, it has done a few per cent of the work.
const PREDICTIONS: RangeInclusive<u32> = 4..=6;

/// Searches like `rayon-table`, but gives up a position if the predicted time for the rest exceeds a threshold.
pub(super) struct Host<G: OrderedGame> {
    game: G,
    table: TableSearch,
    pool: ThreadPool,
    positions: Vec<G::Position>,
    threshold: Duration,
    /// Numbers of positions that the host and the device have answered since the last call of `telemetry`.
    pub(super) answered: [u64; 2],
}

/// The outcome of a position's search on the host.
pub(super) struct Part<M> {
    /// The result, or the result of the last iteration if the position was given up.
    pub(super) found: Found<M>,
    pub(super) is_given_up: bool,
    pub(super) took: Duration,
}

impl<G: OrderedGame> Host<G> {
    pub(super) fn new(setup: &Setup<'_>, game: G, threshold: Duration) -> Result<Self, Fault> {
        let threads = setup.threads.max(1);
        Ok(Host {
            game,
            table: TableSearch::new(TABLE_DEFAULT << 20, threads, None),
            pool: setup.pool()?,
            positions: Vec::new(),
            threshold,
            answered: [0; 2],
        })
    }

    pub(super) fn load<P: Play>(&mut self, positions: &[P::Position])
    where
        G: Loads<P>,
    {
        let load = |position| self.game.load(position);
        self.positions = positions.iter().map(load).collect();
    }

    /// Searches a position for which the device has too little memory. From then on, the host searches all positions.
    pub(super) fn take_back(&mut self, index: usize, depth: u32) -> Part<G::Move> {
        self.threshold = Duration::MAX;
        self.answered[1] -= 1;
        self.search(&[index], depth).swap_remove(0)
    }

    /// Searches positions one after another, and keeps the threads awake in between.
    pub(super) fn search(&mut self, indices: &[usize], depth: u32) -> Vec<Part<G::Move>> {
        let (game, positions) = (&self.game, &self.positions);
        let (table, threshold) = (&mut self.table, self.threshold);
        let parts: Vec<Part<G::Move>> = self.pool.install(|| {
            table.lead(game, |leader| {
                let each = indices.iter().map(|index| {
                    let start = Instant::now();
                    let (mut before, mut last) = (Duration::ZERO, Duration::ZERO);
                    let (found, reached) =
                        leader.search((&positions[*index], 0), depth, &mut |reached, _| {
                            let iteration = start.elapsed() - before;
                            let rest = rest(last, iteration, depth - reached);
                            (before, last) = (before + iteration, iteration);
                            !PREDICTIONS.contains(&(depth - reached)) || rest <= threshold
                        });
                    Part {
                        found,
                        is_given_up: reached < depth,
                        took: start.elapsed(),
                    }
                });
                each.collect()
            })
        });
        for part in &parts {
            self.answered[usize::from(part.is_given_up)] += 1;
        }
        parts
    }
}

/// Predicts the time for the remaining iterations. Assumes that times keep growing by the last known factor.
fn rest(before_last: Duration, last: Duration, plies_left: u32) -> Duration {
    if before_last.is_zero() {
        return Duration::ZERO;
    }
    let growth = last.as_secs_f64() / before_last.as_secs_f64();
    let iterations = plies_left.div_ceil(2) as i32;
    let factor: f64 = (1..=iterations).map(|number| growth.powi(number)).sum();
    Duration::try_from_secs_f64(last.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicts_that_iterations_grow_as_the_last_did() {
        let ms = Duration::from_millis;
        assert_eq!(rest(ms(1), ms(3), 2), ms(9));
        assert_eq!(rest(ms(1), ms(3), 5), ms(9 + 27 + 81));
        assert_eq!(rest(ms(4), ms(2), 4), Duration::from_micros(1_500));
        assert_eq!(rest(Duration::ZERO, ms(3), 6), Duration::ZERO);
        assert_eq!(
            rest(Duration::from_nanos(1), Duration::MAX, 6),
            Duration::MAX
        );
    }
}
