//! `naive-as-published`: the paper's first device program, with the paper's data structures (section 5.1).
//! docs/papers/gomoku.md lists what the text leaves open. As in Algorithm 3, threads do not share bounds.

use super::device_board::{GROUP, decided, read_group, value_of_end};
use super::device_cells::{
    CellsPlan, NO_WORK, ORDER, Order, Spread, cells, empty, int_of, int_of_square,
};
use super::hard::{SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, Position, Square};
use crate::techniques::lanes::{EFFICIENCY, Lanes};
use crate::techniques::prelude::*;
use crate::techniques::tasks::built_for;

/// Uses one block for all root moves (Kawakami and Wang, section 5.1). Enters the same nodes as `serial-as-published`.
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "naive-as-published",
        summary: "the paper's program, with one work-group, one work-item per root move, and full-board evaluation",
        paper: "Kawakami and Wang, section 5.1",
        like: "rayon-as-published",
        counts: Counts::As("serial-as-published"),
        params: &[GROUP, ORDER, EFFICIENCY],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("group=5 order=children efficiency=true", SMALL),
    ],
    prepare: |setup| tasks::prepare_search(setup, |asked| Naive::boxed(setup, asked)),
};

struct Root {
    cells: Vec<i32>,
    mover: i32,
    empty: usize,
    spread: Spread,
    decided: Option<i32>,
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
    /// The counts of busy lanes, if the parameter requests them.
    lanes: Option<Lanes>,
}

impl Naive {
    fn boxed(setup: &Setup<'_>, asked: &Gomoku) -> Searching<Gomoku> {
        let (device, evaluation, depth) =
            (setup.on_device()?, &asked.evaluation, asked.amount.depth);
        let squares = evaluation.size().squares();
        let plan = CellsPlan {
            path: "gomoku/naive_as_published.cl",
            kernel: "naive_as_published",
            evaluation,
            block: squares - 1,
            group: GROUP.given(setup.params, None, read_group)?,
            constants: vec![("PLIES", depth.saturating_sub(1).to_string())],
            local: 0,
            barriers_in_loops: false,
        };
        let mut run = plan.build(device, setup)?;
        let position = run.buffer("position", squares, Access::Read)?;
        let moves = run.buffer("moves", squares, Access::Read)?;
        let outcomes = run.outcomes("move", squares, SEARCHED_WORDS)?;
        run.queue.write(&position, &vec![0; squares])?;
        run.warm_up(NO_WORK)?;
        Ok(Box::new(Naive {
            evaluation: evaluation.clone(),
            depth,
            order: Order::read(setup.params)?,
            lanes: Lanes::asked_for(setup.params, device, &run)?,
            run,
            position,
            moves,
            outcomes,
            roots: Vec::new(),
        }))
    }
}

impl Searcher<Gomoku> for Naive {
    fn load(&mut self, positions: &[Position]) -> Result<(), Fault> {
        let root = |position: &Position| Root {
            cells: cells(position),
            mover: int_of(position.mover()),
            empty: empty(position),
            spread: Spread::new(&self.evaluation, position, self.order),
            decided: value_of_end(position),
        };
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
        run.set(&[
            ("count", &(moves.len() as i32)),
            ("mover", &root.mover),
            ("empty", &(root.empty as i32)),
        ])?;
        run.stamp(&mut self.outcomes, moves.len())?;
        run.queue.write(&self.position, &root.cells)?;
        run.queue.write(&self.moves, &moves)?;
        run.launch_groups(1)?;
        root.spread.read(&mut self.outcomes, &mut run.queue)
    }

    fn telemetry(&mut self) -> Telemetry {
        Lanes::telemetry(self.lanes.as_ref(), &mut self.run)
    }
}
