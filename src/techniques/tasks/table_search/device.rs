//! Runs a search in which all work-groups share one tree (`cl/common/table_search_kernel.clh`).

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::game::{Bounds, Root, Shape, TableGame};
use crate::opencl::Kernel;
use crate::techniques::prelude::*;

/// Number of kernel arguments before the game's arguments (`GAME_PARAMETERS`).
const FIXED_ARGUMENTS: u32 = 16;
/// Number of bytes per bucket of the table. A bucket has two entries.
const BUCKET_BYTES: usize = 32;
/// Number of words per record: four vectors of four words.
const RECORD_WORDS: usize = 16;
/// Offsets in the control block, in words. Most are multiples of `LINE`. The kernel uses the same names.
const LINE: usize = 32;
const HEAD: usize = 0;
const TAIL: usize = LINE;
const ALLOCATED: usize = 2 * LINE;
const IDLE: usize = 3 * LINE;
const PRESENT: usize = IDLE + 1;
const DONE: usize = 4 * LINE;
const GONE: usize = DONE + 1;
const LEFT: usize = 5 * LINE;
const ERROR: usize = 6 * LINE;
const TICKS: usize = ERROR + 1;
const NODES: usize = 7 * LINE;
const ROOTS: usize = 10 * LINE;
/// Number of words per root: threshold, expectation, answer, bound, move, plies left, hint, weight, counts, board.
const ROOT_WORDS: usize = 32;
/// Possible answers for a root.
const AT_LEAST: u32 = 1;
const BELOW: u32 = 2;
/// State of a launch that must be continued.
const PAUSED: u32 = 2;
/// Possible errors of a launch.
const NO_ROOM: u32 = 1;
const NO_PLACE: u32 = 3;
/// Marks the absence of a move in the kernel's answers.
pub(super) const NO_MOVE: u32 = 127;

/// Number of ticks per worker in the first launch, which takes a few milliseconds on a GPU.
const FIRST_TICKS: u64 = 1_000;
/// Minimum number of ticks in a launch, because a worker must finish at least one node.
const LEAST_TICKS: u64 = 64;
/// Number of consecutive launches without a node after which the search fails. On a loaded CPU, workers may stall.
const FRUITLESS: u32 = 100;

/// Number of work-items per group of the kernel that clears the records and the queue.
const FORGET_GROUP: usize = 64;
/// Number of distinct ages of table entries.
const AGES: u32 = 8;
/// An odd number whose multiples serve as the salts of searches.
const SALT: u64 = 0xd134_2543_de82_ef95;

/// Returns a number that is unique in this process, so that old contents of uncleared memory match nothing.
fn unique() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The tree, its table and its queue of nodes on a device.
pub(super) struct DeviceTable {
    pub(super) search: Runner,
    forget: Kernel,
    forget_group: usize,
    control: Buffer<u32>,
    pub(super) shape: Shape,
    /// Number of buckets in the table, a power of two.
    buckets: usize,
    places: usize,
    /// Words that are sent to the device and read back.
    words: Vec<u32>,
    used: Used,
    budget: LaunchBudget,
    searches: u32,
    /// Number of idle workers that left launches early, since the last call of `telemetry`.
    workers_left: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Used {
    records: usize,
    places: usize,
}

impl Used {
    /// Returns whether a launch may run out of `records` or `places`. Idle workers use up places, but no records.
    fn is_half_full(&self, records: usize, places: usize) -> bool {
        self.records > records / 2 || self.places > places / 2
    }
}

impl DeviceTable {
    /// Builds the kernels and allocates the buffers, for launches with at most this number of positions.
    pub(super) fn new<G: TableGame>(
        setup: &Setup<'_>,
        game: &G,
        positions: usize,
    ) -> Result<DeviceTable, Fault> {
        let device = setup.on_device()?;
        let shape = Shape::new(setup.params, device, G::ON_GPUS)?;
        let local = game.local_bytes(shape.group) as u64;
        device
            .info()
            .check_local(local, format!("a group of {} needs", shape.group))?;
        let mut defines = game.defines();
        defines.push(("GROUP", shape.group.to_string()));
        defines.push(("LINE", LINE.to_string()));
        let on_processor = device.info().kind == DeviceKind::Cpu;
        defines.push(("ON_PROCESSOR", u8::from(on_processor).to_string()));
        let needs = BuildNeeds {
            barriers_in_loops: shape.group > 1,
            ..BuildNeeds::default()
        };
        let program = device.build(G::KERNEL, &defines, setup.kernels, needs)?;
        let kernel = program.kernel("table_search")?;
        let mut search = Runner::new(device, &program, kernel, shape.group)?;
        let mut forget = program.kernel("forget")?;
        let forget_group = FORGET_GROUP.min(device.info().max_work_group).max(1);
        let buckets = (shape.table_mib << 20) / BUCKET_BYTES;
        let buckets = 1 << buckets.ilog2();
        // A record enters the queue once, and again after each pause. Each worker may leave a place empty.
        let places = shape.records + shape.workers;
        let most_roots = positions * shape.thresholds;
        search.upload("worths", &game.worths())?;
        let table_words = buckets * BUCKET_BYTES / 4;
        let record_words = shape.records * RECORD_WORDS;
        let control_words = ROOTS + most_roots * ROOT_WORDS;
        let mut buffer = |name, words| search.buffer::<u32>(name, words, Access::ReadWrite);
        let table = buffer("table", table_words)?;
        buffer("records", record_words)?;
        let nodes = buffer("words", shape.records)?;
        let next = buffer("next", shape.records)?;
        let waiting = buffer("queue", places)?;
        let control = buffer("control", control_words)?;
        for buffer in [&table, &nodes, &next, &waiting] {
            search.queue.fill(buffer, 0)?;
        }
        search.set(&[
            ("capacity", &(shape.records as u32)),
            ("places", &(places as u32)),
        ])?;
        for (index, word) in (FIXED_ARGUMENTS..).zip(game.words()) {
            search.kernel.set_scalar(index, word)?;
        }
        forget.set(&[("words", &nodes), ("next", &next), ("queue", &waiting)])?;
        search.notes = format!(
            "group {}, {} groups, {} thresholds, table {} MiB, built with {}",
            shape.group,
            shape.workers,
            shape.thresholds,
            (buckets * BUCKET_BYTES) >> 20,
            search.options
        );
        Ok(DeviceTable {
            search,
            forget,
            forget_group,
            control,
            shape,
            buckets,
            places,
            words: vec![0; ROOTS],
            used: Used::default(),
            budget: LaunchBudget::new(device, FIRST_TICKS),
            searches: 0,
            workers_left: 0,
        })
    }

    /// Clears the records and the queue of earlier launches, but keeps the table.
    fn forget(&mut self) -> Result<(), Fault> {
        let used = self.used;
        self.forget.set(&[
            ("nodes", &(used.records as u32)),
            ("places", &(used.places as u32)),
        ])?;
        let most = self.used.records.max(self.used.places);
        if most == 0 {
            return Ok(());
        }
        // All groups have the same size, because pocl compiles a kernel again for each group size.
        let group = self.forget_group;
        let items = most.min(1 << 16).next_multiple_of(group);
        let queue = &mut self.search.queue;
        queue.launch(&self.forget, [items], Some([group]))?;
        self.used = Used::default();
        Ok(())
    }

    pub(super) fn telemetry(&mut self) -> Telemetry {
        let mut telemetry = self.search.telemetry();
        telemetry.parts.workers_left = std::mem::take(&mut self.workers_left);
        telemetry
    }

    /// Begins a search of this number of positions to a depth. The search ignores table entries of earlier searches.
    pub(super) fn begin(&mut self, positions: usize, depth: u32) -> Result<(), Fault> {
        self.forget()?;
        // Caches hold only a small part of the table, so shallow searches use few buckets.
        let wanted = positions.next_power_of_two() << (depth + 9).clamp(12, 30);
        let salt = u64::from(unique()).wrapping_mul(SALT);
        self.searches = self.searches.wrapping_add(1);
        self.search.set(&[
            ("buckets", &(wanted.min(self.buckets) as u32)),
            ("salt", &salt),
            ("age", &(self.searches % AGES)),
        ])
    }

    /// Tests the thresholds in one or more launches, and narrows the bounds. Returns the number of nodes.
    pub(super) fn ask(&mut self, questions: &mut [&mut Search]) -> Result<u64, Fault> {
        if self.used.is_half_full(self.shape.records, self.places) {
            self.forget()?;
        }
        self.words.truncate(ROOTS);
        self.words.fill(0);
        let mut roots = 0;
        for question in questions.iter() {
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
        self.search.set(&[
            ("epoch", &unique()),
            ("first", &(self.used.records as u32)),
            ("roots", &roots),
        ])?;
        let nodes = self.run()?;
        let words = &self.words;
        self.used.records = (words[ALLOCATED] as usize).min(self.shape.records);
        self.used.places = (words[HEAD].max(words[TAIL]) as usize).min(self.places);
        match words[ERROR] {
            0 => {}
            error @ (NO_ROOM | NO_PLACE) => {
                let depth = questions.iter().map(|one| one.depth).max().unwrap_or(0);
                let needs = match error {
                    NO_ROOM => format!("splits more than {} nodes", self.shape.records),
                    _ => format!("needs more than {} places in its queue", self.places),
                };
                let why = format!("records: a search to depth {depth} {needs}");
                return Err(Fault::Memory(why));
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
        Ok(nodes)
    }

    /// Launches until no root in the control block (`words`) is left. Returns the number of nodes.
    fn run(&mut self) -> Result<u64, Fault> {
        let workers = self.shape.workers;
        let (mut nodes, mut fruitless) = (0, 0);
        // The number of ticks increases if launches are too short for a single node.
        let mut least = LEAST_TICKS;
        loop {
            let budget = self.budget.next().map(|ticks| ticks.max(least));
            let ticks = u32::try_from(budget.unwrap_or(0)).unwrap_or(u32::MAX);
            self.search.set(&[("budget", &ticks)])?;
            let start = Instant::now();
            self.search.queue.write(&self.control, &self.words)?;
            self.search.launch_groups(workers)?;
            self.search.queue.read(&self.control, &mut self.words)?;
            self.budget
                .learn(u64::from(self.words[TICKS]), start.elapsed());
            self.workers_left += u64::from(self.words[GONE]);
            let made: u64 = self.words[NODES..NODES + LINE]
                .chunks_exact(2)
                .map(|counter| u64::from(counter[1]) << 32 | u64::from(counter[0]))
                .sum();
            if self.words[DONE] != PAUSED || self.words[ERROR] != 0 {
                return Ok(nodes + made);
            }
            // All roots may have been answered after a worker paused the launch.
            if self.words[LEFT] == 0 {
                return Ok(nodes + made);
            }
            fruitless = if made > 0 { 0 } else { fruitless + 1 };
            least = if made > 0 {
                least
            } else {
                (2 * least).min(1 << 20)
            };
            if fruitless > FRUITLESS {
                let why = format!("kernel `table_search` made no node in {FRUITLESS} launches");
                return Err(Fault::Device(why));
            }
            nodes += made;
            self.words[NODES..NODES + LINE].fill(0);
            for word in [IDLE, PRESENT, DONE, GONE, TICKS] {
                self.words[word] = 0;
            }
        }
    }
}

/// The state of a position's search, including the thresholds for the next launch.
pub(super) struct Search {
    pub(super) root: Root,
    pub(super) depth: u32,
    /// Guess of the value: the value at the previous depth, or at first the static value.
    pub(super) guess: i32,
    pub(super) bounds: Bounds,
    /// The thresholds in ascending order, at least one per launch.
    pub(super) thresholds: Vec<i32>,
    pub(super) counters: Counters,
}

impl Search {
    /// Returns the words of a root for the kernel. `first` is the number of the first root for this position.
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
            let used = Used { records, places };
            used.is_half_full(1_000, 1_100)
        };
        assert!(!is_full(500, 550));
        assert!(is_full(501, 501));
        assert!(is_full(10, 551));
    }
}
