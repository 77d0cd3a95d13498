//! Counting move sequences on a device.

use super::device_games::{self, down, words};
use super::tasks::Draughts;
use crate::games::Game;
use crate::games::checkers::{Checkers, Move, Position};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceKind, Kernel, Queue};
use crate::search::Found;
use crate::techniques::Setup;
use crate::techniques::tasks::Searcher;
use crate::words::{Counters, Fault, Parts, Resource};

/// Words of a position (`POSITION_WORDS` in the kernel).
const POSITION_WORDS: usize = 5;

/// Words that the kernel writes for a position (`OUTCOME_WORDS` there): sequences (low word, high
/// word), nodes (low, high), stamp.
const OUTCOME_WORDS: usize = 5;

/// The host plays on until there are so many positions for each of the device's units, or its cores: enough
/// to keep them busy to the end.
const A_UNIT: usize = 128;

/// Positions in one launch.
const BATCH: usize = 65_536;

/// Counting move sequences on a device: the host plays the first plies, and every position that it
/// reaches is one work-item's.
pub(super) struct DevicePerft {
    game: Checkers,
    kernel: Kernel,
    queue: Queue,
    positions: Buffer<u32>,
    outcomes: Buffer<u32>,
    group: usize,
    /// Positions that the host plays on to.
    wanted: usize,
    deepest: u32,
    stamp: u32,
    loaded: Vec<Position>,
    packed: Vec<u32>,
    read: Vec<u32>,
    build_ns: u64,
    notes: String,
}

impl DevicePerft {
    /// Builds the program for sequences of at most `deepest` plies, and launches once: some drivers
    /// compile for a work-group size when they first see it.
    ///
    /// # Errors
    /// Where the device refuses.
    pub fn new(
        game: Checkers,
        deepest: u32,
        setup: &Setup<'_>,
        device: &Device,
    ) -> Result<DevicePerft, Fault> {
        let processor = device.info().kind == DeviceKind::Cpu;
        let multiple = device.preferred_multiple().max(1);
        let most = device.info().max_work_group.max(1);
        // A group of a processor is a thread's: a few of them to balance.
        let group = (if processor { 16 } else { 2 * multiple }).min(most);
        let mut defines = device_games::defines(game.rules());
        defines.extend([
            ("GROUP", group.to_string()),
            ("LANES", "1".to_owned()),
            ("LEVELS", deepest.max(1).to_string()),
        ]);
        let path = "checkers/perft.cl";
        let program = device.build(path, &defines, setup.kernels, BuildNeeds::default())?;
        let mut kernel = program.kernel("perft")?;
        let positions = device.buffer(BATCH * POSITION_WORDS, Access::Read)?;
        let outcomes = device.buffer(BATCH * OUTCOME_WORDS, Access::Write)?;
        kernel.set_buffer(0, &positions)?;
        kernel.set_buffer(4, &outcomes)?;
        let mut perft = DevicePerft {
            game,
            queue: device.queue()?,
            positions,
            outcomes,
            group,
            wanted: A_UNIT * (device.info().compute_units as usize).max(1),
            deepest: deepest.max(1),
            stamp: 1,
            loaded: Vec::new(),
            packed: Vec::new(),
            read: Vec::new(),
            build_ns: program.build_ns(),
            notes: format!(
                "group {group}, private {} bytes, built with {}",
                kernel.private_bytes(),
                program.options()
            ),
            kernel,
        };
        perft.below(&[Position::start()], 1)?;
        perft.parts();
        Ok(perft)
    }

    /// One launch.
    fn below(&mut self, positions: &[Position], depth: u32) -> Result<Counters, Fault> {
        let (count, stamp) = (positions.len(), self.stamp);
        self.stamp = stamp.wrapping_add(count as u32);
        self.packed.clear();
        for position in positions {
            self.packed.extend(words(position));
            self.packed.extend([down(position), position.quiet()]);
        }
        self.kernel.set_scalar(1, count as u32)?;
        self.kernel.set_scalar(2, depth as i32)?;
        self.kernel.set_scalar(3, stamp)?;
        self.queue.write(&self.positions, &self.packed)?;
        let global = [count.next_multiple_of(self.group)];
        self.queue
            .launch(&self.kernel, global, Some([self.group]))?;
        self.read.clear();
        self.read.resize(count * OUTCOME_WORDS, 0);
        self.queue.read(&self.outcomes, &mut self.read)?;
        let mut counters = Counters::default();
        for (place, outcome) in (0..).zip(self.read.chunks_exact(OUTCOME_WORDS)) {
            if outcome[OUTCOME_WORDS - 1] != stamp.wrapping_add(place) {
                return Err(Fault::Device(format!(
                    "kernel `perft` did not finish position {place} of {count}"
                )));
            }
            let wide = |at: usize| u64::from(outcome[at + 1]) << 32 | u64::from(outcome[at]);
            counters.leaves += wide(0);
            counters.nodes += wide(2);
        }
        Ok(counters)
    }

    fn children(&self, position: &Position) -> Vec<Position> {
        if self.game.is_over(position) {
            return Vec::new();
        }
        let moves = self.game.legal_moves(position);
        moves.map(|mv| self.game.play(position, mv)).collect()
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

    fn perft(&mut self, index: usize, depth: u32) -> Result<Counters, Fault> {
        if depth > self.deepest {
            return Err(Fault::Input(format!(
                "depth: `{depth}`; this kernel was built for {} at most",
                self.deepest
            )));
        }
        let mut counters = Counters::default();
        let mut front = vec![self.loaded[index]];
        let mut left = depth;
        while left > 1 && front.len() < self.wanted && !front.is_empty() {
            counters.nodes += front.len() as u64;
            front = front
                .iter()
                .flat_map(|position| self.children(position))
                .collect();
            left -= 1;
        }
        if left == 0 {
            counters.nodes += 1;
            counters.leaves += 1;
            return Ok(counters);
        }
        for batch in front.chunks(BATCH) {
            counters += self.below(batch, left)?;
        }
        Ok(counters)
    }

    fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    fn build_ns(&self) -> u64 {
        self.build_ns
    }

    fn notes(&self) -> String {
        self.notes.clone()
    }

    fn resources(&self) -> Vec<Resource> {
        self.kernel.resources(self.group)
    }
}
