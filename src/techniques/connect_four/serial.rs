//! `serial`: alpha-beta on one core.

use super::tasks;
use crate::techniques::tasks::host::Serial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The reference of all minimax techniques, and the strong baseline: textbook alpha-beta, the centre
/// first. Playouts are sixteen games side by side, in the core's vectors.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "serial",
        summary: "alpha-beta on one core, the centre first, on bitboards",
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
    match setup.task {
        Task::Playouts => tasks::prepare_random_on_host(setup, None),
        _ => tasks::prepare_serial::<Serial>(setup),
    }
}
