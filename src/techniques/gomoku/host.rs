//! The techniques that need no device.

use super::tasks::{self, Gomoku, Searcher, prepare_random_on_host, prepare_table};
use crate::games::gomoku::{Representation, Visit, as_published, fastest};
use crate::techniques::tasks::host::{
    Algorithm, BASELINE, FullWindowRoot, FullWindowRootParallel, NullWindow, Runs, Serial,
};
use crate::techniques::tasks::remembering::{rayon_table, serial_table};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The baseline of the paper's own factors: Algorithms 2 and 3, an array of integers for a board
/// (section 8), and the whole board evaluated at every leaf.
///
/// Section 2.3 calls the search once for each move of the root, each time with the full window, so
/// that nothing learnt at one move is used at the next.
pub const SERIAL_AS_PUBLISHED: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "serial-as-published",
        summary: "the paper's program: every root move with the full window, the whole board evaluated at each leaf",
        paper: "Kawakami and Wang, sections 2.2 and 2.3",
        like: "serial-as-published",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare: |setup| prepare_as_published::<FullWindowRoot>(setup, None),
};

/// The reference and the baseline: textbook alpha-beta, whose root narrows too.
///
/// What it took, and how many leaves it does a second, is told in
/// [`Lines`](crate::games::gomoku::Lines).
pub const SERIAL: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "serial",
        summary: "alpha-beta on one core; the root narrows too; a leaf costs the four lines through its last stone",
        paper: "Kawakami and Wang, section 2.2 (the search); ours (the evaluation)",
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
/// ([`Remembering`](crate::search::Remembering)), on gains that are carried along
/// ([`Carried`](crate::games::gomoku::Carried)).
///
/// The first stone and three positions of the line on 15x15, one core of an AMD EPYC (Zen 5) built for it:
/// 8 times as fast as `serial` to depth 4 (2.6 ms), and 6 to 7 times to depth 5. Most of it comes from the last
/// two plies. Without the order 1.2 and 1.5 to 1.8 times the time; the table gives a twentieth at these
/// depths.
pub const SERIAL_TABLE: Technique = serial_table("gomoku", |setup| prepare_table(setup, None));

/// The nodes of `serial-as-published`, the moves of the root shared among the threads.
pub const RAYON_AS_PUBLISHED: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "rayon-as-published",
        summary: "the paper's OpenMP loop: root moves in parallel, each with the full window",
        paper: "Kawakami and Wang, section 4",
        like: "serial-as-published",
        counts: Counts::As("serial-as-published"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| prepare_as_published::<FullWindowRootParallel>(setup, Some(setup.threads)),
};

/// The like of `pvs` on threads, and the strong parallel baseline: the first child of a
/// principal-variation node is searched alone, its siblings in parallel with a null window at the
/// bound as it stands, and again with the whole window where that fails high.
///
/// Its answers are those of `serial`; its nodes differ from run to run.
pub const RAYON: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "rayon",
        summary: "first child first, its siblings on threads with a null window and a shared bound",
        paper: "Kawakami and Wang, section 5.3 (Algorithm 4), on threads",
        tasks: BASELINE,
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare: |setup| match setup.task {
        Task::Playouts => prepare_random_on_host(setup, Some(setup.pool()?)),
        _ => prepare_fastest::<NullWindow>(setup, Some(setup.threads)),
    },
};

/// As [`rayon_table`] says.
pub const RAYON_TABLE: Technique =
    rayon_table("gomoku", |setup| prepare_table(setup, Some(setup.threads)));

fn prepare_fastest<A: Algorithm>(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        fastest(&asked.evaluation, Runs::<A>::on(threads))
    })
}

fn prepare_as_published<A: Algorithm>(
    setup: &Setup<'_>,
    threads: Option<usize>,
) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        as_published(&asked.evaluation, Runs::<A>::on(threads))
    })
}

impl<A: Algorithm> Visit for Runs<A> {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        self.searcher(game)
    }
}
