use std::path::Path;

use super::device_board::{BoardProgram, Group, LocalNeed, Plan, pack, packed_len};
use crate::games::reversi::{Evaluation, Position, Representation};
use crate::opencl::{Access, Buffer, Device, Kernel, Queue};
use crate::search::{Sibling, Siblings, Window};
use crate::words::{Counters, Fault, Parts};

/// Words that the kernel writes for a sibling (`OUTCOME_WORDS` there): score, nodes (low word, high
/// word), leaves (low, high), stamp.
const OUTCOME_WORDS: usize = 6;

/// Siblings on an OpenCL device: one upload, one launch and one download a principal-variation
/// node, a work-group a sibling.
///
/// Each sibling is searched as [`descend`](crate::search::descend) does, node for node.
pub struct DeviceSiblings {
    kernel: Kernel,
    queue: Queue,
    positions: Buffer<u32>,
    outcomes: Buffer<i32>,
    items: usize,
    deepest: u32,
    /// What the next launch marks its outcomes with.
    stamp: u32,
    packed: Vec<u32>,
    read: Vec<i32>,
    built: Built,
}

/// What was built, for the row.
struct Built {
    ns: u64,
    local_bytes: u64,
    run: usize,
    options: String,
}

impl DeviceSiblings {
    /// Builds the program, makes the buffers, writes the weights, and launches once: some drivers
    /// compile for a work-group size when they first see it.
    ///
    /// `deepest` is the largest remaining depth of a sibling.
    ///
    /// # Errors
    /// As [`Plan::build`], and where the device refuses.
    pub fn new<R: Representation>(
        game: &R,
        evaluation: &Evaluation,
        device: &Device,
        group: Group,
        deepest: u32,
        kernels: Option<&Path>,
    ) -> Result<DeviceSiblings, Fault> {
        let size = evaluation.size();
        let levels = deepest as usize + 1;
        let plan = Plan {
            path: "reversi/pv_split.cl",
            kernel: "pv_split",
            evaluation,
            group,
            levels: deepest,
            need: LocalNeed {
                boards: levels,
                moves: levels,
                per_item: 4,
                // A frame of five numbers a level, and the job.
                other: 20 * levels + 8,
            },
        };
        let BoardProgram {
            program,
            items,
            local_bytes,
        } = plan.build(device, kernels)?;
        let most = size.squares();
        let positions = device.buffer::<u32>(most * packed_len(size), Access::Read)?;
        let outcomes = device.buffer::<i32>(most * OUTCOME_WORDS, Access::Write)?;
        let weights = device.buffer::<i32>(size.squares(), Access::Read)?;
        let mut queue = device.queue()?;
        queue.write(&weights, evaluation.weights())?;
        let mut kernel = program.kernel(plan.kernel)?;
        kernel.set_buffer(0, &positions)?;
        kernel.set_buffer(1, &weights)?;
        kernel.set_buffer(6, &outcomes)?;
        let mut siblings = DeviceSiblings {
            kernel,
            queue,
            positions,
            outcomes,
            items,
            deepest,
            stamp: 1,
            packed: Vec::with_capacity(most * packed_len(size)),
            read: Vec::with_capacity(most * OUTCOME_WORDS),
            built: Built {
                ns: program.build_ns(),
                local_bytes,
                run: size.squares().div_ceil(items),
                options: program.options().to_owned(),
            },
        };
        pack(
            game,
            &game.load(&Position::start(size)),
            &mut siblings.packed,
        );
        siblings.launch(1, 0, Window::FULL, &mut Vec::new())?;
        siblings.parts();
        Ok(siblings)
    }

    /// Searches what is packed.
    fn launch(
        &mut self,
        count: usize,
        depth: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let stamp = self.stamp;
        self.stamp = stamp.wrapping_add(count as u32);
        self.kernel.set_scalar(2, window.alpha)?;
        self.kernel.set_scalar(3, window.beta)?;
        self.kernel.set_scalar(4, depth as i32)?;
        self.kernel.set_scalar(5, stamp)?;
        self.queue.write(&self.positions, &self.packed)?;
        self.queue
            .launch(&self.kernel, [count * self.items], Some([self.items]))?;
        self.read.clear();
        self.read.resize(count * OUTCOME_WORDS, 0);
        self.queue.read(&self.outcomes, &mut self.read)?;
        let mut counters = Counters::default();
        for (place, outcome) in self.read.chunks_exact(OUTCOME_WORDS).enumerate() {
            let wide = |low: i32, high: i32| u64::from(high as u32) << 32 | u64::from(low as u32);
            if outcome[5] as u32 != stamp.wrapping_add(place as u32) {
                return Err(Fault::Device(format!(
                    "kernel `pv_split` did not finish sibling {place} of {count}"
                )));
            }
            scores.push(outcome[0]);
            counters.nodes += wide(outcome[1], outcome[2]);
            counters.leaves += wide(outcome[3], outcome[4]);
        }
        Ok(counters)
    }

    /// Where the time since the last call of this went.
    pub fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    /// Program build time, ns.
    pub fn build_ns(&self) -> u64 {
        self.built.ns
    }

    /// What was chosen and used: `group 64, a run of 1 square each, 1.2 KiB local, built with …`.
    pub fn notes(&self) -> String {
        let Built {
            run,
            local_bytes,
            options,
            ..
        } = &self.built;
        format!(
            "group {}, run {run}, local {local_bytes} bytes, built with {options}",
            self.items
        )
    }
}

impl<R: Representation> Siblings<R> for DeviceSiblings {
    type Fault = Fault;

    fn search(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        depth: u32,
        _ply: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        if depth > self.deepest {
            return Err(Fault::Input(format!(
                "depth: `{depth}` below a sibling; this kernel was built for {} at most",
                self.deepest
            )));
        }
        self.packed.clear();
        for sibling in siblings {
            pack(game, &sibling.position, &mut self.packed);
        }
        self.launch(siblings.len(), depth, window, scores)
    }
}
