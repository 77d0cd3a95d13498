use std::path::Path;

use super::device_board::tables;
use super::device_items::{Group, ItemProgram, Plan, Root};
use super::parents::{FOLDED_WORDS, fold_outcomes, most_parents, parent_words, plane, read_folded};
use crate::games::gomoku::{Evaluation, Position};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Outcomes, Queue, SEARCHED_WORDS};
use crate::words::{Counters, Fault, Telemetry};

/// Leaves of the upper tree on an OpenCL device, streamed.
///
/// The caller pushes their parents, in any order. They go out in chunks, and what was found of one
/// chunk is taken together while the device works on the next.
pub struct DeviceLeaves {
    evaluation: Evaluation,
    split: u32,
    plies: u32,
    queue: Queue,
    kernels: Kernels,
    position: Buffer<u32>,
    paths: Buffer<u32>,
    items: usize,
    /// The most parents that are sent at a time.
    most_parents: usize,
    /// Empty squares of the root, each a leaf of each parent, or none.
    empty: usize,
    /// The parents to be sent next.
    waiting: Chunk,
    /// The parents that the device works on.
    sent: Chunk,
    found: Vec<FoundParent>,
    counters: Counters,
    build_ns: u64,
    options: String,
}

/// What runs on a chunk.
enum Kernels {
    /// A work-item searches its leaf.
    Search {
        kernel: Kernel,
        outcomes: Box<Outcomes>,
    },
    /// One ply is left: what the leaves of a parent share is found first.
    LastPly(Box<LastPly>),
}

struct LastPly {
    parents: Kernel,
    kernel: Kernel,
    fold: Kernel,
    outcomes: Buffer<u32>,
    folded: Buffer<u32>,
    read: Vec<u32>,
    /// Numbers of a plane of `parents`.
    plane: usize,
}

#[derive(Default)]
struct Chunk {
    paths: Vec<u32>,
    /// What the caller calls each parent.
    names: Vec<usize>,
}

/// What was found of a parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundParent {
    /// What the caller called it.
    pub name: usize,
    /// Its value, from the side to move there.
    pub value: i32,
    /// The first of the root's empty squares, in the order of moves, that has it.
    pub best: usize,
}

impl DeviceLeaves {
    /// Builds the program, makes the buffers, writes the tables and launches once. The leaves lie `split` plies
    /// below the root, 1 to 3, and `plies` are left to search there, at least 1.
    ///
    /// # Errors
    /// As [`Plan::build`], [`Fault::Memory`] where not one parent fits, and where the device refuses.
    pub fn new(
        evaluation: &Evaluation,
        device: &Device,
        group: Group,
        split: u32,
        plies: u32,
        folder: Option<&Path>,
    ) -> Result<DeviceLeaves, Fault> {
        let size = evaluation.size();
        let names: &[&str] = if plies == 1 {
            &["parents", "last_ply", "fold"]
        } else {
            &["search_leaves"]
        };
        let plan = Plan {
            path: "gomoku/sequential_parallel.cl",
            kernels: names,
            evaluation,
            prefix: split,
            plies,
            constants: Vec::new(),
            needs: BuildNeeds::default(),
        };
        let auto = 4 * device.preferred_multiple();
        let ItemProgram { program, items } = plan.build(device, folder, group.or(auto))?;
        let most_parents = most_parents(device.info(), size, split, plies);
        let tables = tables(evaluation.shapes());
        let table_buffer = device.buffer::<i32>(tables.len(), Access::Read)?;
        let position = device.buffer::<u32>(Root::most_words(size), Access::Read)?;
        let paths = device.buffer::<u32>(most_parents, Access::Read)?;
        let leaves = most_parents * size.squares();
        let mut kernels = if plies == 1 {
            let changes =
                device.buffer::<i32>(most_parents * parent_words(size), Access::ReadWrite)?;
            let outcomes = device.buffer::<u32>(leaves, Access::ReadWrite)?;
            let folded = device.buffer::<u32>(most_parents * FOLDED_WORDS, Access::Write)?;
            let mut parents = program.kernel("parents")?;
            let mut kernel = program.kernel("last_ply")?;
            let mut fold = program.kernel("fold")?;
            parents.set_buffer(5, &changes)?;
            kernel.set_buffer(5, &changes)?;
            kernel.set_buffer(6, &outcomes)?;
            fold.set_buffer(1, &outcomes)?;
            fold.set_buffer(2, &folded)?;
            Kernels::LastPly(Box::new(LastPly {
                parents,
                kernel,
                fold,
                outcomes,
                folded,
                read: Vec::new(),
                plane: plane(size),
            }))
        } else {
            let mut outcomes = Outcomes::new(device, "leaf", leaves, SEARCHED_WORDS)?;
            let mut kernel = program.kernel("search_leaves")?;
            outcomes.bind(&mut kernel, 6)?;
            let outcomes = Box::new(outcomes);
            Kernels::Search { kernel, outcomes }
        };
        for kernel in kernels.each() {
            kernel.set_buffer(0, &table_buffer)?;
            kernel.set_buffer(1, &position)?;
            kernel.set_buffer(4, &paths)?;
        }
        let mut queue = device.queue()?;
        queue.write(&table_buffer, &tables)?;
        let mut leaves = DeviceLeaves {
            evaluation: evaluation.clone(),
            split,
            plies,
            queue,
            kernels,
            position,
            paths,
            items,
            most_parents,
            empty: 0,
            waiting: Chunk::default(),
            sent: Chunk::default(),
            found: Vec::new(),
            counters: Counters::default(),
            build_ns: program.build_ns(),
            options: program.options().to_owned(),
        };
        leaves.rehearse()?;
        Ok(leaves)
    }

    /// Launches once, on the empty board and for no leaf: some drivers compile for a work-group size
    /// when they first see it.
    fn rehearse(&mut self) -> Result<(), Fault> {
        let root = Root::new(&self.evaluation, &Position::empty(self.evaluation.size()));
        self.begin(&root)?;
        self.set_empty(0)?;
        self.waiting.paths.push(0);
        self.send()?;
        self.sent.clear();
        self.queue.finish()?;
        self.queue.take_parts();
        Ok(())
    }

    /// Begins with another root. What was pushed before must have been finished, or is forgotten.
    ///
    /// # Errors
    /// Where the device refuses.
    pub fn begin(&mut self, root: &Root) -> Result<(), Fault> {
        self.waiting.clear();
        self.sent.clear();
        self.found.clear();
        self.counters = Counters::default();
        self.empty = root.empty.len();
        self.set_empty(root.empty.len())?;
        for kernel in self.kernels.each() {
            kernel.set_scalar(3, root.balance)?;
        }
        self.queue.write(&self.position, &root.words)
    }

    /// Tells every kernel how many leaves a parent may have.
    fn set_empty(&mut self, empty: usize) -> Result<(), Fault> {
        for kernel in self.kernels.each() {
            kernel.set_scalar(2, empty as i32)?;
        }
        if let Kernels::LastPly(last_ply) = &mut self.kernels {
            last_ply.fold.set_scalar(0, empty as i32)?;
        }
        Ok(())
    }

    /// Adds a parent: the moves that lead to it, 10 bits each, the first one lowest. The caller calls
    /// it `name`.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn push(&mut self, path: u32, name: usize) -> Result<(), Fault> {
        self.waiting.paths.push(path);
        self.waiting.names.push(name);
        if self.waiting.paths.len() < self.most_parents {
            return Ok(());
        }
        self.advance()
    }

    /// Sends what waits, while what was sent before is taken together.
    fn advance(&mut self) -> Result<(), Fault> {
        let done = std::mem::take(&mut self.sent);
        self.read(&done)?;
        if !self.waiting.paths.is_empty() {
            self.send()?;
        }
        self.gather(&done)?;
        // Its room serves again.
        self.waiting = done;
        self.waiting.clear();
        Ok(())
    }

    fn send(&mut self) -> Result<(), Fault> {
        self.sent = std::mem::take(&mut self.waiting);
        let count = self.sent.paths.len();
        let global = [self.empty.next_multiple_of(self.items), count];
        let local = Some([self.items, 1]);
        self.queue.write(&self.paths, &self.sent.paths)?;
        match &mut self.kernels {
            Kernels::Search { kernel, outcomes } => {
                kernel.set_scalar(5, outcomes.mark(count * self.empty))?;
                self.queue.launch(kernel, global, local)?;
            }
            Kernels::LastPly(last_ply) => {
                self.queue.fill(&last_ply.outcomes, 0)?;
                let shared = [last_ply.plane.next_multiple_of(self.items), count];
                self.queue.launch(&last_ply.parents, shared, local)?;
                self.queue.launch(&last_ply.kernel, global, local)?;
                let groups = [count * self.items];
                self.queue
                    .launch(&last_ply.fold, groups, Some([self.items]))?;
            }
        }
        self.queue.flush()
    }

    /// Waits for a chunk's outcomes.
    fn read(&mut self, chunk: &Chunk) -> Result<(), Fault> {
        if chunk.paths.is_empty() {
            return Ok(());
        }
        match &mut self.kernels {
            Kernels::Search { outcomes, .. } => outcomes.fetch(&mut self.queue),
            Kernels::LastPly(last_ply) => {
                let LastPly { folded, read, .. } = &mut **last_ply;
                read.resize(chunk.paths.len() * FOLDED_WORDS, 0);
                self.queue.read(folded, read)
            }
        }
    }

    /// Takes a chunk's leaves together, parent by parent.
    fn gather(&mut self, chunk: &Chunk) -> Result<(), Fault> {
        for (place, name) in chunk.names.iter().enumerate() {
            let leaves = place * self.empty..(place + 1) * self.empty;
            let folded = match &self.kernels {
                Kernels::Search { outcomes, .. } => fold_outcomes(outcomes, leaves)?,
                Kernels::LastPly(last_ply) => {
                    let words = last_ply.read.as_chunks::<FOLDED_WORDS>().0;
                    read_folded(words[place])
                }
            };
            let unfinished = || {
                let count = chunk.names.len();
                Fault::Device(format!(
                    "a kernel did not finish the leaves of parent {place} of {count}"
                ))
            };
            let folded = folded.ok_or_else(unfinished)?;
            self.counters += folded.counters;
            self.found.push(FoundParent {
                name: *name,
                value: folded.value,
                best: folded.best,
            });
        }
        Ok(())
    }

    /// Waits for everything that was pushed.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn finish(&mut self) -> Result<(), Fault> {
        while !self.waiting.paths.is_empty() || !self.sent.paths.is_empty() {
            self.advance()?;
        }
        Ok(())
    }

    /// What was found since the last call of this, in the order of pushing.
    pub fn drain(&mut self) -> impl Iterator<Item = FoundParent> + '_ {
        self.found.drain(..)
    }

    /// What was searched below the parents since the root was set, the parents not among it.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The evaluation, with the board that it is for.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Plies from the root to the leaves, and from there to the end of the search.
    pub fn split(&self) -> (u32, u32) {
        (self.split, self.plies)
    }

    /// Where the time since the last call of this went, and what was chosen and used: `group 128, chunks of 7281
    /// parents, built with …`.
    pub fn telemetry(&mut self) -> Telemetry {
        let DeviceLeaves {
            items,
            most_parents,
            options,
            ..
        } = &*self;
        let notes =
            format!("group {items}, chunks of {most_parents} parents, built with {options}");
        Telemetry {
            parts: self.queue.take_parts(),
            build_ns: self.build_ns,
            notes,
            ..Telemetry::default()
        }
    }
}

impl Kernels {
    fn each(&mut self) -> impl Iterator<Item = &mut Kernel> {
        let (first, second) = match self {
            Kernels::Search { kernel, .. } => (kernel, None),
            Kernels::LastPly(last_ply) => (&mut last_ply.kernel, Some(&mut last_ply.parents)),
        };
        std::iter::once(first).chain(second)
    }
}

impl Chunk {
    fn clear(&mut self) {
        self.paths.clear();
        self.names.clear();
    }
}
