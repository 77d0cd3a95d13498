//! Atomic additions: `cl/peaks/atomics.cl`.

use super::bench::Bench;
use super::checks;
use super::launches::{Extent, Launch, full_groups, of_atomics};
use super::load::{Load, Sampled, Timed, Turn, fastest, kernels_time};
use crate::opencl::{Access, Buffer, Kernel, Queue};
use crate::words::Fault;

/// Additions of a work-item in a round (`ADDITIONS` in the kernel file).
const ADDITIONS: u32 = 8;
/// Global words that `GlobalMany` spreads over; a power of two.
const MANY: usize = 1 << 20;

/// The target of the additions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One word of global memory, shared by all work-items.
    GlobalOne,
    /// A word of global memory for each work-item, up to `MANY` of them.
    GlobalMany,
    /// One word of local memory, shared by the work-items of a group.
    LocalOne,
    /// A word of local memory for each work-item.
    LocalMany,
}

impl Place {
    fn is_local(self) -> bool {
        matches!(self, Place::LocalOne | Place::LocalMany)
    }

    fn kernel(self) -> &'static str {
        if self.is_local() {
            "add_local"
        } else {
            "add_global"
        }
    }

    /// The bits of a work-item's number that select its word.
    fn mask(self, group: usize) -> usize {
        match self {
            Place::GlobalOne | Place::LocalOne => 0,
            Place::GlobalMany => MANY - 1,
            // Group sizes are powers of two, unless the device allows none of the sizes tried.
            Place::LocalMany => (group + 1).next_power_of_two() / 2 - 1,
        }
    }
}

/// The rate of additions with one kind of target.
pub fn measure(bench: &Bench<'_>, turn: &Turn, place: Place) -> Result<Sampled, Fault> {
    let launches = of_atomics(bench.info());
    let mut make =
        |launch: &Launch| Ok(Box::new(Additions::new(bench, place, *launch)?) as Box<dyn Load>);
    fastest(turn, None, &launches, &mut make)?.sample(turn)
}

/// Additions in one launch.
struct Additions {
    place: Place,
    launch: Launch,
    full: usize,
    queue: Queue,
    kernel: Kernel,
    numbers: Vec<u32>,
    places: Buffer<u32>,
    last: Extent,
}

impl Additions {
    fn new(bench: &Bench<'_>, place: Place, launch: Launch) -> Result<Additions, Fault> {
        let program = bench.program("peaks/atomics.cl", &launch.defines())?;
        let mut kernel = program.kernel(place.kernel())?;
        let mut queue = bench.queue()?;
        let full = full_groups(bench.info(), launch.group);
        let items = full * launch.group;
        let numbers: Vec<u32> = super::chain::starts(launch.group)
            .into_iter()
            .map(|state| state[0])
            .collect();
        let mask = place.mask(launch.group);
        let words = if place.is_local() { items } else { mask + 1 };
        let given = bench.buffer(numbers.len(), Access::Read)?;
        let places = bench.buffer(words, Access::ReadWrite)?;
        let seen = bench.buffer::<u32>(items, Access::Write)?;
        queue.write(&given, &numbers)?;
        kernel.set_buffer(0, &given)?;
        kernel.set_scalar(1, mask as u32)?;
        kernel.set_buffer(3, &places)?;
        kernel.set_buffer(4, &seen)?;
        Ok(Additions {
            place,
            launch,
            full,
            queue,
            kernel,
            numbers,
            places,
            last: Extent::of(0, full),
        })
    }

    fn items(&self) -> usize {
        self.last.groups * self.launch.group
    }

    /// The expected words after the last run.
    fn right(&self) -> Vec<u32> {
        let (group, mask) = (self.launch.group, self.place.mask(self.launch.group));
        let mut right = vec![0_u32; self.places.len()];
        let times = self.last.rounds.wrapping_mul(ADDITIONS);
        for item in 0..self.items() {
            let own = item % group;
            let place = if self.place.is_local() {
                item - own + (own & mask)
            } else {
                item & mask
            };
            let sum = self.numbers[own].wrapping_mul(times);
            right[place] = right[place].wrapping_add(sum);
        }
        right
    }
}

impl Load for Additions {
    fn most(&self) -> u64 {
        // A round has several additions, and drivers limit the loop iterations of a work-item.
        Extent::most(self.full) / u64::from(ADDITIONS)
    }

    fn run(&mut self, pieces: u64) -> Result<Timed, Fault> {
        self.last = Extent::of(pieces, self.full);
        self.kernel.set_scalar(2, self.last.rounds)?;
        self.queue.fill(&self.places, 0)?;
        self.queue.finish()?;
        let (items, group) = (self.items(), self.launch.group);
        let kernel = &self.kernel;
        let (ns, clock) = kernels_time(&mut self.queue, |queue| {
            queue.launch(kernel, [items], Some([group]))
        })?;
        Ok(Timed {
            ns,
            work: self.last.pieces() * group as u64 * u64::from(ADDITIONS),
            clock,
        })
    }

    fn check(&mut self) -> Result<(), Fault> {
        let mut found = vec![0; self.places.len()];
        self.queue.read(&self.places, &mut found)?;
        let right = self.right();
        for (place, (&found, &right)) in found.iter().zip(&right).enumerate() {
            checks::equal(self.place.kernel(), place, found, right)?;
        }
        Ok(())
    }

    fn words(&self, pieces: u64) -> String {
        format!(
            "groups of {}, {}",
            self.launch.group,
            Extent::of(pieces, self.full)
        )
    }
}
