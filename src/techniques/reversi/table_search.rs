//! `table-search`: alpha-beta with a table and an order of moves on an OpenCL device, all of whose
//! work-groups search one tree.
//!
//! The host drives it as MTD(f) does (Plaat, Schaeffer, Pijls and de Bruin 1996): it asks whether the value
//! reaches a threshold, several thresholds a launch, and closes in. The search becomes two plies deeper
//! each time. `cl/reversi/table_search.cl` tells how a launch searches.
//!
//! Its values are those of `serial`: what the table holds counts only at exactly its remaining depth, and is
//! the position's value at that depth or a bound of it. The move is one of those with that value. Nodes
//! differ from run to run, as the groups share what they find. A node here is a child that was made and
//! valued; above the leaves all children of a position are, where a search on the host stops at the first
//! that is good enough.
//!
//! # What bounds it
//!
//! Sums over eight positions of a game, one search each, on an H200 with 16 threads of its host, ms and
//! millions of nodes:
//!
//! | depth | `serial-table` | `rayon-table` | `table-search` |
//! | --- | --- | --- | --- |
//! | 10 | 227 (6) | 32 (14) | 35 to 38 (44) |
//! | 12 | 1,479 (44) | 198 (75) | 124 to 126 (345) |
//! | 14 | 7,827 (252) | 942 (358) | 599 (2,234) |
//!
//! The host's times differ from machine to machine of the same kind by half. A step of a group is some 700
//! integer instructions and makes ten children, so that the integer rate of the device allows some 6 G
//! children a second; it makes 1.2 G at depth 10, 2.8 G at depth 12 and 3.7 G at depth 14. At depth 10 a
//! launch takes some tenths of a millisecond, and a position ten of them: the length of the chains of steps
//! bounds it, not the rate. At depth 14 what it does in vain bounds it: nine times the nodes of
//! `serial-table`.
//!
//! # What was tried
//!
//! Sums over four positions to depth 12 (the first row: over eight), ms, against the program as it was then:
//!
//! - Two work-items a move, moves carried along instead of found anew, and several nodes above the leaves in
//!   one step: 164 to 131.
//! - Which nodes to expect to be cut: by turns alone, as in the minimal tree, a search to depth 12 of one
//!   position of four split more than 16 M nodes. What a search two plies shallower found in the table, and
//!   then the static values of the children: 77, and without the latter 220.
//! - Idle groups take all children of an expected cut node at once: more than 16 M records. They take them
//!   once the first child has not been enough.
//! - Thresholds a launch: one 174, two 103, four 87, six 94.
//! - Groups for each unit: eight 76, sixteen 77, twenty-four 82, thirty-two 87.
//! - A group alone from two plies left on 90, from three on 77, from four on 112.
//! - Children of an expected cut node one by one: two 94, three 87, five 94.
//! - Every node's first child before its others (young brothers wait): 105 for 87.

use std::time::{Duration, Instant};

use rayon::ThreadPool;

use super::hard::TABLE;
use super::read_board;
use super::tasks::{self, Reversi, Searcher};
use crate::games::INFINITY;
use crate::games::reversi::{Bits8, Evaluation, Position, Representation, Size, Square, WIN};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, DeviceKind, Kernel, Queue};
use crate::search::{Found, Remembering};
use crate::techniques::hard::Trial;
use crate::techniques::tasks::remembering::choose_until;
use crate::techniques::tasks::{Choice, Chooser, Effort};
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Counters, Counts, Fault, ParamEntry, Params, Task, TechniqueEntry, Telemetry, Value,
};

/// The strong search on a device: deepening, null windows, one table, moves in order.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "table-search",
        summary: "the strong search on the device: null windows, a table, moves in order; its groups share one tree",
        paper: "ours; MTD(f): Plaat and others 1996; the table: Hyatt and Mann 2002",
        needs: "8x8; 60 bytes of global memory a record, and the table",
        like: "rayon-table",
        reference: "serial-table",
        counts: Counts::Vary,
        tasks: &[Task::Search, Task::Game, Task::Choose, Task::Match],
        params: PARAMS,
        check: |case, _| match case.get("board").map(read_board) {
            Some(Ok(size)) => takes(size),
            _ => Ok(()),
        },
        ..TechniqueEntry::DEVICE
    },
    trials: &[Trial::new("", TABLE), Trial::new("group=5 table=1", TABLE)],
    prepare,
};

const PARAMS: &[ParamEntry] = &[
    ParamEntry {
        name: "group",
        allowed: "a whole number from 1 to 64: work-items of a work-group, which make the children of a node",
        default: "32 on GPUs, 1 on a processor",
        check: |value| within("group", value, 1, 64).map(drop),
    },
    ParamEntry {
        name: "per-unit",
        allowed: "a whole number from 1 to 64: work-groups for each compute unit",
        default: "16 on GPUs, 1 on a processor",
        check: |value| within("per-unit", value, 1, 64).map(drop),
    },
    ParamEntry {
        name: "thresholds",
        allowed: "a whole number from 1 to 8: how many a launch asks at most",
        default: "4 on GPUs, 1 on a processor",
        check: |value| within("thresholds", value, 1, 8).map(drop),
    },
    ParamEntry {
        name: "table",
        allowed: "a whole number from 1 to 4096: MiB that the table may take",
        default: "256 on GPUs, or an eighth of the memory; 16 on a processor",
        check: |value| within("table", value, 1, 4096).map(drop),
    },
    ParamEntry {
        name: "records",
        allowed: "a whole number from 1 to 64: millions of nodes (2^20) that a launch and those before it may split",
        default: "32 on GPUs, or as many as an eighth of the memory holds; 1 on a processor",
        check: |value| within("records", value, 1, 64).map(drop),
    },
    ParamEntry {
        name: "hybrid",
        allowed: "on, or off; on: `rayon-table` searches where it is predicted to need less than 4 ms",
        default: "off",
        check: |value| hybrid(value).map(drop),
    },
];

fn hybrid(value: &Value) -> Result<bool, String> {
    match value.as_text() {
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        _ => Err(format!("hybrid: `{value}`; allowed is on or off")),
    }
}

fn within(name: &str, value: &Value, least: i64, most: i64) -> Result<usize, String> {
    let number = value.as_int().filter(|it| (least..=most).contains(it));
    number.map(|it| it as usize).ok_or_else(|| {
        format!("{name}: `{value}`; allowed is a whole number from {least} to {most}")
    })
}

/// Refuses boards that the kernel is not written for.
fn takes(size: Size) -> Result<(), String> {
    match size {
        Size::STANDARD => Ok(()),
        size => Err(format!("board: `{size}`; its kernel is written for 8x8")),
    }
}

/// What the parameters say, or else what suits the device.
#[derive(Clone, Copy, Debug)]
struct Shape {
    group: usize,
    workers: usize,
    thresholds: usize,
    table_mib: usize,
    records: usize,
}

impl Shape {
    fn new(params: &Params, device: &Device) -> Result<Shape, Fault> {
        let info = device.info();
        let gpu = info.kind != DeviceKind::Cpu;
        let read = |name, most, gpus, processors| match params.get(name) {
            Some(value) => within(name, value, 1, most).map_err(Fault::Input),
            None => Ok(if gpu { gpus } else { processors }),
        };
        let units = (info.compute_units as usize).max(1);
        // How many pieces of some bytes an eighth of the memory holds, and a buffer.
        let most = info.max_allocation_bytes.min(info.global_memory_bytes / 8);
        let part = |bytes: u64| (most / bytes).max(1) as usize;
        Ok(Shape {
            group: read("group", 64, 32, 1)?,
            workers: units * read("per-unit", 64, 16, 1)?,
            thresholds: read("thresholds", 8, 4, 1)?,
            table_mib: read("table", 4096, part(1 << 20).min(256), 16)?,
            records: read("records", 64, part(RECORD_BYTES << 20).min(32), 1)? << 20,
        })
    }
}

/// Bytes of a bucket of the table: two entries.
const BUCKET_BYTES: usize = 32;
/// Words of a record: three vectors of four.
const RECORD_WORDS: usize = 12;
/// Bytes of a record with its two words of state and its place in the queue.
const RECORD_BYTES: u64 = 60;
/// Words between the numbers of the control block (`LINE` in the kernel).
const LINE: usize = 32;
const HEAD: usize = 0;
const TAIL: usize = LINE;
const ALLOCATED: usize = 2 * LINE;
const LEFT: usize = 5 * LINE;
const ERROR: usize = 6 * LINE;
const NODES: usize = 7 * LINE;
const ROOTS: usize = 8 * LINE;
/// Words of a root: threshold, whether it is expected to be reached, answer, bound, move.
const ROOT_WORDS: usize = 5;
const MOST_ROOTS: usize = 8;
/// Answers of a root.
const AT_LEAST: u32 = 1;
const BELOW: u32 = 2;
/// What may be wrong after a launch.
const NO_ROOM: u32 = 1;
/// No move, as the kernel writes it.
const NO_MOVE: u32 = 127;

/// The even depth that deepening begins with; to an odd depth, one more.
const FIRST_DEPTH: u32 = 4;
/// The deepest iteration that a time is enough for.
const MOST_DEPTH: u32 = 30;
/// How many times as long as an iteration one that is a ply deeper may take.
const GROWTH: u32 = 6;
/// How narrow the bounds of an iteration before the last become: a guess is enough.
const CLOSE_ENOUGH: i32 = 60;

/// How many plies less deep the host searches first, to predict how long it would need.
const LESS_DEEP: u32 = 6;
/// How many times as long a search takes that is so much deeper: 100 to 300 times in the middle of games.
const TIMES_AS_LONG: u32 = 150;
/// What the host is given, where it is predicted to need no more.
const HOSTS: Duration = Duration::from_millis(4);

/// The host's part: `rayon-table`.
struct Host {
    game: Bits8,
    table: Remembering,
    pool: ThreadPool,
    /// Positions that it answered since this was told last, and all.
    answered: [u64; 2],
}

impl Host {
    fn new(setup: &Setup<'_>, evaluation: &Evaluation) -> Result<Host, Fault> {
        let threads = setup.threads.max(1);
        Ok(Host {
            game: Bits8::new(evaluation),
            table: Remembering::new(256 << 20, threads, None),
            pool: setup.pool()?,
            answered: [0; 2],
        })
    }

    fn search(&mut self, position: &Position, depth: u32) -> Found<Square> {
        let position = Representation::load(&self.game, position);
        let (game, table) = (&self.game, &mut self.table);
        self.pool.install(|| table.search(game, &position, depth))
    }

    /// What it finds, where it is predicted to need little time.
    fn try_search(&mut self, position: &Position, depth: u32) -> Option<Found<Square>> {
        self.answered[1] += 1;
        let start = Instant::now();
        let before = depth.saturating_sub(LESS_DEEP);
        let less = (before > 0).then(|| self.search(position, before));
        if start.elapsed() * TIMES_AS_LONG > HOSTS && less.is_some() {
            return None;
        }
        self.answered[0] += 1;
        let mut found = self.search(position, depth);
        if let Some(less) = less {
            found.counters += less.counters;
        }
        Some(found)
    }
}

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare_timed(setup, |asked| {
        Ok(Box::new(TableSearch::new(setup, &asked.evaluation)?))
    })
}

/// A position as the kernel takes it.
#[derive(Clone, Copy, Debug)]
struct Root {
    own: u64,
    other: u64,
    /// The mover's moves.
    moves: u64,
    weight: i32,
    /// Its static value, from the mover.
    value: i32,
    /// The first of the mover's moves, where it has one.
    first: Option<Square>,
}

struct TableSearch {
    evaluation: Evaluation,
    search: Kernel,
    forget: Kernel,
    queue: Queue,
    control: Buffer<u32>,
    shape: Shape,
    /// Buckets of the table, a power of two.
    buckets: usize,
    /// Places of the queue of nodes.
    places: usize,
    positions: Vec<Root>,
    /// The host's part, where it has one, and the positions as it takes them.
    host: Option<(Host, Vec<Position>)>,
    /// What goes to the device and comes back.
    words: Vec<u32>,
    /// Records and places that are used up, and buckets that may hold something.
    used: Used,
    /// Tells the records of one launch from those of all others.
    epoch: u32,
    build_ns: u64,
    notes: String,
}

#[derive(Clone, Copy, Debug, Default)]
struct Used {
    records: usize,
    places: usize,
    buckets: usize,
}

/// What is known of a value, and the move that showed the lower bound.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    lower: i32,
    upper: i32,
    best: u32,
}

impl TableSearch {
    fn new(setup: &Setup<'_>, evaluation: &Evaluation) -> Result<TableSearch, Fault> {
        let device = setup
            .device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))?;
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
        if shape.group > search.max_group() {
            return Err(Fault::Unsupported(format!(
                "group: {} work-items; the compiled kernel takes at most {}",
                shape.group,
                search.max_group()
            )));
        }
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
        forget.set_buffer(0, &table)?;
        forget.set_buffer(2, &nodes)?;
        forget.set_buffer(3, &next)?;
        forget.set_buffer(5, &waiting)?;
        let mut made = TableSearch {
            evaluation: evaluation.clone(),
            search,
            forget,
            queue,
            control,
            shape,
            buckets,
            places,
            positions: Vec::new(),
            host: None,
            words: vec![0; ROOTS + MOST_ROOTS * ROOT_WORDS],
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
        };
        // Once, as some drivers compile for a work-group size when they first see it.
        let start = made.root(&Position::start(Size::STANDARD));
        made.search(&start, 4)?;
        made.queue.take_parts();
        let by_both = setup.params.get("hybrid").map_or(Ok(false), hybrid);
        if by_both.map_err(Fault::Input)? {
            made.host = Some((Host::new(setup, evaluation)?, Vec::new()));
        }
        Ok(made)
    }

    fn root(&self, position: &Position) -> Root {
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
            weight: self.evaluation.pieces(position),
            value: self.evaluation.value(position),
            first: position.legal_moves().first().copied(),
        }
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

    fn spent(&mut self) -> Telemetry {
        let mut notes = self.notes.clone();
        if let Some((host, _)) = &mut self.host {
            let [its, all] = std::mem::take(&mut host.answered);
            notes += &format!(", {its} of {all} positions by the host");
        }
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes,
            ..Telemetry::default()
        }
    }

    /// The value of a position at a depth of at least 1, and a best move.
    fn search(&mut self, root: &Root, depth: u32) -> Result<Found<Square>, Fault> {
        // Of one parity: the side that moves last has the better of a static value.
        let first = (FIRST_DEPTH + depth % 2).min(depth);
        self.begin(root, depth)?;
        let mut iteration = Iteration::before(root);
        for at in (first..=depth).step_by(2) {
            let enough = if at == depth { 0 } else { CLOSE_ENOUGH };
            self.close_in(at, enough, None, &mut iteration)?;
        }
        Ok(iteration.found(root))
    }

    /// Searches deeper and deeper until the time is up. What the last iteration that ended found, and its
    /// depth. A launch cannot be stopped: an iteration begins where one that takes [`GROWTH`] times as long as
    /// the last would still end in time.
    fn search_until(
        &mut self,
        root: &Root,
        deadline: Instant,
    ) -> Result<(Found<Square>, u32), Fault> {
        self.begin(root, MOST_DEPTH)?;
        let mut iteration = Iteration::before(root);
        let (mut found, mut reached) = (iteration.found(root), 0);
        let mut took = Duration::ZERO;
        for depth in 1..=MOST_DEPTH {
            let start = Instant::now();
            if reached > 0 && start + took * GROWTH >= deadline {
                break;
            }
            if !self.close_in(depth, 0, Some(deadline), &mut iteration)? {
                break;
            }
            (found, reached) = (iteration.found(root), depth);
            took = start.elapsed();
        }
        found.counters = iteration.counters;
        Ok((found, reached))
    }

    /// Forgets what was searched before, and sets the position up.
    fn begin(&mut self, root: &Root, depth: u32) -> Result<(), Fault> {
        self.forget(true)?;
        let buckets = self.buckets_for(depth);
        self.used.buckets = buckets;
        self.search.set_scalar(2, buckets as u32)?;
        self.search.set_scalar(10, root.own)?;
        self.search.set_scalar(11, root.other)?;
        self.search.set_scalar(12, root.moves)?;
        self.search.set_scalar(13, root.weight)
    }

    /// How large a table serves a depth: what is cleared counts as well.
    fn buckets_for(&self, depth: u32) -> usize {
        let wanted = 1_usize << (depth + 9).clamp(12, 30);
        wanted.min(self.buckets)
    }

    /// Asks until the bounds of the value at a depth are no further apart than `enough`. False where the
    /// deadline came first.
    fn close_in(
        &mut self,
        depth: u32,
        enough: i32,
        deadline: Option<Instant>,
        iteration: &mut Iteration,
    ) -> Result<bool, Fault> {
        let mut bounds = Bounds {
            lower: -INFINITY,
            upper: INFINITY,
            best: iteration.best,
        };
        let mut asked = Vec::with_capacity(MOST_ROOTS);
        while bounds.upper.saturating_sub(bounds.lower) > enough {
            if deadline.is_some_and(|end| Instant::now() >= end) {
                return Ok(false);
            }
            thresholds(bounds, iteration.guess, self.shape.thresholds, &mut asked);
            let closer = self.ask(depth, &asked, bounds, iteration)?;
            if closer.lower > closer.upper
                || closer.lower == bounds.lower && closer.upper == bounds.upper
            {
                return Err(Fault::Device(format!(
                    "kernel `table_search` answered {} to {} at depth {depth}, after {} to {}",
                    closer.lower, closer.upper, bounds.lower, bounds.upper
                )));
            }
            bounds = closer;
        }
        iteration.guess = bounds.middle();
        iteration.best = bounds.best;
        Ok(true)
    }

    /// One launch: whether the value reaches each of the thresholds. The bounds that follow.
    fn ask(
        &mut self,
        depth: u32,
        asked: &[i32],
        mut bounds: Bounds,
        iteration: &mut Iteration,
    ) -> Result<Bounds, Fault> {
        if self.used.records > self.shape.records / 2 {
            self.forget(false)?;
        }
        self.epoch = self.epoch.wrapping_add(1);
        let roots = asked.len();
        self.words.fill(0);
        self.words[HEAD] = self.used.places as u32;
        self.words[TAIL] = self.used.places as u32;
        self.words[ALLOCATED] = (self.used.records + roots) as u32;
        self.words[LEFT] = roots as u32;
        let slots = self.words[ROOTS..].chunks_exact_mut(ROOT_WORDS);
        for (root, threshold) in slots.zip(asked) {
            root[0] = *threshold as u32;
            root[1] = u32::from(*threshold <= iteration.guess);
        }
        self.search.set_scalar(14, bounds.best)?;
        self.search.set_scalar(15, depth as i32)?;
        self.search.set_scalar(16, self.epoch)?;
        self.search.set_scalar(17, self.used.records as u32)?;
        self.search.set_scalar(18, roots as u32)?;
        self.queue.write(&self.control, &self.words)?;
        let Shape { group, workers, .. } = self.shape;
        self.queue
            .launch(&self.search, [workers * group], Some([group]))?;
        self.queue.read(&self.control, &mut self.words)?;
        let words = &self.words;
        self.used.records = (words[ALLOCATED] as usize).min(self.shape.records);
        self.used.places = (words[HEAD].max(words[TAIL]) as usize).min(self.places);
        let nodes: u64 = words[NODES..ROOTS].iter().copied().map(u64::from).sum();
        iteration.counters.nodes += nodes;
        iteration.counters.leaves += nodes;
        match words[ERROR] {
            0 => {}
            NO_ROOM => {
                return Err(Fault::Memory(format!(
                    "records: a search to depth {depth} splits more than {} nodes",
                    self.shape.records
                )));
            }
            _ => {
                return Err(Fault::Device(
                    "kernel `table_search` did not see what another group wrote".into(),
                ));
            }
        }
        for root in words[ROOTS..].chunks_exact(ROOT_WORDS).take(roots) {
            let bound = root[3] as i32;
            match root[2] {
                AT_LEAST if bound > bounds.lower => {
                    (bounds.lower, bounds.best) = (bound, root[4]);
                }
                BELOW => bounds.upper = bounds.upper.min(bound),
                _ => {}
            }
        }
        Ok(bounds)
    }
}

/// What the iterations so far have found.
struct Iteration {
    /// The value, or what it is taken for before a search.
    guess: i32,
    best: u32,
    counters: Counters,
}

impl Iteration {
    fn before(root: &Root) -> Iteration {
        Iteration {
            guess: root.value,
            best: NO_MOVE,
            counters: Counters::default(),
        }
    }

    fn found(&self, root: &Root) -> Found<Square> {
        let best = match self.best {
            NO_MOVE => root.first,
            square => root.first.and(Some(Square(square as u16))),
        };
        Found::new(self.guess, best, self.counters)
    }
}

impl Bounds {
    /// What to take the value for.
    fn middle(self) -> i32 {
        match (self.lower, self.upper) {
            (lower, INFINITY) => lower,
            (lower, upper) if lower == -INFINITY => upper,
            (lower, upper) => lower + (upper - lower) / 2,
        }
    }
}

/// How far apart thresholds stand where little is known, in hundredths of a disc.
const STRIDE: i32 = 15;

/// The thresholds to ask next, above the lower bound and at most the upper one, in order.
fn thresholds(bounds: Bounds, guess: i32, most: usize, asked: &mut Vec<i32>) {
    asked.clear();
    let most = most as i32;
    let Bounds { lower, upper, .. } = bounds;
    let open = (lower == -INFINITY, upper == INFINITY);
    match open {
        // Around the guess.
        (true, true) => asked.extend((0..most).map(|at| guess + STRIDE * (2 * at - most + 1) / 2)),
        // From the bound on, twice as far each time.
        (false, true) => asked.extend((0..most).map(|at| lower + 1 + STRIDE * ((1 << at) - 1))),
        (true, false) => {
            asked.extend((0..most).rev().map(|at| upper - STRIDE * ((1 << at) - 1)));
        }
        (false, false) => {
            let width = upper - lower;
            let count = most.min(width);
            // The whole part of each share, so that a single one stands in the middle.
            asked.extend((1..=count).map(|at| {
                let share = i64::from(width) * i64::from(at) / i64::from(count + 1);
                lower + (share as i32).max(at)
            }));
        }
    }
    asked.dedup();
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

impl Searcher<Reversi> for TableSearch {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions = positions
            .iter()
            .map(|position| self.root(position))
            .collect();
        if let Some((_, its)) = &mut self.host {
            its.clear();
            its.extend_from_slice(positions);
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        if let Some((host, positions)) = &mut self.host
            && let Some(found) = host.try_search(&positions[index], depth)
        {
            return Ok(found);
        }
        let root = self.positions[index];
        TableSearch::search(self, &root, depth)
    }

    fn telemetry(&mut self) -> Telemetry {
        self.spent()
    }
}

impl Chooser<Reversi> for TableSearch {
    fn choose(
        &mut self,
        play: &Reversi,
        position: &Position,
        effort: Effort,
    ) -> Result<Choice<Square>, Fault> {
        let start = Instant::now();
        choose_until(play, position, start, effort, |deadline| {
            let root = self.root(position);
            self.search_until(&root, deadline)
        })
    }

    fn telemetry(&mut self) -> Telemetry {
        self.spent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_lie_inside_the_bounds_and_close_in() {
        let bounds = |lower, upper| Bounds {
            lower,
            upper,
            best: NO_MOVE,
        };
        let ask = |bounds, guess, most| {
            let mut asked = Vec::new();
            thresholds(bounds, guess, most, &mut asked);
            asked
        };
        assert_eq!(ask(bounds(-INFINITY, INFINITY), 7, 1), [7]);
        assert_eq!(ask(bounds(-INFINITY, INFINITY), 0, 4), [-22, -7, 7, 22]);
        assert_eq!(ask(bounds(10, INFINITY), 0, 3), [11, 26, 56]);
        assert_eq!(ask(bounds(-INFINITY, 10), 0, 3), [-35, -5, 10]);
        for width in 1..200 {
            for most in 1..=8 {
                let asked = ask(bounds(5, 5 + width), 0, most);
                assert!(!asked.is_empty());
                assert!(asked.is_sorted_by(|a, b| a < b), "{asked:?}");
                assert!(asked[0] > 5 && asked[asked.len() - 1] <= 5 + width);
                if width <= most as i32 {
                    assert_eq!(asked.len() as i32, width, "all are asked");
                }
            }
        }
    }

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
