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
//! [`Group::Auto`] spreads them as far as they go: as many in a group as give every compute unit a
//! group, and no more than fill a unit's preferred width, for work-items side by side wait for each
//! other wherever their searches part.

use super::device_board::{square_word, tables};
use super::device_items::{GROUP, Group, ItemProgram, Plan, Root};
use super::hard::{SEARCH, SMALL};
use super::order::{ORDER, Order, Spread};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, Position, Square};
use crate::opencl::{Access, Buffer, BuildNeeds, Outcomes, Runner, SEARCHED_WORDS};
use crate::search::Found;
use crate::techniques::hard::Trial;
use crate::techniques::lanes::{EFFICIENCY, Lanes};
use crate::techniques::tasks::built_for;
use crate::techniques::{Setup, Technique};
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry, Telemetry};

/// One work-item a move of the root (Kawakami and Wang, section 5.1); the nodes of
/// `serial-as-published`.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "naive",
        summary: "one work-item a root move, which searches its whole subtree with the full window",
        paper: "Kawakami and Wang, section 5.1",
        like: "rayon-as-published",
        counts: Counts::As("serial-as-published"),
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP, ORDER, EFFICIENCY],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("group=5 order=children", SMALL),
    ],
    prepare: |setup| {
        tasks::prepare(setup, |asked| {
            let naive = Naive::new(&asked.evaluation, asked.depth, setup)?;
            Ok(Box::new(naive))
        })
    },
};

struct Naive {
    evaluation: Evaluation,
    depth: u32,
    run: Runner,
    position: Buffer<u32>,
    outcomes: Outcomes,
    order: Order,
    roots: Vec<(Root, Spread)>,
    /// How full lanes are, where that is asked for.
    lanes: Option<Lanes>,
}

impl Naive {
    /// Builds the program, makes the buffers, writes the tables, and launches once without a move:
    /// some drivers compile for a work-group size when they first see it.
    fn new(evaluation: &Evaluation, depth: u32, setup: &Setup<'_>) -> Result<Naive, Fault> {
        let group = Group::read(setup.params, &GROUP)?;
        let device = setup.on_device()?;
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
        let ItemProgram { program, items } = plan.build(device, setup.kernels, group.or(auto))?;
        let mut run = Runner::new(device, &program, program.kernel("naive")?, items)?;
        let tables = tables(evaluation.shapes());
        let table_buffer = device.buffer::<i32>(tables.len(), Access::Read)?;
        let position = device.buffer::<u32>(Root::most_words(size), Access::Read)?;
        let mut outcomes = Outcomes::new(device, "move", size.squares(), SEARCHED_WORDS)?;
        run.queue.write(&table_buffer, &tables)?;
        run.kernel.set_buffer(0, &table_buffer)?;
        run.kernel.set_buffer(1, &position)?;
        outcomes.bind(&mut run.kernel, 6)?;
        for scalar in 2..=4 {
            run.kernel.set_scalar(scalar, 0i32)?;
        }
        run.kernel.set_scalar(5, 0u32)?;
        run.launch_groups(1)?;
        run.queue.finish()?;
        run.telemetry();
        Ok(Naive {
            evaluation: evaluation.clone(),
            depth,
            order: Order::read(setup.params)?,
            lanes: Lanes::asked_for(setup.params, device, &run)?,
            run,
            position,
            outcomes,
            roots: Vec::new(),
        })
    }
}

impl Searcher<Gomoku> for Naive {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let size = self.evaluation.size();
        let root = |position| {
            let mut root = Root::new(&self.evaluation, position);
            let spread = Spread::new(&self.evaluation, position, self.order);
            // The moves stand last.
            let before = root.words.len() - spread.moves.len();
            for (word, mv) in root.words[before..].iter_mut().zip(spread.taken()) {
                *word = square_word(size, mv);
            }
            (root, spread)
        };
        self.roots = positions.iter().map(root).collect();
        if self.lanes.is_some() && !self.roots.is_empty() {
            self.search(0, self.depth)?;
            if let Some(lanes) = &mut self.lanes {
                lanes.add(&self.roots[0].1.nodes);
            }
            self.run.telemetry();
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        built_for(self.depth, depth)?;
        let (root, spread) = &mut self.roots[index];
        if let Some(value) = root.decided {
            return Ok(decided(value));
        }
        let (count, kernel) = (spread.moves.len(), &mut self.run.kernel);
        kernel.set_scalar(2, root.empty.len() as i32)?;
        kernel.set_scalar(3, root.balance)?;
        kernel.set_scalar(4, count as i32)?;
        kernel.set_scalar(5, self.outcomes.mark(count))?;
        self.run.queue.write(&self.position, &root.words)?;
        self.run.launch_items(count)?;
        spread.read(&mut self.outcomes, &mut self.run.queue)
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut resources = self.run.resources();
        resources.extend(Lanes::resource(self.lanes.as_ref()));
        Telemetry {
            resources,
            ..self.run.telemetry()
        }
    }
}

/// What is found at a root where the game is over.
pub(super) fn decided(value: i32) -> Found<Square> {
    Found::new(value, None, Counters::of_leaves(1))
}
