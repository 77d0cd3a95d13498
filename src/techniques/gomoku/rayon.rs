//! `rayon`: principal variation search on all cores.

use super::tasks::{self, OnThreads};
use crate::games::gomoku::fastest;
use crate::techniques::tasks::host::NullWindow;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The like of `pvs` on threads, and the strong parallel baseline: the first child of a
/// principal-variation node is searched alone, its siblings in parallel with a null window at the
/// bound as it stands, and again with the whole window where that fails high.
///
/// Its answers are those of `serial`; its nodes differ from run to run.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "rayon",
        summary: "first child first, its siblings on threads with a null window and a shared bound",
        paper: "Kawakami and Wang, section 5.3 (Algorithm 4), on threads",
        tasks: &[
            Task::Search,
            Task::Game,
            Task::Playouts,
            Task::Match,
            Task::Perft,
        ],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    if setup.task == Task::Playouts {
        return tasks::prepare_random_on_host(setup, Some(setup.pool()?));
    }
    tasks::prepare(setup, |asked| {
        fastest(
            &asked.evaluation,
            OnThreads::<NullWindow>::new(setup.threads),
        )
    })
}
