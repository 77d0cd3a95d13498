//! `pvs`: the paper's principal variation search on an OpenCL device.
//!
//! # What bounds it
//!
//! A launch lasts as long as its slowest group: the turns of the largest subtree times the latency of
//! a turn, which is two barriers, the administrator's step and the longest work-item's leaves.
//! A leaf is a chain of four dependent loads (the order of moves, a line, a reading, the
//! worth) and some hundred integer instructions, four lines side by side; nothing else about a
//! device's rate counts, as a few hundred groups do not fill it. A search of depth d launches d - 1
//! times, and once more for each principal-variation node that has a better sibling.
//!
//! From the first stone, counted with the kernels as they are (`serial` first; the group of one
//! searches the nodes of plain alpha-beta with a fixed null window; larger ones search what a cut
//! would have left out beside what it cuts):
//!
//! | board, depth | `serial`: nodes, leaves | group 1 | group 64 | group 256 |
//! | --- | --- | --- | --- | --- |
//! | 12x12, 3 | 23,006, 22,543 | 21,321, 20,858 | 44,267, 41,851 | 55,347, 52,931 |
//! | 12x12, 4 | 81,553, 57,720 | 77,801, 55,610 | 119,285, 90,982 | 130,335, 102,032 |
//! | 15x15, 3 | 54,078, 53,371 | 51,267, 50,560 | 80,008, 76,215 | 115,339, 111,546 |
//! | 15x15, 4 | 170,663, 116,114 | 163,756, 112,017 | 209,086, 147,283 | 244,572, 182,769 |
//! | 24x24, 3 | 340,526, 338,767 | 333,225, 331,466 | 426,435, 416,675 | 536,019, 526,259 |
//!
//! # What was tried
//!
//! Counted on the host's model of the kernel (`tests/devices/gomoku_groups.rs`), 15x15 at depth 4, with 256
//! work-items; the largest subtree is that of the launch at the root:
//!
//! | below depth 2 | turns of the largest subtree | leaves |
//! | --- | --- | --- |
//! | each move played, its replies side by side, as the paper's blocks have them | 249 | 11,277,188 |
//! | all moves side by side, a work-item each to the end | 6, each as long as its slowest: 222 leaves | 376,133 |
//! | a probe of 8 replies, what is pending played (`group_search.clh`) | 11 | 182,335 |
//!
//! - Replies of a probe, leaves in all with 64 work-items: 2: 488,399; 4: 243,951; 8: 146,849;
//!   12: 147,283; 16: 147,715. On 12x12 with 256: 8: 179,075; 12: 102,032; 24: 114,416. Hence 12.
//! - In the middle of games a probe may settle nothing: where a five threatens, the same late reply
//!   refutes all moves. One by one these took 195 turns a node on 15x15; the second probe takes
//!   them all in one, each work-item trying its move's replies in order. Trying first the reply
//!   that refuted the last move would do the same sooner, but that is another move order
//!   than the baselines have.
//! - At remaining depth 1 the null window gains nothing, as every move is a leaf: one launch instead
//!   of two. At depth 0 the host's own evaluation costs some 20 ns a sibling, a launch some
//!   30 µs; so a search of depth 1 does not use the device at all.
//!
//! Offline, for sm_90: 56 registers (64 on boards over 27x27), no spills, 1.4 to 5.3 KiB of local
//! memory; for gfx90a 62 to 100 vector registers, none spilt.
//!
//! On pocl with two cores a group of one is best: a barrier costs a pass over all work-items, and
//! barriers in loops are built without optimisation there. 15x15 at depth 4 takes 1.8 ms, `serial`
//! 1.9 ms; groups of 64 and 256 take 24 and 34 ms.

use std::path::Path;

use super::device_board::packed_len;
use super::device_group::{GROUP, Group, GroupKernel, GroupPlan};
use super::hard::{SEARCH, SMALL};
use super::splitting::{Launch, OnDevice, searcher};
use super::tasks;
use crate::games::gomoku::Evaluation;
use crate::opencl::{Access, Buffer, Device, Outcomes, SEARCHED_WORDS};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::lanes::EFFICIENCY;
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry};

/// Principal variation search with a work-group a sibling (Kawakami and Wang, section 5.3).
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

/// Siblings on a device, a work-group each.
pub struct Pvs {
    built: GroupKernel,
    /// The parent's board and the siblings.
    asked: Buffer<u32>,
    outcomes: Outcomes,
    /// Nodes that the lanes of each sibling's group had time for, where they are counted.
    rooms: Option<Buffer<u64>>,
}

impl Pvs {
    /// Builds the kernel and makes the buffers. `deepest` is the largest remaining depth of a
    /// sibling, `width` the lanes that share instructions where they are to be counted.
    ///
    /// # Errors
    /// As [`GroupPlan::build`], and where the device refuses.
    pub fn new(
        device: &Device,
        evaluation: &Evaluation,
        group: Group,
        deepest: u32,
        kernels: Option<&Path>,
        width: Option<usize>,
    ) -> Result<Pvs, Fault> {
        let plan = GroupPlan {
            path: "gomoku/pvs.cl",
            kernel: "pvs",
            evaluation,
            group,
            deepest,
            width,
        };
        let mut built = plan.build(device, kernels)?;
        let squares = built.size.squares();
        let words = packed_len(built.size) + 2 * squares;
        let asked = device.buffer::<u32>(words, Access::Read)?;
        let mut outcomes = Outcomes::new(device, "sibling", squares, SEARCHED_WORDS)?;
        built.run.kernel.set_buffer(2, &asked)?;
        outcomes.bind(&mut built.run.kernel, 13)?;
        let rooms = width.map(|_| device.buffer::<u64>(squares, Access::Write));
        let rooms = rooms.transpose()?;
        if let Some(rooms) = &rooms {
            built.run.kernel.set_buffer(14, rooms)?;
        }
        Ok(Pvs {
            built,
            asked,
            outcomes,
            rooms,
        })
    }
}

impl OnDevice for Pvs {
    fn takes_replies(&self) -> bool {
        false
    }

    fn launch(&mut self, launch: &Launch<'_>, values: &mut Vec<i32>) -> Result<Counters, Fault> {
        self.built.set_window(launch.depth, launch.window)?;
        let run = &mut self.built.run;
        run.kernel
            .set_scalar(12, self.outcomes.mark(launch.count))?;
        run.queue.write(&self.asked, launch.packed)?;
        run.launch_groups(launch.count)?;
        let mut counters = Counters::default();
        self.outcomes.read(&mut run.queue, |outcome| {
            let (value, searched) = outcome.searched();
            values.push(value);
            counters += searched;
        })?;
        if let (Some(rooms), Some(lanes)) = (&self.rooms, &mut self.built.lanes) {
            let mut room = vec![0; launch.count];
            run.queue.read(rooms, &mut room)?;
            lanes.add_up(counters.nodes, room.iter().sum());
        }
        Ok(counters)
    }

    fn built(&mut self) -> &mut GroupKernel {
        &mut self.built
    }
}
