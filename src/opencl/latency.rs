//! The latency of an empty launch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::context::Shared;
use super::memory::{Access, Buffer};
use super::program::Program;
use super::queue::Queue;
use super::quirks::BuildNeeds;
use crate::words::Fault;

const TRIPS: usize = 101;
/// Simulators are slow.
const PATIENCE: Duration = Duration::from_millis(100);
const FEWEST: usize = 11;

/// The median time, ns, from the launch of an empty kernel of one work-item to one word's arrival on the host.
pub(super) fn round_trip(device: &Arc<Shared>, timed: bool) -> Result<Option<u64>, Fault> {
    let program = Program::new(device, "common/probe.cl", &[], None, BuildNeeds::default())?;
    let mut kernel = program.kernel("probe")?;
    let word = Buffer::<u32>::new(device, 1, Access::Write)?;
    kernel.set_buffer(0, &word)?;
    kernel.set_scalar(1, 0_u32)?;
    let mut queue = Queue::new(device, timed)?;
    let mut back = [0];
    let mut times = Vec::with_capacity(TRIPS);
    let mut since: Option<Instant> = None;
    while times.len() < TRIPS && since.is_none_or(|since| since.elapsed() < PATIENCE) {
        let start = Instant::now();
        queue.launch(&kernel, [1], Some([1]))?;
        queue.read(&word, &mut back)?;
        // The first launch may compile: it is discarded, and the time limit starts after it.
        if since.is_some() {
            times.push(start.elapsed().as_nanos() as u64);
        }
        since.get_or_insert_with(Instant::now);
        queue.take_parts();
    }
    times.sort_unstable();
    Ok(times
        .get(times.len() / 2)
        .copied()
        .filter(|_| times.len() >= FEWEST))
}
