//! `pvs`: the paper's principal variation search on an OpenCL device.
//!
//! A launch lasts as long as its slowest group: the turns of the largest subtree times the latency of a turn (two
//! barriers, the administrator's step, the longest leaves). A search of depth d launches d - 1 times, and once more per
//! principal-variation node with a better sibling.

use std::path::Path;

use super::device_board::{
    REACH, defines, lines, order_words, pack, packed_len, square_word, tables, through,
};
use super::device_group::{GROUP, Turns, read_group, usual_items};
use super::hard::{SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{
    Colour, Evaluation, MoveRule, Position, Representation, Size, Square, Visit, fastest,
};
use crate::opencl::{
    Access, Buffer, Device, KernelPlan, Outcomes, Runner, SEARCHED_WORDS, WorkGroup,
};
use crate::search::{Sibling, Siblings, Window};
use crate::techniques::hard::Trial;
use crate::techniques::lanes::{EFFICIENCY, Lanes, counted};
use crate::techniques::tasks::{Splits, Splitting, built_up_to, read_scores};
use crate::techniques::{Setup, Technique};
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry, Telemetry};

/// Principal variation search with a work-group per sibling (Kawakami and Wang, section 5.3).
pub const PVS: Technique = Technique {
    entry: TechniqueEntry {
        name: "pvs",
        summary: "the leftmost branch on the host, its siblings on the device, a work-group each, with a null window",
        paper: "Kawakami and Wang, section 5.3, after Strnad and Guid",
        counts: Counts::Own,
        tasks: &[Task::Search, Task::Game, Task::Match],
        params: &[GROUP, EFFICIENCY],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("group=5", SMALL),
        Trial::new("group=64", SMALL),
    ],
    prepare: |setup| {
        tasks::prepare_search::<Gomoku>(setup, |asked| {
            let group = GROUP.given(setup.params, None, read_group)?;
            searcher(setup, asked, group)
        })
    },
};

/// The siblings of a principal-variation node. The device searches all in a null window, then the better ones in the
/// whole window; at remaining depth 1 at once in the whole. The host takes decided siblings and remaining depth 0.
pub struct DeviceSiblings {
    device: Pvs,
    /// Siblings for the device, by their place among all.
    asked: Vec<usize>,
    values: Vec<i32>,
    /// Siblings of these that failed high.
    better: Vec<usize>,
    packed: Vec<u32>,
}

impl DeviceSiblings {
    /// Searches siblings on a device.
    pub fn new(device: Pvs) -> DeviceSiblings {
        DeviceSiblings {
            device,
            asked: Vec::new(),
            values: Vec::new(),
            better: Vec::new(),
            packed: Vec::new(),
        }
    }

    /// Share of full lanes since the last [`Splits::telemetry`], if counted.
    pub fn lanes(&mut self) -> Option<&Lanes> {
        self.device.lanes.as_ref()
    }

    /// Searches the siblings for the device, and stores their values.
    fn search_asked<R: Representation>(
        &mut self,
        game: &R,
        siblings: &[Sibling<R>],
        (depth, ply): (u32, u32),
        window: Window,
    ) -> Result<Counters, Fault> {
        let DeviceSiblings {
            device,
            asked,
            values,
            better,
            packed,
        } = self;
        packed.clear();
        // The parent is any sibling without its last stone.
        let Sibling { mv, position } = &siblings[0];
        let parent = device.pack_without(game, position, *mv, packed);
        device.set_parent(parent, depth, ply)?;
        let board = packed.len();
        // Searches some siblings: the squares of their last stones, and the movers' balances.
        let mut launch = |places: &[usize], window: Window, values: &mut Vec<i32>| {
            packed.truncate(board);
            for place in places {
                let Sibling { mv, position } = &siblings[*place];
                let balance = game.balance(position);
                packed.extend([square_word(game.size(), *mv), balance as u32]);
            }
            device.launch(packed, places.len(), (depth, window), values)
        };
        let first = Window {
            alpha: window.alpha,
            beta: if depth == 1 {
                window.beta
            } else {
                window.alpha + 1
            },
        };
        values.clear();
        let mut counters = launch(asked, first, values)?;
        better.clear();
        better.extend((0..asked.len()).filter(|at| values[*at] > window.alpha));
        if better.is_empty() || first == window {
            return Ok(counters);
        }
        let mut exact = Vec::with_capacity(better.len());
        let again: Vec<usize> = better.iter().map(|at| asked[*at]).collect();
        counters += launch(&again, window, &mut exact)?;
        for (at, value) in better.iter().zip(exact) {
            values[*at] = value;
        }
        Ok(counters)
    }
}

impl<R: Representation> Siblings<R> for DeviceSiblings {
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
        self.asked.clear();
        let mut alpha = window.alpha;
        for (place, sibling) in siblings.iter().enumerate() {
            let value = match game.decided(&sibling.position, ply) {
                Some(value) => -value,
                None if depth == 0 => -game.evaluate(&sibling.position),
                None => {
                    self.asked.push(place);
                    scores.push(window.alpha);
                    continue;
                }
            };
            alpha = alpha.max(value);
            scores.push(value);
        }
        let mut counters = Counters::of_leaves(siblings.len() - self.asked.len());
        if self.asked.is_empty() {
            return Ok(counters);
        }
        let raised = Window {
            alpha,
            beta: window.beta,
        };
        counters += self.search_asked(game, siblings, (depth, ply), raised)?;
        for (place, value) in self.asked.iter().zip(&self.values) {
            // Not above the raised bound: no better than a decided sibling.
            if *value > alpha {
                scores[*place] = *value;
            }
        }
        Ok(counters)
    }
}

impl<R: Representation> Splits<R> for DeviceSiblings {
    fn telemetry(&mut self) -> Telemetry {
        let Pvs { run, lanes, .. } = &mut self.device;
        let mut telemetry = run.telemetry();
        telemetry.resources.extend(Lanes::drain(lanes));
        telemetry
    }
}

/// Siblings on a device, a work-group each.
pub struct Pvs {
    run: Runner,
    size: Size,
    deepest: u32,
    /// The empty board in the kernels' form.
    walls: Vec<u32>,
    /// Share of full lanes since the last query, if counted.
    lanes: Option<Lanes>,
    asked: Buffer<u32>,
    outcomes: Outcomes,
    /// Nodes that the lanes of each sibling's group had time for, if counted.
    rooms: Option<Buffer<u64>>,
}

impl Pvs {
    /// Builds the kernel and uploads the tables. Halves an automatic `group` until the kernel allows it. `deepest` is
    /// the largest remaining depth of a sibling, `width` the lanes that share instructions, if counted.
    pub fn new(
        device: &Device,
        evaluation: &Evaluation,
        group: Option<usize>,
        deepest: u32,
        kernels: Option<&Path>,
        width: Option<usize>,
    ) -> Result<Pvs, Fault> {
        let size = evaluation.size();
        let levels = deepest.max(1) as usize;
        let plan = KernelPlan {
            path: "gomoku/pvs.cl",
            kernel: "pvs",
            group: WorkGroup::given(group, usual_items(size, device)),
            local: &|items| {
                let board = 4 * packed_len(size);
                // A node of four numbers and a stone per level; two counters per work-item; a bit per square; the
                // turn's eleven numbers and bound; a counter per bundle of lanes.
                let bundles = width.map_or(0, |width| items.div_ceil(width));
                let bits = 4 * size.squares().div_ceil(32);
                let bytes = board + 20 * levels + 8 * items + bits + 48 + 4 * bundles;
                let lines = lines(size);
                let whose = format!("a board of {lines} lines and {items} work-items need");
                (bytes, whose)
            },
            defines: &|items| {
                let adjacent = evaluation.moves == MoveRule::Adjacent;
                let mut defines = defines(evaluation);
                defines.extend([
                    ("GROUP", items.to_string()),
                    ("LEVELS", levels.to_string()),
                    ("ADJACENT", u32::from(adjacent).to_string()),
                    ("LANES", width.unwrap_or(0).to_string()),
                ]);
                defines
            },
            barriers_in_loops: true,
        };
        let mut run = plan.build(device, kernels)?;
        run.notes = format!(
            "group {}, local {} bytes, built with {}",
            run.items, run.local_bytes, run.options
        );
        let squares = size.squares();
        let table_words = tables(&evaluation.shapes);
        let table_buffer = device.buffer::<i32>(table_words.len(), Access::Read)?;
        run.queue.write(&table_buffer, &table_words)?;
        let order_buffer = device.buffer::<u32>(squares, Access::Read)?;
        run.queue.write(&order_buffer, &order_words(size))?;
        let words = packed_len(size) + 2 * squares;
        let asked = device.buffer::<u32>(words, Access::Read)?;
        let mut outcomes = Outcomes::new(device, "sibling", squares, SEARCHED_WORDS)?;
        run.set_from(0, &[&table_buffer, &order_buffer, &asked])?;
        outcomes.bind(&mut run.kernel, 13)?;
        let rooms = width.map(|_| device.buffer::<u64>(squares, Access::Write));
        let rooms = rooms.transpose()?;
        if let Some(rooms) = &rooms {
            run.kernel.set_buffer(14, rooms)?;
        }
        let mut walls = Vec::with_capacity(packed_len(size));
        pack(&Position::empty(size), &mut walls);
        Ok(Pvs {
            lanes: width.map(|width| Lanes::of(run.items, width)),
            run,
            size,
            deepest,
            walls,
            asked,
            outcomes,
            rooms,
        })
    }

    /// Appends a position without the stone on `left_out`. Returns its mover, 0 or 1, and its empty squares.
    fn pack_without<R: Representation>(
        &self,
        game: &R,
        position: &R::Position,
        left_out: Square,
        packed: &mut Vec<u32>,
    ) -> [usize; 2] {
        let start = packed.len();
        packed.extend_from_slice(&self.walls);
        let words = &mut packed[start..];
        let side = self.size.side();
        let halves = self.walls.len() / (2 * lines(self.size));
        let mut stones = 0;
        for square in self.size.all().filter(|square| *square != left_out) {
            let colour = match game.stone(position, square) {
                None => continue,
                Some(Colour::Black) => 0,
                Some(Colour::White) => 1,
            };
            stones += 1;
            for (line, place) in through(side, self.size.x(square), self.size.y(square)) {
                let bit = place + REACH;
                words[(2 * line + colour) * halves + bit / 32] |= 1 << (bit % 32);
            }
        }
        [stones % 2, self.size.squares() - stones]
    }

    /// Sets the siblings' parent, remaining depth and ply: arguments 5 to 8.
    fn set_parent(
        &mut self,
        [colour, empty]: [usize; 2],
        depth: u32,
        ply: u32,
    ) -> Result<(), Fault> {
        built_up_to(self.deepest, depth, " below a sibling")?;
        let kernel = &mut self.run.kernel;
        kernel.set_from(5, &[&(colour as i32), &(empty as i32), &(depth as i32)])?;
        kernel.set_scalar(8, ply as i32)
    }

    /// Appends a value per sibling, exact above alpha, else alpha. `packed`: the parent's board and `count` siblings.
    fn launch(
        &mut self,
        packed: &[u32],
        count: usize,
        (depth, window): (u32, Window),
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let run = &mut self.run;
        let null_window = window.beta - window.alpha == 1;
        let turns = Turns::new(self.size, run.items, depth, null_window);
        run.set_from(3, &[&window.alpha, &window.beta])?;
        run.set_from(9, &[&(turns.alone as i32), &(turns.tries as i32)])?;
        run.set_from(11, &[&(turns.chunk as i32), &self.outcomes.mark(count)])?;
        run.queue.write(&self.asked, packed)?;
        run.launch_groups(count)?;
        let counters = read_scores(&mut self.outcomes, &mut run.queue, values)?;
        if let (Some(rooms), Some(lanes)) = (&self.rooms, &mut self.lanes) {
            let mut room = vec![0; count];
            run.queue.read(rooms, &mut room)?;
            lanes.add_up(counters.nodes, room.iter().sum());
        }
        Ok(counters)
    }
}

/// Makes the searcher, and searches the board's first stone.
fn searcher(
    setup: &Setup<'_>,
    asked: &Gomoku,
    group: Option<usize>,
) -> Result<Box<dyn Searcher<Gomoku>>, Fault> {
    let (device, depth) = (setup.on_device()?, asked.depth);
    let (evaluation, deepest) = (&asked.evaluation, depth.saturating_sub(1));
    counted(setup, depth, |width| {
        let pvs = Pvs::new(device, evaluation, group, deepest, setup.kernels, width)?;
        let siblings = DeviceSiblings::new(pvs);
        fastest(evaluation, Split { siblings, depth })
    })
}

struct Split {
    siblings: DeviceSiblings,
    depth: u32,
}

impl Visit for Split {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let first = Representation::load(&game, &Position::first_stone(game.size()));
        // At depth 1 the host has all siblings.
        let splitting =
            Splitting::warmed(game, Box::new(self.siblings), &first, self.depth.min(2))?;
        Ok(Box::new(splitting))
    }
}
