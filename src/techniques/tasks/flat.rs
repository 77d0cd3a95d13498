//! Flat Monte Carlo: playouts from each move, and the move with most wins less losses ("Flat" Monte
//! Carlo in the checkers paper).

use std::ops::Range;
use std::time::Instant;

use super::choose::{Choice, Chooser, Effort};
use super::{Play, RandomPlayer, Turn};
use crate::words::{Counters, Fault, Tally, Telemetry};

/// Chooses by the tallies of any [`RandomPlayer`].
///
/// Playouts are spread evenly over the moves by the game's own numbering. Within a time they are
/// played in batches, each as large as all before it together but no larger than what is predicted to
/// end in time; the batches of a number of playouts do not depend on the clock.
pub struct Flat<P: Play> {
    player: Box<dyn RandomPlayer<P>>,
    /// Playouts of the first batch.
    first: u64,
    /// Playouts that one batch holds at most.
    most: u64,
}

impl<P: Play> Flat<P> {
    /// `batch`: playouts of the first batch, and the most that one may hold, at least one.
    pub fn new(player: Box<dyn RandomPlayer<P>>, batch: Range<u64>) -> Flat<P> {
        Flat {
            player,
            first: batch.start.max(1),
            most: batch.end.max(1),
        }
    }

    /// How many playouts the next batch has; 0: the effort is spent. `first_took`: what the first
    /// launch took longer than its playouts need is part of every batch, so that predictions from
    /// the whole so far err towards ending early.
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
        // Of moves tried unequally often, means are compared: as fractions, exactly.
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
