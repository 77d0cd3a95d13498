//! `serial-xorshift`: the games of the paper's generator on one core.

use std::ops::Range;

use super::device_games;
use super::flat::MOST;
use super::tasks::{self, Draughts, RandomPlayer, Wanted};
use crate::games::checkers::{Ending, Playouts, Position, Rules};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Kind, Tally, Task, TechniqueEntry, takes_every_case};

/// What `flat-xorshift` is checked with. It plays one game after another, and so is slower than
/// `serial`; no baseline.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "checkers",
        name: "serial-xorshift",
        kind: Kind::Serial,
        summary: "the games of flat-xorshift one after another: its reference, no baseline",
        paper: "\"Flat\" Monte Carlo; \"Generowanie liczb losowych\"",
        needs: "",
        like: "serial-xorshift",
        reference: "serial-xorshift",
        tasks: &[Task::Playouts],
        params: &[],
        check: takes_every_case,
    },
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_flat(setup, 1..2, |wanted| Ok(Box::new(ByThread::new(wanted))))
}

/// Plays each move's games as the threads of the paper's launches do.
struct ByThread {
    rules: Rules,
    seed: u64,
    loaded: Vec<Playouts>,
}

impl ByThread {
    fn new(wanted: &Wanted<'_>) -> ByThread {
        ByThread {
            rules: *wanted.asked.game.rules(),
            seed: wanted.seed,
            loaded: Vec::new(),
        }
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
        let mut tally = Tally {
            by_first_move: vec![(0, 0, 0); moves as usize],
            ..Tally::default()
        };
        for number in playouts.clone() {
            let first = (number % moves) as u32;
            // The launches of a move begin with the first of the playouts that are its own.
            let thread = (number - playouts.start) / moves % MOST;
            let played = loaded.play_as_seeded_by_thread(first, thread as u32);
            let (wins, draws, losses) = &mut tally.by_first_move[first as usize];
            match played.ending {
                Ending::Won => *wins += 1,
                Ending::Drawn => *draws += 1,
                Ending::Lost => *losses += 1,
            }
            tally.plies += u64::from(played.plies);
        }
        device_games::add_up(&mut tally);
        Ok(tally)
    }
}
