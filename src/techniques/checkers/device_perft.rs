//! Perft on a device.

use super::device_games::{self, down, words};
use super::tasks::Draughts;
use crate::games::Game;
use crate::games::checkers::{Checkers, Move, Position};
use crate::opencl::{BuildNeeds, Device, DeviceKind, Runner};
use crate::search::Found;
use crate::techniques::Setup;
use crate::techniques::part::Part;
use crate::techniques::tasks::{Counting, Searcher};
use crate::words::{Counters, Fault, Telemetry};

const POSITION_WORDS: usize = 5;

/// Positions per compute unit to which the host expands: enough to occupy all units to the end.
const A_UNIT: usize = 128;

const BATCH: usize = 65_536;

/// Perft on a device. The host plays the first plies; one work-item counts below each position.
pub(super) struct DevicePerft {
    game: Checkers,
    counting: Counting,
    loaded: Vec<Position>,
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
        let wanted = A_UNIT * (device.info().compute_units as usize).max(1);
        let (deepest, sizes) = (deepest.max(1), (wanted, BATCH));
        let mut counting = Counting::new(run, device, POSITION_WORDS, deepest, sizes, false)?;
        counting.below(&[Position::start()], 1, pack)?;
        counting.telemetry();
        Ok(DevicePerft {
            game,
            counting,
            loaded: Vec::new(),
        })
    }
}

fn pack(position: &Position, packed: &mut Vec<u32>) {
    packed.extend(words(position));
    packed.extend([down(position), position.quiet]);
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

    fn perft(&mut self, index: usize, depth: u32, part: &Part) -> Result<Counters, Fault> {
        let (game, position) = (self.game, self.loaded[index]);
        let children = |position: &_| children(&game, position);
        self.counting.count(position, depth, part, children, pack)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.counting.telemetry()
    }
}

pub(super) fn children(game: &Checkers, position: &Position) -> Vec<Position> {
    if game.is_over(position) {
        return Vec::new();
    }
    let moves = game.legal_moves(position);
    moves.map(|mv| game.play(position, mv)).collect()
}
