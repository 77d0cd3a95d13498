//! The contract `perft`: the numbers of move sequences.

use super::{OwnKernel, Pack, Packing, build};
use crate::opencl::{Access, Buffer};
use crate::search::Found;
use crate::techniques::Setup;
use crate::techniques::part::Part;
use crate::techniques::tasks::{Play, PlyLimit, Searcher, perft_from_front};
use crate::words::{Counters, Fault, Telemetry};

/// The positions after each move.
type Children<P> = dyn Fn(&<P as Play>::Position) -> Vec<<P as Play>::Position>;

/// Positions that the host plays on to, for each of the device's units, and those of one launch at most.
const FRONT_A_UNIT: usize = 128;
const FRONT: usize = 1 << 16;

/// The contract `perft`: the host plays the first plies, and a work-item counts the sequences from each position that
/// it reaches.
pub struct OwnPerft<P: Play> {
    own: OwnKernel,
    packing: Packing<P>,
    children: Box<Children<P>>,
    positions: Buffer<u32>,
    results: Buffer<u64>,
    /// Positions that the host plays on to.
    wanted: usize,
    loaded: Vec<P::Position>,
    plies: PlyLimit,
}

impl<P: Play> OwnPerft<P> {
    /// Builds the kernel for sequences of at most `deepest` plies, and launches once. Fails if the device refuses.
    pub fn new(
        setup: &Setup<'_>,
        packing: Packing<P>,
        start: &P::Position,
        deepest: u32,
        children: impl Fn(&P::Position) -> Vec<P::Position> + 'static,
    ) -> Result<OwnPerft<P>, Fault> {
        let mut constants = packing.constants.clone();
        constants.push(("LEVELS", deepest.max(1).to_string()));
        let mut own = build(setup, "perft", &constants)?;
        let device = setup.on_device()?;
        let positions = device.buffer(FRONT * packing.words, Access::Read)?;
        let results = device.buffer(FRONT * 2, Access::Write)?;
        own.run.kernel.set_buffer(0, &positions)?;
        own.run.kernel.set_buffer(3, &results)?;
        let mut perft = OwnPerft {
            own,
            packing,
            children: Box::new(children),
            positions,
            results,
            wanted: FRONT_A_UNIT * (device.info().compute_units as usize).max(1),
            loaded: vec![start.clone()],
            plies: PlyLimit::new(device),
        };
        Searcher::perft(&mut perft, 0, 1)?;
        perft.own.telemetry();
        Ok(perft)
    }
}

/// One launch of the contract `perft`.
fn below<P: Play>(
    own: &mut OwnKernel,
    pack: &Pack<P>,
    (positions, results): (&Buffer<u32>, &Buffer<u64>),
    front: &[P::Position],
    depth: u32,
) -> Result<Counters, Fault> {
    let packed: Vec<u32> = front.iter().flat_map(pack).collect();
    own.run.queue.write(positions, &packed)?;
    own.run.queue.fill(results, u64::MAX)?;
    own.run.kernel.set_scalar(1, front.len() as u32)?;
    own.run.kernel.set_scalar(2, depth as i32)?;
    own.run.launch_items(front.len())?;
    let mut read = vec![0; 2 * front.len()];
    own.run.queue.read(results, &mut read)?;
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

    fn perft_part(&mut self, index: usize, depth: u32, part: &Part) -> Result<Counters, Fault> {
        let OwnPerft {
            own,
            packing,
            children,
            positions,
            results,
            wanted,
            loaded,
            plies,
        } = self;
        perft_from_front(
            loaded[index].clone(),
            depth,
            part,
            (*wanted, FRONT.min(own.most), plies),
            &*children,
            |front, left| below::<P>(own, &packing.pack, (positions, results), front, left),
        )
    }

    fn telemetry(&mut self) -> Telemetry {
        self.own.telemetry()
    }
}
