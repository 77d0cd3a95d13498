//! `naive`: the paper's first search on the device, a work-item a move.
//!
//! # What bounds it
//!
//! The launch lasts as long as one work-item takes for the largest subtree: its evaluations, one
//! after another, times the latency of one. An evaluation is some 60 operations in a chain of about
//! five accesses to memory (line, two readings, what they make), and 12 operations more for every
//! stone that the search has laid over the board; what a device could do at a time does not matter,
//! as no board has moves enough to fill one. At 24x24 the largest of the paper's boards gives 575
//! work-items.
//!
//! [`Group::Auto`] spreads them as far as they go: so many in a group that every compute unit gets a
//! group, and no more than fill a unit's preferred width, for work-items side by side wait for each
//! other wherever their searches part.

use std::path::Path;

use super::device_board::tables;
use super::device_items::{GROUPS_ALLOWED, Group, ItemProgram, OUTCOME_WORDS, Outcome, Plan, Root};
use super::hard::{SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, Position, Square};
use crate::opencl::{Access, Buffer, BuildNeeds, Device, Kernel, Queue};
use crate::search::Found;
use crate::techniques::hard::Trial;
use crate::techniques::{Sampler, Setup, Technique};
use crate::words::{
    Counters, Counts, Fault, Kind, ParamEntry, Parts, Task, TechniqueEntry, takes_every_case,
};

/// One work-item a move of the root (Kawakami and Wang, section 5.1); the nodes of
/// `serial-as-published`.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "naive",
        kind: Kind::Device,
        summary: "one work-item a root move, which searches its whole subtree with the full window",
        paper: "Kawakami and Wang, section 5.1",
        needs: "",
        like: "rayon-as-published",
        reference: "serial",
        counts: Counts::As("serial-as-published"),
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[ParamEntry {
            name: "group",
            allowed: GROUPS_ALLOWED,
            default: "auto",
            check: |value| Group::parse(value).map(drop),
        }],
        check: takes_every_case,
    },
    trials: &[Trial::new("", SEARCH), Trial::new("group=5", SMALL)],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Result<Box<dyn Sampler>, Fault> {
    tasks::prepare(setup, |asked| {
        let group = Group::read(setup.params).map_err(Fault::Input)?;
        let device = setup
            .device
            .ok_or_else(|| Fault::Unsupported("no OpenCL device".into()))?;
        let naive = Naive::new(&asked.evaluation, device, group, asked.depth, setup.kernels)?;
        Ok(Box::new(naive))
    })
}

struct Naive {
    evaluation: Evaluation,
    depth: u32,
    kernel: Kernel,
    queue: Queue,
    position: Buffer<u32>,
    outcomes: Buffer<i32>,
    items: usize,
    /// What the next launch marks its outcomes with.
    stamp: u32,
    roots: Vec<Root>,
    read: Vec<i32>,
    build_ns: u64,
    options: String,
}

impl Naive {
    /// Builds the program, makes the buffers, writes the tables, and launches once without a move:
    /// some drivers compile for a work-group size when they first see it.
    fn new(
        evaluation: &Evaluation,
        device: &Device,
        group: Group,
        depth: u32,
        folder: Option<&Path>,
    ) -> Result<Naive, Fault> {
        let size = evaluation.size();
        let plan = Plan {
            path: "gomoku/naive.cl",
            kernels: &["naive"],
            evaluation,
            prefix: 1,
            plies: depth.saturating_sub(1),
            constants: Vec::new(),
            needs: BuildNeeds::default(),
        };
        let units = device.info().compute_units.max(1) as usize;
        let auto = size
            .squares()
            .div_ceil(units)
            .min(device.preferred_multiple().max(1));
        let ItemProgram { program, items } = plan.build(device, folder, group, auto)?;
        let tables = tables(evaluation.shapes());
        let table_buffer = device.buffer::<i32>(tables.len(), Access::Read)?;
        let position = device.buffer::<u32>(Root::most_words(size), Access::Read)?;
        let outcomes = device.buffer::<i32>(size.squares() * OUTCOME_WORDS, Access::Write)?;
        let mut queue = device.queue()?;
        queue.write(&table_buffer, &tables)?;
        let mut kernel = program.kernel("naive")?;
        kernel.set_buffer(0, &table_buffer)?;
        kernel.set_buffer(1, &position)?;
        kernel.set_buffer(6, &outcomes)?;
        for scalar in 2..=4 {
            kernel.set_scalar(scalar, 0i32)?;
        }
        kernel.set_scalar(5, 0u32)?;
        queue.launch(&kernel, [items], Some([items]))?;
        queue.finish()?;
        queue.take_parts();
        Ok(Naive {
            evaluation: evaluation.clone(),
            depth,
            kernel,
            queue,
            position,
            outcomes,
            items,
            stamp: 1,
            roots: Vec::new(),
            read: Vec::with_capacity(size.squares() * OUTCOME_WORDS),
            build_ns: program.build_ns(),
            options: program.options().to_owned(),
        })
    }

    /// Searches every move of a root, and leaves in `read` what the work-items wrote; returns what
    /// their outcomes must be marked with, the first one's.
    fn launch(&mut self, index: usize) -> Result<u32, Fault> {
        let root = &self.roots[index];
        let count = root.moves.len();
        let stamp = self.stamp;
        self.stamp = stamp.wrapping_add(count as u32);
        self.kernel.set_scalar(2, root.empty.len() as i32)?;
        self.kernel.set_scalar(3, root.balance)?;
        self.kernel.set_scalar(4, count as i32)?;
        self.kernel.set_scalar(5, stamp)?;
        self.queue.write(&self.position, &root.words)?;
        let global = count.next_multiple_of(self.items);
        self.queue
            .launch(&self.kernel, [global], Some([self.items]))?;
        self.read.clear();
        self.read.resize(count * OUTCOME_WORDS, 0);
        self.queue.read(&self.outcomes, &mut self.read)?;
        Ok(stamp)
    }
}

impl Searcher<Gomoku> for Naive {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let root = |position| Root::new(&self.evaluation, position);
        self.roots = positions.iter().map(root).collect();
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        if depth != self.depth {
            return Err(Fault::Input(format!(
                "depth: `{depth}`; this kernel was built for {}",
                self.depth
            )));
        }
        if let Some(value) = self.roots[index].decided {
            return Ok(decided(value));
        }
        let stamp = self.launch(index)?;
        let moves = &self.roots[index].moves;
        let root = Counters {
            nodes: 1,
            ..Counters::default()
        };
        let mut found = Found::new(i32::MIN, None, root);
        for (place, words) in self.read.chunks_exact(OUTCOME_WORDS).enumerate() {
            let outcome = Outcome::read(words, stamp.wrapping_add(place as u32));
            let outcome = outcome.ok_or_else(|| {
                Fault::Device(format!(
                    "kernel `naive` did not finish move {place} of {}",
                    moves.len()
                ))
            })?;
            found.counters += outcome.counters;
            let value = -i64::from(outcome.value);
            if value > found.value {
                (found.value, found.best) = (value, Some(moves[place]));
            }
        }
        Ok(found)
    }

    fn parts(&mut self) -> Parts {
        self.queue.take_parts()
    }

    fn build_ns(&self) -> u64 {
        self.build_ns
    }

    fn notes(&self) -> String {
        format!("group {}, built with {}", self.items, self.options)
    }
}

/// What is found at a root where the game is over.
pub(super) fn decided(value: i32) -> Found<Square> {
    let counters = Counters {
        nodes: 1,
        leaves: 1,
        ..Counters::default()
    };
    Found::new(value, None, counters)
}
