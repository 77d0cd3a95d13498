//! `sequential-parallel-as-published`: the paper's second program on the device, with the paper's data.
//!
//! Section 5.2: the host searches the upper part of the tree and "store[s] the leaf board state[s] into an array"; "a GPU
//! thread is launched for each of these k sub-trees", 768 a block (section 7.4); then the host goes through the upper part once
//! more to retrieve the values. A board is an array of ints, and everything is counted over the whole board, on the
//! device and on the host.
//!
//! # What the text leaves open
//!
//! - Whether the upper part is pruned: it cannot be, as no value is known before the device's.
//! - Where a thread works: on its stored board, in global memory. Its moves are put there and taken back.
//! - Recursion, which OpenCL lacks: a stack in private memory.
//! - What is done when the boards do not fit: the paper's program ends, and so does this one, with what it needs and what
//!   the device has. (7.4 counts 11,089,344 *integers* for 15x15 with three plies on the host; that is the number
//!   of boards, so that it needs 225 times as much, 10 GB.)
//! - A device whose groups are smaller than 768 gets its largest; the notes say so.
//!
//! # What bounds it
//!
//! Leaves, of which the upper part cuts none: on pocl 3.1 with two cores, both busy with other work, 12x12 at depth 3 after two
//! plies takes 1.1 s for 2,863,146 leaves, all of it the kernel's, 380 ns each, where `naive-as-published` needs 88,865. On an
//! H200 15x15 at depth 3 takes 36.9 ms for 11,089,344 leaves, 23.0 of them the kernel's, and ours 0.118.
//!
//! # Branch reordering
//!
//! It and the count of full lanes are those of `naive-as-published`: boards with the most children go
//! first, and from 768 of them on it is whole groups that differ.

use super::device_cells::{
    BLOCK, BLOCK_GROUP, CellsPlan, empty, int_of, launch_for_nothing, pack_cells,
};
use super::device_items::Group;
use super::hard::{DEEP, SEARCH, SMALL};
use super::naive::decided;
use super::order::{ORDER, Order};
use super::sequential_parallel::{SPLIT_PARAM, check, split_of};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, Position, Representation, Square, Visit, as_published};
use crate::opencl::{Access, Buffer, Outcomes, Runner, SEARCHED_WORDS};
use crate::search::Found;
use crate::techniques::hard::Trial;
use crate::techniques::lanes::{EFFICIENCY, Lanes};
use crate::techniques::tasks::built_for;
use crate::techniques::{Setup, Technique};
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry, Telemetry};

/// One work-item a stored board (Kawakami and Wang, section 5.2, after Rocki and Suda 2010).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
        name: "sequential-parallel-as-published",
        summary: "the paper's program: the host stores the boards of all leaves of the upper plies, 768 work-items a \
                  group search one each",
        paper: "Kawakami and Wang, section 5.2",
        needs: "memory for every leaf of the upper plies: on 15x15 with two, 45 MB, with three 10 GB",
        like: "rayon-as-published",
        counts: Counts::Model,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[SPLIT_PARAM, BLOCK_GROUP, ORDER, EFFICIENCY],
        check,
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("split=1 group=5 order=children", SMALL),
        Trial::new("split=2 group=64 order=children efficiency=true", DEEP),
    ],
    prepare: |setup| {
        tasks::prepare(setup, |asked| {
            let split = split_of(i64::from(asked.depth), setup.params).map_err(Fault::Input)?;
            let boards = Boards::new(&asked.evaluation, split, asked.depth, setup)?;
            Ok(as_published(&asked.evaluation, Make { boards }))
        })
    },
};

/// The boards of one search, on the host and on the device.
struct Boards {
    split: u32,
    depth: u32,
    order: Order,
    run: Runner,
    device: Buffer<i32>,
    outcomes: Outcomes,
    /// All boards, one after another, as the upper part leads to them.
    stored: Vec<i32>,
    /// How many children each has, where the order asks for it.
    children: Vec<usize>,
    /// What the device found of each, as they were stored.
    found: Vec<(i32, Counters)>,
    lanes: Option<Lanes>,
    counting: bool,
}

impl Boards {
    /// Builds the program, and makes room for as many boards as the upper part can have.
    fn new(
        evaluation: &Evaluation,
        split: u32,
        depth: u32,
        setup: &Setup<'_>,
    ) -> Result<Boards, Fault> {
        let device = setup.on_device()?;
        let squares = evaluation.size().squares();
        let plan = CellsPlan {
            path: "gomoku/sequential_parallel_as_published.cl",
            kernel: "sequential_parallel_as_published",
            evaluation,
            block: BLOCK,
            group: Group::read(setup.params, &BLOCK_GROUP)?,
            constants: vec![
                ("PLIES", (depth - split).to_string()),
                ("PLY", split.to_string()),
            ],
            local: 0,
            barriers_in_loops: false,
        };
        let mut run = plan.build(device, setup)?;
        let most: usize = (0..split as usize).map(|ply| squares - ply).product();
        let boards = device.buffer::<i32>(most * squares, Access::ReadWrite)?;
        let mut outcomes = Outcomes::new(device, "board", most, SEARCHED_WORDS)?;
        run.kernel.set_buffer(1, &boards)?;
        for scalar in 2..=4 {
            run.kernel.set_scalar(scalar, 0i32)?;
        }
        run.kernel.set_scalar(5, 0u32)?;
        outcomes.bind(&mut run.kernel, 6)?;
        launch_for_nothing(&mut run)?;
        run.notes = format!("split {split}+{}, {}", depth - split, run.notes);
        Ok(Boards {
            split,
            depth,
            order: Order::read(setup.params)?,
            lanes: Lanes::asked_for(setup.params, device, &run)?,
            counting: false,
            run,
            device: boards,
            outcomes,
            stored: Vec::new(),
            children: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Searches all boards that are stored; `mover` is to move on them, and `empty` squares are left.
    fn search(&mut self, squares: usize, mover: i32, empty: usize) -> Result<(), Fault> {
        let count = self.stored.len() / squares;
        self.found.clear();
        self.found.resize(count, (0, Counters::default()));
        if count == 0 {
            return Ok(());
        }
        let places = self.order.places(count, |place| self.children[place]);
        if self.order != Order::Moves {
            let board = |place: &u32| &self.stored[*place as usize * squares..][..squares];
            self.stored = places.iter().flat_map(board).copied().collect();
        }
        let run = &mut self.run;
        run.kernel.set_scalar(2, count as i32)?;
        run.kernel.set_scalar(3, mover)?;
        run.kernel.set_scalar(4, empty as i32)?;
        run.kernel.set_scalar(5, self.outcomes.mark(count))?;
        run.queue.write(&self.device, &self.stored)?;
        run.launch_items(count)?;
        let found = &mut self.found;
        let mut nodes = Vec::new();
        let counting = self.counting;
        self.outcomes.read(&mut run.queue, |outcome| {
            let (value, counters) = outcome.searched();
            found[places[outcome.place] as usize] = (value, counters);
            if counting {
                nodes.push(counters.nodes);
            }
        })?;
        if let Some(lanes) = self.lanes.as_mut().filter(|_| counting) {
            lanes.add(&nodes);
        }
        Ok(())
    }
}

/// Makes the searcher for a board's array.
struct Make {
    boards: Boards,
}

impl Visit for Make {
    type Output = Box<dyn Searcher<Gomoku>>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        Box::new(AsPublished {
            game,
            boards: self.boards,
            positions: Vec::new(),
        })
    }
}

struct AsPublished<R: Representation> {
    game: R,
    boards: Boards,
    positions: Vec<(R::Position, Position)>,
}

/// A walk through the upper part of the tree, without pruning.
struct Upper<'a, R: Representation> {
    game: &'a R,
    boards: &'a mut Boards,
    /// The board as ints, with the moves that lead here.
    cells: Vec<i32>,
    /// The root's side to move and its opponent, as ints.
    colours: [i32; 2],
    /// Boards that the second walk has come to.
    next: usize,
    counters: Counters,
}

impl<R: Representation> Upper<'_, R> {
    /// Step 1: stores the boards of the leaves.
    fn store(&mut self, board: &R::Position, ply: u32) {
        if ply == self.boards.split {
            self.boards.stored.extend_from_slice(&self.cells);
            if self.boards.order == Order::Children {
                let children = self.game.moves(board).count();
                self.boards.children.push(children);
            }
        } else if self.game.decided(board, ply).is_none() {
            for mv in self.game.moves(board) {
                let child = self.game.play(board, mv);
                self.cells[mv.index()] = self.colours[ply as usize % 2];
                self.store(&child, ply + 1);
                self.cells[mv.index()] = 0;
            }
        }
    }

    /// Step 3: the value of a node for its mover, and its best move.
    fn retrieve(&mut self, board: &R::Position, ply: u32) -> (i32, Option<Square>) {
        if ply == self.boards.split {
            let (value, counters) = self.boards.found[self.next];
            self.next += 1;
            self.counters += counters;
            return (value, None);
        }
        if let Some(value) = self.game.decided(board, ply) {
            self.counters += Counters::of_leaves(1);
            return (value, None);
        }
        self.counters.nodes += 1;
        let mut best: Option<(i32, Square)> = None;
        for mv in self.game.moves(board) {
            let child = self.game.play(board, mv);
            let value = -self.retrieve(&child, ply + 1).0;
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, mv));
            }
        }
        best.map_or((0, None), |(value, mv)| (value, Some(mv)))
    }
}

impl<R: Representation> Searcher<Gomoku> for AsPublished<R> {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let laid_out = |position: &Position| {
            let board = Representation::load(&self.game, position);
            (board, position.clone())
        };
        self.positions = positions.iter().map(laid_out).collect();
        if self.boards.lanes.is_some() && !self.positions.is_empty() {
            self.boards.counting = true;
            self.search(0, self.boards.depth)?;
            self.boards.counting = false;
            self.boards.run.telemetry();
        }
        Ok(())
    }

    fn search(&mut self, index: usize, depth: u32) -> Result<Found<Square>, Fault> {
        built_for(self.boards.depth, depth)?;
        let (board, position) = &self.positions[index];
        if let Some(value) = self.game.decided(board, 0) {
            return Ok(decided(value));
        }
        let squares = position.size().squares();
        let (split, empty) = (self.boards.split as usize, empty(position));
        let mover = position.mover();
        self.boards.stored.clear();
        self.boards.children.clear();
        let mut cells = Vec::with_capacity(squares);
        pack_cells(position, &mut cells);
        let mut upper = Upper {
            game: &self.game,
            boards: &mut self.boards,
            cells,
            colours: [int_of(mover), int_of(mover.other())],
            next: 0,
            counters: Counters::default(),
        };
        upper.store(board, 0);
        // Where fewer squares are left, every line of play ends above.
        let below = empty.saturating_sub(split);
        let to_move = upper.colours[split % 2];
        upper.boards.search(squares, to_move, below)?;
        let (value, best) = upper.retrieve(board, 0);
        Ok(Found::new(value, best, upper.counters))
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut resources = self.boards.run.resources();
        resources.extend(Lanes::resource(self.boards.lanes.as_ref()));
        Telemetry {
            resources,
            ..self.boards.run.telemetry()
        }
    }
}
