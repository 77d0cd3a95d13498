//! `naive-as-published`: the paper's first program on the device, with the paper's data.
//!
//! Section 5.1: "launch 1 thread block of dimension (224,1,1) and have each thread of that block explore every
//! potential move". So all moves of the root are one work-group's, on one compute unit, however many the device
//! has. A board is an array of ints (section 8), a leaf's value is counted over the whole board by if-else (sections 2.1
//! and 5.1), and so is whether a node has a five.
//!
//! # What the text leaves open
//!
//! - The block's size on other boards and in games: one work-item for each move after the first stone, so 224 on
//!   15x15. Later in a game some have none; on the empty board the first has two. A device whose groups are smaller
//!   gets its largest, each work-item takes several moves then, and the notes say so.
//! - Where a thread has its board: an array of its own, in private memory. Its moves are put on it and taken back; the
//!   paper may have copied it for every call.
//! - Recursion, which OpenCL lacks: a stack in private memory.
//! - What a thread knows of the others' bounds: nothing, as in the paper's Algorithm 3.
//!
//! Algorithm 2's misprints are mended as in `serial-as-published`, whose nodes these are.
//!
//! # What bounds it
//!
//! One compute unit, and on it the work-item with the largest subtree. On pocl 3.1, whose group is one core's, 15x15 at
//! depth 2 takes the kernel 7.1 ms for 49,952 leaves, 140 ns each; `naive`, which counts what a stone changes and spreads
//! the moves over two cores, 0.54 ms. At depth 3 on 12x12 they take 33 and 1.5 ms for 88,865 leaves (two cores, both busy with other
//! work). On an H200, 15x15 at depth 2 takes 9.8 ms and `naive` 0.107; at depth 3 93 and 0.72 ms.
//!
//! # Branch reordering
//!
//! Section 8 wishes that "the search process starts a[t] a branch with the largest number of children", for neighbours in
//! a warp to do alike. `order = "children"` gives work-items beside each other moves with like numbers of
//! children. Where every empty square is a move all have as many, and nothing changes; with `moves = "adjacent"` they
//! differ. `efficiency = true` tells how full the lanes are. It counts nodes entered: that lanes also wait for each other
//! inside an evaluation, at every if-else, is not in it.

use super::device_cells::{
    CellsPlan, empty, int_of, int_of_square, launch_for_nothing, pack_cells,
};
use super::device_items::{GROUP, Group};
use super::hard::{SEARCH, SMALL};
use super::naive::decided;
use super::order::{ORDER, Order, Spread};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, Position, Square, lost};
use crate::opencl::{Access, Buffer, Outcomes, Runner, SEARCHED_WORDS};
use crate::search::Found;
use crate::techniques::hard::Trial;
use crate::techniques::lanes::{EFFICIENCY, Lanes};
use crate::techniques::tasks::built_for;
use crate::techniques::{Setup, Technique};
use crate::words::{Counts, Fault, Task, TechniqueEntry, Telemetry};

/// One block of all root moves, boards of ints, everything from scratch (Kawakami and Wang, section 5.1); the nodes of
/// `serial-as-published`.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "naive-as-published",
        summary: "the paper's program: one work-group of all root moves, a work-item each, the whole board evaluated at \
                  each leaf",
        paper: "Kawakami and Wang, section 5.1",
        like: "rayon-as-published",
        counts: Counts::As("serial-as-published"),
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP, ORDER, EFFICIENCY],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("group=5 order=children efficiency=true", SMALL),
    ],
    prepare: |setup| {
        tasks::prepare(setup, |asked| {
            let naive = Naive::new(&asked.evaluation, asked.depth, setup)?;
            Ok(Box::new(naive))
        })
    },
};

/// A position that is searched, as the kernel has it.
struct Root {
    cells: Vec<i32>,
    mover: i32,
    empty: usize,
    spread: Spread,
    /// Its value where the game is over.
    decided: Option<i32>,
}

impl Root {
    fn new(evaluation: &Evaluation, position: &Position, order: Order) -> Root {
        let mut cells = Vec::new();
        pack_cells(position, &mut cells);
        Root {
            cells,
            mover: int_of(position.mover()),
            empty: empty(position),
            spread: Spread::new(evaluation, position, order),
            decided: position
                .is_over()
                .then(|| if position.has_five() { lost(0) } else { 0 }),
        }
    }
}

struct Naive {
    evaluation: Evaluation,
    depth: u32,
    order: Order,
    run: Runner,
    position: Buffer<i32>,
    moves: Buffer<i32>,
    outcomes: Outcomes,
    roots: Vec<Root>,
    /// How full lanes are, where that is asked for.
    lanes: Option<Lanes>,
}

impl Naive {
    /// Builds the program and makes the buffers.
    fn new(evaluation: &Evaluation, depth: u32, setup: &Setup<'_>) -> Result<Naive, Fault> {
        let device = setup.on_device()?;
        let squares = evaluation.size().squares();
        let plan = CellsPlan {
            path: "gomoku/naive_as_published.cl",
            kernel: "naive_as_published",
            evaluation,
            block: squares - 1,
            group: Group::read(setup.params, &GROUP)?,
            constants: vec![("PLIES", depth.saturating_sub(1).to_string())],
            local: 0,
            barriers_in_loops: false,
        };
        let mut run = plan.build(device, setup)?;
        let position = device.buffer::<i32>(squares, Access::Read)?;
        let moves = device.buffer::<i32>(squares, Access::Read)?;
        let mut outcomes = Outcomes::new(device, "move", squares, SEARCHED_WORDS)?;
        run.kernel.set_buffer(1, &position)?;
        run.kernel.set_buffer(2, &moves)?;
        outcomes.bind(&mut run.kernel, 7)?;
        for scalar in 3..=5 {
            run.kernel.set_scalar(scalar, 0i32)?;
        }
        run.kernel.set_scalar(6, 0u32)?;
        run.queue.write(&position, &vec![0; squares])?;
        launch_for_nothing(&mut run)?;
        Ok(Naive {
            evaluation: evaluation.clone(),
            depth,
            order: Order::read(setup.params)?,
            lanes: Lanes::asked_for(setup.params, device, &run)?,
            run,
            position,
            moves,
            outcomes,
            roots: Vec::new(),
        })
    }
}

impl Searcher<Gomoku> for Naive {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let root = |position| Root::new(&self.evaluation, position, self.order);
        self.roots = positions.iter().map(root).collect();
        if self.lanes.is_some() && !self.roots.is_empty() {
            self.search(0, self.depth)?;
            let mut by_item = vec![0; self.run.items];
            for (at, nodes) in self.roots[0].spread.nodes.iter().enumerate() {
                by_item[at % self.run.items] += nodes;
            }
            if let Some(lanes) = &mut self.lanes {
                lanes.add(&by_item);
            }
            self.run.telemetry();
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        built_for(self.depth, depth)?;
        let root = &mut self.roots[index];
        if let Some(value) = root.decided {
            return Ok(decided(value));
        }
        let run = &mut self.run;
        let moves: Vec<i32> = root.spread.taken().map(int_of_square).collect();
        run.kernel.set_scalar(3, moves.len() as i32)?;
        run.kernel.set_scalar(4, root.mover)?;
        run.kernel.set_scalar(5, root.empty as i32)?;
        run.kernel.set_scalar(6, self.outcomes.mark(moves.len()))?;
        run.queue.write(&self.position, &root.cells)?;
        run.queue.write(&self.moves, &moves)?;
        run.launch_groups(1)?;
        root.spread.read(&mut self.outcomes, &mut run.queue)
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
