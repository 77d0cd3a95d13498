use std::path::Path;

use super::device_board::{Group, LocalNeed, Plan, pack, packed_len};
use crate::games::reversi::{Evaluation, Position, Representation};
use crate::opencl::Device;
use crate::techniques::tasks::{Counter, Counting, PerftSearcher};
use crate::words::{Counters, Fault};

/// Positions to which the host expands: enough to occupy a device.
const WANTED: usize = 1024;

const BATCH: usize = 4096;

/// Counts move sequences on an OpenCL device. The host plays the first plies; a work-group counts below each position.
pub struct DevicePerft(Counting);

impl DevicePerft {
    /// Builds the program for `deepest` plies. Fails as [`Plan::build`], or if the device refuses.
    pub fn new(
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
                // Two numbers per level, two counters and the job.
                other: 8 * levels as usize + 16,
            },
            constants: Vec::new(),
        };
        let mut run = plan.build(device, kernels)?;
        run.notes = format!(
            "group {}, local {} bytes, built with {}",
            run.items, run.local_bytes, run.options
        );
        let sizes = (WANTED, BATCH);
        let counter = Counter::Group;
        let counting = Counting::new(run, device, packed_len(size), levels, sizes, counter)?;
        Ok(DevicePerft(counting))
    }

    /// As a technique's searcher. Launches once. Fails if the device fails.
    pub(super) fn searcher<R: Representation>(self, game: R) -> Result<PerftSearcher<R>, Fault> {
        let start = game.load(&Position::start(game.size()));
        PerftSearcher::warmed(game, self.0, pack::<R>, start)
    }

    /// Counts the sequences of `depth` plies as [`perft`](crate::search::perft).
    pub fn count<R: Representation>(
        &mut self,
        game: &R,
        position: &R::Position,
        depth: u32,
    ) -> Result<Counters, Fault> {
        self.0.count(game, position, depth, pack::<R>)
    }
}
