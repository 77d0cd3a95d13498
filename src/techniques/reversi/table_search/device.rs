//! The search of one tree by all work-groups: `cl/reversi/table_search.cl`.

use super::bounds::Bounds;
use super::params::Shape;
use crate::games::reversi::{Evaluation, Position, Size, Square, WIN};
use crate::opencl::{Access, Buffer, BuildNeeds, Kernel, Queue};
use crate::techniques::Setup;
use crate::words::Fault;

/// Bytes of a bucket of the table: two entries.
const BUCKET_BYTES: usize = 32;
/// Words of a record: three vectors of four.
const RECORD_WORDS: usize = 12;
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
/// boards, moves; the first root of the same position, and how many there are.
const ROOT_WORDS: usize = 16;
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
/// How many squares are good ones to move to, and how many are at least fair.
const GOOD_SQUARES: [usize; 2] = [12, 32];
/// No move, as the kernel writes it.
pub(super) const NO_MOVE: u32 = 127;

/// Refuses boards that the kernel is not written for.
pub(super) fn takes(size: Size) -> Result<(), String> {
    match size {
        Size::STANDARD => Ok(()),
        size => Err(format!("board: `{size}`; its kernel is written for 8x8")),
    }
}

/// A position as the kernel takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    own: u64,
    other: u64,
    /// The mover's moves.
    moves: u64,
    weight: i32,
    /// Its static value, from the mover.
    pub(super) value: i32,
    /// The first of the mover's moves, where it has one.
    pub(super) first: Option<Square>,
}

impl Root {
    pub(super) fn new(evaluation: &Evaluation, position: &Position) -> Root {
        let bits = |colour| {
            let rows = position.rows(colour).iter().rev();
            rows.fold(0, |board, row| board << 8 | (row & 0xff))
        };
        let mover = position.mover();
        Root {
            own: bits(mover),
            other: bits(mover.other()),
            moves: position
                .legal_moves()
                .iter()
                .fold(0, |moves, square| moves | 1 << square.index()),
            weight: evaluation.pieces(position),
            value: evaluation.value(position),
            first: position.legal_moves().first().copied(),
        }
    }
}

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

impl DeviceTable {
    /// Builds the kernels, makes the buffers and searches once.
    pub(super) fn new(setup: &Setup<'_>, evaluation: &Evaluation) -> Result<DeviceTable, Fault> {
        let device = setup.on_device()?;
        takes(evaluation.size()).map_err(Fault::Unsupported)?;
        let shape = Shape::new(setup.params, device)?;
        let defines = [
            ("GROUP", shape.group.to_string()),
            ("MOBILITY", evaluation.mobility().to_string()),
            ("WIN", WIN.to_string()),
            ("LINE", LINE.to_string()),
        ];
        let needs = BuildNeeds {
            barriers_in_loops: shape.group > 1,
            ..BuildNeeds::default()
        };
        let program = device.build("reversi/table_search.cl", &defines, setup.kernels, needs)?;
        let mut search = program.kernel("table_search")?;
        let mut forget = program.kernel("forget")?;
        search.check_group(shape.group)?;
        let buckets = (shape.table_mib << 20) / BUCKET_BYTES;
        let buckets = 1 << buckets.ilog2();
        // A record is put into the queue once at most; a worker may leave a place empty.
        let places = shape.records + shape.workers;
        let sums = device.buffer::<i16>(8 * 256, Access::Read)?;
        let table = device.buffer::<u32>(buckets * BUCKET_BYTES / 4, Access::ReadWrite)?;
        let records = device.buffer::<u32>(shape.records * RECORD_WORDS, Access::ReadWrite)?;
        let nodes = device.buffer::<u32>(shape.records, Access::ReadWrite)?;
        let next = device.buffer::<u32>(shape.records, Access::ReadWrite)?;
        let waiting = device.buffer::<u32>(places, Access::ReadWrite)?;
        let control = device.buffer::<u32>(ROOTS + MOST_ROOTS * ROOT_WORDS, Access::ReadWrite)?;
        let mut queue = device.queue()?;
        queue.write(&sums, &sums_of(evaluation))?;
        for buffer in [&table, &nodes, &next, &waiting] {
            queue.fill(buffer, 0)?;
        }
        search.set_buffer(0, &sums)?;
        search.set_buffer(1, &table)?;
        search.set_buffer(3, &records)?;
        search.set_scalar(4, shape.records as u32)?;
        search.set_buffer(5, &nodes)?;
        search.set_buffer(6, &next)?;
        search.set_buffer(7, &waiting)?;
        search.set_scalar(8, places as u32)?;
        search.set_buffer(9, &control)?;
        let [good, fair] = GOOD_SQUARES.map(|count| best_squares(evaluation, count));
        search.set_scalar(13, good)?;
        search.set_scalar(14, fair)?;
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
        let items = entries.max(self.used.records).clamp(1, 1 << 16);
        self.queue
            .launch(&self.forget, [items.next_multiple_of(64)], None)?;
        let buckets = if table { 0 } else { self.used.buckets };
        self.used = Used {
            buckets,
            ..Used::default()
        };
        Ok(())
    }

    /// Forgets what was searched before, and makes room for searches of so many positions to a depth.
    pub(super) fn begin(&mut self, positions: usize, depth: u32) -> Result<(), Fault> {
        self.forget(true)?;
        // What is cleared counts as well.
        let wanted = positions.next_power_of_two() << (depth + 9).clamp(12, 30);
        self.used.buckets = wanted.min(self.buckets);
        self.search.set_scalar(2, self.used.buckets as u32)
    }

    /// One launch: what follows about the bounds of each position. The nodes of all.
    pub(super) fn ask(&mut self, questions: &mut [Question]) -> Result<u64, Fault> {
        if self.used.records > self.shape.records / 2 {
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
            ..
        } = self.root;
        let ([own, own_high], [other, other_high], [moves, moves_high]) =
            (halves(own), halves(other), halves(moves));
        [
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
        ]
    }
}

/// The squares with the highest weights, this many.
fn best_squares(evaluation: &Evaluation, count: usize) -> u64 {
    let mut squares: Vec<usize> = (0..evaluation.weights().len()).collect();
    squares.sort_by_key(|at| -evaluation.weights()[*at]);
    squares.iter().take(count).fold(0, |set, at| set | 1 << at)
}

/// The weight of every set of squares of each rank: `[rank * 256 + set]`.
fn sums_of(evaluation: &Evaluation) -> Vec<i16> {
    let weights = evaluation.weights().chunks_exact(8);
    let of_rank = |weights: &[i32]| -> Vec<i16> {
        let weights = weights.to_vec();
        let sum = |set: usize| {
            (0..8)
                .filter(|at| set >> at & 1 != 0)
                .map(|at| weights[at])
                .sum()
        };
        (0..256)
            .map(|set| {
                let sum: i32 = sum(set);
                sum as i16
            })
            .collect()
    };
    weights.flat_map(of_rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Params;

    #[test]
    fn sums_are_those_of_the_squares() {
        let evaluation = Evaluation::new(Size::STANDARD, &Params::new()).unwrap();
        let sums = sums_of(&evaluation);
        assert_eq!(sums.len(), 2_048);
        assert_eq!(
            i32::from(sums[256 + 0b101]),
            evaluation.weights()[8] + evaluation.weights()[10]
        );
        let all: i32 = (0..8).map(|rank| i32::from(sums[rank * 256 + 255])).sum();
        assert_eq!(all, evaluation.weights().iter().sum::<i32>());
    }
}
