//! The search of one tree by all work-groups: `cl/common/table_search_kernel.clh`.

use super::bounds::Bounds;
use super::game::{Root, TableGame};
use super::params::Shape;
use crate::opencl::{Access, Buffer, BuildNeeds, Defines, Kernel, Queue};
use crate::techniques::Setup;
use crate::words::Fault;

/// Bytes of a bucket of the table: two entries.
const BUCKET_BYTES: usize = 32;
/// Words of a record: four vectors of four.
const RECORD_WORDS: usize = 16;
/// Words between the numbers of the control block (`LINE` in the kernel).
const LINE: usize = 32;
const HEAD: usize = 0;
const TAIL: usize = LINE;
const ALLOCATED: usize = 2 * LINE;
const LEFT: usize = 5 * LINE;
const ERROR: usize = 6 * LINE;
const NODES: usize = 7 * LINE;
const ROOTS: usize = 8 * LINE;
/// Words of a root: threshold, whether it is expected to be reached; answer, bound, move; plies left, hint, weight;
/// boards, moves; the first root of the same position, and how many there are; the board of [`Root::rows`].
const ROOT_WORDS: usize = 32;
/// Positions that a launch may search.
pub(super) const MOST_POSITIONS: usize = 64;
/// Thresholds of a position that a launch may ask.
pub(super) const MOST_THRESHOLDS: usize = 8;
const MOST_ROOTS: usize = MOST_POSITIONS * MOST_THRESHOLDS;
/// Answers of a root.
const AT_LEAST: u32 = 1;
const BELOW: u32 = 2;
/// What may be wrong after a launch.
const NO_ROOM: u32 = 1;
/// No move, as the kernel writes it.
pub(super) const NO_MOVE: u32 = 127;

/// The tree, its table and its queue of nodes on a device.
pub(super) struct DeviceTable {
    search: Kernel,
    forget: Kernel,
    pub(super) queue: Queue,
    control: Buffer<u32>,
    pub(super) shape: Shape,
    /// Buckets of the table, a power of two.
    buckets: usize,
    /// Places of the queue of nodes.
    places: usize,
    /// What goes to the device and comes back.
    words: Vec<u32>,
    /// Records and places that are used up, and buckets that may hold something.
    used: Used,
    /// Tells the records of one launch from those of all others.
    epoch: u32,
    pub(super) build_ns: u64,
    pub(super) notes: String,
}

#[derive(Clone, Copy, Debug, Default)]
struct Used {
    records: usize,
    places: usize,
    buckets: usize,
}

impl Used {
    /// Whether a launch may run out of `records` or of `places`: workers without work leave places, not records.
    fn is_half_full(&self, records: usize, places: usize) -> bool {
        self.records > records / 2 || self.places > places / 2
    }
}

impl DeviceTable {
    /// Builds the kernels, makes the buffers and searches once.
    pub(super) fn new<G: TableGame>(setup: &Setup<'_>, game: &G) -> Result<DeviceTable, Fault> {
        let mut made = DeviceTable::built(setup, G::KERNEL, G::ON_GPUS, game.defines())?;
        let known = game.worths();
        let worths = setup
            .on_device()?
            .buffer::<G::Worth>(known.len(), Access::Read)?;
        made.queue.write(&worths, &known)?;
        made.search.set_buffer(0, &worths)?;
        for (index, word) in (13..).zip(game.words()) {
            made.search.set_scalar(index, word)?;
        }
        Ok(made)
    }

    /// What does not depend on the game's types, compiled once.
    fn built(
        setup: &Setup<'_>,
        path: &str,
        on_gpus: Shape,
        mut defines: Defines,
    ) -> Result<DeviceTable, Fault> {
        let device = setup.on_device()?;
        let shape = Shape::new(setup.params, device, on_gpus)?;
        defines.push(("GROUP", shape.group.to_string()));
        defines.push(("LINE", LINE.to_string()));
        let needs = BuildNeeds {
            barriers_in_loops: shape.group > 1,
            ..BuildNeeds::default()
        };
        let program = device.build(path, &defines, setup.kernels, needs)?;
        let mut search = program.kernel("table_search")?;
        let mut forget = program.kernel("forget")?;
        search.check_group(shape.group)?;
        let buckets = (shape.table_mib << 20) / BUCKET_BYTES;
        let buckets = 1 << buckets.ilog2();
        // A record is put into the queue once at most; a worker may leave a place empty.
        let places = shape.records + shape.workers;
        let table = device.buffer::<u32>(buckets * BUCKET_BYTES / 4, Access::ReadWrite)?;
        let records = device.buffer::<u32>(shape.records * RECORD_WORDS, Access::ReadWrite)?;
        let nodes = device.buffer::<u32>(shape.records, Access::ReadWrite)?;
        let next = device.buffer::<u32>(shape.records, Access::ReadWrite)?;
        let waiting = device.buffer::<u32>(places, Access::ReadWrite)?;
        let control = device.buffer::<u32>(ROOTS + MOST_ROOTS * ROOT_WORDS, Access::ReadWrite)?;
        let mut queue = device.queue()?;
        for buffer in [&table, &nodes, &next, &waiting] {
            queue.fill(buffer, 0)?;
        }
        search.set_buffer(1, &table)?;
        search.set_buffer(3, &records)?;
        search.set_scalar(4, shape.records as u32)?;
        search.set_buffer(5, &nodes)?;
        search.set_buffer(6, &next)?;
        search.set_buffer(7, &waiting)?;
        search.set_scalar(8, places as u32)?;
        search.set_buffer(9, &control)?;
        forget.set_buffer(0, &table)?;
        forget.set_buffer(2, &nodes)?;
        forget.set_buffer(3, &next)?;
        forget.set_buffer(5, &waiting)?;
        Ok(DeviceTable {
            search,
            forget,
            queue,
            control,
            shape,
            buckets,
            places,
            words: vec![0; ROOTS],
            used: Used::default(),
            epoch: 0,
            build_ns: program.build_ns(),
            notes: format!(
                "group {}, {} groups, {} thresholds, table {} MiB, built with {}",
                shape.group,
                shape.workers,
                shape.thresholds,
                (buckets * BUCKET_BYTES) >> 20,
                program.options()
            ),
        })
    }

    /// Empties what the launches before have filled, so that the next ones begin from the start. `table`:
    /// the table too.
    fn forget(&mut self, table: bool) -> Result<(), Fault> {
        let entries = if table { 2 * self.used.buckets } else { 0 };
        self.forget.set_scalar(1, entries as u32)?;
        self.forget.set_scalar(4, self.used.records as u32)?;
        self.forget.set_scalar(6, self.used.places as u32)?;
        let most = entries.max(self.used.records).max(self.used.places);
        let items = most.clamp(1, 1 << 16);
        self.queue
            .launch(&self.forget, [items.next_multiple_of(64)], None)?;
        let buckets = if table { 0 } else { self.used.buckets };
        self.used = Used {
            buckets,
            ..Used::default()
        };
        Ok(())
    }

    /// Forgets earlier searches, and makes room for searches of this many positions to a depth.
    pub(super) fn begin(&mut self, positions: usize, depth: u32) -> Result<(), Fault> {
        self.forget(true)?;
        // What is cleared counts as well.
        let wanted = positions.next_power_of_two() << (depth + 9).clamp(12, 30);
        self.used.buckets = wanted.min(self.buckets);
        self.search.set_scalar(2, self.used.buckets as u32)
    }

    /// Runs one launch, and narrows the bounds of each position by its answers. Returns the nodes of all positions.
    pub(super) fn ask(&mut self, questions: &mut [Question]) -> Result<u64, Fault> {
        if self.used.is_half_full(self.shape.records, self.places) {
            self.forget(false)?;
        }
        self.epoch = self.epoch.wrapping_add(1);
        self.words.truncate(ROOTS);
        self.words.fill(0);
        let mut roots = 0;
        for question in &*questions {
            let count = question.thresholds.len() as u32;
            for threshold in &question.thresholds {
                self.words.extend(question.root_words(*threshold, roots));
            }
            roots += count;
        }
        self.words[HEAD] = self.used.places as u32;
        self.words[TAIL] = self.used.places as u32;
        self.words[ALLOCATED] = self.used.records as u32 + roots;
        self.words[LEFT] = roots;
        self.search.set_scalar(10, self.epoch)?;
        self.search.set_scalar(11, self.used.records as u32)?;
        self.search.set_scalar(12, roots)?;
        self.queue.write(&self.control, &self.words)?;
        let Shape { group, workers, .. } = self.shape;
        self.queue
            .launch(&self.search, [workers * group], Some([group]))?;
        self.queue.read(&self.control, &mut self.words)?;
        let words = &self.words;
        self.used.records = (words[ALLOCATED] as usize).min(self.shape.records);
        self.used.places = (words[HEAD].max(words[TAIL]) as usize).min(self.places);
        match words[ERROR] {
            0 => {}
            NO_ROOM => {
                return Err(Fault::Memory(format!(
                    "records: a search to depth {} splits more than {} nodes",
                    questions.iter().map(|one| one.depth).max().unwrap_or(0),
                    self.shape.records
                )));
            }
            _ => {
                return Err(Fault::Device(
                    "kernel `table_search` did not see what another group wrote".into(),
                ));
            }
        }
        let mut answers = words[ROOTS..].chunks_exact(ROOT_WORDS);
        for question in questions {
            let before = question.bounds;
            let bounds = &mut question.bounds;
            for root in answers.by_ref().take(question.thresholds.len()) {
                let bound = root[3] as i32;
                match root[2] {
                    AT_LEAST if bound > bounds.lower => {
                        (bounds.lower, bounds.best) = (bound, root[4]);
                    }
                    BELOW => bounds.upper = bounds.upper.min(bound),
                    _ => {}
                }
            }
            if bounds.lower > bounds.upper
                || bounds.lower == before.lower && bounds.upper == before.upper
            {
                return Err(Fault::Device(format!(
                    "kernel `table_search` answered {} to {} at depth {}, after {} to {}",
                    bounds.lower, bounds.upper, question.depth, before.lower, before.upper
                )));
            }
        }
        Ok(words[NODES..ROOTS].iter().copied().map(u64::from).sum())
    }
}

/// What a launch is asked about a position.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) root: Root,
    pub(super) depth: u32,
    /// What its value is taken for.
    pub(super) guess: i32,
    pub(super) bounds: Bounds,
    /// Rising, at least one, at most [`MOST_THRESHOLDS`].
    pub(super) thresholds: Vec<i32>,
}

impl Question {
    /// A root as the kernel reads it; `first`: the number of the first one of this position.
    fn root_words(&self, threshold: i32, first: u32) -> [u32; ROOT_WORDS] {
        let halves = |bits: u64| [bits as u32, (bits >> 32) as u32];
        let Root {
            own,
            other,
            moves,
            weight,
            rows,
            ..
        } = self.root;
        let ([own, own_high], [other, other_high], [moves, moves_high]) =
            (halves(own), halves(other), halves(moves));
        let mut words = [0; ROOT_WORDS];
        words[16..].copy_from_slice(&rows);
        words[..16].copy_from_slice(&[
            threshold as u32,
            u32::from(threshold <= self.guess),
            0,
            0,
            0,
            self.depth,
            self.bounds.best,
            weight as u32,
            own,
            own_high,
            other,
            other_high,
            moves,
            moves_high,
            first,
            self.thresholds.len() as u32,
        ]);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_without_places_is_full_whatever_its_records() {
        let is_full = |records, places| {
            let buckets = 0;
            let used = Used {
                records,
                places,
                buckets,
            };
            used.is_half_full(1_000, 1_100)
        };
        assert!(!is_full(500, 550));
        assert!(is_full(501, 501));
        assert!(is_full(10, 551));
    }
}
