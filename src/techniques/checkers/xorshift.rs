//! The paper's random number generator, in `serial-xorshift` on the host and `flat-xorshift` on a device.

use std::ops::Range;

use rayon::ThreadPool;

use super::device_games::{GROUP, LANES};
use super::flat::{self, MOST, XORSHIFT_PROGRAM};
use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::{self, Draughts, RandomPlayer};
use crate::games::checkers::{Playouts, Position, Rules};
use crate::techniques::prelude::*;
use crate::techniques::tasks::random_games::{LEAST, SHARES, share_out};
use crate::words::Fact;

/// The reference for `flat-xorshift`. Its preparation compares the generators ([`chi_squared`]).
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-xorshift",
        summary: "the games of flat-xorshift on all cores: its reference, not a baseline",
        paper: "\"Flat\" Monte Carlo; \"Generowanie liczb losowych\"",
        like: "serial-xorshift",
        reference: "serial-xorshift",
        counts: Counts::Own,
        tasks: &[Task::Playouts],
        ..TechniqueEntry::THREADS
    },
    |setup| {
        tasks::prepare_flat(setup, 1..2, |play| {
            let mut player = ByThread {
                rules: *play.game.rules(),
                seed: setup.seed,
                pool: setup.pool()?,
                loaded: Vec::new(),
                facts: Vec::new(),
            };
            // Facts are computed only for the case's own position.
            if setup.position.is_none() {
                player.facts = player.facts_of(play, &setup.case.to_string())?;
            }
            Ok(Box::new(player))
        })
    },
);

/// The paper's generator ("Generowanie liczb losowych") is xorshift32, seeded with the thread's number in launches of
/// [`MOST`] games. All launches, root moves and seeds share these streams. The starts of adjacent streams are
/// correlated.
pub const FLAT: Technique = Technique {
    entry: TechniqueEntry {
        name: "flat-xorshift",
        summary: "flat with the paper's xorshift32, seeded with the thread's number",
        paper: "\"Flat\" Monte Carlo; \"Generowanie liczb losowych\"",
        like: "serial-xorshift",
        reference: "serial-xorshift",
        counts: Counts::As("serial-xorshift"),
        tasks: &[Task::Playouts],
        params: &[GROUP, LANES],
        ..flat::FLAT.entry
    },
    trials: &[
        Trial::new("", PLAYOUTS),
        Trial::new("lanes=1 group=24", FEW_PLAYOUTS),
    ],
    prepare: |setup| flat::prepare_with(setup, &XORSHIFT_PROGRAM),
};

/// Minimum and maximum number of playouts for comparing the generators. With fewer playouts, some results are too rare.
const LEAST_COMPARED: u64 = 10_000;
const MOST_COMPARED: u64 = 1_000_000;

fn compared(playouts: u64) -> Option<Range<u64>> {
    (playouts >= LEAST_COMPARED).then_some(0..playouts.min(MOST_COMPARED))
}

/// Plays the games of each move with the thread numbers that the paper's launches would use.
struct ByThread {
    rules: Rules,
    seed: u64,
    pool: ThreadPool,
    loaded: Vec<Playouts>,
    facts: Vec<Fact>,
}

impl ByThread {
    /// Plays the case's playouts with both generators. Returns facts: percentages over all moves, and the statistics
    /// from [`chi_squared`]. Returns nothing for too few playouts or for a finished game.
    fn facts_of(&mut self, play: &Draughts, case: &str) -> Result<Vec<Fact>, Fault> {
        self.load(&[play.position])?;
        let playouts = compared(play.amount.playouts);
        let Some(playouts) = playouts.filter(|_| self.loaded[0].first_moves() > 0) else {
            return Ok(Vec::new());
        };
        let with_counter = |seed| {
            let games = Playouts::new(self.rules, &play.position, seed);
            let tally = |share| games.tally(share);
            share_out(&self.pool, playouts.clone(), (SHARES, LEAST), &tally)
        };
        let counter = with_counter(self.seed);
        let again = with_counter(self.seed.wrapping_add(1));
        let xorshift = self.play(0, playouts.clone())?;
        let percent = |part: u64, tally: &Tally| 100.0 * part as f64 / tally.playouts() as f64;
        let (statistic, freedom) = chi_squared(&counter, &xorshift);
        let facts = [
            ("win-percent-counter", percent(counter.wins, &counter)),
            ("win-percent-xorshift", percent(xorshift.wins, &xorshift)),
            ("draw-percent-counter", percent(counter.draws, &counter)),
            ("draw-percent-xorshift", percent(xorshift.draws, &xorshift)),
            ("loss-percent-counter", percent(counter.losses, &counter)),
            ("loss-percent-xorshift", percent(xorshift.losses, &xorshift)),
            ("chi-squared-xorshift", statistic),
            ("chi-squared-counter", chi_squared(&counter, &again).0),
            ("chi-squared-freedom", f64::from(freedom)),
        ];
        Ok(facts
            .map(|(name, value)| (case.to_owned(), name.to_owned(), value))
            .into())
    }
}

impl RandomPlayer<Draughts> for ByThread {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let playouts = |position| Playouts::new(self.rules, position, self.seed);
        self.loaded = positions.iter().map(playouts).collect();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let loaded = &self.loaded[index];
        let moves = u64::from(loaded.first_moves());
        if moves == 0 {
            return Ok(loaded.tally(playouts));
        }
        let begin = playouts.start;
        let mut tally = share_out(&self.pool, playouts, (SHARES, LEAST), &|share| {
            let mut tally = Tally::of_first_moves(moves as usize);
            for number in share {
                let first = (number % moves) as u32;
                // Each move's thread numbers start at 0 with the move's first playout.
                let thread = (number - begin) / moves % MOST;
                let played = loaded.play_as_seeded_by_thread(first, thread as u32);
                played.count(first as usize, &mut tally);
            }
            tally
        });
        tally.add_up();
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        Telemetry {
            facts: self.facts.clone(),
            ..Telemetry::default()
        }
    }
}

/// Returns Pearson's statistic of homogeneity for two tallies of one position, and its degrees of freedom. The
/// statistic compares wins, draws and losses for each first move. For equal distributions and independent games, it is
/// within about sqrt(2 n) of n, the degrees of freedom. As a control, two seeds of our generator are compared, too.
fn chi_squared(one: &Tally, other: &Tally) -> (f64, u32) {
    let (mut statistic, mut freedom) = (0.0, 0);
    for (one, other) in one.by_first_move.iter().zip(&other.by_first_move) {
        let one = [one.0, one.1, one.2].map(|count| count as f64);
        let other = [other.0, other.1, other.2].map(|count| count as f64);
        let (of_one, of_other) = (one.iter().sum::<f64>(), other.iter().sum::<f64>());
        let mut results = 0_u32;
        for (a, b) in one.into_iter().zip(other) {
            if a + b > 0.0 {
                let apart = a * (of_other / of_one).sqrt() - b * (of_one / of_other).sqrt();
                statistic += apart * apart / (a + b);
                results += 1;
            }
        }
        freedom += results.saturating_sub(1);
    }
    (statistic, freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(by_first_move: &[(u64, u64, u64)]) -> Tally {
        Tally {
            by_first_move: by_first_move.to_vec(),
            ..Tally::default()
        }
    }

    #[test]
    fn the_statistic_is_pearsons() {
        let one = tally(&[(10, 20, 30), (5, 0, 5)]);
        let other = tally(&[(20, 20, 20), (5, 0, 5)]);
        let (statistic, freedom) = chi_squared(&one, &other);
        // Both tallies have the expected counts 15, 20 and 25.
        let expected = 2.0 * (25.0 / 15.0 + 25.0 / 25.0);
        assert!((statistic - expected).abs() < 1e-9, "{statistic}");
        assert_eq!(freedom, 2 + 1);
        // With 30 and 60 games, the expected counts are 10 and 20 for one tally, and 20 and 40 for the other.
        let (statistic, freedom) = chi_squared(&tally(&[(16, 14, 0)]), &tally(&[(14, 46, 0)]));
        let expected = 36.0 / 10.0 + 36.0 / 20.0 + 36.0 / 20.0 + 36.0 / 40.0;
        assert!((statistic - expected).abs() < 1e-9, "{statistic}");
        assert_eq!(freedom, 1);
    }

    #[test]
    fn few_playouts_are_not_compared_and_many_in_part() {
        assert_eq!(compared(LEAST_COMPARED - 1), None);
        assert_eq!(compared(LEAST_COMPARED), Some(0..LEAST_COMPARED));
        assert_eq!(compared(10_000_000), Some(0..MOST_COMPARED));
    }
}
