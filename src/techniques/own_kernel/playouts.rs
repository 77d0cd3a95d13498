//! Implements the contract `playouts`, whose kernels play random games.

use std::ops::Range;

use super::build;
use crate::random::draw_key;
use crate::techniques::prelude::*;
use crate::techniques::tasks::{Play, Playing, RandomPlayer};

/// Maximum number of playouts per launch.
const MOST: usize = 1 << 20;

/// Marks a result that no work-item has written. It is not the code of a win, a draw or a loss.
const UNSET: u32 = u32::MAX;

/// Packs a game's positions for the kernel.
pub struct Packing<P: Play> {
    /// Appends the words of a position.
    pub pack: Box<Pack<P>>,
    /// Maximum number of words in a position.
    pub words: usize,
    /// Constants for the game's kernel files.
    pub constants: Defines,
    /// Tallies playouts on the host, for finished games. The length of the tally is the number of first moves. Set only
    /// if playout `n` begins with move `n` modulo that number.
    pub host: Option<Box<HostTally<P>>>,
}

/// Appends the words of a position.
type Pack<P> = dyn Fn(&<P as Play>::Position, &mut Vec<u32>) + Send;
type HostTally<P> = dyn Fn(&<P as Play>::Position, Range<u64>) -> Tally + Send;

struct OwnPlayouts<P: Play> {
    run: Runner,
    packing: Packing<P>,
    position: Buffer<u32>,
    results: Buffer<u32>,
    key: u32,
    /// Maximum number of playouts per launch.
    most: usize,
    loaded: Vec<P::Position>,
}

/// Prepares a kernel with the contract `playouts`. Fails if the kernel does not build or the device cannot run it.
pub fn playing<P: Play>(setup: &Setup<'_>, packing: Packing<P>) -> Playing<P> {
    // All results are cleared before each launch, so the buffer is no larger than a sample needs.
    let asked = setup.case.int("playouts").unwrap_or(MOST as i64);
    let most = asked.clamp(1, MOST as i64) as usize;
    let (run, most) = build(setup, "playouts", packing.constants.clone(), most)?;
    let device = setup.on_device()?;
    Ok(Box::new(OwnPlayouts {
        run,
        position: device.buffer(packing.words, Access::Read)?,
        results: device.buffer(most, Access::Write)?,
        packing,
        key: draw_key(setup.seed),
        most,
        loaded: Vec::new(),
    }))
}

fn wrong(number: u64, result: u32) -> Fault {
    Fault::Wrong(format!(
        "kernel `playouts`: the result of playout {number} is {result:#x}; its two lowest bits are to be 0 (won), \
         1 (drawn) or 2 (lost)"
    ))
}

impl<P: Play> RandomPlayer<P> for OwnPlayouts<P> {
    /// Loads the positions. Also launches once, because some drivers compile for a work-group size at its first use.
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded = positions.to_vec();
        self.play(0, 0..1)?;
        self.run.telemetry();
        Ok(())
    }

    fn play(&mut self, index: usize, playouts: Range<u64>) -> Result<Tally, Fault> {
        let (run, position) = (&mut self.run, &self.loaded[index]);
        let mut tally = Tally::of_first_moves(1);
        if let Some(host) = &self.packing.host {
            tally = host(position, 0..0);
            if tally.by_first_move.is_empty() {
                return Ok(host(position, playouts));
            }
        }
        let moves = tally.by_first_move.len();
        let mut packed = Vec::new();
        (self.packing.pack)(position, &mut packed);
        run.queue.write(&self.position, &packed)?;
        for first in playouts.clone().step_by(self.most) {
            let count = (playouts.end - first).min(self.most as u64) as usize;
            run.queue.fill(&self.results, UNSET)?;
            let (place, number) = (&self.position, count as u32);
            run.kernel
                .set_from(0, &[place, &self.key, &first, &number, &self.results])?;
            run.launch_items(count)?;
            let mut results = vec![0; count];
            run.queue.read(&self.results, &mut results)?;
            for (number, result) in (first..).zip(results) {
                let of_move = &mut tally.by_first_move[number as usize % moves];
                match result & 3 {
                    0 => of_move.0 += 1,
                    1 => of_move.1 += 1,
                    2 => of_move.2 += 1,
                    _ => return Err(wrong(number, result)),
                }
                tally.plies += u64::from(result >> 2);
            }
        }
        tally.add_up();
        if self.packing.host.is_none() {
            tally.by_first_move.clear();
        }
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
