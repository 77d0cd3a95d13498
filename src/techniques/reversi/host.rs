//! Defines the host techniques of reversi.

use super::tasks::{On, Reversi};
use crate::games::reversi::{RandomSquares, as_published};
use crate::techniques::prelude::*;
use crate::techniques::tasks::host::{
    BASELINE, FixedWindow, Kit, Runs, Serial, SharedWindow, prepare_baseline,
};
use crate::techniques::tasks::host_table::{rayon_table, serial_table};
use crate::techniques::tasks::prepare_timed;

/// The baseline for the paper's speedups. Unlike `serial`, it copies boards of bytes and evaluates them from scratch.
pub const SERIAL_AS_PUBLISHED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-as-published",
        summary: "alpha-beta on one core with copied boards of bytes, like a program from 2011",
        paper: "Strnad and Guid, sections 3 and 4",
        like: "serial-as-published",
        counts: Counts::As("serial"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    |setup| {
        prepare_search(setup, |play: &Reversi| {
            as_published(&play.evaluation, On(Runs(Serial, None)))
        })
    },
);

/// The reference. Every other technique must find the same values.
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial",
        summary: "alpha-beta on one core, on bitboards",
        paper: "Strnad and Guid, section 3 (the search); ours (the bitboards)",
        tasks: BASELINE,
        ..TechniqueEntry::SERIAL
    },
    |setup| prepare_baseline::<Reversi>(setup, Runs(Serial, None), RandomSquares),
);

/// The strong baseline on one core: [`TableSearch`](crate::search::TableSearch).
pub const SERIAL_TABLE: Technique = serial_table::<Reversi>();

/// Runs `pv-split` on threads, with the same nodes in every run.
pub const RAYON: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon",
        summary: "PV-split on threads, with a fixed window for the siblings of a principal-variation node",
        paper: "Strnad and Guid, section 3 (figure 1)",
        counts: Counts::Own,
        tasks: BASELINE,
        ..TechniqueEntry::THREADS
    },
    |setup| {
        prepare_baseline::<Reversi>(setup, Runs(FixedWindow, Some(setup.threads)), RandomSquares)
    },
);

/// The strong parallel baseline. It returns the same answers as `serial`, but its node count varies between runs.
pub const RAYON_SHARED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon-shared",
        summary: "PV-split on threads with a shared alpha and shared subtrees, the strong parallel baseline",
        paper: "ours; young brothers wait: Feldmann 1993, reference 6 of the paper",
        tasks: &[
            Task::Search,
            Task::Game,
            Task::Choose,
            Task::Match,
            Task::Perft,
        ],
        ..TechniqueEntry::THREADS
    },
    |setup| {
        prepare_timed(setup, |play: &Reversi| {
            play.on_fastest(Runs(SharedWindow, Some(setup.threads)))
        })
    },
);

/// See [`rayon_table`].
pub const RAYON_TABLE: Technique = rayon_table::<Reversi>();
