//! Perft on a device.

use super::device_games::{self, down, words};
use super::tasks::Draughts;
use crate::games::Game;
use crate::games::checkers::{Checkers, Move, Position};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceKind, Outcomes, Runner};
use crate::search::Found;
use crate::techniques::Setup;
use crate::techniques::part::Part;
use crate::techniques::tasks::{PlyLimit, Searcher, built_up_to, perft_from_front};
use crate::words::{Counters, Fault, Telemetry};

const POSITION_WORDS: usize = 5;

/// Words per outcome (`OUTCOME_WORDS` in the kernel): sequences (low word, high word), nodes (low, high), stamp.
const OUTCOME_WORDS: usize = 5;

/// Positions per compute unit to which the host expands: enough to occupy all units to the end.
const A_UNIT: usize = 128;

const BATCH: usize = 65_536;

/// Perft on a device. The host plays the first plies; one work-item counts below each position.
pub(super) struct DevicePerft {
    game: Checkers,
    run: Runner,
    positions: Buffer<u32>,
    outcomes: Outcomes,
    plies: PlyLimit,
    wanted: usize,
    deepest: u32,
    loaded: Vec<Position>,
    packed: Vec<u32>,
}

impl DevicePerft {
    /// Builds the program for `deepest` plies and launches once: some drivers compile at first use.
    pub fn new(
        game: Checkers,
        deepest: u32,
        setup: &Setup<'_>,
        device: &Device,
    ) -> Result<DevicePerft, Fault> {
        let processor = device.info().kind == DeviceKind::Cpu;
        let multiple = device.preferred_multiple().max(1);
        let most = device.info().max_work_group.max(1);
        // A processor runs a group on one thread. Small groups balance the threads.
        let group = (if processor { 16 } else { 2 * multiple }).min(most);
        let mut defines = device_games::defines(game.rules());
        defines.extend([
            ("GROUP", group.to_string()),
            ("LANES", "1".to_owned()),
            ("LEVELS", deepest.max(1).to_string()),
        ]);
        let path = "checkers/perft.cl";
        let program = device.build(path, &defines, setup.kernels, BuildNeeds::default())?;
        let mut run = Runner::new(device, &program, program.kernel("perft")?, group)?;
        run.notes = format!(
            "group {group}, private {} bytes, built with {}",
            run.kernel.private_bytes(),
            run.options
        );
        let positions = device.buffer(BATCH * POSITION_WORDS, Access::Read)?;
        let mut outcomes = Outcomes::new(device, "position", BATCH, OUTCOME_WORDS)?;
        run.kernel.set_buffer(0, &positions)?;
        outcomes.bind(&mut run.kernel, 4)?;
        let mut perft = DevicePerft {
            game,
            run,
            positions,
            outcomes,
            plies: PlyLimit::new(device),
            wanted: A_UNIT * (device.info().compute_units as usize).max(1),
            deepest: deepest.max(1),
            loaded: Vec::new(),
            packed: Vec::new(),
        };
        perft.below(&[Position::start()], 1)?;
        perft.telemetry();
        Ok(perft)
    }

    fn below(&mut self, positions: &[Position], depth: u32) -> Result<Counters, Fault> {
        let count = positions.len();
        self.packed.clear();
        for position in positions {
            self.packed.extend(words(position));
            self.packed.extend([down(position), position.quiet()]);
        }
        let run = &mut self.run;
        run.kernel.set_scalar(1, count as u32)?;
        run.kernel.set_scalar(2, depth as i32)?;
        run.kernel.set_scalar(3, self.outcomes.mark(count))?;
        run.queue.write(&self.positions, &self.packed)?;
        run.launch_items(count)?;
        let mut counters = Counters::default();
        self.outcomes.read(&mut run.queue, |outcome| {
            counters.leaves += outcome.wide(0);
            counters.nodes += outcome.wide(2);
        })?;
        Ok(counters)
    }
}

impl Searcher<Draughts> for DevicePerft {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.loaded = positions.to_vec();
        Ok(())
    }

    fn search(&mut self, _index: usize, _depth: u32) -> Result<Found<Move>, Fault> {
        Err(Fault::Unsupported(
            "this technique does not search to a depth".into(),
        ))
    }

    fn perft_part(&mut self, index: usize, depth: u32, part: &Part) -> Result<Counters, Fault> {
        built_up_to(self.deepest, depth, "")?;
        let (game, position, wanted) = (self.game, self.loaded[index], self.wanted);
        let mut plies = self.plies.clone();
        let counters = perft_from_front(
            position,
            depth,
            part,
            (wanted, BATCH, &mut plies),
            |position| children(&game, position),
            |positions, left| self.below(positions, left),
        );
        self.plies = plies;
        counters
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}

fn children(game: &Checkers, position: &Position) -> Vec<Position> {
    if game.is_over(position) {
        return Vec::new();
    }
    let moves = game.legal_moves(position);
    moves.map(|mv| game.play(position, mv)).collect()
}
