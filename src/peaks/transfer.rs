//! Transfers between host and device memory, by the host's clock: the same calls that techniques make, from
//! ordinary (not pinned) host memory.

use std::time::Instant;

use super::bench::Bench;
use super::load::{Clock, Load, Sampled, Timed, Turn, fastest};
use crate::opencl::{Access, Buffer, Queue, bytes_in_words};
use crate::words::Fault;

/// Sizes of large transfers that are tried, 32-bit words, ascending.
const LARGE: [usize; 3] = [1 << 18, 1 << 22, 1 << 26];
/// A larger transfer is not tried if one takes this long.
const LONG_ENOUGH_NS: u64 = 5_000_000;
/// Limit of transfers in a sample.
const MOST: u64 = 1 << 14;
/// Divisor: a buffer is at most 1/8 of the device's memory, which on a processor is the host's.
const PART_OF_MEMORY: u64 = 8;

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the device.
    Up,
    /// From the device.
    Down,
}

/// The rate of large transfers.
pub fn rate(bench: &Bench<'_>, turn: &Turn, way: Way) -> Result<Sampled, Fault> {
    let info = bench.info();
    let most = info
        .max_allocation_bytes
        .min(info.global_memory_bytes / PART_OF_MEMORY)
        / 4;
    let mut words = LARGE[0].min(most as usize);
    for larger in LARGE.into_iter().skip(1).filter(|&it| it as u64 <= most) {
        let mut transfers = Transfers::new(bench, way, words, true)?;
        transfers.run(1)?;
        if transfers.run(1)?.ns >= LONG_ENOUGH_NS {
            break;
        }
        words = larger;
    }
    sampled(bench, turn, way, words, true)
}

/// The time of a transfer of one word. Each upload is waited for.
pub fn latency(bench: &Bench<'_>, turn: &Turn, way: Way) -> Result<Sampled, Fault> {
    sampled(bench, turn, way, 1, false)
}

fn sampled(
    bench: &Bench<'_>,
    turn: &Turn,
    way: Way,
    words: usize,
    bytes: bool,
) -> Result<Sampled, Fault> {
    let mut make =
        |&words: &usize| Ok(Box::new(Transfers::new(bench, way, words, bytes)?) as Box<dyn Load>);
    fastest(turn, None, &[words], &mut make)?.sample(turn)
}

/// Transfers of one size.
struct Transfers {
    way: Way,
    /// Whether the work is counted in bytes; otherwise in transfers.
    bytes: bool,
    queue: Queue,
    buffer: Buffer<u32>,
    here: Vec<u32>,
    /// Varies the words, from upload to upload; constant for downloads.
    there: u32,
}

impl Transfers {
    fn new(bench: &Bench<'_>, way: Way, words: usize, bytes: bool) -> Result<Transfers, Fault> {
        let mut transfers = Transfers {
            way,
            bytes,
            queue: bench.queue()?,
            buffer: bench.buffer(words, Access::ReadWrite)?,
            here: vec![0; words],
            there: 0x9e37_79b9,
        };
        transfers.renew();
        transfers.queue.write(&transfers.buffer, &transfers.here)?;
        transfers.queue.finish()?;
        transfers.queue.take_parts();
        Ok(transfers)
    }

    /// New words on the host, so that a stale upload does not pass the check.
    fn renew(&mut self) {
        self.there = self.there.wrapping_mul(5).wrapping_add(1);
        for (place, word) in self.here.iter_mut().enumerate() {
            *word = place as u32 ^ self.there;
        }
    }
}

impl Load for Transfers {
    fn most(&self) -> u64 {
        MOST
    }

    fn run(&mut self, pieces: u64) -> Result<Timed, Fault> {
        match self.way {
            Way::Up => self.renew(),
            Way::Down => self.here.fill(0),
        }
        let start = Instant::now();
        for _ in 0..pieces {
            match self.way {
                Way::Up => {
                    self.queue.write(&self.buffer, &self.here)?;
                    self.queue.finish()?;
                }
                Way::Down => self.queue.read(&self.buffer, &mut self.here)?,
            }
        }
        let ns = start.elapsed().as_nanos() as u64;
        self.queue.take_parts();
        let each = if self.bytes {
            self.here.len() as u64 * 4
        } else {
            1
        };
        Ok(Timed {
            ns,
            work: pieces * each,
            clock: Clock::Host,
        })
    }

    fn check(&mut self) -> Result<(), Fault> {
        if self.way == Way::Up {
            self.here.fill(0);
            self.queue.read(&self.buffer, &mut self.here)?;
        }
        let name = match self.way {
            Way::Up => "upload",
            Way::Down => "download",
        };
        let wrong = self
            .here
            .iter()
            .enumerate()
            .find(|(place, word)| **word != *place as u32 ^ self.there);
        match wrong {
            None => Ok(()),
            Some((place, word)) => Err(Fault::Wrong(format!(
                "{name}: word {place} came as {word:#x}, right is {:#x}",
                place as u32 ^ self.there
            ))),
        }
    }

    fn words(&self, pieces: u64) -> String {
        let bytes = bytes_in_words(self.here.len() as u64 * 4);
        format!("{bytes}, {pieces} times")
    }
}
