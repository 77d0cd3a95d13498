//! The cost of a launch: `cl/peaks/nothing.cl`, by the host's clock.

use std::time::Instant;

use super::bench::Bench;
use super::load::{Clock, Load, Sampled, Timed, Turn, fastest};
use crate::opencl::{Access, Buffer, Kernel, Queue};
use crate::words::Fault;

/// Limit of launches in a sample.
const MOST: u64 = 1 << 14;

/// The time of one launch: with `waits`, each is waited for; without, only the last of a row.
pub fn launch(bench: &Bench<'_>, turn: &Turn, waits: bool) -> Result<Sampled, Fault> {
    let mut make = |&waits: &bool| Ok(Box::new(Launches::new(bench, waits)?) as Box<dyn Load>);
    fastest(turn, None, &[waits], &mut make)?.sample(turn)
}

/// Launches of one work-item, which counts them.
struct Launches {
    waits: bool,
    queue: Queue,
    kernel: Kernel,
    count: Buffer<u32>,
    made: u32,
}

impl Launches {
    fn new(bench: &Bench<'_>, waits: bool) -> Result<Launches, Fault> {
        let program = bench.program("peaks/nothing.cl", &[])?;
        let mut kernel = program.kernel("count_launch")?;
        let mut queue = bench.queue()?;
        let count = bench.buffer(1, Access::ReadWrite)?;
        queue.write(&count, &[0])?;
        queue.finish()?;
        kernel.set_buffer(0, &count)?;
        kernel.set_scalar(1, 1_u32)?;
        Ok(Launches {
            waits,
            queue,
            kernel,
            count,
            made: 0,
        })
    }
}

impl Load for Launches {
    fn most(&self) -> u64 {
        MOST
    }

    fn run(&mut self, pieces: u64) -> Result<Timed, Fault> {
        let start = Instant::now();
        for _ in 0..pieces {
            self.queue.launch(&self.kernel, [1], Some([1]))?;
            if self.waits {
                self.queue.finish()?;
            }
        }
        self.queue.finish()?;
        let ns = start.elapsed().as_nanos() as u64;
        self.made = self.made.wrapping_add(pieces as u32);
        // Outside the timed part, because it asks the driver about each event.
        self.queue.take_parts();
        Ok(Timed {
            ns,
            work: pieces,
            clock: Clock::Host,
        })
    }

    fn check(&mut self) -> Result<(), Fault> {
        let mut count = [0];
        self.queue.read(&self.count, &mut count)?;
        super::checks::equal("count_launch", 0, count[0], self.made)
    }

    fn words(&self, pieces: u64) -> String {
        let each = if self.waits {
            "each waited for"
        } else {
            "in a row"
        };
        format!("one work-item, {pieces} launches {each}")
    }
}
