//! The techniques that need no device.

use super::random_games::prepare_random_on_host;
use super::tasks::{self, Reversi, Searcher, prepare_table};
use crate::games::reversi::{Representation, Visit, as_published, fastest};
use crate::techniques::tasks::Timed;
use crate::techniques::tasks::host::{self, Algorithm, BASELINE, FixedWindow, Runs, Serial};
use crate::techniques::tasks::remembering::{rayon_table, serial_table};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The baseline of the paper's own factors: the search of `serial`, node for node, on boards of one
/// byte a square that are copied for every move and evaluated from scratch.
///
/// Nodes a second on one core of an AMD EPYC (Zen 5): 1.5 M on 8x8, 0.8 M on 16x16, 0.16 M on 32x32,
/// 0.045 M on 64x64.
pub const SERIAL_AS_PUBLISHED: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "serial-as-published",
        summary: "the same alpha-beta with one byte a square and copied boards, as a program of 2011",
        paper: "Strnad and Guid, sections 3 and 4",
        like: "serial-as-published",
        counts: Counts::As("serial"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| {
        tasks::prepare(setup, |asked| {
            as_published(&asked.evaluation, Runs::<Serial>::on(None))
        })
    },
};

/// The reference: every other technique must find its values.
///
/// Nodes a second on one core of an AMD EPYC (Zen 5) at depths 9 (8x8) to 3 (64x64), built for it,
/// positions at even distances along the line: 58 M on 8x8, 18 M on 16x8, 14 M on 16x16, 8 M on
/// 32x32, 5.7 M on 64x32, 3.2 M on 64x64. Every position entered counts. Built for any x86-64,
/// 8x8 has about three quarters of that. What it took is told in
/// [`Bits8`](crate::games::reversi::Bits8) and [`Rows`](crate::games::reversi::Rows).
pub const SERIAL: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "serial",
        summary: "alpha-beta on one core, on bitboards, without allocation in the search",
        paper: "Strnad and Guid, section 3 (the search); ours (the bitboards)",
        tasks: BASELINE,
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| match setup.task {
        Task::Playouts => prepare_random_on_host(setup, None),
        _ => prepare_fastest::<Serial>(setup, None),
    },
};

/// The strong baseline on one core: iterative deepening with null windows, a transposition table, and
/// moves ordered by the table's move and then by what they promise
/// ([`Remembering`](crate::search::Remembering), which tells what it took and what each idea gives).
///
/// Sixteen positions of the 8x8 line to depth 12: 20 to 22 times as fast as `serial`.
pub const SERIAL_TABLE: Technique = serial_table("reversi", |setup| prepare_table(setup, None));

/// The like of `pv-split` on threads: the same nodes, on every run.
///
/// What the fixed window costs, over mid-game positions of the 8x8 line: 1.64 times the nodes of
/// `serial` at depth 8, 1.43 times at depth 9. On two cores it was 1.10 to 1.16 times as fast as
/// `serial` at depth 8 and 1.16 to 1.31 times at depths 9 and 10. On 16x16 at depth 5 it searches 2.5 times the nodes, and two cores
/// do not make up for that.
pub const RAYON: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "rayon",
        summary: "PV-split on threads: the siblings of each principal-variation node with a fixed window",
        paper: "Strnad and Guid, section 3 (figure 1)",
        counts: Counts::Own,
        tasks: BASELINE,
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| match setup.task {
        Task::Playouts => prepare_random_on_host(setup, Some(setup.pool()?)),
        _ => prepare_fastest::<FixedWindow>(setup, Some(setup.threads)),
    },
};

/// The strong parallel baseline. Its answers are those of `serial`; its nodes differ from run to
/// run.
///
/// On two cores, over mid-game positions of the 8x8 line, 1.7 to 1.8 times as fast as `serial` at
/// depths 8 to 10, with 3 to 5 % more nodes. Subtrees shared from remaining depth
/// 4 instead of 5, and bounds re-read from 3 instead of 4, gave 1.63 times: too much of the time
/// went into sharing.
pub const RAYON_SHARED: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "rayon-shared",
        summary: "the same with alpha re-read as it rises and subtrees shared: the strong parallel baseline",
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
    trials: &[],
    prepare: |setup| {
        tasks::prepare_timed(setup, |play| {
            fastest(&play.asked.evaluation, SharedOnThreads(setup.threads))
        })
    },
};

/// As [`rayon_table`] says.
pub const RAYON_TABLE: Technique =
    rayon_table("reversi", |setup| prepare_table(setup, Some(setup.threads)));

fn prepare_fastest<A: Algorithm>(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        fastest(&asked.evaluation, Runs::<A>::on(threads))
    })
}

impl<A: Algorithm> Visit for Runs<A> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        self.searcher(game)
    }
}

/// Makes the searcher of `rayon-shared` in a pool of threads.
struct SharedOnThreads(usize);

impl Visit for SharedOnThreads {
    type Output = Result<Box<dyn Timed<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        host::timed(game, self.0)
    }
}
