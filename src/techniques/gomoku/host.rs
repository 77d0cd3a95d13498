//! Defines the host techniques of gomoku.

use super::tasks::{Gomoku, On};
use crate::games::gomoku::{RandomStones, as_published};
use crate::techniques::prelude::*;
use crate::techniques::tasks::host::{
    Algorithm, BASELINE, FullWindowRoot, FullWindowRootParallel, NullWindow, Runs, Serial,
    prepare_baseline,
};
use crate::techniques::tasks::host_table::{rayon_table, serial_table};

/// Runs Algorithms 2 and 3 on an array of integers (sections 2.3 and 8). It is the baseline for the paper's speedups.
pub const SERIAL_AS_PUBLISHED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-as-published",
        summary: "the paper's program, with the full window for every root move and the whole board evaluated at each leaf",
        paper: "Kawakami and Wang, sections 2.2 and 2.3",
        like: "serial-as-published",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    |setup| prepare_as_published(setup, Runs(FullWindowRoot, None)),
);

/// The reference and the baseline: textbook alpha-beta, with a narrowing window at the root.
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial",
        summary: "alpha-beta on one core, with an evaluation that updates the four lines through a stone",
        paper: "Kawakami and Wang, section 2.2 (the search); ours (the evaluation)",
        tasks: BASELINE,
        ..TechniqueEntry::SERIAL
    },
    |setup| prepare_baseline::<Gomoku>(setup, Runs(Serial, None), RandomStones),
);

/// The strong baseline on one core: [`TableSearch`](crate::search::TableSearch), with deepening, null windows, a table
/// and move ordering. It updates gains incrementally ([`Carried`](crate::games::gomoku::Carried)).
pub const SERIAL_TABLE: Technique = serial_table::<Gomoku>();

/// Visits the same nodes as `serial-as-published`, with the root moves distributed over all threads.
pub const RAYON_AS_PUBLISHED: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon-as-published",
        summary: "the paper's OpenMP loop, with root moves in parallel and the full window for each",
        paper: "Kawakami and Wang, section 4",
        like: "serial-as-published",
        counts: Counts::As("serial-as-published"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    |setup| prepare_as_published(setup, Runs(FullWindowRootParallel, Some(setup.threads))),
);

/// The strong parallel baseline: `pvs` on threads. It searches siblings in parallel with a null window at the current
/// bound, and again with the full window after a fail high. It finds the same moves as `serial`, but node counts vary.
pub const RAYON: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon",
        summary: "the first child, then its siblings on threads with a null window and a shared bound",
        paper: "Kawakami and Wang, section 5.3 (Algorithm 4), on threads",
        tasks: BASELINE,
        ..TechniqueEntry::THREADS
    },
    |setup| prepare_baseline::<Gomoku>(setup, Runs(NullWindow, Some(setup.threads)), RandomStones),
);

/// See [`rayon_table`].
pub const RAYON_TABLE: Technique = rayon_table::<Gomoku>();

fn prepare_as_published(setup: &Setup<'_>, runs: Runs<impl Algorithm>) -> Prepared {
    prepare_search(setup, |play: &Gomoku| {
        as_published(&play.evaluation, On(runs))
    })
}
