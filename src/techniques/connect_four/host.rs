//! Defines host techniques that search by minimax or alpha-beta.

use super::tasks::ConnectFour;
use crate::games::connect_four::RandomColumns;
use crate::techniques::prelude::*;
use crate::techniques::tasks::host::{
    BASELINE, Minimax, MinimaxParallel, Runs, Serial, SharedWindow, prepare_baseline,
    prepare_on_host,
};
use crate::techniques::tasks::host_table::{rayon_table, serial_table};

/// Runs minimax on bitboards without pruning. It is the baseline for the paper's speedups ("Project Description").
pub const SERIAL_MINIMAX: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial-minimax",
        summary: "minimax on one core, without pruning, on bitboards",
        paper: "Connect Four AI, \"Project Description\" (the search); ours (bitboards)",
        like: "serial-minimax",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    |setup| prepare_on_host::<ConnectFour>(setup, Runs(Minimax, None)),
);

/// Visits the same nodes as `serial-minimax`, on all threads. Threads share the tree down to subtrees of four plies.
pub const RAYON_MINIMAX: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon-minimax",
        summary: "minimax on all cores, without pruning",
        paper: "ours; the search is that of Connect Four AI, \"Project Description\"",
        like: "serial-minimax",
        counts: Counts::As("serial-minimax"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    |setup| prepare_on_host::<ConnectFour>(setup, Runs(MinimaxParallel, Some(setup.threads))),
);

/// The reference for all minimax techniques, and the strong baseline: textbook alpha-beta, centre first.
pub const SERIAL: Technique = Technique::on_host(
    TechniqueEntry {
        name: "serial",
        summary: "alpha-beta on one core, on bitboards, starting at the centre",
        tasks: BASELINE,
        ..TechniqueEntry::SERIAL
    },
    |setup| prepare_baseline::<ConnectFour>(setup, Runs(Serial, None), RandomColumns),
);

/// The strong parallel baseline: [`alpha_beta_shared`](crate::search::alpha_beta_shared). Its node count varies.
pub const RAYON: Technique = Technique::on_host(
    TechniqueEntry {
        name: "rayon",
        summary: "alpha-beta on all cores with shared bounds, starting at the centre",
        tasks: BASELINE,
        ..TechniqueEntry::THREADS
    },
    |setup| {
        prepare_baseline::<ConnectFour>(
            setup,
            Runs(SharedWindow, Some(setup.threads)),
            RandomColumns,
        )
    },
);

/// The strong baseline on one core: [`TableSearch`](crate::search::TableSearch).
pub const SERIAL_TABLE: Technique = serial_table::<ConnectFour>();

/// See [`rayon_table`].
pub const RAYON_TABLE: Technique = rayon_table::<ConnectFour>();
