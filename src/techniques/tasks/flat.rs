//! Flat Monte Carlo: playouts from each move; the largest wins less losses is chosen ("Flat" Monte Carlo).

use std::ops::Range;
use std::time::Instant;

use super::choose::{Choice, Chooser, Effort, best_mean};
use super::{Play, RandomPlayer, Turn};
use crate::techniques::part::Division;
use crate::words::{Counters, Fault, Tally, Telemetry};

/// Chooses by the tallies of a [`RandomPlayer`].
///
/// Playouts are spread evenly over the moves by the game's own numbering. For an effort in time they are played in
/// batches, each as large as all earlier ones together, and at most what is predicted to end in time; for a number of
/// playouts the batches do not depend on the clock.
pub struct Flat<P: Play> {
    player: Box<dyn RandomPlayer<P>>,
    /// Playouts of the first batch.
    first: u64,
    /// Limit of the playouts in a batch.
    most: u64,
    /// Number of the first playout.
    from: u64,
}

impl<P: Play> Flat<P> {
    /// `batch`: playouts of the first batch, and the limit of a batch; at least 1.
    pub fn new(player: Box<dyn RandomPlayer<P>>, batch: Range<u64>) -> Flat<P> {
        Flat {
            player,
            first: batch.start.max(1),
            most: batch.end.max(1),
            from: 0,
        }
    }

    /// The playouts of the next batch, predicted by the average of all so far; 0 if the effort is spent.
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
            let next = self.from + done;
            tally += &self.player.play(0, next..next + batch)?;
            done += batch;
        }
        let by_move = tally.by_first_move.iter();
        let visits: Vec<u64> = by_move
            .map(|(won, drawn, lost)| won + drawn + lost)
            .collect();
        let by_move = tally.by_first_move.iter();
        let gains: Vec<i64> = by_move
            .map(|(won, _, lost)| *won as i64 - *lost as i64)
            .collect();
        Ok(Choice {
            best: Some(moves[best_mean(&gains, &visits).unwrap_or(0)]),
            visits,
            gains,
            counters: Counters {
                playouts: tally.playouts(),
                plies: tally.plies,
                ..Counters::default()
            },
            ..Choice::none()
        })
    }

    fn division(&self) -> Division {
        Division::Ranges
    }

    fn number_from(&mut self, first: u64) {
        self.from = first;
    }

    fn telemetry(&mut self) -> Telemetry {
        self.player.telemetry()
    }
}
