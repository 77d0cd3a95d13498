//! `serial-xorshift`: the games of the paper's generator, on the host.

use std::ops::Range;

use rayon::ThreadPool;

use super::flat::MOST;
use super::generators::{self, Tallies};
use super::tasks::{self, Draughts, RandomPlayer, Wanted};
use crate::games::checkers::{Ending, Playouts, Position, Rules};
use crate::techniques::Technique;
use crate::techniques::tasks::random_games::{LEAST, share_out};
use crate::words::{Counts, Fact, Fault, Tally, Task, TechniqueEntry, Telemetry};

/// The reference of `flat-xorshift`, as `serial` is of `flat`. A core plays one game after another, so it is
/// slower than `serial` and no baseline. It uses all cores, so that the reference of millions of games takes
/// seconds; a game is seeded with the number of the paper's thread, independent of the core that plays it.
///
/// Its preparation also compares the generator with the counter-based one: [`generators`].
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "serial-xorshift",
        summary: "the games of flat-xorshift, one after another on each core: its reference, no baseline",
        paper: "\"Flat\" Monte Carlo; \"Generowanie liczb losowych\"",
        like: "serial-xorshift",
        reference: "serial-xorshift",
        counts: Counts::Own,
        tasks: &[Task::Playouts],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare_flat(setup, 1..2, |wanted| {
            let mut player = ByThread::new(wanted, setup.pool()?);
            // Facts are only for positions that the case names; for another position they would belong to another
            // case.
            if setup.position.is_none() {
                player.facts = player.facts_of(wanted, &setup.case.to_string())?;
            }
            Ok(Box::new(player))
        })
    },
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
    fn new(wanted: &Wanted<'_>, pool: ThreadPool) -> ByThread {
        ByThread {
            rules: *wanted.asked.game.rules(),
            seed: wanted.seed,
            pool,
            loaded: Vec::new(),
            facts: Vec::new(),
        }
    }

    /// Plays the case's playouts with both generators; no facts if they are too few to compare, or the game
    /// is over.
    fn facts_of(&mut self, wanted: &Wanted<'_>, case: &str) -> Result<Vec<Fact>, Fault> {
        let position = wanted.asked.position;
        let Some(playouts) = generators::compared(wanted.asked.playouts) else {
            return Ok(Vec::new());
        };
        self.load(&[position])?;
        if self.loaded[0].first_moves() == 0 {
            return Ok(Vec::new());
        }
        let with_counter = |seed| {
            let games = Playouts::new(self.rules, &position, seed);
            share_out(&self.pool, playouts.clone(), LEAST, &|share| {
                games.tally(share)
            })
        };
        let tallies = Tallies {
            counter: with_counter(self.seed),
            again: with_counter(self.seed.wrapping_add(1)),
            xorshift: self.play(0, playouts.clone())?,
        };
        let fact = |(name, value): (&str, f64)| (case.to_owned(), name.to_owned(), value);
        Ok(tallies.facts().into_iter().map(fact).collect())
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
            let mut tally = Tally {
                by_first_move: vec![(0, 0, 0); moves as usize],
                ..Tally::default()
            };
            for number in share {
                let first = (number % moves) as u32;
                // The launches of a move start with the first of its own playouts.
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
