//! Bandwidth of local memory: `cl/peaks/local.cl`.

use super::bench::Bench;
use super::checks;
use super::launches::{Extent, Launch, full_groups, of_local};
use super::load::{Load, Sampled, Timed, Turn, fastest, kernels_time};
use crate::opencl::{Access, Buffer, Kernel, Queue, bytes_in_words};
use crate::words::Fault;

/// Loads of a work-item in a round (`LOADS` there).
const LOADS: usize = 16;
/// Rounds after which the access pattern repeats (`TURNS` there).
const TURNS: usize = 32;

/// Vectors of a group (`VECTORS` there).
fn vectors(launch: &Launch) -> usize {
    LOADS * launch.group + TURNS
}

/// Local memory of a group, bytes.
fn bytes(launch: &Launch) -> usize {
    vectors(launch) * launch.width * 4
}

/// The rate at which local memory is read.
pub fn measure(bench: &Bench<'_>, turn: &Turn) -> Result<Sampled, Fault> {
    let launches = of_local(bench.info(), bytes);
    let mut make = |launch: &Launch| Ok(Box::new(Reads::new(bench, *launch)?) as Box<dyn Load>);
    fastest(turn, None, &launches, &mut make)?.sample(turn)
}

/// Reads in one launch.
struct Reads {
    launch: Launch,
    full: usize,
    queue: Queue,
    kernel: Kernel,
    words: Vec<u32>,
    sums: Buffer<u32>,
    last: Extent,
}

impl Reads {
    fn new(bench: &Bench<'_>, launch: Launch) -> Result<Reads, Fault> {
        let mut defines = launch.defines();
        defines.push(("TURNS", TURNS.to_string()));
        let program = bench.program("peaks/local.cl", &defines)?;
        let mut kernel = program.kernel("read_local")?;
        let mut queue = bench.queue()?;
        let full = full_groups(bench.info(), launch.group);
        let words: Vec<u32> = super::chain::starts(vectors(&launch) * launch.width)
            .into_iter()
            .map(|state| state[0])
            .collect();
        let from = bench.buffer(words.len(), Access::Read)?;
        let sums = bench.buffer(full * launch.group * launch.width, Access::Write)?;
        queue.write(&from, &words)?;
        kernel.set_buffer(0, &from)?;
        kernel.set_buffer(2, &sums)?;
        Ok(Reads {
            launch,
            full,
            queue,
            kernel,
            words,
            sums,
            last: Extent::of(0, full),
        })
    }

    fn items(&self) -> usize {
        self.last.groups * self.launch.group
    }
}

impl Load for Reads {
    fn most(&self) -> u64 {
        Extent::most(self.full)
    }

    fn run(&mut self, pieces: u64) -> Result<Timed, Fault> {
        self.last = Extent::of(pieces, self.full);
        self.kernel.set_scalar(1, self.last.rounds)?;
        let (items, group) = (self.items(), self.launch.group);
        let kernel = &self.kernel;
        let (ns, clock) = kernels_time(&mut self.queue, |queue| {
            queue.launch(kernel, [items], Some([group]))
        })?;
        let bytes = group * LOADS * self.launch.width * 4;
        Ok(Timed {
            ns,
            work: self.last.pieces() * bytes as u64,
            clock,
        })
    }

    fn check(&mut self) -> Result<(), Fault> {
        let Launch { width, group, .. } = self.launch;
        let mut sums = vec![0; self.items() * width];
        self.queue.read(&self.sums, &mut sums)?;
        let rounds = self.last.rounds as usize;
        for place in checks::places(sums.len(), (rounds * LOADS) as u64) {
            let (item, lane) = (place / width, place % width);
            let mut right = 0_u32;
            for round in 0..rounds {
                let first = item % group + round % TURNS;
                for load in 0..LOADS {
                    let word = self.words[(first + load * group) * width + lane];
                    right = right.wrapping_add(word);
                }
            }
            checks::equal("read_local", place, sums[place], right)?;
        }
        Ok(())
    }

    fn words(&self, pieces: u64) -> String {
        format!(
            "{}, {} each, {}",
            self.launch.words(),
            bytes_in_words(bytes(&self.launch) as u64),
            Extent::of(pieces, self.full)
        )
    }
}
