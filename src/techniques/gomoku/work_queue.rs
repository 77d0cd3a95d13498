//! `work-queue`: the nodes two plies below the parent, taken from one queue.
//!
//! The paper's dynamic parallelism gives every node a kernel of its own, so that no block searches a
//! whole subtree alone (section 5.4). This does the same for the two plies below a
//! principal-variation node, on any device: `cl/gomoku/work_queue.cl` tells how, and why its answers
//! do not depend on which group was first. Its nodes do, and differ from run to run.
//!
//! # What bounds it
//!
//! As for `pvs`, the turns of the largest subtree times the latency of a turn, but the
//! subtrees are those one ply lower: a sibling whose refutation is late in the order no longer
//! holds up the launch, as its replies spread over all groups. Against that stand an atomic
//! increment and two reads of global memory a pair, and the pairs that were begun before their
//! sibling was refuted: with more groups than siblings, about as many as there are groups.
//!
//! From the first stone with 256 work-items, two groups at a time (pocl), leaves: 12x12 at depth 3
//! 44,979 and at depth 4 251,226; 15x15 107,670 and 369,722; 24x24 at depth 3 495,802. With a group of
//! one they are those of `pvs`, and so is the time: 2.0 ms for 15x15 at depth 4.
//!
//! # Why it is so
//!
//! - Replies go before siblings in the queue, so that each sibling's first reply, which mostly refutes
//!   it, is searched before any second one.
//! - Most of the queue belongs to siblings that are refuted by then (15x15: 49,000 pairs). Taken one
//!   by one they would cost an atomic increment each; a group that draws one moves the head of
//!   the queue to the next pair of a living sibling, for all groups.
//! - Two plies are enough: the smallest board has 23 siblings with 22 replies each.
//!
//! Offline, for sm_90: 56 registers (64 on boards over 27x27), no spills; for gfx90a 70 to 130 vector
//! registers, none spilt.

use std::path::Path;

use super::device_board::packed_len;
use super::device_group::{GROUP, Group, GroupKernel, GroupPlan};
use super::hard::{SEARCH, SMALL};
use super::splitting::{Launch, OnDevice, searcher};
use super::tasks;
use crate::games::gomoku::Evaluation;
use crate::opencl::{Access, Buffer, Device, DeviceKind};
use crate::techniques::Technique;
use crate::techniques::hard::Trial;
use crate::techniques::lanes::EFFICIENCY;
use crate::words::{Counters, Counts, Fault, ParamEntry, Params, Task, TechniqueEntry, Value};

/// Principal variation search whose siblings' replies persistent work-groups take from a queue.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "work-queue",
        summary: "the leftmost branch on the host; below its siblings, persistent work-groups take replies from a queue",
        paper: "ours, in place of Kawakami and Wang, section 5.4",
        counts: Counts::Vary,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP, PER_UNIT, EFFICIENCY],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("group=5 per-unit=3", SMALL),
        Trial::new("group=64", SMALL),
    ],
    prepare: |setup| {
        tasks::prepare(setup, |asked| {
            let choice = Choice::read(setup.params)?;
            searcher(setup, asked, |device, deepest, width| {
                let evaluation = &asked.evaluation;
                WorkQueue::new(device, evaluation, choice, deepest, setup.kernels, width)
            })
        })
    },
};

const PER_UNIT: ParamEntry = ParamEntry {
    name: "per-unit",
    allowed: "`auto`: 1 work-group a compute unit on a processor, else 4; or the number, from \
                                1 to 64",
    default: "auto",
    check: |value| per_unit(value).map(drop),
};

fn per_unit(value: &Value) -> Result<Option<usize>, String> {
    PER_UNIT.whole_or_auto(value, 1..=64)
}

/// What the parameters ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Work-items in a work-group.
    pub group: Group,
    /// Work-groups a compute unit; `None` for the default of the device's kind.
    pub per_unit: Option<usize>,
}

impl Choice {
    /// Reads the parameters.
    ///
    /// # Errors
    /// [`Fault::Input`]: one line that names the key, the value and what is allowed.
    pub fn read(params: &Params) -> Result<Choice, Fault> {
        Ok(Choice {
            group: Group::read(params, &GROUP)?,
            per_unit: PER_UNIT.given(params, None, per_unit)?,
        })
    }
}

/// What the groups share, in words (`NODES` and the others in the kernel): nodes, leaves, groups
/// that are done, the next pair; the siblings' bounds follow, and then a bit for each of them.
const BOUNDS: usize = 6;
const DONE: usize = 4;

/// A number of two words, the low one first.
fn wide(words: &[u32]) -> u64 {
    u64::from(words[1]) << 32 | u64::from(words[0])
}

/// Siblings on a device, their replies taken from a queue by as many work-groups as it runs at once.
///
/// At remaining depth 1, where a sibling's replies are leaves, the queue holds the siblings
/// themselves.
pub struct WorkQueue {
    built: GroupKernel,
    /// The parent's board, the siblings, and their replies.
    asked: Buffer<u32>,
    shared: Buffer<u32>,
    /// Nodes that the groups' lanes had time for, in two words, where they are counted.
    rooms: Option<Buffer<u32>>,
    groups: usize,
    state: Vec<u32>,
}

impl WorkQueue {
    /// Builds the kernel and makes the buffers. `deepest` is the largest remaining depth of a
    /// sibling, `width` the lanes that share instructions where they are to be counted.
    ///
    /// # Errors
    /// As [`GroupPlan::build`], and where the device refuses.
    pub fn new(
        device: &Device,
        evaluation: &Evaluation,
        choice: Choice,
        deepest: u32,
        kernels: Option<&Path>,
        width: Option<usize>,
    ) -> Result<WorkQueue, Fault> {
        let plan = GroupPlan {
            path: "gomoku/work_queue.cl",
            kernel: "work_queue",
            evaluation,
            group: choice.group,
            deepest,
            width,
        };
        let mut built = plan.build(device, kernels)?;
        let info = device.info();
        let usual = match info.kind {
            DeviceKind::Cpu => 1,
            _ => 4,
        };
        let groups = info.compute_units.max(1) as usize * choice.per_unit.unwrap_or(usual);
        let squares = built.size.squares();
        let words = packed_len(built.size) + 3 * squares;
        let state = BOUNDS + squares + squares.div_ceil(32);
        let asked = device.buffer::<u32>(words, Access::Read)?;
        let shared = device.buffer::<u32>(state, Access::ReadWrite)?;
        built.run.kernel.set_buffer(2, &asked)?;
        built.run.kernel.set_buffer(14, &shared)?;
        let rooms = width.map(|_| device.buffer::<u32>(2, Access::ReadWrite));
        let rooms = rooms.transpose()?;
        if let Some(rooms) = &rooms {
            built.run.kernel.set_buffer(15, rooms)?;
        }
        built.run.notes = format!("{groups} groups, {}", built.run.notes);
        Ok(WorkQueue {
            built,
            asked,
            shared,
            rooms,
            groups,
            state: Vec::with_capacity(state),
        })
    }
}

impl OnDevice for WorkQueue {
    fn takes_replies(&self) -> bool {
        true
    }

    fn launch(&mut self, launch: &Launch<'_>, values: &mut Vec<i32>) -> Result<Counters, Fault> {
        let Launch {
            count,
            replies,
            window,
            ..
        } = *launch;
        self.built.set_window(launch.depth, window)?;
        let run = &mut self.built.run;
        run.kernel.set_scalar(12, count as i32)?;
        run.kernel.set_scalar(13, replies as i32)?;
        self.state.clear();
        self.state.resize(BOUNDS, 0);
        self.state.resize(BOUNDS + count, window.beta as u32);
        self.state.resize(BOUNDS + count + count / 32, u32::MAX);
        if !count.is_multiple_of(32) {
            self.state.push((1 << (count % 32)) - 1);
        }
        let groups = self.groups.min(count * replies.max(1));
        run.queue.write(&self.asked, launch.packed)?;
        run.queue.write(&self.shared, &self.state)?;
        if let Some(rooms) = &self.rooms {
            run.queue.write(rooms, &[0, 0])?;
        }
        run.launch_groups(groups)?;
        self.state.truncate(BOUNDS + count);
        run.queue.read(&self.shared, &mut self.state)?;
        if self.state[DONE] != groups as u32 {
            return Err(Fault::Device(format!(
                "kernel `work_queue`: {} of {groups} groups finished",
                self.state[DONE]
            )));
        }
        let wide = |at: usize| wide(&self.state[at..]);
        if let (Some(rooms), Some(lanes)) = (&self.rooms, &mut self.built.lanes) {
            let mut room = [0; 2];
            run.queue.read(rooms, &mut room)?;
            lanes.add_up(wide(0), self::wide(&room));
        }
        let counters = Counters::of_search(count as u64 + wide(0), wide(2));
        values.extend(self.state[BOUNDS..].iter().map(|bound| *bound as i32));
        Ok(counters)
    }

    fn built(&mut self) -> &mut GroupKernel {
        &mut self.built
    }
}
