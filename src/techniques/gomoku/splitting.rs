//! `pvs`: the paper's principal variation search on an OpenCL device.
//!
//! A launch takes as long as its slowest group. That time is the number of turns in the largest subtree times the
//! latency of a turn. A turn consists of two barriers, a step of the administrator, and the slowest leaf. A search to
//! depth d needs d - 1 launches, and another for each principal-variation node with a better sibling.

use std::path::Path;

use super::device_board::{
    REACH, defines, lines, order_words, pack, packed_len, square_word, tables, through,
};
use super::hard::{SEARCH, SMALL};
use super::tasks::{self, Gomoku, Searcher};
use crate::games::gomoku::{
    Colour, Evaluation, MoveRule, Position, Representation, Size, Square, Visit, fastest,
};
use crate::techniques::lanes::{EFFICIENCY, Lanes, counted};
use crate::techniques::prelude::*;
use crate::techniques::tasks::{Splits, Splitting, built_up_to, read_scores};

/// Principal variation search with a work-group per sibling (Kawakami and Wang, section 5.3).
pub const PVS: Technique = Technique {
    entry: TechniqueEntry {
        name: "pvs",
        summary: "the leftmost branch on the host and each sibling in a work-group with a null window",
        paper: "Kawakami and Wang, section 5.3, after Strnad and Guid",
        counts: Counts::Own,
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
            let (device, evaluation, depth) =
                (setup.on_device()?, &asked.evaluation, asked.amount.depth);
            counted(setup, depth, |width| {
                let (deepest, kernels) = (depth.saturating_sub(1), setup.kernels);
                let siblings =
                    DeviceSiblings::new(device, evaluation, group, deepest, kernels, width)?;
                fastest(evaluation, Split { siblings, depth })
            })
        })
    },
};

/// Searches the siblings of a principal-variation node, with one work-group per sibling. The device searches all
/// siblings with a null window, and then the better ones with the full window. At remaining depth 1, it searches all
/// siblings with the full window at once. The host handles decided siblings and remaining depth 0.
pub struct DeviceSiblings {
    run: Runner,
    size: Size,
    deepest: u32,
    /// The empty board in the kernels' form.
    walls: Vec<u32>,
    /// The counts of busy lanes since the last query, or `None` if they are not counted.
    lanes: Option<Lanes>,
    words: Buffer<u32>,
    outcomes: Outcomes,
    /// Number of slots per sibling's group (see [`Lanes`]), or `None` if busy lanes are not counted.
    rooms: Option<Buffer<u64>>,
    /// The parent's board, followed by the siblings of a launch.
    packed: Vec<u32>,
}

impl DeviceSiblings {
    /// Builds the kernel and uploads the tables. Halves an automatic `group` until the kernel allows it. `deepest` is
    /// the maximum remaining depth of a sibling. `width` is the number of lanes in lockstep, if lanes are counted.
    pub fn new(
        device: &Device,
        evaluation: &Evaluation,
        group: Option<usize>,
        deepest: u32,
        kernels: Option<&Path>,
        width: Option<usize>,
    ) -> Result<DeviceSiblings, Fault> {
        let size = evaluation.size();
        let levels = deepest.max(1) as usize;
        let plan = KernelPlan {
            path: "gomoku/pvs.cl",
            kernel: "pvs",
            group: WorkGroup::given(group, usual_items(size, device)),
            local: &|items| {
                // Local memory holds four numbers and a stone per level, two counters per work-item, a bit per square,
                // eleven numbers and a bound for the turn, and a counter per bundle of lanes.
                let bundles = width.map_or(0, |width| items.div_ceil(width));
                let words = packed_len(size) + size.squares().div_ceil(32) + bundles;
                let lines = lines(size);
                let whose = format!("a board of {lines} lines and {items} work-items need");
                (4 * words + 20 * levels + 8 * items + 48, whose)
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
        run.upload("tables", &tables(&evaluation.shapes))?;
        run.upload("order", &order_words(size))?;
        let words = run.buffer("parent", packed_len(size) + 2 * squares, Access::Read)?;
        let outcomes = run.outcomes("sibling", squares, SEARCHED_WORDS)?;
        let rooms = width.map(|_| run.buffer("rooms", squares, Access::Write));
        let rooms = rooms.transpose()?;
        let mut walls = Vec::with_capacity(packed_len(size));
        pack(&Position::empty(size), &mut walls);
        Ok(DeviceSiblings {
            lanes: width.map(|width| Lanes::of(run.items, width)),
            run,
            size,
            deepest,
            walls,
            words,
            outcomes,
            rooms,
            packed: Vec::new(),
        })
    }

    /// Returns the counts of busy lanes since the last [`Splits::telemetry`], or `None` if they are not counted.
    pub fn lanes(&mut self) -> Option<&Lanes> {
        self.lanes.as_ref()
    }

    /// Packs a position without the stone on `left_out`. Returns the mover (0 or 1) and the number of empty squares.
    fn pack_without<R: Representation>(
        &mut self,
        game: &R,
        position: &R::Position,
        left_out: Square,
    ) -> [i32; 2] {
        self.packed.clear();
        self.packed.extend_from_slice(&self.walls);
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
                self.packed[(2 * line + colour) * halves + bit / 32] |= 1 << (bit % 32);
            }
        }
        [stones % 2, self.size.squares() as i32 - stones]
    }

    /// Returns the values of the siblings at these `places`, and the counters.
    fn search_places<R: Representation>(
        &mut self,
        node: &SplitNode<'_, R>,
        places: &[usize],
    ) -> Result<(Vec<i32>, Counters), Fault> {
        let &SplitNode {
            game,
            siblings,
            depth,
            ply,
            window,
        } = node;
        built_up_to(self.deepest, depth, " below a sibling")?;
        // To get the parent, remove the last stone of any sibling.
        let Sibling { mv, position } = &siblings[0];
        let [colour, empty] = self.pack_without(game, position, *mv);
        self.run.set(&[
            ("colour", &colour),
            ("empty", &empty),
            ("depth", &(depth as i32)),
            ("ply", &(ply as i32)),
        ])?;
        let board = self.packed.len();
        // Search some of the siblings. The kernel gets the squares of their last stones and the movers' balances.
        let mut launch = |places: &[usize], window: Window, values: &mut Vec<i32>| {
            self.packed.truncate(board);
            for place in places {
                let Sibling { mv, position } = &siblings[*place];
                let balance = game.balance(position) as u32;
                self.packed.extend([square_word(game.size(), *mv), balance]);
            }
            self.launch(places.len(), (depth, window), values)
        };
        let first = Window {
            alpha: window.alpha,
            beta: match depth {
                1 => window.beta,
                _ => window.alpha + 1,
            },
        };
        let mut values = Vec::with_capacity(places.len());
        let mut counters = launch(places, first, &mut values)?;
        let better = |at: &usize| values[*at] > window.alpha;
        let better: Vec<usize> = (0..places.len()).filter(better).collect();
        if better.is_empty() || first == window {
            return Ok((values, counters));
        }
        let mut exact = Vec::with_capacity(better.len());
        let again: Vec<usize> = better.iter().map(|at| places[*at]).collect();
        counters += launch(&again, window, &mut exact)?;
        for (at, value) in better.into_iter().zip(exact) {
            values[at] = value;
        }
        Ok((values, counters))
    }

    /// Searches `count` packed siblings and appends their values: exact above alpha, and otherwise alpha.
    fn launch(
        &mut self,
        count: usize,
        (depth, window): (u32, Window),
        values: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let run = &mut self.run;
        let null_window = window.beta - window.alpha == 1;
        let turns = Turns::new(self.size, run.items, depth, null_window);
        run.set(&[
            ("alpha", &window.alpha),
            ("beta", &window.beta),
            ("alone", &(turns.alone as i32)),
            ("tries", &(turns.tries as i32)),
            ("chunk", &(turns.chunk as i32)),
        ])?;
        run.stamp(&mut self.outcomes, count)?;
        run.queue.write(&self.words, &self.packed)?;
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

impl<R: Representation> Siblings<R> for DeviceSiblings {
    type Fault = Fault;

    fn search(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let &SplitNode {
            game,
            siblings,
            depth,
            ply,
            window,
        } = node;
        let (mut asked, mut alpha) = (Vec::with_capacity(siblings.len()), window.alpha);
        for (place, sibling) in siblings.iter().enumerate() {
            let value = match game.decided(&sibling.position, ply) {
                Some(value) => -value,
                None if depth == 0 => -game.evaluate(&sibling.position),
                None => {
                    asked.push(place);
                    scores.push(window.alpha);
                    continue;
                }
            };
            alpha = alpha.max(value);
            scores.push(value);
        }
        let mut counters = Counters::of_leaves(siblings.len() - asked.len());
        if asked.is_empty() {
            return Ok(counters);
        }
        let raised = Window { alpha, ..window };
        let (values, searched) = self.search_places(
            &SplitNode {
                window: raised,
                ..*node
            },
            &asked,
        )?;
        counters += searched;
        for (place, value) in asked.into_iter().zip(values) {
            // A value that does not exceed the raised bound is no better than a decided sibling.
            if value > alpha {
                scores[place] = value;
            }
        }
        Ok(counters)
    }
}

impl<R: Representation> Splits<R> for DeviceSiblings {
    fn telemetry(&mut self) -> Telemetry {
        let mut telemetry = self.run.telemetry();
        telemetry.resources.extend(Lanes::drain(&mut self.lanes));
        telemetry
    }
}

struct Split {
    siblings: DeviceSiblings,
    depth: u32,
}

impl Visit for Split {
    type Output = Result<Box<dyn Searcher<Gomoku>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let first = Representation::load(&game, &Position::first_stone(game.size()));
        // At depth 1, the host handles all siblings.
        let splitting =
            Splitting::warmed(game, Box::new(self.siblings), &first, self.depth.min(2))?;
        Ok(Box::new(splitting))
    }
}

/// Maximum number of work-items in an automatic group. Larger groups rarely help, because most cutoffs come from the
/// first moves.
const MOST_ITEMS: usize = 256;

whole_numbers! {
    /// The parameter `group`.
    pub auto GROUP, read_group: "group", 1..=1024, "auto",
        "`auto` (1 on a CPU, otherwise one per square up to 256) or the number of work-items per group, from 1 to 1024";
}

/// Returns the default group size: 1 on a CPU, otherwise one work-item per square up to 256, in preferred multiples.
pub(super) fn usual_items(size: Size, device: &Device) -> usize {
    let info = device.info();
    if info.kind == DeviceKind::Cpu {
        return 1;
    }
    size.squares()
        .min(MOST_ITEMS)
        .next_multiple_of(device.preferred_multiple().max(1))
        .min(info.max_work_group)
}

/// The division of a group's work into turns (`cl/gomoku/group_search.clh`). The fields are arguments of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Number of moves at remaining depth 2 that are played before the other moves are probed.
    pub alone: usize,
    /// Number of replies to a move that the first probe tries.
    pub tries: usize,
    /// Number of leaves per turn.
    pub chunk: usize,
}

const TRIES: usize = 12;

impl Turns {
    /// Chooses the turns for siblings at the given remaining depth.
    ///
    /// Most siblings fail low: one reply causes a cutoff, and all moves after that reply must be searched. At odd
    /// remaining depths, nodes at depth 2 therefore search all moves, and probe them all at once. At even depths, the
    /// first move probably causes a cutoff or narrows an open window, so it is played alone. Leaves take one turn,
    /// except at remaining depth 1 of a sibling, where the first leaf may cause a cutoff.
    ///
    /// A group of one work-item has no parallelism. It probes all replies, which is plain alpha-beta in few turns.
    pub fn new(size: Size, items: usize, depth: u32, null_window: bool) -> Turns {
        let all = size.squares();
        if items == 1 {
            return Turns {
                alone: 0,
                tries: all,
                chunk: all,
            };
        }
        let at_once = null_window && depth % 2 == 1;
        Turns {
            alone: usize::from(!at_once),
            tries: TRIES,
            chunk: if depth == 1 { items } else { all },
        }
    }
}
