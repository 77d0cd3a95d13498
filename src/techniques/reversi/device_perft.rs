use std::path::Path;

use super::device_board::{BoardProgram, Group, LocalNeed, Plan, pack, packed_len};
use crate::games::Stuck;
use crate::games::reversi::{Evaluation, Position, Representation};
use crate::opencl::{Access, Buffer, Device, Kernel, Queue};
use crate::words::{Counters, Fault, Parts};

/// Words that the kernel writes for a position (`OUTCOME_WORDS` there): sequences (low word, high
/// word), nodes (low, high), stamp.
const OUTCOME_WORDS: usize = 5;

/// The host plays on until there are so many positions, enough to keep a device's units busy.
const WANTED: usize = 1024;

/// Positions in one launch.
const BATCH: usize = 4096;

/// Counting move sequences on an OpenCL device: the host plays the first plies, and every position
/// that it reaches is one work-group's.
pub struct DevicePerft {
    kernel: Kernel,
    queue: Queue,
    positions: Buffer<u32>,
    outcomes: Buffer<u32>,
    items: usize,
    deepest: u32,
    stamp: u32,
    packed: Vec<u32>,
    read: Vec<u32>,
    build_ns: u64,
    notes: String,
}

impl DevicePerft {
    /// Builds the program, makes the buffers and launches once.
    ///
    /// `deepest` is the largest number of plies that it will be asked for.
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
    ) -> Result<DevicePerft, Fault> {
        let size = evaluation.size();
        let levels = deepest.max(1);
        let plan = Plan {
            path: "reversi/perft.cl",
            kernel: "perft",
            evaluation,
            group,
            levels,
            need: LocalNeed {
                boards: levels as usize,
                moves: levels as usize,
                per_item: 0,
                // Two numbers a level, two counters and the job.
                other: 8 * levels as usize + 16,
            },
        };
        let BoardProgram {
            program,
            items,
            local_bytes,
        } = plan.build(device, kernels)?;
        let positions = device.buffer::<u32>(BATCH * packed_len(size), Access::Read)?;
        let outcomes = device.buffer::<u32>(BATCH * OUTCOME_WORDS, Access::Write)?;
        let mut kernel = program.kernel(plan.kernel)?;
        kernel.set_buffer(0, &positions)?;
        kernel.set_buffer(3, &outcomes)?;
        let mut perft = DevicePerft {
            kernel,
            queue: device.queue()?,
            positions,
            outcomes,
            items,
            deepest: levels,
            stamp: 1,
            packed: Vec::new(),
            read: Vec::new(),
            build_ns: program.build_ns(),
            notes: format!(
                "group {items}, local {local_bytes} bytes, built with {}",
                program.options()
            ),
        };
        perft.below(game, &[game.load(&Position::start(size))], 1)?;
        perft.parts();
        Ok(perft)
    }

    /// The number of move sequences of exactly `depth` plies, as `counters.leaves`, and the
    /// positions entered: as [`perft`](crate::search::perft) counts them.
    ///
    /// # Errors
    /// [`Fault::Input`] where `depth` is more than it was made for, and where the device fails.
    pub fn count<R: Representation>(
        &mut self,
        game: &R,
        position: &R::Position,
        depth: u32,
    ) -> Result<Counters, Fault> {
        if depth > self.deepest {
            return Err(Fault::Input(format!(
                "depth: `{depth}`; this kernel was built for {} at most",
                self.deepest
            )));
        }
        let mut counters = Counters::default();
        let mut front = vec![position.clone()];
        let mut left = depth;
        while left > 1 && front.len() < WANTED && !front.is_empty() {
            counters.nodes += front.len() as u64;
            front = front
                .iter()
                .flat_map(|position| children(game, position))
                .collect();
            left -= 1;
        }
        if left == 0 {
            counters.nodes += 1;
            counters.leaves += 1;
            return Ok(counters);
        }
        for batch in front.chunks(BATCH) {
            counters += self.below(game, batch, left)?;
        }
        Ok(counters)
    }

    /// One launch.
    fn below<R: Representation>(
        &mut self,
        game: &R,
        positions: &[R::Position],
        depth: u32,
    ) -> Result<Counters, Fault> {
        let (count, stamp) = (positions.len(), self.stamp);
        self.stamp = stamp.wrapping_add(count as u32);
        self.packed.clear();
        for position in positions {
            pack(game, position, &mut self.packed);
        }
        self.kernel.set_scalar(1, depth as i32)?;
        self.kernel.set_scalar(2, stamp)?;
        self.queue.write(&self.positions, &self.packed)?;
        self.queue
            .launch(&self.kernel, [count * self.items], Some([self.items]))?;
        self.read.clear();
        self.read.resize(count * OUTCOME_WORDS, 0);
        self.queue.read(&self.outcomes, &mut self.read)?;
        let mut counters = Counters::default();
        for (place, outcome) in self.read.chunks_exact(OUTCOME_WORDS).enumerate() {
            if outcome[4] != stamp.wrapping_add(place as u32) {
                return Err(Fault::Device(format!(
                    "kernel `perft` did not finish position {place} of {count}"
                )));
            }
            let wide = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
            counters.leaves += wide(outcome[0], outcome[1]);
            counters.nodes += wide(outcome[2], outcome[3]);
        }
        Ok(counters)
    }

    /// Where the time since the last call of this went.
    pub fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    /// Program build time, ns.
    pub fn build_ns(&self) -> u64 {
        self.build_ns
    }

    /// What was chosen and used.
    pub fn notes(&self) -> String {
        self.notes.clone()
    }
}

/// The positions after each move, or after the pass; none where the game is over.
fn children<R: Representation>(game: &R, position: &R::Position) -> Vec<R::Position> {
    let children: Vec<_> = game
        .moves(position)
        .map(|mv| game.play(position, mv))
        .collect();
    if !children.is_empty() {
        return children;
    }
    match game.stuck(position, 0) {
        Stuck::Pass(child) => vec![child],
        Stuck::Over(_) => children,
    }
}
