//! `serial`: alpha-beta on one core.

use super::tasks;
use crate::techniques::tasks::host::Serial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The reference of all minimax techniques, and the strong baseline: textbook alpha-beta, the centre
/// first.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "serial",
        summary: "alpha-beta on one core, the centre first, on bitboards",
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        ..TechniqueEntry::SERIAL
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_serial::<Serial>(setup)
}
