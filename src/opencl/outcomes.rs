//! What the work-items or work-groups of a launch found, as the host reads it back
//! (`cl/common/outcome.clh`).

use std::ops::Range;

use super::device::Device;
use super::kernel::Kernel;
use super::memory::{Access, Buffer};
use super::queue::Queue;
use crate::words::{Counters, Fault};

/// Words of an outcome that is a search's (`SEARCHED_WORDS`): value, nodes (low word, high word), leaves (low,
/// high), stamp.
pub const SEARCHED_WORDS: usize = 6;

/// Outcomes of so many words each, of which the last is a stamp that says that its writer came to its end: some
/// drivers cut long loops off, silently.
///
/// Stamps count on from launch to launch, so that none takes what an earlier one left for its own.
pub struct Outcomes {
    buffer: Buffer<u32>,
    /// What one of them is of, for messages.
    what: &'static str,
    /// Who writes them.
    kernel: String,
    words: usize,
    /// The first stamp of the last launch, and how many outcomes it writes.
    marked: (u32, usize),
    /// The same of the launch that `read` is of.
    fetched: (u32, usize),
    read: Vec<u32>,
}

impl Outcomes {
    /// Room for `most` outcomes of so many words, each of a `what`, such as a `sibling`.
    ///
    /// # Errors
    /// [`Fault::Memory`] where the device has none.
    pub fn new(
        device: &Device,
        what: &'static str,
        most: usize,
        words: usize,
    ) -> Result<Outcomes, Fault> {
        Ok(Outcomes {
            buffer: device.buffer::<u32>(most * words, Access::Write)?,
            what,
            kernel: String::new(),
            words,
            marked: (1, 0),
            fetched: (1, 0),
            read: Vec::with_capacity(most * words),
        })
    }

    /// Makes them an argument of the kernel that writes them.
    ///
    /// # Errors
    /// As [`Kernel::set_buffer`].
    pub fn bind(&mut self, kernel: &mut Kernel, index: u32) -> Result<(), Fault> {
        kernel.name().clone_into(&mut self.kernel);
        kernel.set_buffer(index, &self.buffer)
    }

    /// What the first outcome of a launch that writes `count` is to be marked with. The others count on from
    /// there.
    pub fn mark(&mut self, count: usize) -> u32 {
        let (stamp, before) = self.marked;
        self.marked = (stamp.wrapping_add(before as u32), count);
        self.marked.0
    }

    /// Waits for the launch that was marked last, and shows its outcomes in order.
    ///
    /// # Errors
    /// As [`Outcomes::fetch`] and [`Outcomes::show`].
    pub fn read(&mut self, queue: &mut Queue, each: impl FnMut(Outcome<'_>)) -> Result<(), Fault> {
        self.fetch(queue)?;
        self.show(0..self.fetched.1, each)
    }

    /// Waits for the launch that was marked last. So its outcomes can be shown while the next one runs.
    ///
    /// # Errors
    /// As [`Queue::read`].
    pub fn fetch(&mut self, queue: &mut Queue) -> Result<(), Fault> {
        self.fetched = self.marked;
        self.read.resize(self.fetched.1 * self.words, 0);
        queue.read(&self.buffer, &mut self.read)
    }

    /// Shows the outcomes at these places of what was fetched last, in order.
    ///
    /// # Errors
    /// [`Fault::Device`] where one has not come to its end.
    pub fn show(&self, places: Range<usize>, each: impl FnMut(Outcome<'_>)) -> Result<(), Fault> {
        let (stamp, count) = self.fetched;
        show(&self.read, self.words, places, stamp, each).map_err(|place| {
            Fault::Device(format!(
                "kernel `{}` did not finish {} {place} of {count}",
                self.kernel, self.what
            ))
        })
    }
}

/// Shows the outcomes at these places up to the first without its stamp, whose place is the error.
fn show(
    read: &[u32],
    words: usize,
    places: Range<usize>,
    stamp: u32,
    mut each: impl FnMut(Outcome<'_>),
) -> Result<(), usize> {
    let of_places = &read[places.start * words..places.end * words];
    for (place, outcome) in places.zip(of_places.chunks_exact(words)) {
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

/// What one work-item or work-group found.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// Its place in the launch.
    pub place: usize,
    words: &'a [u32],
}

impl Outcome<'_> {
    /// A word.
    pub fn word(self, at: usize) -> u32 {
        self.words[at]
    }

    /// A word with a sign.
    pub fn int(self, at: usize) -> i32 {
        self.words[at] as i32
    }

    /// A number of 64 bits in two words, the low one first.
    pub fn wide(self, at: usize) -> u64 {
        u64::from(self.words[at + 1]) << 32 | u64::from(self.words[at])
    }

    /// The value and the counts of a search ([`SEARCHED_WORDS`]).
    pub fn searched(self) -> (i32, Counters) {
        let counters = Counters {
            nodes: self.wide(1),
            leaves: self.wide(3),
            ..Counters::default()
        };
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
        let shown = show(&read, SEARCHED_WORDS, 0..2, u32::MAX, |outcome| {
            found.push((outcome.place, outcome.searched()));
        });
        let counters = |nodes, leaves| Counters {
            nodes,
            leaves,
            ..Counters::default()
        };
        assert_eq!(shown, Ok(()), "stamps wrap around");
        assert_eq!(found[0], (0, (-7, counters(1 | 2 << 32, 3))));
        assert_eq!(found[1], (1, (5, counters(0, 1))));
    }

    #[test]
    fn the_first_without_its_stamp_is_told() {
        let read = [10, 7, 11, 8, 12, 0, 13, 10];
        let mut sum = 0;
        let shown = show(&read, 2, 0..4, 7, |outcome| sum += outcome.word(0));
        assert_eq!((shown, sum), (Err(2), 21));
        let shown = show(&read, 2, 3..4, 7, |outcome| sum += outcome.word(0));
        assert_eq!((shown, sum), (Ok(()), 34));
    }
}
