//! Random games on the host.

use std::ops::Range;

use rayon::ThreadPool;

use super::tasks::{self, Draughts, RandomPlayer};
use crate::games::checkers::{Playouts, StraightPlayouts};
use crate::techniques::tasks::host::{OnGame, Runs, Serial, SharedWindow};
use crate::techniques::tasks::prepare_search;
use crate::techniques::tasks::random_games::{LEAST, tallying};
use crate::techniques::{Setup, Technique};
use crate::words::{Counts, Task, TechniqueEntry};

/// The reference of all playouts, and the strong baseline: sixteen games in lockstep in vectors; a new game replaces a
/// finished one at once.
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial",
        summary: "flat Monte Carlo on one core, sixteen games in step in its vectors",
        paper: "\"Flat\" Monte Carlo; the vectors are ours",
        tasks: &[Task::Playouts, Task::Choose, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    |setup| match setup.task {
        Task::Perft => prepare_search(setup, |play: &Draughts| Runs(Serial, None).on(play.game)),
        _ => tasks::prepare_flat(setup, ON_A_CORE, |play| Ok(player(setup, play, None))),
    },
);

/// The strong parallel baseline: `serial`'s playouts, distributed over all threads.
pub const RAYON: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon",
        summary: "flat Monte Carlo on all cores, each as serial does it",
        counts: Counts::As("serial"),
        tasks: &[Task::Playouts, Task::Choose, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    |setup| match setup.task {
        Task::Perft => prepare_search(setup, |play: &Draughts| {
            Runs(SharedWindow, Some(setup.threads)).on(play.game)
        }),
        _ => tasks::prepare_flat(setup, ON_CORES, |play| {
            Ok(player(setup, play, Some(setup.pool()?)))
        }),
    },
);

/// The reference of `lists-straight`: lists the moves square by square, one game at a time. Too slow for a baseline.
pub const STRAIGHT: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-straight",
        summary: "the games of lists-straight one after another: its reference, no baseline",
        paper: "\"Plansza\"",
        like: "serial-straight",
        reference: "serial-straight",
        tasks: &[Task::Playouts],
        ..TechniqueEntry::SERIAL
    },
    |setup| {
        tasks::prepare_flat(setup, 1..2, |play| {
            let (rules, seed) = (*play.game.rules(), setup.seed);
            let load = move |position: &_| StraightPlayouts::new(rules, position, seed);
            Ok(tallying(load, StraightPlayouts::tally, None, LEAST))
        })
    },
);

/// Playouts of a choice's first batch, and limit of a batch: 1 ms and 0.1 s at about 1 M/s.
const ON_A_CORE: Range<u64> = 1_000..100_000;

/// The same for all cores.
const ON_CORES: Range<u64> = 2_000..1_000_000;

fn player(
    setup: &Setup<'_>,
    play: &Draughts,
    pool: Option<ThreadPool>,
) -> Box<dyn RandomPlayer<Draughts>> {
    let (rules, seed) = (*play.game.rules(), setup.seed);
    let load = move |position: &_| Playouts::new(rules, position, seed);
    tallying(load, Playouts::tally, pool, LEAST)
}
