//! `pv-split`: the paper's search on an OpenCL device.
//!
//! The moves of both sides bound the kernel. Their walk lasts as long as the longest run on the board. Playing the move
//! and one work-item's administration take the rest. A launch costs about as much as the kernel on 8x8 at depth 3. The
//! best group has one work-item per word of squares: [`Group::Auto`], and [`Group::Board`] from 1024 squares on.

use super::device_board::{GROUPS_ALLOWED, Group};
use super::device_perft::DevicePerft;
use super::device_siblings::DeviceSiblings;
use super::hard::{PERFT, SEARCH, SMALL};
use super::tasks::{Reversi, Searcher, Split};
use crate::games::reversi::{Representation, Visit, fastest};
use crate::techniques::hard::Trial;
use crate::techniques::lanes::{EFFICIENCY, counted};
use crate::techniques::tasks::prepare_search;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counts, Fault, ParamEntry, Task, TechniqueEntry};

/// PV-split on a device (Strnad and Guid, sections 3 and 5).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "pv-split",
        summary: "PV-split: the leftmost child on the host, its siblings on the device, a work-group each",
        paper: "Strnad and Guid, section 3",
        needs: "local memory for the stack: on 64x64, 1.6 KiB a ply",
        counts: Counts::As("rayon"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        params: &[
            ParamEntry {
                name: "group",
                allowed: GROUPS_ALLOWED,
                default: "board on GPUs, auto on a processor",
                check: |value| Group::parse(value).map(drop),
            },
            EFFICIENCY,
        ],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("", PERFT),
        Trial::new("group=board", SMALL),
        Trial::new("group=board", PERFT),
        Trial::new("group=5", SMALL),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    let group = || Group::read(setup.params).map_err(Fault::Input);
    if setup.task == Task::Perft {
        return prepare_search(setup, |asked: &Reversi| {
            let group = group()?;
            let counting = MakeCounting {
                setup,
                asked,
                group,
            };
            fastest(&asked.evaluation, counting)
        });
    }
    prepare_search(setup, |asked: &Reversi| {
        let (evaluation, depth) = (&asked.evaluation, asked.depth);
        counted(setup, depth, |width| {
            let (group, deepest, device) = (group()?, depth.saturating_sub(1), setup.on_device()?);
            let kernels = setup.kernels;
            let siblings = DeviceSiblings::new(evaluation, device, group, deepest, kernels, width)?;
            fastest(evaluation, Split { siblings, depth })
        })
    })
}

struct MakeCounting<'a> {
    setup: &'a Setup<'a>,
    asked: &'a Reversi,
    group: Group,
}

impl Visit for MakeCounting<'_> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let Reversi {
            evaluation, depth, ..
        } = self.asked;
        let (device, kernels) = (self.setup.on_device()?, self.setup.kernels);
        let perft = DevicePerft::new(evaluation, device, self.group, *depth, kernels)?;
        Ok(Box::new(perft.searcher(game)?))
    }
}
