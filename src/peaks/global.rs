//! Bandwidth of global memory: `cl/peaks/global.cl`.

use super::bench::Bench;
use super::checks;
use super::launches::{Launch, full_groups, of_memory};
use super::load::{Load, Sampled, Timed, Turn, fastest, kernels_time};
use crate::opencl::{Access, Buffer, Kernel, Queue, bytes_in_words};
use crate::words::Fault;

/// Buffer sizes that are tried, bytes, ascending: the largest is many times the cache of any known device,
/// the smallest is for simulators.
const SIZES: [u64; 4] = [256 << 10, 16 << 20, 256 << 20, 1 << 30];
/// Divisor: a buffer is at most 1/8 of the device's memory, which on a processor is the host's.
const PART_OF_MEMORY: u64 = 8;
/// A larger buffer is not tried if a pass over it is expected to take longer.
const LONGEST_PASS_NS: u64 = 50_000_000;
/// Limit of passes in a sample.
const MOST_PASSES: u64 = 1 << 14;
/// Vectors that the host checks.
const PICKED: usize = 1_024;

/// What a pass does to each vector of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads it and writes it to another buffer.
    Copy,
}

impl Pass {
    fn kernel(self) -> &'static str {
        match self {
            Pass::Read => "read_words",
            Pass::Write => "write_words",
            Pass::Copy => "copy_words",
        }
    }
}

/// The rate of one kind of pass, in the largest buffers that fit a sample.
pub fn measure(bench: &Bench<'_>, turn: &Turn, pass: Pass) -> Result<Sampled, Fault> {
    let launches = of_memory(bench.info());
    let bytes = largest(bench, pass, launches[0])?;
    let room = Room::new(bench, bytes)?;
    let mut make =
        |launch: &Launch| Ok(Box::new(Passes::new(bench, &room, pass, *launch)?) as Box<dyn Load>);
    fastest(turn, None, &launches, &mut make)?.sample(turn)
}

/// The largest buffer size, bytes, of which one pass fits a sample.
fn largest(bench: &Bench<'_>, pass: Pass, launch: Launch) -> Result<u64, Fault> {
    let info = bench.info();
    let most = info
        .max_allocation_bytes
        .min(info.global_memory_bytes / PART_OF_MEMORY);
    let mut chosen = SIZES[0].min(most);
    for pair in SIZES.windows(2) {
        let (size, next) = (pair[0], pair[1]);
        if next > most {
            break;
        }
        let room = Room::new(bench, size)?;
        let mut passes = Passes::new(bench, &room, pass, launch)?;
        passes.prepare()?;
        passes.run(1)?;
        let ns = passes.run(1)?.ns;
        if ns.saturating_mul(next / size) > LONGEST_PASS_NS {
            break;
        }
        chosen = next;
    }
    Ok(chosen)
}

/// Two buffers of the same size.
struct Room {
    bytes: u64,
    from: Buffer<u32>,
    to: Buffer<u32>,
}

impl Room {
    fn new(bench: &Bench<'_>, bytes: u64) -> Result<Room, Fault> {
        let words = (bytes / 4) as usize;
        Ok(Room {
            bytes,
            from: bench.buffer(words, Access::ReadWrite)?,
            to: bench.buffer(words, Access::ReadWrite)?,
        })
    }
}

/// One kind of pass in one launch.
struct Passes {
    pass: Pass,
    launch: Launch,
    groups: usize,
    /// Vectors per work-item.
    each: u32,
    queue: Queue,
    /// Writes the data that the other passes read.
    writer: Kernel,
    kernel: Kernel,
    picker: Kernel,
    sums: Buffer<u32>,
    picked: Buffer<u32>,
    /// Varies the data written, from run to run.
    salt: u32,
}

impl Passes {
    fn new(bench: &Bench<'_>, room: &Room, pass: Pass, launch: Launch) -> Result<Passes, Fault> {
        let Launch { width, group, .. } = launch;
        let program = bench.program("peaks/global.cl", &launch.defines())?;
        // Each work-item has a multiple of four vectors; a small buffer gets fewer groups.
        let vectors = (room.bytes / 4) as usize / width;
        let fours = vectors / group / 4;
        let groups = full_groups(bench.info(), group).min(fours.max(1));
        let each = (fours / groups).max(1) * 4;

        let mut writer = program.kernel("write_words")?;
        writer.set_buffer(0, &room.from)?;
        writer.set_scalar(1, each as u32)?;
        let mut kernel = program.kernel(pass.kernel())?;
        kernel.set_buffer(0, &room.from)?;
        kernel.set_scalar(1, each as u32)?;
        let sums = bench.buffer(groups * group * width, Access::Write)?;
        match pass {
            Pass::Write => {}
            Pass::Read => kernel.set_buffer(2, &sums)?,
            Pass::Copy => kernel.set_buffer(2, &room.to)?,
        }
        let mut passes = Passes {
            pass,
            launch,
            groups,
            each: each as u32,
            queue: bench.queue()?,
            writer,
            kernel,
            picker: program.kernel("pick_words")?,
            sums,
            picked: bench.buffer(PICKED * width, Access::Write)?,
            salt: 0x5bd1_e995,
        };
        let looked_at = if pass == Pass::Copy {
            &room.to
        } else {
            &room.from
        };
        passes.picker.set_buffer(0, looked_at)?;
        passes.picker.set_buffer(2, &passes.picked)?;
        Ok(passes)
    }

    /// Vectors in a pass.
    fn vectors(&self) -> usize {
        self.groups * self.launch.group * self.each as usize
    }

    fn bytes(&self) -> u64 {
        self.vectors() as u64 * self.launch.width as u64 * 4
    }

    /// Checks the sums that the work-items leave.
    fn check_sums(&mut self) -> Result<(), Fault> {
        let Launch { width, group, .. } = self.launch;
        let mut sums = vec![0; self.groups * group * width];
        self.queue.read(&self.sums, &mut sums)?;
        for place in checks::places(sums.len(), u64::from(self.each)) {
            let item = place / width;
            let first = item / group * group * self.each as usize + item % group;
            let right = (0..self.each as usize)
                .map(|i| (first + i * group) as u32 ^ self.salt)
                .fold(0, u32::wrapping_add);
            checks::equal(self.pass.kernel(), place, sums[place], right)?;
        }
        Ok(())
    }

    /// Checks vectors throughout the written buffer.
    fn check_places(&mut self) -> Result<(), Fault> {
        let width = self.launch.width;
        let count = self.vectors().min(PICKED);
        let apart = self.vectors() / count;
        self.picker.set_scalar(1, apart as u32)?;
        self.queue.launch(&self.picker, [count], None)?;
        let mut picked = vec![0; count * width];
        self.queue.read(&self.picked, &mut picked)?;
        for (place, &found) in picked.iter().enumerate() {
            let vector = place / width * apart;
            checks::equal(self.pass.kernel(), vector, found, vector as u32 ^ self.salt)?;
        }
        Ok(())
    }
}

impl Load for Passes {
    fn most(&self) -> u64 {
        MOST_PASSES
    }

    fn prepare(&mut self) -> Result<(), Fault> {
        if self.pass == Pass::Write {
            return Ok(());
        }
        self.writer.set_scalar(2, self.salt)?;
        let (items, group) = (self.groups * self.launch.group, self.launch.group);
        self.queue.launch(&self.writer, [items], Some([group]))?;
        self.queue.finish()
    }

    fn run(&mut self, pieces: u64) -> Result<Timed, Fault> {
        if self.pass == Pass::Write {
            // New data for each run: otherwise a stale result of an earlier run would pass.
            self.salt = self.salt.wrapping_mul(5).wrapping_add(1);
            self.kernel.set_scalar(2, self.salt)?;
        }
        let (items, group) = (self.groups * self.launch.group, self.launch.group);
        let kernel = &self.kernel;
        let (ns, clock) = kernels_time(&mut self.queue, |queue| {
            (0..pieces).try_for_each(|_| queue.launch(kernel, [items], Some([group])))
        })?;
        let both = if self.pass == Pass::Copy { 2 } else { 1 };
        Ok(Timed {
            ns,
            work: pieces * self.bytes() * both,
            clock,
        })
    }

    fn check(&mut self) -> Result<(), Fault> {
        match self.pass {
            Pass::Read => self.check_sums(),
            Pass::Write | Pass::Copy => self.check_places(),
        }
    }

    fn words(&self, pieces: u64) -> String {
        format!(
            "{}, {} groups, {pieces} passes over {}",
            self.launch.words(),
            self.groups,
            bytes_in_words(self.bytes())
        )
    }
}
