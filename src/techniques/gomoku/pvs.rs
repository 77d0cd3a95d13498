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
use super::device_group::{GROUP, Group, GroupKernel, GroupPlan, Turns};
use super::hard::{SEARCH, SMALL};
use super::splitting::{OnDevice, Question, searcher};
use super::tasks;
use crate::games::gomoku::{Evaluation, Representation};
use crate::opencl::{Access, Buffer, Device};
use crate::search::Window;
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Counts, Fault, Kind, Task, TechniqueEntry, takes_every_case};

/// Principal variation search with a work-group a sibling (Kawakami and Wang, section 5.3).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "pvs",
        kind: Kind::Device,
        summary: "the leftmost branch on the host, its siblings on the device, a work-group each, with a null window",
        paper: "Kawakami and Wang, section 5.3, after Strnad and Guid",
        needs: "",
        like: "rayon",
        reference: "serial",
        counts: Counts::Own,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP],
        check: takes_every_case,
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("group=5", SMALL),
        Trial::new("group=64", SMALL),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let group = Group::read(setup.params).map_err(Fault::Input)?;
        searcher(setup, asked, |device, deepest| {
            Pvs::new(device, &asked.evaluation, group, deepest, setup.kernels)
        })
    })
}

/// Words that the kernel writes for a sibling (`OUTCOME_WORDS` there): value, nodes (low word, high
/// word), leaves (low, high), stamp.
const OUTCOME_WORDS: usize = 6;

/// Siblings on a device, a work-group each: all in a null window first, then those that are better
/// than the first child in the whole window.
///
/// At remaining depth 1 the null window is left out: every move of a sibling is a leaf, of which
/// the whole window searches the same.
pub struct Pvs {
    built: GroupKernel,
    /// The parent's board and the siblings.
    asked: Buffer<u32>,
    outcomes: Buffer<i32>,
    packed: Vec<u32>,
    read: Vec<i32>,
    /// Which of the siblings failed high.
    better: Vec<usize>,
    /// What the next launch marks its outcomes with.
    stamp: u32,
}

impl Pvs {
    /// Builds the kernel and makes the buffers. `deepest` is the largest remaining depth of a
    /// sibling.
    ///
    /// # Errors
    /// As [`GroupPlan::build`], and where the device refuses.
    pub fn new(
        device: &Device,
        evaluation: &Evaluation,
        group: Group,
        deepest: u32,
        kernels: Option<&Path>,
    ) -> Result<Pvs, Fault> {
        let plan = GroupPlan {
            path: "gomoku/pvs.cl",
            kernel: "pvs",
            evaluation,
            group,
            deepest,
        };
        let mut built = plan.build(device, kernels)?;
        let squares = built.size.squares();
        let words = packed_len(built.size) + 2 * squares;
        let asked = device.buffer::<u32>(words, Access::Read)?;
        let outcomes = device.buffer::<i32>(squares * OUTCOME_WORDS, Access::Write)?;
        built.kernel.set_buffer(2, &asked)?;
        built.kernel.set_buffer(13, &outcomes)?;
        Ok(Pvs {
            built,
            asked,
            outcomes,
            packed: Vec::with_capacity(words),
            read: Vec::with_capacity(squares * OUTCOME_WORDS),
            better: Vec::with_capacity(squares),
            stamp: 1,
        })
    }

    /// Searches what is packed, so many siblings, in a window of the parent's.
    fn launch(
        &mut self,
        count: usize,
        depth: u32,
        window: Window,
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let stamp = self.stamp;
        self.stamp = stamp.wrapping_add(count as u32);
        let GroupKernel {
            kernel,
            queue,
            items,
            size,
            ..
        } = &mut self.built;
        let null_window = window.beta - window.alpha == 1;
        let turns = Turns::new(*size, *items, depth, null_window);
        kernel.set_scalar(3, window.alpha)?;
        kernel.set_scalar(4, window.beta)?;
        kernel.set_scalar(9, turns.alone as i32)?;
        kernel.set_scalar(10, turns.tries as i32)?;
        kernel.set_scalar(11, turns.chunk as i32)?;
        kernel.set_scalar(12, stamp)?;
        queue.write(&self.asked, &self.packed)?;
        queue.launch(kernel, [count * *items], Some([*items]))?;
        self.read.clear();
        self.read.resize(count * OUTCOME_WORDS, 0);
        queue.read(&self.outcomes, &mut self.read)?;
        let mut counters = Counters::default();
        for (place, outcome) in self.read.chunks_exact(OUTCOME_WORDS).enumerate() {
            let wide = |low: i32, high: i32| u64::from(high as u32) << 32 | u64::from(low as u32);
            if outcome[5] as u32 != stamp.wrapping_add(place as u32) {
                return Err(Fault::Device(format!(
                    "kernel `pvs` did not finish sibling {place} of {count}"
                )));
            }
            values.push(outcome[0]);
            counters.nodes += wide(outcome[1], outcome[2]);
            counters.leaves += wide(outcome[3], outcome[4]);
        }
        Ok(counters)
    }
}

impl OnDevice for Pvs {
    fn search<R: Representation>(
        &mut self,
        question: &Question<'_, R>,
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let Question {
            depth, ply, window, ..
        } = *question;
        self.built.check_depth(depth)?;
        self.packed.clear();
        let parent = question.pack_parent(&self.built, &mut self.packed);
        let kernel = &mut self.built.kernel;
        kernel.set_scalar(5, parent.colour as i32)?;
        kernel.set_scalar(6, parent.empty as i32)?;
        kernel.set_scalar(7, depth as i32)?;
        kernel.set_scalar(8, ply as i32)?;
        let board = self.packed.len();
        for place in question.asked {
            question.pack_sibling(*place, &mut self.packed);
        }
        let count = question.asked.len();
        let null_window = Window {
            alpha: window.alpha,
            beta: window.alpha + 1,
        };
        if depth == 1 || window == null_window {
            return self.launch(count, depth, window, values);
        }
        let first = values.len();
        let mut counters = self.launch(count, depth, null_window, values)?;
        let values = &mut values[first..];
        self.better.clear();
        let better = |at: &usize| values[*at] > window.alpha;
        self.better.extend((0..count).filter(better));
        if self.better.is_empty() {
            return Ok(counters);
        }
        self.packed.truncate(board);
        for at in &self.better {
            question.pack_sibling(question.asked[*at], &mut self.packed);
        }
        let mut exact = Vec::with_capacity(self.better.len());
        counters += self.launch(self.better.len(), depth, window, &mut exact)?;
        for (at, value) in self.better.iter().zip(exact) {
            values[*at] = value;
        }
        Ok(counters)
    }

    fn built(&self) -> &GroupKernel {
        &self.built
    }

    fn built_mut(&mut self) -> &mut GroupKernel {
        &mut self.built
    }
}
