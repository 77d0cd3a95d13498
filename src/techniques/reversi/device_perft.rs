use std::path::Path;

use super::device_board::{Group, LocalNeed, Plan, pack, packed_len};
use crate::games::Stuck;
use crate::games::reversi::{Evaluation, Position, Representation};
use crate::opencl::Device;
use crate::techniques::part::Part;
use crate::techniques::tasks::Counting;
use crate::words::{Counters, Fault, Telemetry};

/// Positions to which the host expands: enough to occupy a device.
const WANTED: usize = 1024;

const BATCH: usize = 4096;

/// Counts move sequences on an OpenCL device. The host plays the first plies; a work-group counts below each position.
pub struct DevicePerft(Counting);

impl DevicePerft {
    /// Builds the program for `deepest` plies and launches once. Fails as [`Plan::build`], or if the device refuses.
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
        let counting = Counting::new(run, device, packed_len(size), levels, sizes, true)?;
        let mut perft = DevicePerft(counting);
        let start = [game.load(&Position::start(size))];
        perft
            .0
            .below(&start, 1, |it, words| pack(game, it, words))?;
        perft.telemetry();
        Ok(perft)
    }

    /// Counts a part of the sequences of `depth` plies as [`perft`](crate::search::perft): sequences as leaves,
    /// positions as nodes. Fails as [`Counting::count`].
    pub fn count<R: Representation>(
        &mut self,
        game: &R,
        position: &R::Position,
        depth: u32,
        part: &Part,
    ) -> Result<Counters, Fault> {
        let children = |position: &_| children(game, position);
        let pack = |position: &_, words: &mut _| pack(game, position, words);
        let position = position.clone();
        self.0.count(position, depth, part, children, pack)
    }

    /// Telemetry since the last call.
    pub fn telemetry(&mut self) -> Telemetry {
        self.0.telemetry()
    }
}

/// The positions after each move, or after the pass; none for a finished game.
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
