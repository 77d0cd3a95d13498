//! `pv-split`: the paper's search on an OpenCL device.
//!
//! # What bounds it
//!
//! A work-group searches its sibling node after node, so a launch takes the nodes of its largest
//! subtree times the latency of a node; how many groups the device could hold matters less. On an
//! H200 a node takes roughly 1 µs on 8x8 and 4 µs on 64x64, where two groups share most
//! multiprocessors; it has three barriers, four where more than 32 work-items sum. Measured by doing
//! a stage twice, in the first version:
//!
//! - Moves of both sides: 36 % of the kernel on 8x8, 49 % on 32x32, 55 % on 64x64. The walk lasts as long as the longest run on the board that a work-group's slowest
//!   quarter meets, 6 steps on 8x8 and about 15 in the middle of games on 32x32 and 64x64, while the
//!   average square needs 1.5; a step is some 55 integer instructions for a word of both sides,
//!   of which a multiprocessor does 64 lanes a cycle.
//! - Playing the move: 7 to 16 %, a walk of 4 to 6 steps.
//! - The sum and the administration, by one work-item: most of the rest.
//!
//! A launch costs 30 µs besides its kernel, two thirds of them in the queue and a third on the host;
//! on 8x8 at depth 3 the kernel itself takes 37 µs.
//!
//! # What was tried
//!
//! Work-items in a group; milliseconds by number of positions at depth 3 on the H200:
//!
//! | board, positions | a square each | 256 | 128 | 64 | 32 | 16 | 8 |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | 64x64, 3 | | 138 | 97.5 | 146 | | | |
//! | 32x32, 8 | | 40.2 | 31.1 | 31.1 | 30.7 | | |
//! | 16x16, 8 | 6.6 | | | 5.5 | 5.5 | 5.4 | |
//! | 8x8, 8 | 1.7 | | | 1.7 | 1.7 | 1.8 | 1.7 |
//!
//! A work-item handles its squares a word at a time, whether it has one of them or 32, so the best
//! group has one work-item a word: more issue the same instructions again, fewer do one word after
//! another. That is [`Group::Auto`], and the rule for boards of 1024 squares and more under
//! [`Group::Board`].
//!
//! - Runs along the rank by the carry of an addition, instead of in the walk: 5 to 11 % faster,
//!   and in the kernel since.
//! - Separate walks up and down the board, each as long as its own longest run: 0 to 6 % slower.
//! - Two steps of the walk between tests for its end: no change.
//! - On 64x64, 1024 work-items with runs of 4 squares: 2.7 times as long as 128 with runs of 32.
//! - Summing in two steps from 33 work-items on instead of 129: 4 % faster on 64x64.
//! - Atomic addition in local memory instead of the reduction: 0 to 1 % faster, and not what was
//!   published.
//!
//! On a processor the default is a group of one work-item. Two cores, depths 1 and 2, boards 8x8 to 64x64, one
//! run each: with pocl 3.1 it was the fastest everywhere, a work-item a square took 3 (8x8) to 26 times
//! (16x16) as long; with Intel's runtime a work-item a square took 1.5 to 5 times as long on boards of less than 1024
//! squares, and 16 work-items 0.7 to 1.4 times as long as one. Without optimisation, which pocl 3.1 is given
//! for barriers in loops, everything takes 5 to 10 times as long; a group of one is built with it. (All barriers
//! of this kernel stand in one loop without arms, and gave no wrong value there with optimisation
//! in several thousand searches; the rule is kept all the same.)

use super::Asked;
use super::device_board::{GROUPS_ALLOWED, Group};
use super::device_perft::DevicePerft;
use super::device_siblings::DeviceSiblings;
use super::hard::{PERFT, SEARCH, SMALL};
use super::tasks::{self, Reversi, Searcher};
use crate::games::reversi::{Position, Representation, Square, Visit, fastest};
use crate::search::Found;
use crate::techniques::hard::Trial;
use crate::techniques::lanes::EFFICIENCY;
use crate::techniques::part::Part;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Counts, DEVICES, Fault, ParamEntry, Task, TechniqueEntry, Telemetry};

/// PV-split on a device (Strnad and Guid, sections 3 and 5).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
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
            DEVICES,
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
        return tasks::prepare(setup, |asked| {
            let group = group()?;
            let counting = MakeCounting {
                setup,
                asked,
                group,
            };
            fastest(&asked.evaluation, counting)
        });
    }
    tasks::prepare_counted_split(setup, |asked, width| {
        let (group, deepest) = (group()?, asked.depth.saturating_sub(1));
        let (evaluation, device) = (&asked.evaluation, setup.on_device()?);
        DeviceSiblings::new(evaluation, device, group, deepest, setup.kernels, width)
    })
}

/// Makes what counts sequences on a board's representation.
struct MakeCounting<'a> {
    setup: &'a Setup<'a>,
    asked: &'a Asked,
    group: Group,
}

impl Visit for MakeCounting<'_> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let Asked {
            evaluation, depth, ..
        } = self.asked;
        let (device, kernels) = (self.setup.on_device()?, self.setup.kernels);
        let perft = DevicePerft::new(&game, evaluation, device, self.group, *depth, kernels)?;
        Ok(Box::new(Counting {
            game,
            positions: Vec::new(),
            perft,
        }))
    }
}

struct Counting<R: Representation> {
    game: R,
    positions: Vec<R::Position>,
    perft: DevicePerft,
}

impl<R: Representation> Searcher<Reversi> for Counting<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let loaded = positions.iter().map(|position| self.game.load(position));
        self.positions = loaded.collect();
        Ok(())
    }

    fn search(&mut self, _index: usize, _depth: u32) -> Result<Found<Square>, Fault> {
        Err(Fault::Unsupported(
            "prepared for perft, not for a search".into(),
        ))
    }

    fn perft_part(&mut self, index: usize, depth: u32, part: &Part) -> Result<Counters, Fault> {
        let position = &self.positions[index];
        self.perft.count(&self.game, position, depth, part)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.perft.telemetry()
    }
}
