//! `leaf-batch`: PV-split that evaluates leaf siblings on a device, one work-item per leaf.

use super::device_board::{Plan, board_bytes, pack_siblings, packed_len};
use super::tasks::{self, DeviceSplit};
use crate::games::reversi::{Evaluation, Representation};
use crate::techniques::prelude::*;

/// Visits the same nodes as `rayon`. A search has only one batch of leaves, so transfers and the launch dominate.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "leaf-batch",
        summary: "PV-split: siblings at depth 0 on the device, a work-item each, deeper ones on threads",
        paper: "ours; the search is that of Strnad and Guid, section 3",
        counts: Counts::As("rayon"),
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", super::hard::SEARCH)],
    prepare: |setup| tasks::prepare_split(setup, |play| LeafBatch::new(&play.evaluation, setup)),
};

/// Evaluates siblings at remaining depth 0 with one upload, one launch and one download.
struct LeafBatch {
    run: Runner,
    positions: Buffer<u32>,
    outcomes: Outcomes,
    pool: ThreadPool,
}

impl LeafBatch {
    fn new(evaluation: &Evaluation, setup: &Setup<'_>) -> Result<LeafBatch, Fault> {
        let size = evaluation.size();
        let plan = Plan {
            group: WorkGroup::UpTo(32),
            local: &|items| items * board_bytes(size),
            ..Plan::new("reversi/leaf_batch.cl", "leaf_batch", evaluation)
        };
        let mut run = plan.build(setup.on_device()?, setup.kernels)?;
        run.upload("weights", &evaluation.weights)?;
        let most = size.squares();
        Ok(LeafBatch {
            positions: run.buffer("positions", most * packed_len(size), Access::Read)?,
            outcomes: run.outcomes("position", most, 2)?,
            pool: setup.pool()?,
            run,
        })
    }
}

impl DeviceSplit for LeafBatch {
    fn split<R: Representation>(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        if node.depth > 0 {
            return tasks::search_on_threads(&self.pool, node, scores);
        }
        let (run, count) = (&mut self.run, node.siblings.len());
        run.queue.write(&self.positions, &pack_siblings(node))?;
        run.set(&[("count", &(count as i32))])?;
        run.stamp(&mut self.outcomes, count)?;
        run.launch_items(count)?;
        let value = |outcome: Outcome<'_>| scores.push(-outcome.int(0));
        self.outcomes.read(&mut run.queue, value)?;
        Ok(Counters::of_leaves(count))
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry()
    }
}
