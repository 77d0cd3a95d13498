//! `pvs`: the paper's principal variation search on an OpenCL device.
//!
//! A launch lasts as long as its slowest group: the turns of the largest subtree times the latency of a turn. A turn
//! has two barriers, the administrator's step and the longest work-item's leaves. A leaf is a chain of four dependent
//! loads (order of moves, line, reading, worth) and some hundred integer instructions. A few hundred groups do not fill
//! a device, so its other rates do not matter. A search of depth d launches d - 1 times, and once more per
//! principal-variation node with a better sibling.

use std::path::Path;

use super::Asked;
use super::device_board::{packed_len, square_word};
use super::device_group::{GROUP, Group, GroupKernel, GroupPlan};
use super::hard::{SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{Evaluation, Position, Representation, Visit, fastest};
use crate::opencl::{Access, Buffer, Device, Outcomes, SEARCHED_WORDS};
use crate::search::{Sibling, Siblings, Window};
use crate::techniques::hard::Trial;
use crate::techniques::lanes::{EFFICIENCY, Lanes, counted};
use crate::techniques::tasks::{Splits, Splitting};
use crate::techniques::{Setup, Technique};
use crate::words::{Counters, Counts, Fault, Task, TechniqueEntry, Telemetry};

/// Principal variation search with a work-group per sibling (Kawakami and Wang, section 5.3).
pub const PVS: Technique = Technique {
    entry: TechniqueEntry {
        game: "gomoku",
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
        tasks::prepare(setup, |asked| {
            let group = Group::read(setup.params, &GROUP)?;
            searcher(setup, asked, group)
        })
    },
};

/// Inputs of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The parent's board, the siblings, and the parent's empty squares.
    pub packed: &'a [u32],
    /// Siblings, all with an unfinished game.
    pub count: usize,
    /// Remaining depth of each sibling, at least 1.
    pub depth: u32,
    /// The parent's window.
    pub window: Window,
}

/// The siblings of a principal-variation node. The device searches all in a null window, then the better siblings in
/// the whole window. At remaining depth 1 the null window is left out: the whole window searches the same leaves.
///
/// The host takes decided siblings and remaining depth 0, each a value that costs far less than a launch. A decided
/// sibling raises the bound for the others.
pub struct DeviceSiblings {
    device: Pvs,
    /// Siblings for the device, by their place among all.
    asked: Vec<usize>,
    values: Vec<i32>,
    /// Siblings of these that failed high.
    better: Vec<usize>,
    packed: Vec<u32>,
}

struct Node<'a, R: Representation> {
    game: &'a R,
    /// All siblings, at least one.
    siblings: &'a [Sibling<R>],
    depth: u32,
    /// Numbers of the parent's board.
    board: usize,
}

impl<R: Representation> Node<'_, R> {
    /// Appends a sibling by its place among all: the square of its last stone, and the mover's balance.
    fn pack_sibling(&self, place: usize, packed: &mut Vec<u32>) {
        let Sibling { mv, position } = &self.siblings[place];
        let balance = self.game.balance(position);
        packed.extend([square_word(self.game.size(), *mv), balance as u32]);
    }

    /// Searches some siblings in a window; `packed` starts with the parent's board.
    fn launch(
        &self,
        device: &mut Pvs,
        places: &mut dyn ExactSizeIterator<Item = usize>,
        window: Window,
        packed: &mut Vec<u32>,
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        packed.truncate(self.board);
        let count = places.len();
        for place in places {
            self.pack_sibling(place, packed);
        }
        let launch = Launch {
            packed,
            count,
            depth: self.depth,
            window,
        };
        device.launch(&launch, values)
    }
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
        self.device.built.lanes.as_ref()
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
        let built = &mut device.built;
        let parent = built.pack_without(game, position, *mv, packed);
        built.set_parent(parent, depth, ply)?;
        let node = Node {
            game,
            siblings,
            depth,
            board: packed.len(),
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
        let mut all = asked.iter().copied();
        let mut counters = node.launch(device, &mut all, first, packed, values)?;
        better.clear();
        better.extend((0..asked.len()).filter(|at| values[*at] > window.alpha));
        if better.is_empty() || first == window {
            return Ok(counters);
        }
        let mut exact = Vec::with_capacity(better.len());
        let mut again = better.iter().map(|at| asked[*at]);
        counters += node.launch(device, &mut again, window, packed, &mut exact)?;
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
        let built = &mut self.device.built;
        let mut telemetry = built.run.telemetry();
        telemetry.resources.extend(Lanes::drain(&mut built.lanes));
        telemetry
    }
}

/// Siblings on a device, a work-group each.
pub struct Pvs {
    pub(super) built: GroupKernel,
    asked: Buffer<u32>,
    outcomes: Outcomes,
    /// Nodes that the lanes of each sibling's group had time for, if counted.
    rooms: Option<Buffer<u64>>,
}

impl Pvs {
    /// Builds the kernel. `deepest` is the largest remaining depth of a sibling, `width` the lanes that share
    /// instructions, if counted. Fails as [`GroupPlan::build`], or if the device refuses.
    pub fn new(
        device: &Device,
        evaluation: &Evaluation,
        group: Group,
        deepest: u32,
        kernels: Option<&Path>,
        width: Option<usize>,
    ) -> Result<Pvs, Fault> {
        let plan = GroupPlan {
            path: "gomoku/pvs.cl",
            kernel: "pvs",
            evaluation,
            group,
            deepest,
            width,
        };
        let mut built = plan.build(device, kernels)?;
        let squares = built.size.squares();
        let words = packed_len(built.size) + 2 * squares;
        let asked = device.buffer::<u32>(words, Access::Read)?;
        let mut outcomes = Outcomes::new(device, "sibling", squares, SEARCHED_WORDS)?;
        built.run.kernel.set_buffer(2, &asked)?;
        outcomes.bind(&mut built.run.kernel, 13)?;
        let rooms = width.map(|_| device.buffer::<u64>(squares, Access::Write));
        let rooms = rooms.transpose()?;
        if let Some(rooms) = &rooms {
            built.run.kernel.set_buffer(14, rooms)?;
        }
        Ok(Pvs {
            built,
            asked,
            outcomes,
            rooms,
        })
    }

    /// Appends a value per sibling from the parent's view: exact above the window's alpha, else alpha. Returns the
    /// counts. Fails if the device fails.
    pub fn launch(
        &mut self,
        launch: &Launch<'_>,
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        self.built.set_window(launch.depth, launch.window)?;
        let run = &mut self.built.run;
        run.kernel
            .set_scalar(12, self.outcomes.mark(launch.count))?;
        run.queue.write(&self.asked, launch.packed)?;
        run.launch_groups(launch.count)?;
        let mut counters = Counters::default();
        self.outcomes.read(&mut run.queue, |outcome| {
            let (value, searched) = outcome.searched();
            values.push(value);
            counters += searched;
        })?;
        if let (Some(rooms), Some(lanes)) = (&self.rooms, &mut self.built.lanes) {
            let mut room = vec![0; launch.count];
            run.queue.read(rooms, &mut room)?;
            lanes.add_up(counters.nodes, room.iter().sum());
        }
        Ok(counters)
    }
}

/// Makes the searcher, and searches the board's first stone.
fn searcher(
    setup: &Setup<'_>,
    asked: &Asked,
    group: Group,
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
