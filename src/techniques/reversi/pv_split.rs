//! `pv-split`: the paper's search on an OpenCL device.
//!
//! Finding the moves of both sides takes most of the kernel's time. The longest run on the board determines how long
//! this takes. The rest of the time goes to playing the move and to administration by one work-item. On 8x8 at depth 3,
//! a launch costs about as much as the kernel. The best group size is one work-item per word of squares.
//! [`Group::Auto`] uses it, and so does [`Group::Board`] for 1024 squares or more.

use std::path::Path;

use super::device_board::{
    GROUPS_ALLOWED, Group, Plan, pack, pack_siblings, packed_len, stack_bytes,
};
use super::hard::{PERFT, SEARCH, SMALL};
use super::tasks::{DeviceSplit, Reversi, Searcher, Split};
use crate::games::reversi::{Evaluation, Position, Representation, Visit, fastest};
use crate::techniques::lanes::{EFFICIENCY, Lanes, counted};
use crate::techniques::prelude::*;
use crate::techniques::tasks::{Counter, Counting, PerftSearcher, built_up_to, read_scores};

/// PV-split on a device (Strnad and Guid, sections 3 and 5).
pub const TECHNIQUE: Technique = Technique {
    entry: TechniqueEntry {
        name: "pv-split",
        summary: "PV-split with the leftmost child on the host and each sibling in a work-group",
        paper: "Strnad and Guid, section 3",
        needs: "local memory for the stack: on 64x64, 1.6 KiB per ply",
        counts: Counts::As("rayon"),
        tasks: &[Task::Search, Task::Game, Task::Match, Task::Perft],
        params: &[
            ParamEntry {
                name: "group",
                allowed: GROUPS_ALLOWED,
                default: "board on GPUs, auto on CPUs",
                check: |value| Group::parse(value).map(drop),
            },
            EFFICIENCY,
        ],
        ..TechniqueEntry::DEVICE
    },
    trials: &[
        Trial::new("", SEARCH),
        Trial::new("", PERFT),
        Trial::new("group=board", SMALL),
        Trial::new("group=board", PERFT),
        Trial::new("group=5", SMALL),
    ],
    prepare,
};

fn prepare(setup: &Setup<'_>) -> Prepared {
    prepare_search(setup, |asked: &Reversi| {
        let (evaluation, depth) = (&asked.evaluation, asked.amount.depth);
        let (device, kernels) = (setup.on_device()?, setup.kernels);
        let group = Group::read(setup.params).map_err(Fault::Input)?;
        if setup.task == Task::Perft {
            let perft = DevicePerft::new(evaluation, device, group, depth, kernels)?;
            return fastest(evaluation, perft);
        }
        counted(setup, depth, |width| {
            let deepest = depth.saturating_sub(1);
            let siblings = DeviceSiblings::new(evaluation, device, group, deepest, kernels, width)?;
            fastest(evaluation, Split { siblings, depth })
        })
    })
}

/// Searches siblings on an OpenCL device, with one launch per principal-variation node and one work-group per sibling.
pub struct DeviceSiblings {
    run: Runner,
    positions: Buffer<u32>,
    outcomes: Outcomes,
    /// Numbers of walk steps and slots per sibling's group (see [`Lanes`]), or `None` if they are not counted.
    walks: Option<Buffer<u64>>,
    lanes: Option<Lanes>,
    deepest: u32,
}

impl DeviceSiblings {
    /// Builds the program. `deepest` is a sibling's maximum remaining depth. `width`, if set, is the lockstep width.
    pub fn new(
        evaluation: &Evaluation,
        device: &Device,
        group: Group,
        deepest: u32,
        kernels: Option<&Path>,
        width: Option<usize>,
    ) -> Result<DeviceSiblings, Fault> {
        let size = evaluation.size();
        let levels = deepest as usize + 1;
        let plan = Plan {
            path: "reversi/pv_split.cl",
            kernel: "pv_split",
            evaluation,
            group: group.on(size, device.info().kind),
            // Local memory also holds five numbers per level, one number per work-item, and the job. Counting busy
            // lanes needs another number, and one per square.
            local: &|items| {
                let counted = width.map_or(0, |_| 4 + 4 * size.squares());
                stack_bytes(size, levels) + 4 * items + 20 * levels + 8 + counted
            },
            constants: vec![
                ("LEVELS", deepest.to_string()),
                ("LANES", width.unwrap_or(0).to_string()),
            ],
            barriers_in_loops: true,
        };
        let mut run = plan.build(device, kernels)?;
        let most = size.squares();
        run.notes = format!(
            "group {}, run {}, local {} bytes, built with {}",
            run.items,
            most.div_ceil(run.items),
            run.local_bytes,
            run.options
        );
        let positions = run.buffer("positions", most * packed_len(size), Access::Read)?;
        run.upload("weights", &evaluation.weights)?;
        let outcomes = run.outcomes("sibling", most, SEARCHED_WORDS)?;
        let walks = width.map(|_| run.buffer("walks", 2 * most, Access::Write));
        let walks = walks.transpose()?;
        let lanes = width.map(|width| Lanes::of(run.items, width));
        Ok(DeviceSiblings {
            run,
            positions,
            outcomes,
            walks,
            lanes,
            deepest,
        })
    }

    /// Returns the counts of busy lanes in move generation since the last [`DeviceSplit::telemetry`], if counted.
    pub fn lanes(&self) -> Option<&Lanes> {
        self.lanes.as_ref()
    }
}

impl DeviceSplit for DeviceSiblings {
    fn split<R: Representation>(
        &mut self,
        node: &SplitNode<'_, R>,
        scores: &mut Vec<i32>,
    ) -> Result<Counters, Fault> {
        let &SplitNode {
            siblings,
            depth,
            window,
            ..
        } = node;
        built_up_to(self.deepest, depth, " below a sibling")?;
        self.run.set(&[
            ("parent_alpha", &window.alpha),
            ("parent_beta", &window.beta),
            ("depth", &(depth as i32)),
        ])?;
        self.run.stamp(&mut self.outcomes, siblings.len())?;
        self.run
            .queue
            .write(&self.positions, &pack_siblings(node))?;
        self.run.launch_groups(siblings.len())?;
        let counters = read_scores(&mut self.outcomes, &mut self.run.queue, scores)?;
        if let (Some(walks), Some(lanes)) = (&self.walks, &mut self.lanes) {
            let mut counted = vec![0; 2 * siblings.len()];
            self.run.queue.read(walks, &mut counted)?;
            for pair in counted.chunks_exact(2) {
                lanes.add_up(pair[0], pair[1]);
            }
        }
        Ok(counters)
    }

    fn telemetry(&mut self) -> Telemetry {
        let mut telemetry = self.run.telemetry();
        telemetry.resources.extend(Lanes::drain(&mut self.lanes));
        telemetry
    }
}

/// Number of positions that the host generates, which is enough to occupy a device.
const WANTED: usize = 1024;

const BATCH: usize = 4096;

/// Runs perft on a device. The host plays the first plies. A work-group counts the sequences below each position.
pub struct DevicePerft(Counting);

impl DevicePerft {
    /// Builds the program for `deepest` plies. Fails like [`Plan::build`], or if the device refuses the buffers.
    pub fn new(
        evaluation: &Evaluation,
        device: &Device,
        group: Group,
        deepest: u32,
        kernels: Option<&Path>,
    ) -> Result<DevicePerft, Fault> {
        let size = evaluation.size();
        let levels = deepest.max(1);
        let plan = Plan {
            path: "reversi/perft.cl",
            kernel: "perft",
            evaluation,
            group: group.on(size, device.info().kind),
            // Local memory also holds two numbers per level, two counters and the job.
            local: &|_| stack_bytes(size, levels as usize) + 8 * levels as usize + 16,
            constants: vec![("LEVELS", levels.to_string())],
            barriers_in_loops: true,
        };
        let mut run = plan.build(device, kernels)?;
        run.notes = format!(
            "group {}, local {} bytes, built with {}",
            run.items, run.local_bytes, run.options
        );
        let sizes = (WANTED, BATCH);
        let counter = Counter::Group;
        let counting = Counting::new(run, device, packed_len(size), levels, sizes, counter)?;
        Ok(DevicePerft(counting))
    }

    /// Counts the move sequences of `depth` plies like [`perft`](crate::search::perft).
    pub fn count<R: Representation>(
        &mut self,
        game: &R,
        position: &R::Position,
        depth: u32,
    ) -> Result<Counters, Fault> {
        self.0.count(game, position, depth, pack::<R>)
    }
}

/// Creates the searcher, and launches once.
impl Visit for DevicePerft {
    type Output = Result<Box<dyn Searcher<Reversi>>, Fault>;

    fn visit<R: Representation>(self, game: R) -> Self::Output {
        let start = game.load(&Position::start(game.size()));
        Ok(Box::new(PerftSearcher::warmed(
            game, self.0, pack::<R>, start,
        )?))
    }
}
