//! The contract `playouts`: the tallies of random games.

use std::ops::Range;

use super::{OwnKernel, Packing, build};
use crate::opencl::{Access, Buffer};
use crate::random::draw_key;
use crate::techniques::Setup;
use crate::techniques::tasks::{Play, RandomPlayer};
use crate::words::{Fault, Tally, Telemetry};

/// Playouts of a launch, at most.
const MOST: usize = 1 << 20;

/// Results that no work-item has written.
const UNSET: u32 = u32::MAX;

/// What the playouts of a finished game are; `None` where a game goes on.
type Over<P> = dyn Fn(&<P as Play>::Position, Range<u64>) -> Option<Tally>;
/// How many first moves a position has.
type Moves<P> = dyn Fn(&<P as Play>::Position) -> u64;

/// The contract `playouts`: a work-item plays a game and writes how it ended, in two bits, and its plies above them.
pub struct OwnPlayouts<P: Play> {
    own: OwnKernel,
    packing: Packing<P>,
    /// What the playouts of a finished game are; `None` where a game goes on.
    over: Box<Over<P>>,
    /// First moves of a position, of which playout number `n` begins with number `n` modulo them; 0 where they are
    /// drawn like all others.
    moves: Box<Moves<P>>,
    key: u32,
    position: Buffer<u32>,
    results: Buffer<u32>,
    /// Playouts of a launch, at most.
    most: usize,
    loaded: Vec<P::Position>,
    read: Vec<u32>,
}

impl<P: Play> OwnPlayouts<P> {
    /// Builds the kernel, and launches once where there is a position to launch from: some drivers compile for a
    /// work-group size when they first see it. Fails if the device refuses.
    pub fn new(
        setup: &Setup<'_>,
        packing: Packing<P>,
        start: Option<&P::Position>,
        moves: impl Fn(&P::Position) -> u64 + 'static,
        over: impl Fn(&P::Position, Range<u64>) -> Option<Tally> + 'static,
    ) -> Result<OwnPlayouts<P>, Fault> {
        let own = build(setup, "playouts", &packing.constants)?;
        let device = setup.on_device()?;
        // No more than a sample has: what no work-item may have written is cleared before each launch.
        let asked = setup.case.int("playouts").unwrap_or(MOST as i64);
        let most = own.most.min(asked.clamp(1, MOST as i64) as usize);
        let mut player = OwnPlayouts {
            position: device.buffer(packing.words, Access::Read)?,
            results: device.buffer(most, Access::Write)?,
            most,
            own,
            packing,
            over: Box::new(over),
            moves: Box::new(moves),
            key: draw_key(setup.seed),
            loaded: start.into_iter().cloned().collect(),
            read: Vec::new(),
        };
        player.own.run.kernel.set_buffer(0, &player.position)?;
        player.own.run.kernel.set_scalar(1, player.key)?;
        player.own.run.kernel.set_buffer(4, &player.results)?;
        if start.is_some() {
            player.play(0, 0..1)?;
            player.own.telemetry();
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
        if let Some(tally) = (self.over)(position, playouts.clone()) {
            return Ok(tally);
        }
        let moves = (self.moves)(position);
        let mut tally = Tally {
            by_first_move: vec![(0, 0, 0); moves as usize],
            ..Tally::default()
        };
        let own = &mut self.own;
        own.run
            .queue
            .write(&self.position, &(self.packing.pack)(position))?;
        let mut first = playouts.start;
        while first < playouts.end {
            let count = (playouts.end - first).min(self.most as u64) as usize;
            own.run.queue.fill(&self.results, UNSET)?;
            own.run.kernel.set_scalar(2, first)?;
            own.run.kernel.set_scalar(3, count as u32)?;
            own.run.launch_items(count)?;
            self.read.resize(count, 0);
            own.run.queue.read(&self.results, &mut self.read)?;
            for (number, result) in (first..).zip(&self.read) {
                let (won, drawn, lost) = match (*result, result & 3) {
                    (UNSET, _) | (_, 3) => {
                        return Err(Fault::Wrong(format!(
                            "kernel `playouts`: the result of playout {number} is {result:#x}; its two lowest bits \
                             are to be 0 (won), 1 (drawn) or 2 (lost)"
                        )));
                    }
                    (_, 0) => (1, 0, 0),
                    (_, 1) => (0, 1, 0),
                    _ => (0, 0, 1),
                };
                tally.wins += won;
                tally.draws += drawn;
                tally.losses += lost;
                tally.plies += u64::from(result >> 2);
                if let Some(mv) = number.checked_rem(moves) {
                    let of_move = &mut tally.by_first_move[mv as usize];
                    of_move.0 += won;
                    of_move.1 += drawn;
                    of_move.2 += lost;
                }
            }
            first += count as u64;
        }
        Ok(tally)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.own.telemetry()
    }
}
