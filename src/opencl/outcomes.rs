//! Reads back the results of a launch's work-items or work-groups (`cl/common/outcome.clh`).

use std::sync::atomic::{AtomicU32, Ordering};

use super::device::Device;
use super::kernel::{Kernel, SetArgument};
use super::memory::{Access, Buffer};
use super::queue::Queue;
use crate::words::{Counters, Fault};

/// Number of words in a search's outcome: value, nodes (low, high), leaves (low, high), stamp.
pub const SEARCHED_WORDS: usize = 6;

/// A buffer of fixed-size outcomes. The last word of an outcome is a stamp, which proves that the kernel ran to the
/// end: some drivers silently cut long loops short. Each launch uses new stamps, because drivers do not clear memory.
pub struct Outcomes {
    buffer: Buffer<u32>,
    what: &'static str,
    kernel: String,
    words: usize,
    /// The first stamp of the last launch, and the number of outcomes in that launch.
    marked: (u32, usize),
    read: Vec<u32>,
}

impl Outcomes {
    /// Allocates a buffer for `most` outcomes of `words` words each. `kernel` names the kernel that writes them. `what`
    /// names the subject of an outcome, such as a `sibling`. Fails with [`Fault::Memory`] if the buffer does not fit.
    pub fn new(
        device: &Device,
        kernel: &str,
        what: &'static str,
        most: usize,
        words: usize,
    ) -> Result<Outcomes, Fault> {
        let buffer = device.buffer::<u32>(most * words, Access::Write)?;
        Ok(Outcomes::of(buffer, what, kernel, words))
    }

    pub(super) fn of(
        buffer: Buffer<u32>,
        what: &'static str,
        kernel: &str,
        words: usize,
    ) -> Outcomes {
        Outcomes {
            buffer,
            what,
            kernel: kernel.to_owned(),
            words,
            marked: (0, 0),
            read: Vec::new(),
        }
    }

    /// Returns the first stamp for a launch that writes `count` outcomes. Each later outcome's stamp is larger by 1.
    pub fn mark(&mut self, count: usize) -> u32 {
        self.marked = (next_stamps(count), count);
        self.marked.0
    }

    /// Waits for the last marked launch, and passes its outcomes to `each`, in order. Fails with [`Fault::Device`] if
    /// an outcome has no valid stamp. Otherwise, fails as [`Queue::read`] does.
    pub fn read(&mut self, queue: &mut Queue, each: impl FnMut(Outcome<'_>)) -> Result<(), Fault> {
        let (stamp, count) = self.marked;
        self.read.resize(count * self.words, 0);
        queue.read(&self.buffer, &mut self.read)?;
        show(&self.read, self.words, stamp, each).map_err(|place| {
            Fault::Device(format!(
                "kernel `{}` did not finish {} {place} of {count}",
                self.kernel, self.what
            ))
        })
    }
}

impl SetArgument for Outcomes {
    fn set(&self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        kernel.set_buffer(index, &self.buffer)
    }
}

/// Reserves `count` stamps that no other launch in this process uses. Returns the first. Stamps repeat after 2^32.
fn next_stamps(count: usize) -> u32 {
    // Fresh memory is often 0, so the first stamp is not 0.
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(count as u32, Ordering::Relaxed)
}

/// Passes outcomes to `each` until one has no valid stamp. The error is the index of that outcome.
fn show(
    read: &[u32],
    words: usize,
    stamp: u32,
    mut each: impl FnMut(Outcome<'_>),
) -> Result<(), usize> {
    for (place, outcome) in read.chunks_exact(words).enumerate() {
        let (found, stamped) = outcome.split_at(words - 1);
        if stamped[0] != stamp.wrapping_add(place as u32) {
            return Err(place);
        }
        each(Outcome {
            place,
            words: found,
        });
    }
    Ok(())
}

/// The result of one work-item or work-group.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// Index of the work-item or work-group in the launch.
    pub place: usize,
    words: &'a [u32],
}

impl Outcome<'_> {
    /// Returns the word at index `at` as an unsigned number.
    pub fn word(self, at: usize) -> u32 {
        self.words[at]
    }

    /// Returns the word at index `at` as a signed number.
    pub fn int(self, at: usize) -> i32 {
        self.words[at] as i32
    }

    /// Combines the two words starting at index `at` into a 64-bit number. The low word is first.
    pub fn wide(self, at: usize) -> u64 {
        u64::from(self.words[at + 1]) << 32 | u64::from(self.words[at])
    }

    /// Returns the value and the counters of a search ([`SEARCHED_WORDS`]).
    pub fn searched(self) -> (i32, Counters) {
        let counters = Counters::of_search(self.wide(1), self.wide(3));
        (self.int(0), counters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_read_with_its_counters() {
        let read = [-7i32 as u32, 1, 2, 3, 0, u32::MAX, 5, 0, 0, 1, 0, 0];
        let mut found = Vec::new();
        let shown = show(&read, SEARCHED_WORDS, u32::MAX, |outcome| {
            found.push((outcome.place, outcome.searched()));
        });
        let counters = |nodes, leaves| Counters::of_search(nodes, leaves);
        assert_eq!(shown, Ok(()), "stamps wrap around");
        assert_eq!(found[0], (0, (-7, counters(1 | 2 << 32, 3))));
        assert_eq!(found[1], (1, (5, counters(0, 1))));
    }

    #[test]
    fn two_launches_of_a_process_share_no_stamp() {
        let mut ranges = Vec::new();
        for count in [3, 1, 7] {
            let first = next_stamps(count);
            assert!(first > 0);
            ranges.push(first..first + count as u32);
        }
        assert!(ranges.is_sorted_by_key(|range| range.start));
        let overlaps = ranges.windows(2).any(|two| two[0].end > two[1].start);
        assert!(!overlaps, "{ranges:?}");
    }

    #[test]
    fn the_first_without_its_stamp_is_told() {
        let read = [10, 7, 11, 8, 12, 0, 13, 10];
        let mut sum = 0;
        let shown = show(&read, 2, 7, |outcome| sum += outcome.word(0));
        assert_eq!((shown, sum), (Err(2), 21));
    }
}
