//! `leaf-batch`: PV-split with the siblings that are leaves on a device, a work-item each.

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::device_board::{pack, packed_len, words_per_rank};
use super::hard::SEARCH;
use super::tasks::{self, Reversi, Searcher};
use crate::games::reversi::{Evaluation, Position, Representation, Square, Visit, fastest};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Queue};
use crate::search::{FixedWindow, Found, Sibling, Siblings, Window, pv_split};
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{Counters, Counts, Fault, Kind, Parts, Task, TechniqueEntry, takes_every_case};

/// The like of `rayon`, node for node, but for where the leaves among the siblings are evaluated.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "reversi",
        name: "leaf-batch",
        kind: Kind::Device,
        summary: "PV-split: siblings at depth 0 on the device, a work-item each, deeper ones on threads",
        paper: "ours; the search is that of Strnad and Guid, section 3",
        needs: "local memory for a board a work-item: on 64x64, 1.1 KB",
        like: "rayon",
        reference: "serial",
        counts: Counts::As("rayon"),
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[],
        check: takes_every_case,
    },
    trials: &[Trial::new("", SEARCH)],
    prepare,
};

/// Numbers that the kernel writes for a position (`OUTCOME_WORDS` there): value, stamp.
const OUTCOME_WORDS: usize = 2;

/// Most work-items in a work-group.
const MOST_ITEMS: usize = 32;

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let evaluation = &asked.evaluation;
        fastest(evaluation, Make { setup, evaluation })
    })
}

/// Makes the searcher for a board's representation.
struct Make<'a> {
    setup: &'a Setup<'a>,
    evaluation: &'a Evaluation,
}

impl Visit for Make<'_> {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let leaves = Leaves::new(&game, self.evaluation, self.setup)?;
        let threads = self.setup.threads;
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let refused = |error| Fault::Unsupported(format!("no pool of {threads} threads: {error}"));
        Ok(Box::new(LeafBatch {
            game,
            positions: Vec::new(),
            siblings: Both {
                leaves,
                pool: pool.map_err(refused)?,
            },
        }))
    }
}

/// The technique on one representation: what the tasks ask of it.
struct LeafBatch<R: Representation> {
    game: R,
    positions: Vec<R::Position>,
    siblings: Both,
}

impl<R: Representation> Searcher<Reversi> for LeafBatch<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        self.positions.clear();
        self.positions
            .extend(positions.iter().map(|position| self.game.load(position)));
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        let position = &self.positions[index];
        pv_split(&self.game, position, depth, &mut self.siblings)
    }

    fn parts(&mut self) -> Parts {
        self.siblings.leaves.queue.take_parts()
    }

    fn build_ns(&self) -> u64 {
        self.siblings.leaves.build_ns
    }

    fn notes(&self) -> String {
        self.siblings.leaves.notes.clone()
    }
}

/// Siblings at remaining depth 0 on the device, deeper ones on threads.
struct Both {
    leaves: Leaves,
    pool: ThreadPool,
}

impl<R: Representation> Siblings<R> for Both {
    type Fault = Fault;

    fn search(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        depth: u32,
        ply: u32,
        window: Window,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        if depth == 0 {
            let positions = siblings.iter().map(|sibling| &sibling.position);
            return self.leaves.evaluate(game, positions, scores);
        }
        let search = || FixedWindow.search(game, siblings, depth, ply, window, scores);
        match self.pool.install(search) {
            Ok(counters) => Ok(counters),
            Err(never) => match never {},
        }
    }
}

/// Static evaluation of many positions on a device: one upload, one launch, one download.
///
/// A search has one such batch, below the last node of the principal variation. What bounds it is
/// the way to the device and back: of 58 µs for four searches on 8x8 at depth 1 (pocl 3.1, two
/// cores, both busy with other work) the kernels ran for 4 µs. Nothing was tried against that; a
/// remedy would have to batch the leaves of several nodes.
struct Leaves {
    kernel: Kernel,
    queue: Queue,
    positions: Buffer<u32>,
    outcomes: Buffer<i32>,
    items: usize,
    /// What the next launch marks its first outcome with.
    stamp: u32,
    packed: Vec<u32>,
    read: Vec<i32>,
    build_ns: u64,
    notes: String,
}

impl Leaves {
    /// Builds the program, makes the buffers, writes the weights, and launches once: some drivers
    /// compile for a work-group size when they first see it.
    fn new<R: Representation>(
        game: &R,
        evaluation: &Evaluation,
        setup: &Setup<'_>,
    ) -> Result<Leaves, Fault> {
        let device = setup
            .device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))?;
        let size = evaluation.size();
        let items = work_items(evaluation, device)?;
        let defines = [
            ("WIDTH", size.width().to_string()),
            ("HEIGHT", size.height().to_string()),
            ("GROUP", items.to_string()),
            ("MOBILITY", evaluation.mobility().to_string()),
        ];
        // No barrier, so none in a loop: pocl may optimise.
        let needs = BuildNeeds {
            barriers_in_loops: false,
            ..BuildNeeds::default()
        };
        let program = device.build("reversi/leaf_batch.cl", &defines, setup.kernels, needs)?;
        let mut kernel = program.kernel("leaf_batch")?;
        let most = kernel.max_group();
        if items > most {
            return Err(Fault::Unsupported(format!(
                "{items} work-items in a group; the compiled kernel takes at most {most}"
            )));
        }
        let squares = size.squares();
        let positions = device.buffer::<u32>(squares * packed_len(size), Access::Read)?;
        let weights = device.buffer::<i32>(squares, Access::Read)?;
        let outcomes = device.buffer::<i32>(squares * OUTCOME_WORDS, Access::Write)?;
        let mut queue = device.queue()?;
        queue.write(&weights, evaluation.weights())?;
        kernel.set_buffer(0, &positions)?;
        kernel.set_buffer(1, &weights)?;
        kernel.set_buffer(4, &outcomes)?;
        let mut leaves = Leaves {
            kernel,
            queue,
            positions,
            outcomes,
            items,
            stamp: 1,
            packed: Vec::with_capacity(squares * packed_len(size)),
            read: Vec::with_capacity(squares * OUTCOME_WORDS),
            build_ns: program.build_ns(),
            notes: format!("group {items}, built with {}", program.options()),
        };
        let start = game.load(&Position::start(size));
        leaves.evaluate(game, std::iter::once(&start), &mut Vec::new())?;
        leaves.queue.take_parts();
        Ok(leaves)
    }

    /// Adds the value of each position to `scores`, from the view of the side that moved there.
    fn evaluate<'a, R: Representation>(
        &mut self,
        game: &R,
        positions: impl Iterator<Item = &'a R::Position>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        self.packed.clear();
        let mut count = 0_usize;
        for position in positions {
            pack(game, position, &mut self.packed);
            count += 1;
        }
        let stamp = self.stamp;
        self.stamp = stamp.wrapping_add(count as u32);
        self.kernel.set_scalar(2, count as i32)?;
        self.kernel.set_scalar(3, stamp)?;
        self.queue.write(&self.positions, &self.packed)?;
        let whole = count.next_multiple_of(self.items);
        self.queue
            .launch(&self.kernel, [whole], Some([self.items]))?;
        self.read.clear();
        self.read.resize(count * OUTCOME_WORDS, 0);
        self.queue.read(&self.outcomes, &mut self.read)?;
        for (place, outcome) in self.read.chunks_exact(OUTCOME_WORDS).enumerate() {
            if outcome[1] as u32 != stamp.wrapping_add(place as u32) {
                return Err(Fault::Device(format!(
                    "kernel `leaf_batch` did not finish position {place} of {count}"
                )));
            }
            scores.push(-outcome[0]);
        }
        Ok(Counters {
            nodes: count as u64,
            leaves: count as u64,
            ..Counters::default()
        })
    }
}

/// Work-items of a group, each with a board and its two empty ranks in local memory.
fn work_items(evaluation: &Evaluation, device: &Device) -> Result<usize, Fault> {
    let size = evaluation.size();
    let info = device.info();
    let board = (size.height() + 2) * words_per_rank(size) * 8;
    let fit = info.local_memory_bytes as usize / board;
    match fit.min(info.max_work_group).min(MOST_ITEMS) {
        0 => Err(Fault::Memory(format!(
            "a board of {size} needs {board} bytes of local memory, device has {}",
            info.local_memory_bytes
        ))),
        items => Ok(items),
    }
}
