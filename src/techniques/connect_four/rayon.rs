//! `rayon`: alpha-beta on all cores.

use super::tasks;
use crate::techniques::tasks::host::SharedWindow;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The strong parallel baseline: alpha-beta whose threads look at each other's bounds again on the
/// way ([`alpha_beta_shared`](crate::search::alpha_beta_shared)). Its answers are those of `serial`;
/// its nodes differ from run to run. Playouts are shared out to all threads, each of which plays as `serial` does.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "rayon",
        summary: "alpha-beta on all cores with shared bounds, the centre first",
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
    match setup.task {
        Task::Playouts => tasks::prepare_random_on_host(setup, Some(setup.pool()?)),
        _ => tasks::prepare_threads::<SharedWindow>(setup),
    }
}
