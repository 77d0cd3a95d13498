//! The paper's generator: `serial-xorshift` on the host, `flat-xorshift` on a device.

use std::ops::Range;

use rayon::ThreadPool;

use super::device_games::{GROUP, LANES};
use super::flat::{self, MOST, XORSHIFT_PROGRAM};
use super::generators::{self, Tallies};
use super::hard::{FEW_PLAYOUTS, PLAYOUTS};
use super::tasks::{self, Draughts, RandomPlayer};
use crate::games::checkers::{Ending, Playouts, Position, Rules};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::tasks::random_games::{LEAST, share_out};
use crate::words::{Counts, Fact, Fault, Tally, Task, TechniqueEntry, Telemetry};

/// The reference of `flat-xorshift`, one game at a time per core. The preparation compares the [`generators`].
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-xorshift",
        summary: "the games of flat-xorshift, one after another on each core: its reference, no baseline",
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
            // Facts are only for positions that the case names. Other positions belong to other cases.
            if setup.position.is_none() {
                player.facts = player.facts_of(play, &setup.case.to_string())?;
            }
            Ok(Box::new(player))
        })
    },
);

/// The paper's generator ("Generowanie liczb losowych"): xorshift32, seeded with the thread's number in launches of
/// [`MOST`] games. All launches, root moves and seeds share these streams, and neighbouring threads start correlated.
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

/// Plays each move's games like the threads of the paper's launches.
struct ByThread {
    rules: Rules,
    seed: u64,
    pool: ThreadPool,
    loaded: Vec<Playouts>,
    facts: Vec<Fact>,
}

impl ByThread {
    /// Plays the case's playouts with both generators. No facts for too few playouts or a finished game.
    fn facts_of(&mut self, play: &Draughts, case: &str) -> Result<Vec<Fact>, Fault> {
        let Some(playouts) = generators::compared(play.playouts) else {
            return Ok(Vec::new());
        };
        self.load(&[play.position])?;
        if self.loaded[0].first_moves() == 0 {
            return Ok(Vec::new());
        }
        let with_counter = |seed| {
            let games = Playouts::new(self.rules, &play.position, seed);
            let tally = |share| games.tally(share);
            share_out(&self.pool, playouts.clone(), LEAST, &tally)
        };
        let tallies = Tallies {
            counter: with_counter(self.seed),
            again: with_counter(self.seed.wrapping_add(1)),
            xorshift: self.play(0, playouts.clone())?,
        };
        let fact = |(name, value): (&str, f64)| (case.to_owned(), name.to_owned(), value);
        Ok(tallies.facts().map(fact).into())
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
        let mut tally = share_out(&self.pool, playouts, LEAST, &|share| {
            let mut tally = Tally::of_first_moves(moves as usize);
            for number in share {
                let first = (number % moves) as u32;
                // A move's launches start with the first of its playouts.
                let thread = (number - begin) / moves % MOST;
                let played = loaded.play_as_seeded_by_thread(first, thread as u32);
                let (wins, draws, losses) = &mut tally.by_first_move[first as usize];
                match played.ending {
                    Ending::Won => *wins += 1,
                    Ending::Drawn => *draws += 1,
                    Ending::Lost => *losses += 1,
                }
                tally.plies += u64::from(played.plies);
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
