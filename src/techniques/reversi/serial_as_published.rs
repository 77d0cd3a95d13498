//! `serial-as-published`: the paper's serial alpha-beta as a program of 2011 would have it.

use super::serial::OnOneCore;
use super::tasks;
use crate::games::reversi::as_published;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry};

/// The baseline of the paper's own factors: the search of `serial`, node for node, on boards of one
/// byte a square that are copied for every move and evaluated from scratch.
///
/// Nodes a second on one core of an AMD EPYC (Zen 5): 1.5 M on 8x8, 0.8 M on 16x16, 0.16 M on 32x32,
/// 0.045 M on 64x64.
pub const TECHNIQUE: Technique = Technique {
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
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        Ok(as_published(&asked.evaluation, OnOneCore))
    })
}
