//! The contract `playouts`: the tallies of random games.

use std::ops::Range;

use super::{Packing, build};
use crate::opencl::{Access, Buffer, Runner};
use crate::random::draw_key;
use crate::techniques::Setup;
use crate::techniques::tasks::{Play, RandomPlayer};
use crate::words::{Fault, Tally, Telemetry};

/// Playouts of a launch, at most.
const MOST: usize = 1 << 20;

/// Results that no work-item has written: of no kind.
const UNSET: u32 = u32::MAX;

/// How many first moves a position has, or what the playouts of a finished game are.
type Moves<P> = dyn Fn(&<P as Play>::Position, Range<u64>) -> Result<u64, Tally> + Send;

/// The contract `playouts`: a work-item plays a game and writes how it ended, in two bits, and its plies above them.
pub struct OwnPlayouts<P: Play> {
    run: Runner,
    packing: Packing<P>,
    moves: Box<Moves<P>>,
    position: Buffer<u32>,
    results: Buffer<u32>,
    /// Playouts of a launch, at most.
    most: usize,
    loaded: Vec<P::Position>,
    read: Vec<u32>,
}

impl<P: Play> OwnPlayouts<P> {
    /// Builds the kernel, and launches once where there is a position to launch from: some drivers compile for a
    /// work-group size when they first see it. `moves` has the number of a position's first moves, of which playout
    /// number `n` begins with number `n` modulo them, 0 where they are drawn like all others; or the playouts of a
    /// finished game. Fails if the device refuses.
    pub fn new(
        setup: &Setup<'_>,
        packing: Packing<P>,
        start: Option<&P::Position>,
        moves: impl Fn(&P::Position, Range<u64>) -> Result<u64, Tally> + Send + 'static,
    ) -> Result<OwnPlayouts<P>, Fault> {
        // No more than a sample has: what no work-item may have written is cleared before each launch.
        let asked = setup.case.int("playouts").unwrap_or(MOST as i64);
        let most = asked.clamp(1, MOST as i64) as usize;
        let (mut run, most) = build(setup, "playouts", packing.constants.clone(), most)?;
        let device = setup.on_device()?;
        let position = device.buffer(packing.words, Access::Read)?;
        let results = device.buffer(most, Access::Write)?;
        run.kernel.set_buffer(0, &position)?;
        run.kernel.set_scalar(1, draw_key(setup.seed))?;
        run.kernel.set_buffer(4, &results)?;
        let mut player = OwnPlayouts {
            run,
            packing,
            moves: Box::new(moves),
            position,
            results,
            most,
            loaded: start.into_iter().cloned().collect(),
            read: Vec::new(),
        };
        if start.is_some() {
            player.play(0, 0..1)?;
            player.run.telemetry();
        }
        Ok(player)
    }
}

impl<P: Play> RandomPlayer<P> for OwnPlayouts<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded = positions.to_vec();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let position = &self.loaded[index];
        let moves = match (self.moves)(position, playouts.clone()) {
            Ok(moves) => moves,
            Err(over) => return Ok(over),
        };
        let kinds = moves.max(1);
        let mut tally = Tally::of_first_moves(kinds as usize);
        let run = &mut self.run;
        let packed = (self.packing.pack)(position);
        run.queue.write(&self.position, &packed)?;
        for first in playouts.clone().step_by(self.most) {
            let count = (playouts.end - first).min(self.most as u64) as usize;
            run.queue.fill(&self.results, UNSET)?;
            run.kernel.set_scalar(2, first)?;
            run.kernel.set_scalar(3, count as u32)?;
            run.launch_items(count)?;
            self.read.resize(count, 0);
            run.queue.read(&self.results, &mut self.read)?;
            for (number, result) in (first..).zip(&self.read) {
                let of_move = &mut tally.by_first_move[(number % kinds) as usize];
                match result & 3 {
                    0 => of_move.0 += 1,
                    1 => of_move.1 += 1,
                    2 => of_move.2 += 1,
                    _ => {
                        return Err(Fault::Wrong(format!(
                            "kernel `playouts`: the result of playout {number} is {result:#x}; its two lowest bits \
                             are to be 0 (won), 1 (drawn) or 2 (lost)"
                        )));
                    }
                }
                tally.plies += u64::from(result >> 2);
            }
        }
        tally.add_up();
        tally.by_first_move.truncate(moves as usize);
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
