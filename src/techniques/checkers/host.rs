//! Searches and plays random games on the host.

use std::ops::Range;

use super::tasks::{self, Draughts};
use crate::games::checkers::{Playouts, StraightPlayouts};
use crate::techniques::pool_of;
use crate::techniques::prelude::*;
use crate::techniques::tasks::host::{Algorithm, OnGame, Runs, Serial, SharedWindow};
use crate::techniques::tasks::host_table::{rayon_table, serial_table};
use crate::techniques::tasks::random_games::{LEAST, tallying};
use crate::techniques::tasks::{Made, prepare};

/// The reference for all searches and playouts. It searches with textbook alpha-beta, and uses vector instructions to
/// play sixteen random games at a time. A new game replaces each finished game at once.
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial",
        summary: "alpha-beta, or flat Monte Carlo with sixteen games per vector, on one core",
        paper: "\"Flat\" Monte Carlo; the vectors and alpha-beta are ours",
        tasks: &Task::ALL,
        ..TechniqueEntry::SERIAL
    },
    |setup| prepare_baseline(setup, Runs(Serial, None), ON_A_CORE),
);

/// The parallel baseline. Searches use [`alpha_beta_shared`](crate::search::alpha_beta_shared), so node counts vary
/// between samples. It plays the playouts of `serial` on all threads.
pub const RAYON: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon",
        summary: "alpha-beta with shared bounds, or flat Monte Carlo, on all cores",
        tasks: &Task::ALL,
        ..TechniqueEntry::THREADS
    },
    |setup| prepare_baseline(setup, Runs(SharedWindow, Some(setup.threads)), ON_CORES),
);

/// The strong baseline on one core: [`TableSearch`](crate::search::TableSearch).
pub const SERIAL_TABLE: Technique = serial_table::<Draughts>();

/// See [`rayon_table`].
pub const RAYON_TABLE: Technique = rayon_table::<Draughts>();

/// The reference for `lists-straight`. It lists moves square by square, which is too slow for a baseline.
pub const STRAIGHT: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-straight",
        summary: "the games of lists-straight on one core: its reference, not a baseline",
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

/// Sizes of the first batch of a choice and of the largest batch, in playouts (1 ms and 0.1 s at about 1 M/s).
const ON_A_CORE: Range<u64> = 1_000..100_000;

/// Like [`ON_A_CORE`], but for all cores.
const ON_CORES: Range<u64> = 2_000..1_000_000;

/// Prepares a search to the depth of the case, or random games if the case has no depth.
fn prepare_baseline(
    setup: &Setup<'_>,
    runs: Runs<impl Algorithm>,
    batches: Range<u64>,
) -> Prepared {
    prepare(setup, |play: &Draughts, _| {
        if play.amount.depth > 0 {
            return runs.on(play.game).map(Made::Search);
        }
        let (rules, seed) = (*play.game.rules(), setup.seed);
        let load = move |position: &_| Playouts::new(rules, position, seed);
        let pool = runs.1.map(pool_of).transpose()?;
        Ok(Made::Games(
            tallying(load, Playouts::tally, pool, LEAST),
            batches,
        ))
    })
}
