//! Rates of 32-bit operations: `cl/peaks/chains.cl`.

use super::bench::Bench;
use super::chain::{Chain, State, starts};
use super::checks;
use super::launches::{Extent, Launch, full_groups, of_operations, other_groups};
use super::load::{Load, Sampled, Timed, Turn, fastest, kernels_time};
use crate::opencl::{Access, Buffer, Kernel, Queue};
use crate::words::Fault;

/// Work-items with distinct initial words (`STARTS` there).
const STARTS: usize = 64;

/// The rate of one kind: the fastest vector width and number of chains, then the fastest group size.
pub fn measure(bench: &Bench<'_>, turn: &Turn, chain: &'static Chain) -> Result<Sampled, Fault> {
    let info = bench.info();
    let mut make =
        |launch: &Launch| Ok(Box::new(Chains::new(bench, chain, *launch)?) as Box<dyn Load>);
    let best = fastest(turn, None, &of_operations(info), &mut make)?;
    let others = other_groups(info, *best.choice());
    fastest(turn, Some(best), &others, &mut make)?.sample(turn)
}

/// One kind of operation in one launch.
struct Chains {
    chain: &'static Chain,
    launch: Launch,
    full: usize,
    queue: Queue,
    kernel: Kernel,
    starts: Vec<State>,
    results: Buffer<u32>,
    last: Extent,
}

impl Chains {
    fn new(bench: &Bench<'_>, chain: &'static Chain, launch: Launch) -> Result<Chains, Fault> {
        let mut defines = launch.defines();
        defines.push(("STARTS", STARTS.to_string()));
        let program = bench.program("peaks/chains.cl", &defines)?;
        let mut kernel = program.kernel(chain.kernel)?;
        let mut queue = bench.queue()?;
        let full = full_groups(bench.info(), launch.group);
        let lanes = launch.width;

        // All lanes of a vector start with the same words, which are arguments, so that no compiler can fold
        // them.
        let starts = starts(STARTS * launch.chains);
        let words: Vec<u32> = starts
            .iter()
            .flat_map(|state| state.iter().flat_map(|&word| vec![word; lanes]))
            .collect();
        let operands: Vec<u32> = chain
            .operands
            .iter()
            .flat_map(|&word| vec![word; lanes])
            .collect();
        let from = bench.buffer(words.len(), Access::Read)?;
        let with = bench.buffer(operands.len(), Access::Read)?;
        let results = bench.buffer(full * launch.group * lanes, Access::Write)?;
        queue.write(&from, &words)?;
        queue.write(&with, &operands)?;
        kernel.set_buffer(0, &from)?;
        kernel.set_buffer(1, &with)?;
        kernel.set_buffer(3, &results)?;
        Ok(Chains {
            chain,
            launch,
            full,
            queue,
            kernel,
            starts,
            results,
            last: Extent::of(0, full),
        })
    }

    fn items(&self) -> usize {
        self.last.groups * self.launch.group
    }
}

impl Load for Chains {
    fn most(&self) -> u64 {
        Extent::most(self.full)
    }

    fn run(&mut self, pieces: u64) -> Result<Timed, Fault> {
        self.last = Extent::of(pieces, self.full);
        self.kernel.set_scalar(2, self.last.rounds)?;
        let (items, group) = (self.items(), self.launch.group);
        let kernel = &self.kernel;
        let (ns, clock) = kernels_time(&mut self.queue, |queue| {
            queue.launch(kernel, [items], Some([group]))
        })?;
        let lanes = group * self.launch.width * self.launch.chains;
        Ok(Timed {
            ns,
            work: self.last.pieces() * lanes as u64 * self.chain.operations(),
            clock,
        })
    }

    fn check(&mut self) -> Result<(), Fault> {
        let lanes = self.launch.width;
        let mut results = vec![0; self.items() * lanes];
        self.queue.read(&self.results, &mut results)?;
        let chains = self.launch.chains;
        let steps = u64::from(self.last.rounds) * self.chain.operations() * chains as u64;
        for place in checks::places(results.len(), steps) {
            let item = place / lanes;
            let own = &self.starts[item % STARTS * chains..][..chains];
            let right = self.chain.result(item as u32, own, self.last.rounds);
            checks::equal(self.chain.kernel, place, results[place], right)?;
        }
        Ok(())
    }

    fn words(&self, pieces: u64) -> String {
        format!("{}, {}", self.launch, Extent::of(pieces, self.full))
    }
}
