//! `serial`: alpha-beta on one core, evaluated incrementally.

use super::tasks::{self, OnOneCore};
use crate::games::gomoku::fastest;
use crate::techniques::tasks::host::Serial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The reference and the baseline: textbook alpha-beta, whose root narrows too.
///
/// What it took, and how many leaves it does a second, is told in
/// [`Lines`](crate::games::gomoku::Lines).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "serial",
        summary: "alpha-beta on one core; the root narrows too; a leaf costs the four lines through its last stone",
        paper: "Kawakami and Wang, section 2.2 (the search); ours (the evaluation)",
        tasks: &[
            Task::Search,
            Task::Game,
            Task::Playouts,
            Task::Match,
            Task::Perft,
        ],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    if setup.task == Task::Playouts {
        return tasks::prepare_random_on_host(setup, None);
    }
    tasks::prepare(setup, |asked| {
        Ok(fastest(&asked.evaluation, OnOneCore::<Serial>::new()))
    })
}
