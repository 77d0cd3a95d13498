use std::path::Path;

use super::device_board::{Group, LocalNeed, Plan, pack, packed_len};
use crate::games::Stuck;
use crate::games::reversi::{Evaluation, Position, Representation};
use crate::opencl::{Access, Buffer, Device, Outcomes, Runner};
use crate::techniques::part::Part;
use crate::techniques::tasks::{PlyLimit, built_up_to, perft_from_front};
use crate::words::{Counters, Fault, Telemetry};

/// Words per position (`OUTCOME_WORDS` in the kernel): sequences (low word, high word), nodes (low, high), stamp.
const OUTCOME_WORDS: usize = 5;

/// Positions to which the host expands: enough to occupy a device.
const WANTED: usize = 1024;

const BATCH: usize = 4096;

/// Counts move sequences on an OpenCL device. The host plays the first plies; a work-group counts below each position.
pub struct DevicePerft {
    run: Runner,
    positions: Buffer<u32>,
    outcomes: Outcomes,
    plies: PlyLimit,
    deepest: u32,
    packed: Vec<u32>,
}

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
        let positions = device.buffer::<u32>(BATCH * packed_len(size), Access::Read)?;
        let mut outcomes = Outcomes::new(device, "position", BATCH, OUTCOME_WORDS)?;
        run.kernel.set_buffer(0, &positions)?;
        outcomes.bind(&mut run.kernel, 3)?;
        let mut perft = DevicePerft {
            run,
            positions,
            outcomes,
            plies: PlyLimit::new(device),
            deepest: levels,
            packed: Vec::new(),
        };
        perft.below(game, &[game.load(&Position::start(size))], 1)?;
        perft.telemetry();
        Ok(perft)
    }

    /// Counts a part of the sequences of `depth` plies as [`perft`](crate::search::perft): sequences as leaves,
    /// positions as nodes. Fails with [`Fault::Input`] for a depth beyond the program's, or if the device fails.
    pub fn count<R: Representation>(
        &mut self,
        game: &R,
        position: &R::Position,
        depth: u32,
        part: &Part,
    ) -> Result<Counters, Fault> {
        built_up_to(self.deepest, depth, "")?;
        let mut plies = self.plies.clone();
        let counters = perft_from_front(
            position.clone(),
            depth,
            part,
            (WANTED, BATCH, &mut plies),
            |position| children(game, position),
            |positions, left| self.below(game, positions, left),
        );
        self.plies = plies;
        counters
    }

    fn below<R: Representation>(
        &mut self,
        game: &R,
        positions: &[R::Position],
        depth: u32,
    ) -> Result<Counters, Fault> {
        self.packed.clear();
        for position in positions {
            pack(game, position, &mut self.packed);
        }
        let kernel = &mut self.run.kernel;
        kernel.set_scalar(1, depth as i32)?;
        kernel.set_scalar(2, self.outcomes.mark(positions.len()))?;
        self.run.queue.write(&self.positions, &self.packed)?;
        self.run.launch_groups(positions.len())?;
        let mut counters = Counters::default();
        self.outcomes.read(&mut self.run.queue, |outcome| {
            counters.leaves += outcome.wide(0);
            counters.nodes += outcome.wide(2);
        })?;
        Ok(counters)
    }

    /// Telemetry since the last call.
    pub fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry()
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
