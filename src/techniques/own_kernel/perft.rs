//! The contract `perft`: the numbers of move sequences.

use super::{Packing, build};
use crate::opencl::{Access, Buffer, Runner};
use crate::search::Found;
use crate::techniques::Setup;
use crate::techniques::part::Part;
use crate::techniques::tasks::{Play, PlyLimit, Searcher, perft_from_front};
use crate::words::{Counters, Fault, Telemetry};

/// Positions that the host plays on to, for each of the device's units, and those of one launch at most.
const FRONT_A_UNIT: usize = 128;
const FRONT: usize = 1 << 16;

/// The contract `perft`: the host plays the first plies, and a work-item counts the sequences from each position that
/// it reaches.
pub struct OwnPerft<P: Play> {
    run: Runner,
    /// Positions of a launch, at most.
    most: usize,
    packing: Packing<P>,
    children: super::To<P::Position, P::Position>,
    positions: Buffer<u32>,
    results: Buffer<u64>,
    /// Positions that the host plays on to.
    wanted: usize,
    loaded: Vec<P::Position>,
    plies: PlyLimit,
}

impl<P: Play> OwnPerft<P> {
    /// Builds the kernel for sequences of at most `deepest` plies, and launches once. `children` are the positions after
    /// each move. Fails if the device refuses.
    pub fn new(
        setup: &Setup<'_>,
        packing: Packing<P>,
        start: &P::Position,
        deepest: u32,
        children: impl Fn(&P::Position) -> Vec<P::Position> + Send + 'static,
    ) -> Result<OwnPerft<P>, Fault> {
        let mut constants = packing.constants.clone();
        constants.push(("LEVELS", deepest.max(1).to_string()));
        let (mut run, most) = build(setup, "perft", constants, FRONT)?;
        let device = setup.on_device()?;
        let positions = device.buffer(FRONT * packing.words, Access::Read)?;
        let results = device.buffer(FRONT * 2, Access::Write)?;
        run.kernel.set_buffer(0, &positions)?;
        run.kernel.set_buffer(3, &results)?;
        let mut perft = OwnPerft {
            run,
            most,
            packing,
            children: Box::new(children),
            positions,
            results,
            wanted: FRONT_A_UNIT * (device.info().compute_units as usize).max(1),
            loaded: vec![start.clone()],
            plies: PlyLimit::new(device),
        };
        perft.perft(0, 1, &Part::WHOLE)?;
        perft.run.telemetry();
        Ok(perft)
    }
}

impl<P: Play> Searcher<P> for OwnPerft<P> {
    fn load(&mut self, positions: &[P::Position]) -> Result<(), Fault> {
        self.loaded = positions.to_vec();
        Ok(())
    }

    fn search(&mut self, _index: usize, _depth: u32) -> Result<Found<P::Move>, Fault> {
        Err(Fault::Unsupported(
            "a kernel of the contract `perft` does not search".into(),
        ))
    }

    fn perft(&mut self, index: usize, depth: u32, part: &Part) -> Result<Counters, Fault> {
        let position = self.loaded[index].clone();
        let fronts = (self.wanted, self.most, &mut self.plies);
        let run = &mut self.run;
        let below = |front: &[P::Position], left: u32| {
            let packed: Vec<u32> = front.iter().flat_map(&self.packing.pack).collect();
            run.queue.write(&self.positions, &packed)?;
            run.queue.fill(&self.results, u64::MAX)?;
            run.kernel.set_scalar(1, front.len() as u32)?;
            run.kernel.set_scalar(2, left as i32)?;
            run.launch_items(front.len())?;
            let mut read = vec![0; 2 * front.len()];
            run.queue.read(&self.results, &mut read)?;
            let mut counters = Counters::default();
            for (place, pair) in read.chunks_exact(2).enumerate() {
                if pair[0] == u64::MAX {
                    return Err(Fault::Wrong(format!(
                        "kernel `perft`: position {place} of {} was not counted",
                        front.len()
                    )));
                }
                counters.leaves += pair[0];
                counters.nodes += if pair[1] == u64::MAX { 0 } else { pair[1] };
            }
            Ok(counters)
        };
        perft_from_front(position, depth, part, fronts, &self.children, below)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.run.telemetry_and_resources()
    }
}
