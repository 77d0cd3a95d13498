//! The host techniques.

use super::tasks::{self, Reversi, Searcher, prepare_table};
use crate::games::reversi::{RandomSquares, Representation, Visit, as_published, fastest};
use crate::techniques::tasks::host::{self, Algorithm, BASELINE, FixedWindow, Runs, Serial};
use crate::techniques::tasks::remembering::{rayon_table, serial_table};
use crate::techniques::tasks::{Timed, prepare_random_on_host, prepare_timed};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The baseline of the paper's factors: the nodes of `serial`, on boards of one byte per square that are copied for
/// every move and evaluated from scratch.
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
        Task::Playouts => prepare_random_on_host::<Reversi, _>(setup, RandomSquares, None),
        _ => prepare_fastest::<Serial>(setup, None),
    },
};

/// The strong baseline on one core: [`TableSearch`](crate::search::TableSearch), with null windows, a table and ordered
/// moves.
pub const SERIAL_TABLE: Technique = serial_table("reversi", |setup| prepare_table(setup, None));

/// `pv-split` on threads: equal nodes on every run.
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
        Task::Playouts => {
            prepare_random_on_host::<Reversi, _>(setup, RandomSquares, Some(setup.pool()?))
        }
        _ => prepare_fastest::<FixedWindow>(setup, Some(setup.threads)),
    },
};

/// The strong parallel baseline. Answers equal `serial`; nodes vary between runs.
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
        prepare_timed(setup, |play: &Reversi| {
            fastest(&play.asked.evaluation, SharedOnThreads(setup.threads))
        })
    },
};

/// See [`rayon_table`].
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

struct SharedOnThreads(usize);

impl Visit for SharedOnThreads {
    type Output = Result<Box<dyn Timed<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        host::timed(game, self.0)
    }
}
