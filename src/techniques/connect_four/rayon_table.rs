//! `rayon-table`: `serial-table` on all cores, around one table.

use super::tasks;
use crate::techniques::tasks::remembering::PARAMS_OF_THREADS;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Fault, Task, TechniqueEntry};

/// The strong baseline on all cores: every thread searches as `serial-table` does, all know what one
/// has put into the table, and none begins a move that another has in hand while it has others
/// ([`Remembering`](crate::search::Remembering)). Its answers are those of `serial`; its nodes differ
/// from run to run.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "connect-four",
        name: "rayon-table",
        summary: "serial-table on all cores around one lockless table: the strongest search of the host",
        paper: "ours; ABDADA: Weill 1996; the table: Hyatt and Mann 2002",
        like: "rayon-table",
        reference: "serial-table",
        tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
        params: PARAMS_OF_THREADS,
        ..TechniqueEntry::THREADS
    },
    trials: &[],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_table(setup, Some(setup.threads))
}
