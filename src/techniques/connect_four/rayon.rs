//! `rayon`: alpha-beta on all cores.

use super::tasks;
use crate::techniques::tasks::host::SharedWindow;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The strong parallel baseline: alpha-beta whose threads look at each other's bounds again on the
/// way ([`alpha_beta_shared`](crate::search::alpha_beta_shared)). Its answers are those of `serial`;
/// its nodes differ from run to run.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "rayon",
        summary: "alpha-beta on all cores with shared bounds, the centre first",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_threads::<SharedWindow>(setup)
}
