//! `leaf-batch`: PV-split with the siblings that are leaves on a device, a work-item each.

use rayon::ThreadPool;

use super::device_board::{board_bytes, pack, packed_len};
use super::hard::SEARCH;
use super::tasks::{self, DeviceSplit};
use crate::games::reversi::{Evaluation, Representation};
use crate::opencl::{Access, Buffer, KernelPlan, Outcomes, Runner, WorkGroup};
use crate::search::{FixedWindow, Sibling, Siblings, Window};
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry, Telemetry};

/// The like of `rayon`, node for node, but for where the leaves among the siblings are evaluated.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "leaf-batch",
        summary: "PV-split: siblings at depth 0 on the device, a work-item each, deeper ones on threads",
        paper: "ours; the search is that of Strnad and Guid, section 3",
        needs: "local memory for a board a work-item: on 64x64, 1.1 KB",
        counts: Counts::As("rayon"),
        tasks: &[Task::Search, Task::Game, Task::Match],
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", SEARCH)],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_split(setup, |asked| LeafBatch::new(&asked.evaluation, setup))
}

/// Numbers that the kernel writes for a position (`OUTCOME_WORDS` there): value, stamp.
const OUTCOME_WORDS: usize = 2;

/// Siblings at remaining depth 0 on the device: one upload, one launch, one download; deeper ones on threads.
///
/// A search has one such batch, below the last node of the principal variation. What bounds it is
/// the way to the device and back: of 58 µs for four searches on 8x8 at depth 1 (pocl 3.1, two
/// cores, both busy with other work) the kernels ran for 4 µs. Nothing was tried against that; a
/// remedy would have to batch the leaves of several nodes.
struct LeafBatch {
    run: Runner,
    positions: Buffer<u32>,
    outcomes: Outcomes,
    packed: Vec<u32>,
    pool: ThreadPool,
}

impl LeafBatch {
    /// Builds the kernel, makes the buffers, and writes the weights.
    fn new(evaluation: &Evaluation, setup: &Setup<'_>) -> Result<LeafBatch, Fault> {
        let device = setup.on_device()?;
        let size = evaluation.size();
        let plan = KernelPlan {
            path: "reversi/leaf_batch.cl",
            kernel: "leaf_batch",
            group: WorkGroup::UpTo(32),
            local: &|items| {
                (
                    items * board_bytes(size),
                    format!("{items} boards of {size} need"),
                )
            },
            defines: &|items| {
                vec![
                    ("WIDTH", size.width().to_string()),
                    ("HEIGHT", size.height().to_string()),
                    ("GROUP", items.to_string()),
                    ("MOBILITY", evaluation.mobility.to_string()),
                ]
            },
            barriers_in_loops: false,
        };
        let mut run = plan.build(device, setup.kernels)?;
        let squares = size.squares();
        let positions = device.buffer::<u32>(squares * packed_len(size), Access::Read)?;
        let weights = device.buffer::<i32>(squares, Access::Read)?;
        let mut outcomes = Outcomes::new(device, "position", squares, OUTCOME_WORDS)?;
        run.queue.write(&weights, &evaluation.weights)?;
        run.kernel.set_buffer(0, &positions)?;
        run.kernel.set_buffer(1, &weights)?;
        outcomes.bind(&mut run.kernel, 4)?;
        Ok(LeafBatch {
            run,
            positions,
            outcomes,
            packed: Vec::new(),
            pool: setup.pool()?,
        })
    }
}

impl DeviceSplit for LeafBatch {
    fn split<R: Representation>(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        (depth, ply): (u32, u32),
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        if depth > 0 {
            let search = || FixedWindow.search(game, siblings, depth, ply, window, scores);
            let Ok(counters) = self.pool.install(search);
            return Ok(counters);
        }
        self.packed.clear();
        for sibling in siblings {
            pack(game, &sibling.position, &mut self.packed);
        }
        let (run, count) = (&mut self.run, siblings.len());
        run.kernel.set_scalar(2, count as i32)?;
        run.kernel.set_scalar(3, self.outcomes.mark(count))?;
        run.queue.write(&self.positions, &self.packed)?;
        run.launch_items(count)?;
        // The value is the opponent's, whose turn it is there.
        self.outcomes
            .read(&mut run.queue, |outcome| scores.push(-outcome.int(0)))?;
        Ok(Counters::of_leaves(count))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry()
    }
}
