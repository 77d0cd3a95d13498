//! Flat Monte Carlo: playouts from each move; the move with the largest wins less losses is chosen ("Flat"
//! Monte Carlo in the checkers paper).

use std::ops::Range;
use std::time::Instant;

use super::choose::{Choice, Chooser, Effort};
use super::{Play, RandomPlayer, Turn};
use crate::words::{Counters, Fault, Tally, Telemetry};

/// Chooses by the tallies of a [`RandomPlayer`].
///
/// Playouts are spread evenly over the moves by the game's own numbering. For an effort in time they are
/// played in batches, each as large as all earlier ones together, and at most what is predicted to end in
/// time; for a number of playouts the batches do not depend on the clock.
pub struct Flat<P: Play> {
    player: Box<dyn RandomPlayer<P>>,
    /// Playouts of the first batch.
    first: u64,
    /// Limit of the playouts in a batch.
    most: u64,
}

impl<P: Play> Flat<P> {
    /// `batch`: playouts of the first batch, and the limit of a batch; at least 1.
    pub fn new(player: Box<dyn RandomPlayer<P>>, batch: Range<u64>) -> Flat<P> {
        Flat {
            player,
            first: batch.start.max(1),
            most: batch.end.max(1),
        }
    }

    /// The playouts of the next batch; 0 if the effort is spent. Predictions use the average of all batches
    /// so far. The first launch's extra time is part of that average, so predictions tend to end early.
    fn next(&self, effort: Effort, done: u64, started: Instant) -> u64 {
        match effort {
            Effort::Iterations(all) => self.most.min(all - done),
            Effort::Time(time) => {
                if done == 0 {
                    return self.first;
                }
                let spent = started.elapsed();
                let left = time.saturating_sub(spent);
                let fits = left.as_nanos() * u128::from(done) / spent.as_nanos().max(1);
                let next = fits.min(u128::from(done)).min(u128::from(self.most)) as u64;
                if next < self.first { 0 } else { next }
            }
        }
    }
}

impl<P: Play> Chooser<P> for Flat<P> {
    fn choose(
        &mut self,
        play: &P,
        position: &P::Position,
        effort: Effort,
    ) -> Result<Choice<P::Move>, Fault> {
        let started = Instant::now();
        if !matches!(play.turn(position), Turn::Move) {
            return Ok(Choice::none());
        }
        let moves = play.moves(position);
        self.player.load(std::slice::from_ref(position))?;
        let mut tally = Tally::default();
        let mut done = 0;
        loop {
            let batch = self.next(effort, done, started);
            if batch == 0 {
                break;
            }
            tally += &self.player.play(0, done..done + batch)?;
            done += batch;
        }
        let score = |(wins, _, losses): (u64, u64, u64)| wins as i64 - losses as i64;
        let visits: Vec<u64> = tally
            .by_first_move
            .iter()
            .map(|(wins, draws, losses)| wins + draws + losses)
            .collect();
        // If moves were tried unequally often, their means are compared, as exact fractions.
        let better = |a: usize, b: usize| {
            let (of_a, of_b) = (score(tally.by_first_move[a]), score(tally.by_first_move[b]));
            i128::from(of_a) * i128::from(visits[b]) > i128::from(of_b) * i128::from(visits[a])
        };
        let tried = (0..visits.len()).filter(|place| visits[*place] > 0);
        let best = tried.reduce(|best, place| if better(place, best) { place } else { best });
        Ok(Choice {
            best: Some(moves[best.unwrap_or(0)]),
            visits,
            tree_nodes: 0,
            tree_depth: 0,
            counters: Counters {
                playouts: tally.playouts(),
                plies: tally.plies,
                ..Counters::default()
            },
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}
