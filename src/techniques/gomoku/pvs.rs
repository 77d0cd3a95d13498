//! `pvs`: the paper's principal variation search on an OpenCL device.
//!
//! A launch lasts as long as its slowest group: the turns of the largest subtree times the latency of a turn. A turn
//! has two barriers, the administrator's step and the longest work-item's leaves. A leaf is a chain of four dependent
//! loads (order of moves, line, reading, worth) and some hundred integer instructions. A few hundred groups do not fill
//! a device, so its other rates do not matter. A search of depth d launches d - 1 times, and once more per
//! principal-variation node with a better sibling.

use super::device_group::{GROUP, Group};
use super::hard::{SEARCH, SMALL};
use super::splitting::{Pvs, searcher};
use super::tasks;
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::lanes::EFFICIENCY;
use crate::words::{Counts, Task, TechniqueEntry};

/// Principal variation search with a work-group per sibling (Kawakami and Wang, section 5.3).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "pvs",
        summary: "the leftmost branch on the host, its siblings on the device, a work-group each, with a null window",
        paper: "Kawakami and Wang, section 5.3, after Strnad and Guid",
        counts: Counts::Own,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP, EFFICIENCY],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("group=5", SMALL),
        Trial::new("group=64", SMALL),
    ],
    prepare: |setup| {
        tasks::prepare(setup, |asked| {
            let group = Group::read(setup.params, &GROUP)?;
            searcher(setup, asked, |device, deepest, width| {
                let evaluation = &asked.evaluation;
                Pvs::new(device, evaluation, group, deepest, setup.kernels, width)
            })
        })
    },
};
